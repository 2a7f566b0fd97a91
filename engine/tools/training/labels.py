"""Labels: the value of each position of a file, by search.

*Retrograde* labels need no weights to begin with. The positions are labelled phase by phase from the end of the game
on: near the end exactly, before that by a search whose leaves lie in the phase behind, which was labelled and fitted
before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import numpy as np

from quietmove.engine.games.othello.evaluators.weights import PHASES
from quietmove.engine.tools.training.fit import Fitted, Recipe, fit_phase, packed_weights, phase_bounds, read_sample
from quietmove.engine.tools.training.judge import Effort, Judge, discs
from quietmove.engine.tools.training.positions import (
    EXACT,
    NO_RESULT,
    NO_VALUE,
    RECORD,
    Records,
    empties_of,
    whole_blocks,
)
from quietmove.engine.tools.workers import Workers, compute

__all__ = ["Retrograde", "Straight", "Work", "label_block", "sampled"]

BLOCK_POSITIONS = 2048
MOST_STRAY_PLIES = 3
# The fits on the way: the value alone is learnt, and no game is held out.
RETROGRADE = Recipe(epochs=10, held_out=0, late_share=1, early_share=1)


def sampled(records: Records, count: int, stray: float, seed: int) -> Records:
    """Return some of the positions, drawn at random, in their order.

    :param count: how many; all where there are no more.
    :param stray: percent of them that are followed by one to three random plies; these lose value and result.
    """
    draws = np.random.default_rng([seed, 0])
    chosen = records
    if count < len(records):
        chosen = records[np.sort(draws.choice(len(records), count, replace=False))]
    chosen = chosen.copy()
    judge = Judge(Effort(1, 0, "discs"))
    choices = random.Random(seed)
    gone = np.zeros(len(chosen), bool)
    for i in np.flatnonzero(draws.random(len(chosen)) < stray / 100):
        gone[i] = not stray_from(judge, chosen, int(i), choices)
    return chosen[~gone]


def stray_from(judge: Judge, records: Records, i: int, choices: random.Random) -> bool:
    """Make random moves in a position of ``records``; return whether a move is left to make."""
    position = judge.position
    position.set_up(int(records["own"][i]), int(records["opp"][i]), 0)
    for _ in range(choices.randint(1, MOST_STRAY_PLIES)):
        if moves := position.legal_moves():
            position.play(choices.choice(moves))
    records[i] = (*discs(position), records["game"][i], NO_VALUE, NO_RESULT, 0)
    return not position.is_over()


def split(records: Records) -> list[Records]:
    """Return the records in blocks."""
    return [records[i : i + BLOCK_POSITIONS] for i in range(0, len(records), BLOCK_POSITIONS)]


def label_block(effort: Effort, records: Records) -> Records:
    """Return the records with the values of a search; exact values stay."""
    judge = Judge(effort)
    labelled = records.copy()
    for i in np.flatnonzero((records["flags"] & EXACT) == 0):
        judge.position.set_up(int(records["own"][i]), int(records["opp"][i]), 0)
        labelled["flags"][i] = EXACT if judge.is_exact() else 0
        labelled["value"][i] = judge.value()[0]
    return labelled


class Work(Protocol):
    """A way to label positions, block by block."""

    @property
    def blocks(self) -> int:
        """How many blocks there are."""

    def label(self, path: Path, done: int, processes: int) -> Iterator[Records]:
        """Yield the labelled blocks that follow the first ``done``, which the file already holds."""


@dataclass(frozen=True)
class Straight:
    """Labels in the order of the positions.

    :param effort: of each search.
    """

    records: Records
    effort: Effort

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(split(self.records))

    def label(self, path: Path, done: int, processes: int) -> Iterator[Records]:
        """Yield the labelled blocks that follow the first ``done``."""
        return compute(partial(label_block, self.effort), split(self.records)[done:], processes)


@dataclass(frozen=True)
class Retrograde:
    """Labels from the end of the game on.

    :param effort: of each search; its evaluation is learnt, by weights that are fitted on the way.
    """

    records: Records
    effort: Effort

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return sum(len(self.phase_blocks(phase)) for phase in range(PHASES))

    def phase_blocks(self, phase: int) -> list[Records]:
        """Return the blocks of a phase."""
        phases = np.clip((60 - empties_of(self.records)) // 4, 0, PHASES - 1)
        return split(self.records[phases == phase])

    def label(self, path: Path, done: int, processes: int) -> Iterator[Records]:
        """Yield the labelled blocks that follow the first ``done``, which are read again: the fits need them."""
        known = whole_blocks(path, done) if done else iter(())
        fitted: list[Fitted] = []
        behind: list[Records] = []  # the labelled positions of the phase behind
        with TemporaryDirectory() as folder, Workers(processes) as workers:
            for phase in reversed(range(PHASES)):
                blocks = self.phase_blocks(phase)
                labelled = list(islice(known, len(blocks)))
                effort = replace(self.effort, weights=write_weights(Path(folder), fitted)) if fitted else self.effort
                for block in workers.compute(partial(label_block, effort), blocks[len(labelled) :]):
                    labelled.append(block)
                    yield block
                fitted.append(fit_from_the_end(phase, labelled, behind))
                behind = labelled


def fit_from_the_end(phase: int, labelled: Sequence[Records], behind: Sequence[Records]) -> Fitted:
    """Return the fit of a phase to its positions and to those two plies behind."""
    records = np.concatenate([np.zeros(0, RECORD), *labelled, *behind])
    fewest = phase_bounds(phase)[0] - RETROGRADE.overlap
    chosen = records[empties_of(records) >= fewest]
    return fit_phase(RETROGRADE, (phase, read_sample(chosen, RETROGRADE, 0, "of the phases behind")))


def write_weights(folder: Path, fitted: Sequence[Fitted]) -> str:
    """Write the phases fitted so far, last phase first, and return the path; the phases before repeat the newest."""
    path = folder / f"{len(fitted)}.weights"
    missing = [replace(fitted[-1], phase=phase) for phase in range(PHASES - len(fitted))]
    path.write_bytes(packed_weights([*missing, *reversed(fitted)]))
    return str(path)
