"""From games to the weights of the learnt evaluation of Othello: play, label, fit, check.

The modules of this folder need numpy, so only the commands of ``quietmove train`` import them, and only when they run.
"""
