"""Building and converting Othello opening books."""
