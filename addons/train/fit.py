"""Fit the weights of each phase to labelled positions.

A phase is fitted to its own positions and to those a few plies on either side, so that the evaluation is continuous
between phases. The target is the exact value if known, otherwise a mixture of a search's value and the game's result.
The result has a larger weight early in the game, where search values drift from the truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from quietmove.addons.shared.workers import compute
from quietmove.addons.train.fitting import FEATURE_COUNT, choose, descend, predict
from quietmove.addons.train.positions import EXACT, NO_RESULT, NO_VALUE, Records, count_empties, empties_of
from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.evaluators.weights import PHASE_SIZE, PHASES, free_weights, pack_weights

Floats = npt.NDArray[np.float32]

EARLY_FROM = 53  # phases starting with at least this many empty squares use the early rate; the usual rate diverges
EARLY_STEPS = 200_000  # minimum number of steps in those phases, which have few distinct positions
LATE, EARLY = 34, 40  # the mixture changes between these numbers of empty squares
MERGED_FROM = 40  # merge equal positions with at least this many empty squares, averaging their values


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings of a fit.

    :param epochs: passes over the positions; more in the first phases if they would get fewer than :data:`EARLY_STEPS`
        steps.
    :param seed: the seed for the order of the positions and for the held-out games.
    :param held_out: percentage of games to measure on instead of fitting to.
    :param late_share, early_share: the search value's share in the target, with at most :data:`LATE` and with at least
        :data:`EARLY` empty squares; the result makes up the rest.
    :param rate: the initial fraction of a position's error that one step corrects; the fraction decreases to zero.
    :param early_rate: the same for phases that start with at least :data:`EARLY_FROM` empty squares.
    :param overlap: the number of plies on either side of a phase whose positions it is also fitted to.
    :param start: path of a network's initial weights, or "" for small random numbers.
    """

    epochs: int = 12
    seed: int = 1
    held_out: float = 3.0
    late_share: float = 0.7
    early_share: float = 0.3
    rate: float = 0.7
    early_rate: float = 0.15
    overlap: int = 2
    start: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """Positions and their targets, as arrays of equal length.

    :param own, opp: discs of the side to move and of the opponent.
    :param labels: targets in discs, from the side to move's point of view.
    :param held_out: whether a position is used only for measuring.
    """

    own: npt.NDArray[np.uint64]
    opp: npt.NDArray[np.uint64]
    labels: Floats
    held_out: npt.NDArray[np.bool_]

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """All four arrays, in the order of the fields."""
        return self.own, self.opp, self.labels, self.held_out

    def part(self, chosen: npt.NDArray[Any]) -> Sample:
        """Return a subset of the positions."""
        return Sample(*(each[chosen] for each in self.arrays))

    @property
    def empties(self) -> npt.NDArray[np.int64]:
        """The number of empty squares of each position."""
        return count_empties(self.own, self.opp)


@dataclass(frozen=True, slots=True)
class PhaseLoss:
    """The quality of a fitted phase.

    :param positions: the number of positions it was fitted to.
    :param loss: their root mean square error in discs; NaN without positions.
    :param held_out_loss: the same for the held-out positions.
    """

    phase: int
    positions: int
    loss: float
    held_out_loss: float


@dataclass(frozen=True, slots=True)
class Fitted(PhaseLoss):
    """A fitted phase with its weights. ``loss`` uses each position's error just before its own last gradient step.

    :param weights: in discs; a weight that is equal to an earlier one by symmetry is 0.
    """

    weights: Floats


def phase_bounds(phase: int) -> tuple[int, int]:
    """Return the minimum and maximum number of empty squares of a phase."""
    return (0 if phase == PHASES - 1 else 57 - 4 * phase), 60 - 4 * phase


def in_phase(empties: npt.NDArray[np.int64], phase: int, overlap: int = 0) -> npt.NDArray[np.bool_]:
    """Return, for each number of empty squares, whether it is in a phase or within ``overlap`` plies of it."""
    fewest, most = phase_bounds(phase)
    return (empties >= fewest - overlap) & (empties <= most + overlap)


