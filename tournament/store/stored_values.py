"""What stands in a store, as values. A store may be damaged, edited or a stranger's, so nothing in it is believed.

Each field has a type and bounds; what does not fit is a :class:`DamageError` that names it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.printable import printable
from quietmove.referee.config.config import COLORS
from quietmove.referee.game.record import GameRecord
from quietmove.referee.game.verdict import Reason
from quietmove.referee.seats import check_config
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.formats import get_format
from quietmove.tournament.games import GameId, Result, ScheduledGame

__all__ = [
    "GAME_COLUMNS",
    "LARGEST",
    "RESULT_COLUMNS",
    "UNREADABLE",
    "DamageError",
    "read_game",
    "read_result",
    "read_tournament",
]

T = TypeVar("T")

LARGEST = 10**30  # above every number that can occur, and far below what a float can hold
UNREADABLE = (TypeError, ValueError, LookupError, AttributeError, RecursionError, QuietmoveError)
POINTS = (0, 0.5, 1)
RESULT_COLUMNS = (
    "number, round, first, second, color, points_black, margin_black, reason, loser, opening, moves"  # of a Result
)
GAME_COLUMNS = "number, round, first, second, color, opening, seed, record"  # of a ScheduledGame and its GameRecord


class DamageError(ValueError):
    """Something in a store that this program has not written."""


def read_tournament(text: object) -> Tournament:
    """Return the tournament whose JSON is ``text``.

    :raises DamageError: if it is none, or not one that can be played.
    """
    tournament = _parsed(Tournament.from_json, text)
    try:
        for engine in tournament.engines:
            check_config(engine)
    except QuietmoveError as error:
        raise DamageError(_shown(error)) from None
    for problem in _problems(tournament):
        raise DamageError(problem)
    return tournament


def read_result(row: Sequence[object], names: Collection[str]) -> Result:
    """Return how a game ended, from the columns :data:`RESULT_COLUMNS`.

    :param names: the engines of the tournament.
    :raises DamageError: naming the game and the column.
    """
    number = row[0]
    game = _game_id(row, names)
    points, margin, reason, loser, opening, moves = row[5:]
    _require(number, "points_black", points in POINTS, points)
    _require(number, "margin_black", _is_whole(margin, -LARGEST), margin)
    _require(number, "reason", reason in get_args(Reason), reason)
    _require(number, "loser", loser is None or loser in COLORS, loser)
    for column, value in (("opening", opening), ("moves", moves)):
        _require(number, column, isinstance(value, str), value)
    charged = None if loser is None else game.black if loser == "black" else game.white
    return Result(game, number, float(points), margin, reason, charged, opening, moves)  # type: ignore[arg-type]


def read_game(row: Sequence[Any], names: Collection[str], game_name: str) -> tuple[ScheduledGame, GameRecord]:
    """Return a game and its record, from the columns :data:`GAME_COLUMNS`.

    :param names: the engines of the tournament.
    :param game_name: what is played; a record of another game might run a file of that name.
    :raises DamageError: naming the game and the column.
    """
    number = row[0]
    game = _game_id(row, names)
    opening, seed, record = row[5:]
    _require(number, "opening", isinstance(opening, str), opening)
    _require(number, "seed", _is_whole(seed, 0), seed)
    scheduled = ScheduledGame(game, number, tuple(filter(None, opening.split(","))), seed)
    try:
        game_record = _parsed(lambda text: _record(text, game_name), record)
    except DamageError as error:
        raise DamageError(f"game {number}: record: {error}") from None
    _require(number, "record: points_black", game_record.points_black in POINTS, game_record.points_black)
    return scheduled, game_record


def _record(text: str, game_name: str) -> GameRecord:
    data = json.loads(text)
    if (found := data["spec"]["game"]) != game_name:
        raise DamageError(f"game: {_shown(found)}")
    return GameRecord.from_dict(data)


def _game_id(row: Sequence[object], names: Collection[str]) -> GameId:
    """Return the game's identity, from the columns that both queries begin with."""
    number, round_number, first, second, color = row[:5]
    _require(number, "number", _is_whole(number, 1), number)
    _require(number, "round", _is_whole(round_number, 1), round_number)
    _require(number, "first", first in names, first)
    _require(number, "second", second in names and second != first, second)
    _require(number, "color", color in COLORS, color)
    return GameId(round_number, (first, second), color)  # type: ignore[arg-type]


