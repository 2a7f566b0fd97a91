"""Quietmove: an Othello engine with a line protocol, a referee that judges its games and a tournament that rates it.

The three parts are :mod:`quietmove.engine`, :mod:`quietmove.referee` and :mod:`quietmove.tournament`. In a checkout
they are the folders of these names at the top; here they are symbolic links.
"""

__version__ = "0.1.0"
