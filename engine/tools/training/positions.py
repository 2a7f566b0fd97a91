"""Positions with their values, for training: records, and the files that keep them.

A record is 24 bytes: the squares of the side to move and of the other side (64-bit sets, a1 the lowest bit), the number
of its game (four bytes), the value that a search gave in hundredths of a disc (two bytes, signed, -32768 where there is
none), the final disc difference of the game (one byte, signed, -128 where it is not known), both from the side to move,
and a byte of flags: 1 if the value is exact. All numbers are little-endian. A file is a
:class:`~quietmove.engine.tools.work_file.WorkFile`, each piece of which is a block of records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.tools.progress import with_progress
from quietmove.engine.tools.work_file import WorkFile

__all__ = [
    "EXACT",
    "NO_RESULT",
    "NO_VALUE",
    "RECORD",
    "Records",
    "as_records",
    "count_empties",
    "empties_of",
    "make_file",
    "read_positions",
    "static_values",
]

NO_VALUE = -32768
NO_RESULT = -128
EXACT = 1
RECORD = np.dtype(
    [("own", "<u8"), ("opp", "<u8"), ("game", "<u4"), ("value", "<i2"), ("result", "i1"), ("flags", "u1")]
)
Records = npt.NDArray[np.void]  # of RECORD
KIND = "positions"


def make_file(
    path: Path, parameters: Mapping[str, object], blocks: int, start: Callable[[list[Records]], Iterator[Records]]
) -> int:
    """Make a file of positions, or finish it, and show how far it has come; return how many it holds.

    :param parameters: all that the positions follow from.
    :param blocks: how many the whole file has.
    :param start: takes the blocks that are there and returns those that follow them.
    :raises TrainingError: as :class:`~quietmove.engine.tools.work_file.WorkFile`.
    """
    with WorkFile(path, KIND, {**parameters, "blocks": blocks}, TrainingError) as file:
        done = [np.frombuffer(piece, RECORD) for piece in file]
        count = sum(map(len, done))
        for records in with_progress(start(done), blocks, "blocks", len(done)):
            file.append(records.tobytes())
            count += len(records)
        assert len(file) == blocks, "more blocks than were announced, or fewer"
    return count


def read_positions(path: Path) -> Records:
    """Return all records of a file.

    :raises TrainingError: if it cannot be read, is of another kind, not finished, or empty.
    """
    with WorkFile(path, KIND, None, TrainingError) as file:
        blocks = [np.frombuffer(piece, RECORD) for piece in file]
        announced = file.parameters["blocks"]
    if len(blocks) != announced:
        raise TrainingError(
            f"positions: {path}: must be finished: it has {len(blocks)} of {announced} blocks; "
            "the command that makes it goes on where it ended"
        )
    if not sum(map(len, blocks)):
        raise TrainingError(f"positions: {path}: must hold a position, not none")
    return np.concatenate(blocks)


def split(records: Records, size: int) -> list[Records]:
    """Return the records in blocks of at most ``size``."""
    return [records[i : i + size] for i in range(0, len(records), size)]


def empties_of(records: Records) -> npt.NDArray[np.int64]:
    """Return the number of empty squares of each position."""
    return count_empties(records["own"], records["opp"])


def count_empties(own: npt.NDArray[Any], opp: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the number of empty squares of each board."""
    taken: npt.NDArray[np.int64] = np.bitwise_count(own | opp).astype(np.int64)
    return 64 - taken


def as_records(rows: Iterable[tuple[int, int, int, int, int, int]]) -> Records:
    """Return rows of own, opp, game, value, result and flags as records."""
    return np.array(list(rows), RECORD)


def static_values(
    own: npt.NDArray[np.uint64], opp: npt.NDArray[np.uint64], evaluation: str, weights: str
) -> npt.NDArray[np.float64]:
    """Return the static value of each position in discs.

    :param own, opp: the squares of the side to move and of the other side.
    :param evaluation, weights: as :class:`~quietmove.engine.tools.training.judge.Effort` has them.
    """
    position = OthelloPosition(0x810000000, 0x1008000000, 0)
    position.choose_evaluator(evaluation, weights)
    values = np.empty(len(own))
    for i, (mine, theirs) in enumerate(zip(own.tolist(), opp.tolist(), strict=True)):
        position.set_up(mine, theirs, 0)
        values[i] = position.static_value()
    return values / 100
