"""Convert rows of a store to values. A store may be edited or untrusted, so every value is validated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from sys import intern
from typing import Annotated, Any

from pydantic import Field, Json, TypeAdapter, ValidationError

from quietmove.engine.common.errors import QuietmoveError
from quietmove.referee.config.model import Color, Reason
from quietmove.referee.config.validation import GREATEST, explain, spell_problem
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.game.transcript import MarginPoints, Points
from quietmove.referee.seats import check_config
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import get_format
from quietmove.tournament.games import GameId, Result, ScheduledGame
from quietmove.tournament.store.database import Origin
from quietmove.tournament.store.timing import USED_COLUMNS, used_row

# The exceptions that reading an invalid row can raise.
UNREADABLE = (TypeError, ValueError, LookupError, AttributeError, RecursionError, QuietmoveError)
TYPES: dict[str, Any] = {  # the type of each column, which SQLite itself does not enforce
    "config": Json[Tournament],
    "machine": str,
    "origin": Json[Origin],
    "number": Annotated[int, Field(ge=1, le=GREATEST)],
    "round": Annotated[int, Field(ge=1, le=10**9)],
    **dict.fromkeys(("black", "white"), str),
    "color": Color,
    "opening": str,
    "seed": Annotated[int, Field(ge=0, le=GREATEST)],
    "moves": str,
    "points_black": Points,
    "margin_black": MarginPoints,
    "reason": Reason,
    "loser": Color | None,
    "finished_at": Annotated[str, Field(pattern=r"^\d{4}-.*\+00:00$")],
    **dict.fromkeys(USED_COLUMNS, Annotated[int, Field(ge=0, lt=2**63)]),  # SQLite's integers have 64 bits
    "record": Json[GameRecord],
    "ply": Annotated[int, Field(ge=1)],
    "move": Json[MoveRecord],
}
# The columns from which a Result is built.
RESULT_COLUMNS = (
    *("number", "round", "black", "white", "color", "points_black", "margin_black", "reason", "loser"),
    *("opening", "moves"),
)
GAME_COLUMNS = (*RESULT_COLUMNS, "seed", *USED_COLUMNS, "record")


def check_row(columns: tuple[str, ...], row: Sequence[Any]) -> tuple[Any, ...]:
    """Validate a row against its columns' types and return its values.

    :raises ValueError: naming the first invalid column.
    """
    try:
        values: tuple[Any, ...] = _reader(columns).validate_python(row, strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False)[0]
        index, *path = details["loc"]
        raise ValueError(spell_problem((columns[int(index)], *path), explain(details, ()))) from None
    return values


@cache
def _reader(columns: tuple[str, ...]) -> TypeAdapter[Any]:
    kind: Any = tuple[*(TYPES[name] for name in columns)]  # type: ignore[misc]
    return TypeAdapter(kind)


def playable(tournament: Tournament) -> Tournament:
    """Return ``tournament`` if it can be played; otherwise raise one of :data:`UNREADABLE`."""
    if len(set(tournament.names)) < max(2, len(tournament.names)):
        raise ValueError("engines: must be at least two, all with different names")
    for engine in tournament.engines:
        check_config(engine)
    if not tournament.openings:
        raise ValueError("openings: must contain at least one opening, which may be empty")
    rows = {row.name: row for row in get_format(tournament.format).settings}
    for name, value in tournament.settings:
        rows[name].check(value)
    return tournament


def game_row(game: ScheduledGame, record: GameRecord, result: Result) -> dict[str, str | int | float | None]:
    """Return a game's columns, except its record and its end time."""
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
        **dict(zip(USED_COLUMNS, used_row(record), strict=True)),
    }


def read_result(row: Sequence[Any], names: Collection[str]) -> Result:
    """Build the result of a game between two of ``names`` from the columns :data:`RESULT_COLUMNS`.

    Strings common to many games are interned.
    """
    number, round_number, black, white, color, points, margin, reason, loser, opening, moves = row
    black, white, reason, opening = map(intern, (black, white, reason, opening))
    charged = None if loser is None else black if loser == "black" else white
    game = _game_id(round_number, black, white, color, names)
    return Result(game, number, points, margin, reason, charged, opening, moves)


def read_game(row: Mapping[str, Any], names: Collection[str], game_name: str) -> tuple[ScheduledGame, GameRecord]:
    """Return a game between two of ``names`` and its record, from the columns :data:`GAME_COLUMNS` by name.

    :param game_name: the tournament's game. A record must not name another game, whose file could be executed.
    """
    game_id = _game_id(row["round"], row["black"], row["white"], row["color"], names)
    record = row["record"]
    if record.spec.game != game_name:
        raise ValueError(f"record: game: must be {game_name}, not {record.spec.game}")
    # The column cannot be split again, because the moves of a user's game may contain commas.
    return ScheduledGame(game_id, row["number"], record.spec.opening, row["seed"]), record


def _game_id(round_number: int, black: str, white: str, color: Color, names: Collection[str]) -> GameId:
    for side, name in (("black", black), ("white", white)):
        if name not in names:
            raise ValueError(f"{side}: must be an engine of the tournament, not {name!r}")
    if black == white:
        raise ValueError(f"white: must not be {black!r}, which plays Black")
    return GameId(round_number, (black, white) if color == "black" else (white, black), color)
