"""The evaluators of Othello by name. To add one, write a module with an :class:`Evaluator` and list it below.

The evaluators of the large board use its edges and were fitted to it; small boards have their own.

An evaluator's tables are computed when its module is imported, which happens when it is first chosen.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache

from quietmove.engine.games.base import evaluator_named, refuse_file
from quietmove.engine.games.othello.cpu import prefer_vectors

prefer_vectors(__path__)

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator  # noqa: E402 (the search path must be set first)

__all__ = ["Evaluator", "chosen_evaluator", "evaluators_of", "make_evaluator"]

EVALUATORS = {  # the module in this package and the class; the default comes first
    "network": ("network", "Network"),
    "classic": ("classic", "Classic"),
    "discs": ("discs", "Discs"),
}
SMALL_BOARDS = {"mobility": ("mobility", "Mobility")}  # classes that take the board's size


def evaluators_of(size: int) -> tuple[str, ...]:
    """Return the names of the evaluators for a board of this size, default first."""
    return tuple(EVALUATORS if size == 8 else SMALL_BOARDS)


def chosen_evaluator(name: str, size: int) -> str:
    """Return the name of the evaluator to use.

    :param name: a name from :func:`evaluators_of`, or "" for the first one.
    :raises OptionError: if there is no such evaluator.
    """
    return evaluator_named(evaluators_of(size), name)


def make_evaluator(name: str, file: str = "", size: int = 8) -> Evaluator:
    """Return a new evaluator, importing its module on demand.

    :param name: a name from :func:`chosen_evaluator`.
    :param file: a weights file, or "" for the shipped weights; it must be valid even if the evaluator does not use it.
    :param size: the board's size.
    :raises OptionError: if no evaluator for this size can read the file.
    :raises WeightsError: if the file cannot be read, or is not a weights file.
    """
    if size != 8:
        refuse_file(file)
        return make(*SMALL_BOARDS[name], size)
    if file:
        network = make(*EVALUATORS["network"], file)
        if name == "network":
            return network
    return make(*EVALUATORS[name])


def make(module: str, kind: str, *arguments: object) -> Evaluator:
    """Return a new instance of the class ``kind`` in a module of this package."""
    return class_of(module, kind)(*arguments)


@cache
def class_of(module: str, kind: str) -> Callable[..., Evaluator]:
    """Return the class ``kind`` in a module of this package, importing it on first use."""
    evaluator_class: Callable[..., Evaluator] = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
    return evaluator_class
