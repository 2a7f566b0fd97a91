"""GTP and NBoard, two protocols of other programs for Othello."""
