"""A store's games as embedded in a report: list entries and compressed positions."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from quietmove.addons.web.boards import Json, Steps, describe_game
from quietmove.engine.errors import GameError
from quietmove.engine.games.registry import known_game
from quietmove.referee.game.record import GameRecord
from quietmove.referee.game.transcript import result_text
from quietmove.tournament.games import Result
from quietmove.tournament.store.store import Store

REPLAY_KEYS = (
    "board",
    "picture",
    "text",
    "placed",
    "changed",
    "move",
    "by",
    "elapsed",
    "score",
)  # the keys of a step to include


def chosen(results: Sequence[Result], most: int) -> list[Result]:
    """Return at most ``most`` games for a report, newest first.

    Games lost through an engine's fault are chosen before all others; within each group, the earliest are chosen.
    """
    ranked = sorted(results, key=lambda result: (result.forfeited_by is None, result.number))
    return sorted(ranked[:most], key=lambda result: -result.number)


def listed(result: Result, plies: int) -> Json:
    """Return a game's list entry. ``plies`` is the number of its moves."""
    return {
        "number": result.number,
        "round": result.id.round,
        "black": result.id.black,
        "white": result.id.white,
        "result": result_text(result.points_black),
        "margin": result.margin_black,
        "reason": result.reason,
        "charged": result.forfeited_by,
        "plies": plies,
    }


def games_document(store: Store, results: Sequence[Result]) -> dict[str, Any]:
    """Return some of a store's games as JSON data.

    ``board`` is the result of :func:`.describe_game`. A game's ``steps`` are JSON, compressed with gzip, in base64.

    :raises UnknownGameError: if the game is unknown.
    :raises StoreError: if a game cannot be read.
    """
    board = describe_game(known_game(store.tournament.game))
    games = []
    for result in results:
        _, record = store.game(result.number)
        games.append({**listed(result, len(record.moves)), **_replay(record)})
    return {"board": board, "games": games}


def steps_of(record: GameRecord) -> list[Json]:
    """Return the positions of a stored game with the engines' scores, as page data.

    :raises GameError: if a move is illegal.
    """
    steps = Steps(known_game(record.spec.game), record.spec.begin())
    return [steps.first(), *map(steps.after, record.moves)]


def _replay(record: GameRecord) -> Json:
    try:
        steps = steps_of(record)
    except GameError:  # show the initial position only; `verify` explains the error
        steps = [Steps(known_game(record.spec.game), record.spec.begin()).first()]
    text = json.dumps([{key: step[key] for key in REPLAY_KEYS if key in step} for step in steps], separators=(",", ":"))
    return {"detail": record.detail, "steps": b64encode(gzip.compress(text.encode(), mtime=0)).decode()}
