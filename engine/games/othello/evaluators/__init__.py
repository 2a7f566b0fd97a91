"""The evaluators of Othello, by name: a file with a class :class:`Evaluator` and a row here for each.

What an evaluator needs (tables, weights) is prepared when its module is imported: when it is first chosen.
"""

from __future__ import annotations

import importlib

from quietmove.engine.games.base import evaluator_named
from quietmove.engine.games.othello.cpu import prefer_vectors

prefer_vectors(__path__)

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator  # noqa: E402 (the search path comes first)

__all__ = ["EVALUATORS", "Evaluator", "make_evaluator"]

EVALUATORS = {  # a module of this package and its class, the default first
    "classic": ("classic", "Classic"),
    "discs": ("discs", "Discs"),
}


def make_evaluator(name: str) -> Evaluator:
    """Return a new evaluator; its module is imported now.

    :param name: of :data:`EVALUATORS`, or "" for the default.
    :raises OptionError: if there is none of that name.
    """
    module, kind = EVALUATORS[evaluator_named(tuple(EVALUATORS), name)]
    made: Evaluator = getattr(importlib.import_module(f"{__name__}.{module}"), kind)()
    return made
