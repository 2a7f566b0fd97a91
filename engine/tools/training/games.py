"""Where positions come from: a file of positions, or one of games.

A position's result is that of its game, if the game was played to the end on the board.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from quietmove.engine.errors import GameFileError, TrainingError
from quietmove.engine.files import refuse_special
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files import READERS, PlayedGame, read_game_file, replay
from quietmove.engine.tools.training.positions import NO_RESULT, NO_VALUE, Records, as_records, read_positions
from quietmove.engine.tools.work_file import is_work_file

__all__ = ["read_games", "read_source"]


def read_source(path: Path) -> Records:
    """Return the positions of a file of positions or of games.

    :raises TrainingError: if it cannot be read, is of no kind that is known, or is empty.
    """
    refuse_special(path, TrainingError, "train: ")
    records = read_positions(path) if is_work_file(path) or not path.exists() else read_games(path)
    if not len(records):
        raise TrainingError(f"games: {path}: must hold a position, not none")
    return records


def read_games(path: Path) -> Records:
    """Return the positions of the games of a file, each with a move to make; they have results and no values.

    :raises TrainingError: naming the file and the place, if it cannot be read or a game cannot be replayed.
    """
    if path.suffix.lower() not in READERS:
        allowed = ", ".join(READERS)
        raise TrainingError(f"games: must be a file of positions or one that ends in {allowed}, not {str(path)!r}")
    try:
        return as_records(each for number, game in enumerate(read_game_file(path)) for each in rows(game, number))
    except GameFileError as error:
        raise TrainingError(f"games: {path}: {error}") from None


def rows(game: PlayedGame, number: int) -> Iterable[tuple[int, int, int, int, int, int]]:
    """Return the rows of a game's positions, forced passes left out.

    :raises GameFileError: if the game cannot be replayed.
    """
    seen = []
    position = None
    for position, move in replay(game):
        if move != PASS:
            seen.append((position.side_to_move, position.black, position.white))
    result = position.result() // 100 if position is not None and position.is_over() else None
    return [row(*each, number, result) for each in seen]


def row(side: int, black: int, white: int, game: int, result: int | None) -> tuple[int, int, int, int, int, int]:
    """Return a position's row; the result is given from Black's view, None where it is not known."""
    own, opp = (white, black) if side else (black, white)
    return own, opp, game, NO_VALUE, NO_RESULT if result is None else -result if side else result, 0
