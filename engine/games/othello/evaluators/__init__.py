"""The evaluators of Othello, by name: a file with a class :class:`Evaluator` and a row here for each.

Those of the large board know its edges and were fitted to it; the small boards have one of their own.

What an evaluator needs (tables) is prepared when its module is imported: when it is first chosen.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache

from quietmove.engine.games.base import evaluator_named, refuse_file
from quietmove.engine.games.othello.cpu import prefer_vectors

prefer_vectors(__path__)

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator  # noqa: E402 (the search path comes first)
from quietmove.engine.games.othello.evaluators.weights_file import kind_of  # noqa: E402

__all__ = ["Evaluator", "chosen_evaluator", "evaluators_of", "kind_of", "make_evaluator"]

EVALUATORS = {  # each has its module of this package and its class; the default comes first
    "network": ("network", "Network"),
    "learnt": ("learnt", "Learnt"),
    "classic": ("classic", "Classic"),
    "discs": ("discs", "Discs"),
}
SMALL_BOARDS = {"mobility": ("mobility", "Mobility")}  # evaluators of the small boards take the size of the board


def evaluators_of(size: int) -> tuple[str, ...]:
    """Return the names of the evaluators of a board of this size, the default first."""
    return tuple(EVALUATORS if size == 8 else SMALL_BOARDS)


def chosen_evaluator(name: str, file: str, size: int) -> str:
    """Return the name of an evaluator.

    :param name: of :func:`evaluators_of` the size, or "" for the one that reads ``file``, the default without one.
    :raises OptionError: if there is no evaluator of that name.
    """
    return evaluator_named(evaluators_of(size), name or (kind_of(file) if file and size == 8 else ""))


def make_evaluator(name: str, file: str = "", size: int = 8) -> Evaluator:
    """Return a new evaluator; its module is imported now.

    :param name: of :func:`chosen_evaluator`.
    :param file: of weights, "" for those of this package; it must be one even where another evaluator was chosen.
    :param size: of the board, squares a side.
    :raises OptionError: if no evaluator of this size could read such a file.
    :raises WeightsError: if the file cannot be read, or holds no weights.
    """
    if size != 8:
        refuse_file(file)
        return make(*SMALL_BOARDS[name], size)
    if file:
        kind = kind_of(file) or "learnt"  # the learnt evaluator says what is wrong with a file of no kind
        found = make(*EVALUATORS[kind], file)
        if name == kind:
            return found
    return make(*EVALUATORS[name])


def make(module: str, kind: str, *arguments: object) -> Evaluator:
    """Return a new object of the class ``kind`` of a module of this package."""
    return class_of(module, kind)(*arguments)


@cache
def class_of(module: str, kind: str) -> Callable[..., Evaluator]:
    """Return the class ``kind`` of a module of this package, which is imported when it is first asked for."""
    found: Callable[..., Evaluator] = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
    return found
