"""The inner loops of the fit: online gradient descent on the weights of one phase.

The model is a sum of 67 weights: one for each pattern place, one for the mobility of both sides, one for their
potential mobility, one for the number of empty squares. Each position moves all of its weights by the same share of its
error (Widrow and Hoff 1960), and the share falls to zero over the run.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.addons.train.fitting import FEATURES
from cython.cimports.quietmove.engine.games.othello.evaluators.learnt import Learnt

from quietmove.engine.games.othello.evaluators.patterns import LEARNT
from quietmove.engine.games.othello.evaluators.weights import fold_table

FEATURE_COUNT: int = FEATURES


def choose(own: memoryview, opp: memoryview, chosen: memoryview) -> None:
    """Write to ``chosen`` which weights of a phase each position has, 67 in a row.

    Weights that are equal because the board is symmetric are the first of them.

    :param own, opp: the squares of the side to move and of the other side, 64-bit sets.
    :param chosen: 32-bit integers.
    """
    own_view = cython.declare(cython.ulonglong[:], own)
    opp_view = cython.declare(cython.ulonglong[:], opp)
    chosen_view = cython.declare(cython.int[:], chosen)
    fold = cython.declare(cython.int[:], fold_table())
    found = cython.declare(cython.int[FEATURES])
    evaluator: Learnt = Learnt()
    folded: cython.int = LEARNT.size
    count: cython.Py_ssize_t = own_view.shape[0]
    i: cython.Py_ssize_t
    k: cython.int
    for i in range(count):
        evaluator.features(own_view[i], opp_view[i], found)
        for k in range(FEATURES):
            chosen_view[i * FEATURES + k] = fold[found[k]] if found[k] < folded else found[k]


def descend(
    weights: memoryview, chosen: memoryview, labels: memoryview, order: memoryview, first_rate: float, last_rate: float
) -> float:
    """Go once through the positions in ``order``; return the mean of their squared errors, each before its step.

    :param weights: in discs, changed in place, 32-bit floats.
    :param chosen: of :func:`choose`.
    :param labels: the values to be learnt, in discs, 32-bit floats.
    :param order: indices of positions, 32-bit.
    :param first_rate, last_rate: the share of its error that a position takes off, at the start and at the end.
    """
    weight_view = cython.declare(cython.float[:], weights)
    chosen_view = cython.declare(cython.int[:], chosen)
    label_view = cython.declare(cython.float[:], labels)
    order_view = cython.declare(cython.uint[:], order)
    count: cython.Py_ssize_t = order_view.shape[0]
    rate: cython.double = first_rate
    fall: cython.double = (first_rate - last_rate) / max(1, count)
    squares: cython.double = 0
    error: cython.double
    step: cython.double
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.int
    for i in range(count):
        row = cython.cast(cython.Py_ssize_t, order_view[i]) * FEATURES
        error = label_view[order_view[i]]
        for k in range(FEATURES):
            error -= weight_view[chosen_view[row + k]]
        squares += error * error
        step = error * rate / FEATURES
        for k in range(FEATURES):
            weight_view[chosen_view[row + k]] += step
        rate -= fall
    return squares / max(1, count)


def predict(weights: memoryview, chosen: memoryview, values: memoryview) -> None:
    """Write the value of each position to ``values``, in discs; the arguments are those of :func:`descend`."""
    weight_view = cython.declare(cython.float[:], weights)
    chosen_view = cython.declare(cython.int[:], chosen)
    value_view = cython.declare(cython.float[:], values)
    count: cython.Py_ssize_t = value_view.shape[0]
    total: cython.double
    i: cython.Py_ssize_t
    k: cython.int
    for i in range(count):
        total = 0
        for k in range(FEATURES):
            total += weight_view[chosen_view[i * FEATURES + k]]
        value_view[i] = total
