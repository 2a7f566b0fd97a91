"""The games of a store as a report holds them, in little room.

A step is what it changed on the board; of pictures, what looks the same in several is held once for all games.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.referee.game.record import GameRecord
from quietmove.referee.web.boards import Json, describe_game, describe_picture
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.store.store import Store

__all__ = ["chosen", "games_document"]

SEEN = ("kind", "x", "y", "text", "name", "label", "side", "parent", "mark")  # of an item that nobody can choose


class Pictures:
    """Pictures as lists of numbers: the width, the height, and the places of their items in :attr:`items`."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    @property
    def items(self) -> list[Json]:
        """What the pictures have, each thing once."""
        return [json.loads(item) for item in self._places]

    def add(self, picture: Json) -> list[float]:
        """Return a picture of ``describe_picture`` as numbers."""
        items = [json.dumps({key: item[key] for key in SEEN if key in item}) for item in picture["items"]]
        places = [self._places.setdefault(item, len(self._places)) for item in items]
        return [picture["width"], picture["height"], *places]


def chosen(results: Sequence[Result], most: int) -> list[int]:
    """Return the numbers of the games that a report holds: those that ended by a fault of an engine, then the first."""
    ranked = sorted(results, key=lambda result: (result.forfeited_by is None, result.number))
    return sorted(result.number for result in ranked[:most])


def games_document(store: Store, numbers: Sequence[int]) -> dict[str, Any]:
    """Return the games with these numbers in JSON's own types.

    ``board`` is as the pages have it; ``names`` are the engines, whose places ``black`` and ``white`` of a game are.
    A game's ``steps`` say for each move which squares hold what after it: a letter, then the squares that it is on now;
    where the game has a picture, the numbers of :class:`Pictures`, whose ``items`` are for all games; else a text.

    :raises UnknownGameError: if the rules of the games are not known here.
    :raises StoreError: if a game cannot be read.
    """
    board = describe_game(get_game(store.tournament.game))
    names = list(store.tournament.names)
    places = {name: place for place, name in enumerate(names)}
    pictures = Pictures()
    found = [_game(*store.game(number), places, pictures) for number in numbers]
    return {"board": board, "names": names, "games": found, "items": pictures.items}


def _game(scheduled: ScheduledGame, record: GameRecord, places: dict[str, int], pictures: Pictures) -> dict[str, Any]:
    game = get_game(record.spec.game)
    position = record.spec.begin()
    try:
        start, *steps = _steps(game, position, [move.move for move in record.moves], pictures)
    except GameError:  # which `verify` explains; all else of the game can still be shown
        start, steps = _shown(game, record.spec.begin(), pictures), []
    return {
        "number": scheduled.number,
        "round": scheduled.id.round,
        "black": places[scheduled.id.black],
        "white": places[scheduled.id.white],
        "result": record.result,
        "margin": record.margin_black,
        "reason": record.reason,
        "detail": record.detail,
        "start": start,
        "steps": steps,
        "moves": [move.move for move in record.moves],
        "by": [move.by for move in record.moves],
        "seconds": [round((move.elapsed_ms or 0) / 1000, 3) for move in record.moves],
        "scores": [move.score for move in record.moves],
    }


def _steps(game: Game, position: Position, moves: Sequence[str], pictures: Pictures) -> Iterator[Any]:
    """Yield the position before the first move, then what each move changed."""
    before = _shown(game, position, pictures)
    yield before
    for move in moves:
        position.play(game.parse_move(position, move))
        after = _shown(game, position, pictures)
        yield _changes(before, after) if game.board_columns else after
        before = after


def _shown(game: Game, position: Position, pictures: Pictures) -> Any:
    squares = game.squares(position)
    if squares is not None:
        return squares
    picture = describe_picture(game, position)
    return game.draw(position) if picture is None else pictures.add(picture)


def _changes(before: str, after: str) -> list[str | int]:
    by_letter: dict[str, list[int]] = {}
    for square, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new:
            by_letter.setdefault(new, []).append(square)
    changes: list[str | int] = []
    for letter, squares in by_letter.items():
        changes += [letter, *squares]
    return changes
