"""The inner loops of fitting: online gradient descent on one phase's weights.

The model is a sum of 67 weights: one per pattern, one for both sides' mobility, one for their potential mobility, and
one for the number of empty squares. Each position changes all of its weights by the same share of its error (Widrow and
Hoff 1960); the share decreases to zero over the run.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.addons.train.fitting import FEATURES
from cython.cimports.quietmove.engine.games.othello.evaluators.learnt import Learnt

from quietmove.engine.games.othello.evaluators.patterns import LEARNT
from quietmove.engine.games.othello.evaluators.weights import fold_table

FEATURE_COUNT: int = FEATURES


def choose(own: memoryview, opp: memoryview, chosen: memoryview) -> None:
    """Write the indices of each position's weights to ``chosen``, 67 per position.

    Weights that are equal by symmetry share the first index.

    :param own, opp: discs of the side to move and of the opponent, 64-bit sets.
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
    """Make one pass over the positions in ``order``. Return the mean of the squared errors before each step.

    :param weights: in discs, 32-bit floats; changed in place.
    :param chosen: from :func:`choose`.
    :param labels: the targets in discs, 32-bit floats.
    :param order: position indices, 32-bit.
    :param first_rate, last_rate: the fraction of a position's error that one step corrects, at the start and the end.
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
    """Write each position's value in discs to ``values``. For the other arguments, see :func:`descend`."""
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
