"""Train weights for Othello's network: self-play, labelling, fitting and checking.

These modules need numpy, so the commands of ``quietmove train`` import them only when they run.
"""
