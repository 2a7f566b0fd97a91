"""The evaluators of Othello, by name: a file with a class :class:`Evaluator` and a row here for each.

What an evaluator needs (tables) is prepared when its module is imported: when it is first chosen.
"""

from __future__ import annotations

import importlib

from quietmove.engine.games.base import evaluator_named
from quietmove.engine.games.othello.cpu import prefer_vectors

prefer_vectors(__path__)

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator  # noqa: E402 (the search path comes first)

__all__ = ["EVALUATORS", "Evaluator", "make_evaluator"]

EVALUATORS = {  # a module of this package and its class, the default first
    "learnt": ("learnt", "Learnt"),
    "classic": ("classic", "Classic"),
    "discs": ("discs", "Discs"),
}
WEIGHTED = ("learnt",)  # those that read a file of weights


def make_evaluator(name: str, file: str = "") -> Evaluator:
    """Return a new evaluator; its module is imported now.

    :param name: of :data:`EVALUATORS`, or "" for the default.
    :param file: of weights, "" for those of this package; it must be one even where the evaluator has none.
    :raises OptionError: if there is no evaluator of that name.
    :raises WeightsError: if the file cannot be read, or holds no weights.
    """
    name = evaluator_named(tuple(EVALUATORS), name)
    if file:
        from quietmove.engine.games.othello.evaluators.weights import weights_of

        weights_of(file)
    module, kind = EVALUATORS[name]
    make = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
    made: Evaluator = make(file) if name in WEIGHTED else make()
    return made
