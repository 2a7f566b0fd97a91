"""Training positions with their values: the record format, files of records, and extraction from games.

A record is 24 bytes: the discs of the side to move and of the opponent (64-bit sets, a1 is the lowest bit), the number
of its game (four bytes), the search value in hundredths of a disc (two bytes, signed, -32768 for none), the game's
final disc difference (one byte, signed, -128 for unknown), both from the side to move's point of view, and a byte of
flags: 1 if the value is exact. All numbers are little-endian. A file is a
:class:`~quietmove.addons.shared.work_file.WorkFile` whose pieces are blocks of records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from quietmove.addons.shared.work_file import WorkFile, is_work_file
from quietmove.engine.common.progress import with_progress
from quietmove.engine.errors import GameFileError, TrainingError
from quietmove.engine.files import refuse_special
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.game_files import READERS, PlayedGame, ending_of, read_game_file, replay

NO_VALUE = -32768
NO_RESULT = -128
EXACT = 1
RECORD = np.dtype(
    [("own", "<u8"), ("opp", "<u8"), ("game", "<u4"), ("value", "<i2"), ("result", "i1"), ("flags", "u1")]
)
Records = npt.NDArray[np.void]  # an array of RECORD
Row = tuple[int, int, int, int, int, int]  # own, opp, game, value, result and flags
KIND = "positions"


def make_file(
    path: Path, parameters: Mapping[str, object], blocks: int, start: Callable[[list[Records]], Iterator[Records]]
) -> int:
    """Create or resume a file of positions, showing progress. Prints and returns the number of positions.

    :param parameters: everything that determines the positions.
    :param blocks: the total number of blocks.
    :param start: a function that takes the existing blocks and returns an iterator over the remaining ones.
    :raises TrainingError: see :class:`~quietmove.addons.shared.work_file.WorkFile`.
    """
    began = perf_counter()
    with WorkFile(path, KIND, {**parameters, "blocks": blocks}, TrainingError) as file:
        done = [np.frombuffer(piece, RECORD) for piece in file]
        count = sum(map(len, done))
        for records in with_progress(start(done), blocks, "blocks", len(done)):
            file.append(records.tobytes())
            count += len(records)
        assert len(file) == blocks, "wrong number of blocks"
    click.echo(f"{path}: {count:,} positions; {perf_counter() - began:.0f} seconds")
    return count


def read_positions(path: Path) -> Records:
    """Return all records of a file.

    :raises TrainingError: if the file cannot be read, is not a positions file, is unfinished, or is empty.
    """
    with WorkFile(path, KIND, None, TrainingError) as file:
        blocks = [np.frombuffer(piece, RECORD) for piece in file]
        announced = file.parameters["blocks"]
    if len(blocks) != announced:
        raise TrainingError(
            f"positions: {path}: unfinished, with {len(blocks)} of {announced} blocks; "
            "repeat the command that created it to continue"
        )
    if not sum(map(len, blocks)):
        raise TrainingError(f"positions: {path}: contains no positions")
    return np.concatenate(blocks)


def read_source(path: Path) -> Records:
    """Return the positions in a file of positions or games.

    :raises TrainingError: if the file cannot be read, is of unknown type, or is empty.
    """
    refuse_special(path, TrainingError, "train: ")
    records = read_positions(path) if is_work_file(path) or not path.exists() else read_games(path)
    if not len(records):
        raise TrainingError(f"games: {path}: contains no positions")
    return records


def read_games(path: Path) -> Records:
    """Return the positions in a file of games, except forced passes.

    The positions have no values, and they have a result only if their game was played to the end on the board.

    :raises TrainingError: if the file cannot be read or a game cannot be replayed; the message names the file and line.
    """
    if ending_of(path) not in READERS:
        allowed = ", ".join(READERS)
        given = str(path)
        raise TrainingError(f"games: must be a positions file, or a file of games ending in {allowed}, not {given!r}")
    try:
        return as_records(each for number, game in enumerate(read_game_file(path)) for each in _rows(game, number))
    except GameFileError as error:
        raise TrainingError(f"games: {path}: {error}") from None


def _rows(game: PlayedGame, number: int) -> list[Row]:
    """Return the rows of a game's positions, without forced passes."""
    rows = []
    position = None
    for position, move in replay(game):
        if move != PASS:
            rows.append((position.side_to_move, position.black, position.white))
    over = position is not None and position.is_over()
    result = position.result() // 100 if over and position is not None else None  # from Black's point of view
    return [
        (*((white, black) if side else (black, white)), number, NO_VALUE, result_for(side, result), 0)
        for side, black, white in rows
    ]


def result_for(side: int, result: int | None) -> int:
    """Convert Black's result, or None if unknown, to the result field for a position with this side to move."""
    return NO_RESULT if result is None else -result if side else result


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


def as_records(rows: Iterable[Row]) -> Records:
    """Convert rows to records."""
    return np.array(list(rows), RECORD)


def static_values(
    own: npt.NDArray[np.uint64], opp: npt.NDArray[np.uint64], evaluation: str, weights: str
) -> npt.NDArray[np.float64]:
    """Return each position's static value in discs.

    :param own, opp: discs of the side to move and of the opponent.
    :param evaluation, weights: as in :class:`~quietmove.addons.shared.search_depth.SearchDepth`.
    """
    position = OthelloPosition(0x810000000, 0x1008000000, 0)
    position.choose_evaluator(evaluation, weights)
    values = np.empty(len(own))
    for i, (mine, theirs) in enumerate(zip(own.tolist(), opp.tolist(), strict=True)):
        position.set_up(mine, theirs, 0)
        values[i] = position.static_value()
    return values / 100
