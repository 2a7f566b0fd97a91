"""Training samples: positions and their targets, and the errors by phase of the game.

The target is the exact value if known, otherwise a mixture of a search's value and the game's result.
The result has a larger weight early in the game, where search values drift from the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from quietmove.addons.train.positions import EXACT, NO_RESULT, NO_VALUE, Records, count_empties, empties_of
from quietmove.engine.errors import TrainingError

Floats = npt.NDArray[np.float32]

PHASES = 15  # of four plies each, for reports: phase 0 has at least 57 empty squares, phase 14 at most 4
LATE, EARLY = 34, 40  # the mixture changes between these numbers of empty squares


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings of a fit.

    :param epochs: passes over the positions.
    :param seed: the seed for the order of the positions and for the held-out games.
    :param held_out: percentage of games to measure on instead of fitting to.
    :param late_share, early_share: the search value's share in the target, with at most :data:`LATE` and with at least
        :data:`EARLY` empty squares; the result makes up the rest.
    :param start: path of a network's initial weights, or "" for small random numbers.
    """

    epochs: int = 6
    seed: int = 1
    held_out: float = 3.0
    late_share: float = 0.7
    early_share: float = 0.3
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


def joined(samples: Sequence[Sample]) -> Sample:
    """Concatenate samples."""
    return Sample(*map(np.concatenate, zip(*(each.arrays for each in samples), strict=True)))


def view(array: npt.NDArray[Any]) -> memoryview:
    return memoryview(array)  # type: ignore[arg-type] # NumPy arrays are not declared as buffers before Python 3.12


def root_mean_square(errors: npt.NDArray[np.floating[Any]]) -> float:
    """Return the root mean square, or NaN for an empty array."""
    return float(np.sqrt(np.mean(errors.astype(np.float64) ** 2))) if len(errors) else float("nan")
