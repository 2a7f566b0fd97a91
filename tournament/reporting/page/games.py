"""The games of a store as a report holds them: what a list shows of each, and its positions, compressed."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from quietmove.engine.errors import GameError
from quietmove.engine.games.registry import get_game
from quietmove.referee.game.record import GameRecord
from quietmove.referee.web.boards import Json, Steps, describe_game
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.store.store import Store

__all__ = ["chosen", "games_document", "steps_of"]

SHOWN = ("board", "picture", "text", "placed", "changed", "move", "by", "elapsed", "score")  # keys of a step


def chosen(results: Sequence[Result], most: int) -> list[int]:
    """Return the numbers of the games that a report holds: those that ended by a fault of an engine, then the first."""
    ranked = sorted(results, key=lambda result: (result.forfeited_by is None, result.number))
    return sorted(result.number for result in ranked[:most])


def games_document(store: Store, numbers: Sequence[int]) -> dict[str, Any]:
    """Return the games with these numbers in JSON's own types.

    ``board`` is as the pages have it; a game's ``steps`` are those of :class:`Steps` as JSON, by gzip and in base64.

    :raises UnknownGameError: if the rules of the games are not known here.
    :raises StoreError: if a game cannot be read.
    """
    board = describe_game(get_game(store.tournament.game))
    return {"board": board, "games": [_game(*store.game(number)) for number in numbers]}


def steps_of(record: GameRecord) -> list[Json]:
    """Return the positions of a stored game and what was said of its moves, as the pages draw them.

    :raises GameError: if a move of it cannot be played.
    """
    steps = Steps(get_game(record.spec.game), record.spec.begin())
    return [steps.first(), *map(steps.after, record.moves)]


def _game(scheduled: ScheduledGame, record: GameRecord) -> dict[str, Any]:
    try:
        steps = steps_of(record)
    except GameError:  # which `verify` explains; all else of the game can still be shown
        steps = [Steps(get_game(record.spec.game), record.spec.begin()).first()]
    text = json.dumps([{key: step[key] for key in SHOWN if key in step} for step in steps], separators=(",", ":"))
    return {
        "number": scheduled.number,
        "round": scheduled.id.round,
        "black": scheduled.id.black,
        "white": scheduled.id.white,
        "result": record.result,
        "margin": record.margin_black,
        "reason": record.reason,
        "detail": record.detail,
        "steps": b64encode(gzip.compress(text.encode(), mtime=0)).decode(),
    }
