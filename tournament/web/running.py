"""The games of a tournament that are being played now, as the page draws them: read from the run's snapshot."""

from __future__ import annotations

import fcntl
import json
import math
import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.config import COLORS
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.web.boards import Json, Steps, describe_game
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.running.snapshot import MOST_BYTES, MOST_GAMES, snapshot_path

__all__ = ["running_games"]

MOST_NUMBER = 10**12  # of milliseconds, hundredths of a point, games


def running_games(store: Path, tournament: Tournament) -> Json:
    """Return the games that are being played for ``store``, by what the run says of them.

    What it says is believed as little as a store: each game is played by the rules here, and one that is not right is
    left out. ``count`` is how many there are; those beyond the first few are not told in detail.
    """
    path = snapshot_path(store)
    found = _read(path) or _read(path)  # the run may have replaced the file while it was looked at
    if not isinstance(found, dict) or not _is_whole(found.get("count"), 0) or not isinstance(found.get("games"), list):
        return {"count": 0, "games": []}
    game = get_game(tournament.game)
    shown = {step["number"]: step for each in found["games"][:MOST_GAMES] for step in _checked(game, tournament, each)}
    return {"count": max(found["count"], len(shown)), **describe_game(game), "games": list(shown.values())}


def _read(path: Path) -> object:
    """Return what a run that still goes on has written; None if there is none, or what it wrote is no JSON."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)  # a pipe has nothing, at once
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not _is_locked(descriptor):
            return None
        content = os.read(descriptor, MOST_BYTES + 1)
        return json.loads(content) if len(content) <= MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return None
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int) -> bool:
    """Tell whether a process holds the lock of a file, which its run does to the end."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _checked(game: Game, tournament: Tournament, told: object) -> Iterator[Json]:
    """Yield a game as the page draws it, or nothing if it cannot be one of this tournament."""
    if not isinstance(told, dict) or not _is_whole(told.get("number"), 1):
        return
    players = [told.get(color) for color in COLORS]
    if players[0] == players[1] or not all(name in tournament.names for name in players):
        return
    numbers = {key: _pair(told.get(key)) for key in ("clocks", "scores")}
    try:
        step = _last_step(game, told.get("start"), told.get("moves"))
    except (QuietmoveError, TypeError):
        return
    yield {
        "number": told["number"],
        "players": players,
        **numbers,
        **step,
        "asked": _moment(told.get("asked")),
    }


def _last_step(game: Game, start: object, moves: object) -> Json:
    """Return the position that the moves lead to, and how the last one changed the board.

    :raises QuietmoveError: if they cannot be played.
    :raises TypeError: if they are no position and moves.
    """
    if not isinstance(moves, list):
        raise TypeError("moves: a list is allowed")
    position = game.parse_position(_word(start).split()) if start else game.initial()
    for move in moves[:-1]:
        position.play(game.parse_move(position, _word(move)))
    steps = Steps(game, position)
    step = steps.after(MoveRecord(_word(moves[-1]), "opening")) if moves else steps.first()
    shown = {key: step[key] for key in ("board", "picture", "text", "caption", "placed", "changed", "toMove", "counts")}
    return {**shown, "move": step.get("move"), "plies": len(moves)}


def _word(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is allowed")
    return value


def _pair(told: object) -> list[int | None]:
    """Return the numbers of both players; None for one that is no number."""
    values = [told.get(color) if isinstance(told, Mapping) else None for color in COLORS]
    return [value if _is_whole(value, -MOST_NUMBER) else None for value in values]


def _moment(value: object) -> float:
    """Return a moment, in seconds since 1970, that is not to come."""
    now = time.time()
    return min(value, now) if isinstance(value, float) and math.isfinite(value) and value > 0 else now


def _is_whole(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= MOST_NUMBER
