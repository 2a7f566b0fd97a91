"""From games to the weights of Othello's evaluations: play, label, fit, check.

The modules of this folder need numpy, so only the commands of ``quietmove train`` import them, and only when they run.
"""
