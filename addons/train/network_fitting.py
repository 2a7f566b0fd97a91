"""The inner loops of fitting a network: stochastic gradient descent.

Steps use Adagrad (Duchi, Hazan and Singer 2011, "Adaptive subgradient methods for online learning and stochastic
optimization"), with one mean square per row. Several threads can update the same parameters concurrently, without locks
(Niu et al. 2011, "Hogwild!: a lock-free approach to parallelizing stochastic gradient descent").

An output of 1.0 is ten discs. A stage has these parameters: 32 x 16 weights of the units, grouped by product; 16 unit
constants, 16 output weights of the units, 32 weights of the products, and the output constant.
"""

from __future__ import annotations

import cython
from cython.cimports.libc.math import sqrtf
from cython.cimports.quietmove.addons.train.network_fitting import (
    CHOSEN,
    CONSTANTS,
    OUTPUTS,
    SKIPS,
    STAGE,
)
from cython.cimports.quietmove.engine.games.othello.bits_header import mobility, popcount
from cython.cimports.quietmove.engine.games.othello.evaluators.network import PLACES
from cython.cimports.quietmove.engine.games.othello.evaluators.network_weights import (
    HALF,
    MOBILITIES,
    STAGES,
    SUMS,
    UNITS,
)

from quietmove.engine.games.othello.evaluators.network import Network
from quietmove.engine.games.othello.evaluators.network_weights import FIRSTS, folded
from quietmove.engine.games.othello.evaluators.patterns import NETWORK

ROW_COUNT: int = NETWORK.size + FIRSTS  # rows for patterns, then stages, then both sides' mobility
STAGE_SIZE: int = STAGE

FIRST_ROW = cython.declare(cython.int, NETWORK.size)
FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