def read_sample(records: Records, recipe: Recipe, file: int, name: str) -> Sample:
    """Return the training sample for one file's records.

    :param file: the file's index in the fit: games are held out independently per file.
    :param name: the file's name, for error messages.
    :raises TrainingError: if a position has neither a value nor a result.
    """
    value = records["value"] / 100
    result = records["result"].astype(np.float64)
    no_value, no_result = records["value"] == NO_VALUE, records["result"] == NO_RESULT
    bare = np.flatnonzero(no_value & no_result)
    if len(bare):
        number = int(bare[0]) + 1
        raise TrainingError(f"positions: {name}: position {number} has neither a value nor a result; label it first")
    late = np.clip((EARLY - empties_of(records)) / (EARLY - LATE), 0, 1)
    share = recipe.early_share + (recipe.late_share - recipe.early_share) * late
    share[((records["flags"] & EXACT) != 0) | no_result] = 1
    share[no_value] = 0
    labels = (share * np.where(no_value, 0, value) + (1 - share) * result).astype(np.float32)
    drawn = np.random.default_rng([recipe.seed, file]).random(int(records["game"].max(initial=0)) + 1)
    return Sample(records["own"].copy(), records["opp"].copy(), labels, drawn[records["game"]] < recipe.held_out / 100)


def merged(sample: Sample) -> Sample:
    """Merge equal positions with many empty squares, averaging targets. Held-out positions are merged separately."""
    early = sample.empties >= MERGED_FROM
    chosen = sample.part(early)
    boards = np.stack([chosen.own, chosen.opp, chosen.held_out.astype(np.uint64)], axis=1)
    _, first, inverse = np.unique(boards, axis=0, return_index=True, return_inverse=True)
    sums = np.bincount(inverse.reshape(-1), weights=chosen.labels)
    means = (sums / np.bincount(inverse.reshape(-1))).astype(np.float32)
    return joined([replace(chosen.part(first), labels=means), sample.part(~early)])


def joined(samples: Sequence[Sample]) -> Sample:
    """Concatenate samples."""
    return Sample(*map(np.concatenate, zip(*(each.arrays for each in samples), strict=True)))


def fit_phases(samples: Sequence[Sample], recipe: Recipe, processes: int) -> Iterator[Fitted]:
    """Fit the phases in parallel, each to the positions in and near it, and yield them in order."""
    tasks = (
        (phase, merged(joined([each.part(in_phase(each.empties, phase, recipe.overlap)) for each in samples])))
        for phase in range(PHASES)
    )
    yield from compute(partial(fit_phase, recipe), tasks, processes)


def fit_phase(recipe: Recipe, task: tuple[int, Sample]) -> Fitted:
    phase, sample = task
    early = phase_bounds(phase)[1] >= EARLY_FROM
    rate = recipe.early_rate if early else recipe.rate
    chosen = np.empty(len(sample.own) * FEATURE_COUNT, np.int32)
    choose(view(sample.own), view(sample.opp), view(chosen))
    weights = np.zeros(PHASE_SIZE, np.float32)
    order = np.flatnonzero(~sample.held_out).astype(np.uint32)
    choices = np.random.default_rng([recipe.seed, phase])
    squares = 0.0
    epochs = max(recipe.epochs, EARLY_STEPS // max(1, len(order))) if early and len(order) else recipe.epochs
    for epoch in range(epochs):
        choices.shuffle(order)
        first_rate, last_rate = (rate * (1 - each / epochs) for each in (epoch, epoch + 1))
        squares = descend(view(weights), view(chosen), view(sample.labels), view(order), first_rate, last_rate)
    values = np.empty(len(sample.own), np.float32)
    predict(view(weights), view(chosen), view(values))
    held_out_loss = root_mean_square((values - sample.labels)[sample.held_out])
    return Fitted(phase, len(order), squares**0.5, held_out_loss, weights)


def view(array: npt.NDArray[Any]) -> memoryview:
    return memoryview(array)  # type: ignore[arg-type] # NumPy arrays are not declared as buffers before Python 3.12


def root_mean_square(errors: npt.NDArray[np.floating[Any]]) -> float:
    """Return the root mean square, or NaN for an empty array."""
    return float(np.sqrt(np.mean(errors.astype(np.float64) ** 2))) if len(errors) else float("nan")


def packed_weights(phases: Sequence[Fitted]) -> bytes:
    """Return the contents of a weights file."""
    free = np.array(free_weights())
    rounded = (np.clip(np.rint(each.weights[free] * 128), -32768, 32767) for each in phases)
    return pack_weights([each.astype("<i2").tobytes() for each in rounded])
