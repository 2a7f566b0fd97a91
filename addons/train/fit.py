"""The fit: from positions with values to the weights of each phase.

A phase is fitted to its own positions and to those of the plies beside it, so that the evaluation does not jump between
phases. The value to be learnt is exact where it is known; else it is a mixture of a search's value and of the game's
result, which counts the more, the earlier in the game it is: values of searches alone drift from the truth there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from quietmove.addons.train.fitting import FEATURE_COUNT, choose, descend, predict
from quietmove.addons.train.positions import EXACT, NO_RESULT, NO_VALUE, Records, count_empties, empties_of
from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.evaluators.weights import PHASE_SIZE, PHASES, free_weights, pack_weights
from quietmove.engine.tools.workers import compute

Floats = npt.NDArray[np.float32]

EARLY_FROM = 53  # phases that begin with at least so many empty squares have the early rate: at 0.7 they diverge
EARLY_STEPS = 200_000  # the least number of steps in those phases, which have few different positions
LATE, EARLY = 34, 40  # the mixture of value and result changes between these numbers of empty squares
MERGED_FROM = 40  # equal positions with at least so many empty squares become one, with the mean of their values


@dataclass(frozen=True, slots=True)
class Recipe:
    """How weights are fitted.

    :param epochs: passes over the positions; more in the first phases where there are fewer than
        :data:`EARLY_STEPS` steps otherwise.
    :param seed: of the order of the positions and of the choice of the games held out.
    :param held_out: percent of the games that are not fitted to, but measured on.
    :param late_share, early_share: of the search's value in the value to be learnt, with at most :data:`LATE` and with
        at least :data:`EARLY` empty squares; the rest is the result's.
    :param rate: the share of its error that a position takes off at first; it falls to zero.
    :param early_rate: the same for the phases that begin with :data:`EARLY_FROM` empty squares or more.
    :param overlap: plies on either side of a phase whose positions it is fitted to as well.
    :param start: the path of the weights that a network begins with, "" for small random numbers.
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
    """Positions and what is to be learnt of them, as arrays of equal length.

    :param own, opp: the squares of the side to move and of the other side.
    :param labels: discs, from the side to move.
    :param held_out: whether a position is kept for measuring.
    """

    own: npt.NDArray[np.uint64]
    opp: npt.NDArray[np.uint64]
    labels: Floats
    held_out: npt.NDArray[np.bool_]

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The four arrays."""
        return self.own, self.opp, self.labels, self.held_out

    def part(self, chosen: npt.NDArray[Any]) -> Sample:
        """Return some of the positions."""
        return Sample(*(each[chosen] for each in self.arrays))

    @property
    def empties(self) -> npt.NDArray[np.int64]:
        """The number of empty squares of each position."""
        return count_empties(self.own, self.opp)


@dataclass(frozen=True, slots=True)
class PhaseLoss:
    """How well a phase was fitted.

    :param positions: how many it was fitted to.
    :param loss: root of the mean squared error of these, in discs; NaN without such.
    :param held_out_loss: the same over the positions held out.
    """

    phase: int
    positions: int
    loss: float
    held_out_loss: float


@dataclass(frozen=True, slots=True)
class Fitted(PhaseLoss):
    """A phase of the learnt evaluation that was fitted; its ``loss`` has each position's error before its last step.

    :param weights: in discs; those that a symmetry makes equal to an earlier one are 0.
    """

    weights: Floats


def phase_bounds(phase: int) -> tuple[int, int]:
    """Return the least and the greatest number of empty squares of a phase."""
    return (0 if phase == PHASES - 1 else 57 - 4 * phase), 60 - 4 * phase


def in_phase(empties: npt.NDArray[np.int64], phase: int, overlap: int = 0) -> npt.NDArray[np.bool_]:
    """Tell of each number of empty squares whether it belongs to a phase, or to so many plies on either side of it."""
    fewest, most = phase_bounds(phase)
    return (empties >= fewest - overlap) & (empties <= most + overlap)


def read_sample(records: Records, recipe: Recipe, file: int, name: str) -> Sample:
    """Return what is to be learnt from the records of a file.

    :param file: the file's number among those of the fit: games of different files are held out independently.
    :param name: of the file, for the error.
    :raises TrainingError: if a position has neither a value nor a result.
    """
    value = records["value"] / 100
    result = records["result"].astype(np.float64)
    no_value, no_result = records["value"] == NO_VALUE, records["result"] == NO_RESULT
    bare = np.flatnonzero(no_value & no_result)
    if len(bare):
        number = int(bare[0]) + 1
        raise TrainingError(f"positions: {name}: position {number} has neither a value nor a result: label it first")
    late = np.clip((EARLY - empties_of(records)) / (EARLY - LATE), 0, 1)
    share = recipe.early_share + (recipe.late_share - recipe.early_share) * late
    share[((records["flags"] & EXACT) != 0) | no_result] = 1
    share[no_value] = 0
    labels = (share * np.where(no_value, 0, value) + (1 - share) * result).astype(np.float32)
    drawn = np.random.default_rng([recipe.seed, file]).random(int(records["game"].max(initial=0)) + 1)
    return Sample(records["own"].copy(), records["opp"].copy(), labels, drawn[records["game"]] < recipe.held_out / 100)


def merged(sample: Sample) -> Sample:
    """Return the positions; equal ones with many empty squares are merged, but those held out stay apart."""
    early = sample.empties >= MERGED_FROM
    chosen = sample.part(early)
    boards = np.stack([chosen.own, chosen.opp, chosen.held_out.astype(np.uint64)], axis=1)
    _, first, inverse = np.unique(boards, axis=0, return_index=True, return_inverse=True)
    sums = np.bincount(inverse.reshape(-1), weights=chosen.labels)
    means = (sums / np.bincount(inverse.reshape(-1))).astype(np.float32)
    return joined([replace(chosen.part(first), labels=means), sample.part(~early)])


def joined(samples: Sequence[Sample]) -> Sample:
    """Return all positions of several samples as one."""
    return Sample(*map(np.concatenate, zip(*(each.arrays for each in samples), strict=True)))


def fit_phases(samples: Sequence[Sample], recipe: Recipe, processes: int) -> Iterator[Fitted]:
    """Fit each phase in turn, on several cores, to its positions and to those beside it."""
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
    return memoryview(array)  # type: ignore[arg-type] # an array has a buffer, which is not declared before Python 3.12


def root_mean_square(errors: npt.NDArray[np.floating[Any]]) -> float:
    """Return the root of the mean square; NaN of none."""
    return float(np.sqrt(np.mean(errors.astype(np.float64) ** 2))) if len(errors) else float("nan")


def packed_weights(phases: Sequence[Fitted]) -> bytes:
    """Return the bytes of a file of weights."""
    free = np.array(free_weights())
    rounded = (np.clip(np.rint(each.weights[free] * 128), -32768, 32767) for each in phases)
    return pack_weights([each.astype("<i2").tobytes() for each in rounded])