class Descent:
    """One thread's descent on a network's parameters, which several threads share.

    :param rows: :data:`ROW_COUNT` rows of 64 32-bit floats.
    :param row_squares: each row's sum of mean squared gradients.
    :param stages: :data:`STAGE_SIZE` 32-bit floats per stage.
    :param stage_squares: the sum of squared gradients of each stage parameter.
    """

    middles: list[int]
    chosen: list[int]
    sums: list[float]
    products: list[float]
    units: list[float]

    def __init__(
        self, rows: memoryview, row_squares: memoryview, stages: memoryview, stage_squares: memoryview
    ) -> None:
        self.board = Network()
        for place, middle in enumerate(NETWORK.middles()):
            self.middles[place] = middle
        self.buffers = rows, row_squares, stages, stage_squares, folded(NETWORK)
        row_view = cython.declare(cython.float[::1], rows)
        row_squares_view = cython.declare(cython.float[::1], row_squares)
        stage_view = cython.declare(cython.float[::1], stages)
        stage_squares_view = cython.declare(cython.float[::1], stage_squares)
        fold_view = cython.declare(cython.int[::1], self.buffers[4])
        self.rows = cython.address(row_view[0])
        self.row_squares = cython.address(row_squares_view[0])
        self.stages = cython.address(stage_view[0])
        self.stage_squares = cython.address(stage_squares_view[0])
        self.fold = cython.address(fold_view[0])

    def choose(self, own: cython.ulonglong, opp: cython.ulonglong, stage: cython.int) -> None:
        """Select the weight rows that a position activates."""
        place: cython.int
        self.board.reset(own, opp)
        for place in range(PLACES):
            self.chosen[place] = self.fold[self.middles[place] + self.board.indices[place]]
        self.chosen[PLACES] = FIRST_ROW + stage
        first: cython.int = FIRST_ROW + STAGES
        self.chosen[PLACES + 1] = first + min(popcount(mobility(own, opp)), MOBILITIES - 1)
        self.chosen[PLACES + 2] = first + MOBILITIES + min(popcount(mobility(opp, own)), MOBILITIES - 1)

    def forward(self, stage: cython.int) -> cython.float:
        """Return the output for the selected rows, and store the sums, products and units for :meth:`backward`."""
        rows: cython.p_float = self.rows
        weights: cython.p_float = self.stages
        sums = cython.declare(cython.float[64])
        units = cython.declare(cython.float[16])
        i: cython.int
        k: cython.int
        place: cython.int
        start: cython.Py_ssize_t
        for i in range(SUMS):
            sums[i] = 0
        for place in range(CHOSEN):
            start = cython.cast(cython.Py_ssize_t, self.chosen[place]) * SUMS
            for i in range(SUMS):
                sums[i] += rows[start + i]
        start = stage * STAGE
        for k in range(UNITS):
            units[k] = weights[start + CONSTANTS + k]
        total: cython.float = weights[start + SKIPS + HALF]
        product: cython.float
        for i in range(HALF):
            product = within(sums[i]) * within(sums[HALF + i])
            self.products[i] = product
            total += weights[start + SKIPS + i] * product
            for k in range(UNITS):
                units[k] += weights[start + UNITS * i + k] * product
        for k in range(UNITS):
            total += weights[start + OUTPUTS + k] * within(units[k])
            self.units[k] = units[k]
        for i in range(SUMS):
            self.sums[i] = sums[i]
        return total

    def backward(
        self, stage: cython.int, error: cython.float, row_rate: cython.float, stage_rate: cython.float
    ) -> None:
        """Take a gradient step on half the squared error of the last evaluated position."""
        rows: cython.p_float = self.rows
        weights: cython.p_float = self.stages
        slopes = cython.declare(cython.float[64])
        unit_slopes = cython.declare(cython.float[16])
        found = cython.declare(cython.float[16])
        i: cython.int
        k: cython.int
        place: cython.int
        start: cython.int = stage * STAGE
        slope: cython.float
        for k in range(UNITS):
            unit_slopes[k] = error * weights[start + OUTPUTS + k] if 0 < self.units[k] < 1 else 0
            found[k] = error * within(self.units[k])
        self.step(start + OUTPUTS, found, stage_rate)
        for i in range(HALF):
            slope = error * weights[start + SKIPS + i]
            for k in range(UNITS):
                slope += unit_slopes[k] * weights[start + UNITS * i + k]
                found[k] = unit_slopes[k] * self.products[i]
            slopes[i] = slope * within(self.sums[HALF + i]) if 0 < self.sums[i] < 1 else 0
            slopes[HALF + i] = slope * within(self.sums[i]) if 0 < self.sums[HALF + i] < 1 else 0
            self.step(start + UNITS * i, found, stage_rate)
        self.step(start + CONSTANTS, unit_slopes, stage_rate)
        for place in range(2):
            for k in range(UNITS):
                found[k] = error * self.products[UNITS * place + k]
            self.step(start + SKIPS + UNITS * place, found, stage_rate)
        place = start + SKIPS + HALF
        self.stage_squares[place] += error * error
        weights[place] -= stage_rate * error / sqrtf(self.stage_squares[place])
        square: cython.float = 0
        for i in range(SUMS):
            square += slopes[i] * slopes[i]
        square /= SUMS
        row: cython.Py_ssize_t
        share: cython.float
        for place in range(CHOSEN):
            row = self.chosen[place]
            self.row_squares[row] += square
            share = row_rate / sqrtf(self.row_squares[row])
            for i in range(SUMS):
                rows[row * SUMS + i] -= share * slopes[i]

    def step(self, place: cython.int, slopes: cython.p_float, rate: cython.float) -> None:
        """Take an Adagrad step on sixteen parameters of a stage."""
        weights: cython.p_float = self.stages
        squares: cython.p_float = self.stage_squares
        k: cython.int
        for k in range(UNITS):
            squares[place + k] += slopes[k] * slopes[k]
            weights[place + k] -= rate * slopes[k] / sqrtf(squares[place + k])

    def descend(
        self,
        own: memoryview,
        opp: memoryview,
        labels: memoryview,
        order: memoryview,
        shifts: memoryview,
        rates: tuple[float, float, float, float],
    ) -> float:
        """Make one pass over the positions in ``order``. Return the sum of the squared errors before each step.

        :param own, opp: discs of the side to move and of the opponent, 64-bit sets.
        :param labels: the targets in tens of discs, 32-bit floats.
        :param order: position indices, 32-bit.
        :param shifts: for each index, the offset of the stage to use, in empty squares, as a signed byte.
        :param rates: row and stage rates at the start, then both rates at the end; they decrease linearly.
        """
        own_view = cython.declare(cython.ulonglong[::1], own)
        opp_view = cython.declare(cython.ulonglong[::1], opp)
        label_view = cython.declare(cython.float[::1], labels)
        order_view = cython.declare(cython.uint[::1], order)
        shift_view = cython.declare(cython.schar[::1], shifts)
        count: cython.Py_ssize_t = order_view.shape[0]
        row_rate: cython.float = rates[0]
        stage_rate: cython.float = rates[1]
        row_fall: cython.float = rates[0] - rates[2]
        stage_fall: cython.float = rates[1] - rates[3]
        squares: cython.double = 0
        done: cython.float
        error: cython.float
        stage: cython.int
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        with cython.nogil:
            for i in range(count):
                at = order_view[i]
                stage = stage_of(own_view[at], opp_view[at], shift_view[i])
                self.choose(own_view[at], opp_view[at], stage)
                error = self.forward(stage) - label_view[at]
                squares += error * error
                done = cython.cast(cython.float, i) / count
                self.backward(stage, error, row_rate - done * row_fall, stage_rate - done * stage_fall)
        return squares

    def predict(self, own: memoryview, opp: memoryview, values: memoryview) -> None:
        """Write each position's output, in tens of discs, to ``values``."""
        own_view = cython.declare(cython.ulonglong[::1], own)
        opp_view = cython.declare(cython.ulonglong[::1], opp)
        value_view = cython.declare(cython.float[::1], values)
        count: cython.Py_ssize_t = own_view.shape[0]
        stage: cython.int
        i: cython.Py_ssize_t
        with cython.nogil:
            for i in range(count):
                stage = stage_of(own_view[i], opp_view[i], 0)
                self.choose(own_view[i], opp_view[i], stage)
                value_view[i] = self.forward(stage)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def within(number: cython.float) -> cython.float:
    """Clamp a number to the range 0 to 1."""
    return max(cython.cast(cython.float, 0), min(cython.cast(cython.float, 1), number))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stage_of(own: cython.ulonglong, opp: cython.ulonglong, shift: cython.int) -> cython.int:
    """Return the network stage for a position, shifted by ``shift`` empty squares."""
    return max(0, min(STAGES - 1, popcount(~(own | opp) & FULL) + shift))
