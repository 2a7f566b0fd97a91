"""The values of the option ``Algorithm``: three that search to a depth, and one that samples."""

from __future__ import annotations

from quietmove.engine.search import node

__all__ = ["ALGORITHMS", "MCTS"]

MCTS = "mcts"  # Monte Carlo tree search; it works on another tree, with other limits
ALGORITHMS = (*node.ALGORITHMS, MCTS)