def _require(number: object, column: str, fits: bool, value: object) -> None:
    if not fits:
        raise DamageError(f"game {_shown(number)}: {column}: {_shown(value)}")


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST


def _parsed(parse: Callable[[str], T], text: object) -> T:
    """Return what ``parse`` makes of a text, with every field of the type that it is declared to have."""
    if not isinstance(text, str):
        raise DamageError(f"not a text: {_shown(text)}")
    try:
        value = parse(text)
        found = _misfit(value, type(value), "")
    except DamageError:
        raise
    except UNREADABLE as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else _shown(error)
        raise DamageError(f"{type(error).__name__}: {what}") from None
    if found:
        raise DamageError(found)
    return value


def _problems(tournament: Tournament) -> Iterator[str]:
    """Yield what would keep a tournament of sound types from being played."""
    if not tournament.name:
        yield "name: empty"
    if len(set(tournament.names)) < max(2, len(tournament.names)):
        yield "engines: fewer than two, or two of one name"
    if not tournament.openings:
        yield "openings: none, not even an empty one"
    if tournament.concurrency is not None and not 1 <= tournament.concurrency <= LARGEST:
        yield f"concurrency: {tournament.concurrency}"
    yield from _problems_of_settings(tournament)


def _problems_of_settings(tournament: Tournament) -> Iterator[str]:
    """Yield what the format would not accept; a format that is not known here is for the caller to report."""
    try:
        rows = {row.name: row for row in get_format(tournament.format).settings}
    except QuietmoveError:
        return
    for name, value in tournament.settings:
        try:
            if name in rows:
                rows[name].check(value)
        except ValueError as error:
            yield f"settings: {name}: {error}"
    given = {name for name, _ in tournament.settings}
    if missing := {name for name, row in rows.items() if row.required} - given:
        yield f"settings: {', '.join(sorted(missing))}: missing"


def _misfit(value: object, kind: Any, place: str) -> str | None:
    """Return what in ``value`` is not of the type ``kind``, with its place; None if everything is."""
    origin = get_origin(kind)
    if origin in (UnionType, Union):
        misfits = [_misfit(value, each, place) for each in get_args(kind)]
        return None if None in misfits else misfits[0]
    if origin is Literal:
        fits = value in get_args(kind)
    elif origin is tuple:
        return _misfit_in_tuple(value, get_args(kind), place)
    elif is_dataclass(kind):
        if type(value) is kind:
            rows = ((name, _misfit(getattr(value, name), each, f"{place}.{name}")) for name, each in _types(kind))
            return next((found for _, found in rows if found), None)
        fits = False
    elif kind in (int, float):
        numbers = (int,) if kind is int else (int, float)
        fits = isinstance(value, numbers) and not isinstance(value, bool) and abs(value) <= LARGEST
    else:
        fits = isinstance(value, type(None) if kind is None else origin or kind)
    return None if fits else f"{place.removeprefix('.')}: {_shown(value)}"


def _misfit_in_tuple(value: object, kinds: tuple[Any, ...], place: str) -> str | None:
    if not isinstance(value, tuple):
        return f"{place.removeprefix('.')}: {_shown(value)}"
    if kinds[1:] == (...,):
        kinds = kinds[:1] * len(value)
    if len(kinds) != len(value):
        return f"{place.removeprefix('.')}: {_shown(value)}"
    found = (_misfit(each, kind, f"{place}[{i}]") for i, (each, kind) in enumerate(zip(value, kinds, strict=True)))
    return next(filter(None, found), None)


@cache
def _types(kind: type) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a dataclass with their types."""
    hints = get_type_hints(kind)
    return tuple((field.name, hints[field.name]) for field in fields(kind))


def _shown(value: object) -> str:
    """Return the beginning of a value from a store, in a form that a terminal prints as it is."""
    text = printable(str(value) if isinstance(value, Exception) else repr(value))
    return text if len(text) <= 100 else text[:97] + "..."
