"""Rows of a store as values. A store may be edited or a stranger's, so each value is checked when it is read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from sys import intern
from typing import Any

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.printable import printable
from quietmove.referee.config.model import COLORS, Color
from quietmove.referee.config.validation import adapter
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.seats import check_config
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.formats import get_format
from quietmove.tournament.games import GameId, Result, ScheduledGame
from quietmove.tournament.store.timing import USED_COLUMNS, used_row

__all__ = [
    "GAME_COLUMNS",
    "RESULT_COLUMNS",
    "UNREADABLE",
    "explain_damage",
    "game_row",
    "move_text",
    "read_game",
    "read_move",
    "read_result",
    "read_tournament",
]

UNREADABLE = (TypeError, ValueError, LookupError, AttributeError, RecursionError, QuietmoveError)
RESULT_COLUMNS = (
    "number, round, black, white, color, points_black, margin_black, reason, loser, opening, moves"  # of a Result
)
GAME_COLUMNS = "number, round, black, white, color, opening, seed, record"  # of a ScheduledGame and its GameRecord


def read_tournament(text: str) -> Tournament:
    """Return the tournament whose JSON is ``text``.

    :raises UNREADABLE: if it is none, or not one that can be played.
    """
    tournament = Tournament.from_json(text)
    if len(set(tournament.names)) < max(2, len(tournament.names)):
        raise ValueError("engines: fewer than two, or two of one name")
    for engine in tournament.engines:
        check_config(engine)
    if not tournament.openings:
        raise ValueError("openings: none, not even an empty one")
    rows = {row.name: row for row in get_format(tournament.format).settings}
    for name, value in tournament.settings:
        rows[name].check(value)
    return tournament


def game_row(result: Result, game: ScheduledGame, record: GameRecord) -> dict[str, str | int | float | None]:
    """Return the columns of a game that has just been finished, without its record."""
    return {
        "number": result.number,
        "round": result.id.round,
        "black": result.id.black,
        "white": result.id.white,
        "color": result.id.color,
        "opening": result.opening,
        "seed": game.seed,
        "moves": result.moves,
        "points_black": result.points_black,
        "margin_black": result.margin_black,
        "reason": result.reason,
        "loser": record.loser,
        "finished_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        **dict(zip(USED_COLUMNS, used_row(record), strict=True)),
    }


def read_result(row: Sequence[Any], names: Collection[str]) -> Result:
    """Return how a game ended, from the columns :data:`RESULT_COLUMNS`. Texts that many games have are held once.

    :param names: the engines of the tournament.
    :raises UNREADABLE: if it is none of their games.
    """
    number, round_number, black, white, color, points, margin, reason, loser, opening, moves = row
    black, white, reason, opening = map(intern, (black, white, reason, opening))
    charged = None if loser is None else black if loser == "black" else white
    game = _game_id(round_number, black, white, color, names)
    return Result(game, number, points, margin, reason, charged, opening, moves)


def read_game(row: Sequence[Any], names: Collection[str], game_name: str) -> tuple[ScheduledGame, GameRecord]:
    """Return a game and its record, from the columns :data:`GAME_COLUMNS`.

    :param names: the engines of the tournament.
    :param game_name: what is played; a record of another game might run a file of that name.
    :raises UNREADABLE: if it is none of their games.
    """
    number, round_number, black, white, color, opening, seed, text = row
    game = ScheduledGame(
        _game_id(round_number, black, white, color, names), number, tuple(filter(None, opening.split(","))), seed
    )
    record = GameRecord.from_json(text)
    if record.spec.game != game_name:
        raise ValueError(f"record: game: must be {game_name}, not {record.spec.game}")
    return game, record


def move_text(move: MoveRecord) -> str:
    """Return a move of a game that has not ended as one line of JSON."""
    return adapter(MoveRecord).dump_json(move, exclude_defaults=True).decode()


def read_move(row: Sequence[Any], ply: int) -> MoveRecord:
    """Return a move that was kept, from the columns ``number, ply, move``.

    :param ply: that it must have.
    :raises UNREADABLE: if it is none, or one before it is missing.
    """
    if row[1] != ply:
        raise ValueError(f"kept moves: ply: must be {ply}, not {row[1]}")
    found: MoveRecord = adapter(MoveRecord).validate_json(row[2], strict=True)
    return found


def explain_damage(error: BaseException) -> str:
    """Return the first line of what was wrong with a row, as a terminal prints it."""
    return printable(" ".join(str(error).split()), 200)


def _game_id(round_number: int, black: str, white: str, color: Color, names: Collection[str]) -> GameId:
    for name in (black, white):
        if name not in names:
            raise ValueError(f"engine: must be one of the tournament's, not {name!r}")
    pair = (black, white) if color == "black" else (white, black)
    return GameId(round_number, pair, COLORS[COLORS.index(color)])
