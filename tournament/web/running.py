"""The games of a tournament that are being played now, as the page draws them: read from the run's snapshot."""

from __future__ import annotations

import json
import time
from pathlib import Path

from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.web.boards import Json, Steps, describe_game
from quietmove.tournament.definition import Tournament
from quietmove.tournament.playing.snapshot import STALE_SECONDS, snapshot_path

__all__ = ["running_games"]

SHOWN = ("board", "picture", "text", "caption", "placed", "changed", "toMove", "counts")  # keys of a step


def running_games(store: Path, tournament: Tournament) -> Json:
    """Return the games that are being played for ``store``, by what the run says of them.

    ``count`` is how many there are; those beyond the first few are not told in detail.

    :raises QuietmoveError: if a move of the snapshot cannot be played; any other exception if it is no snapshot.
    """
    path = snapshot_path(store)
    if not path.exists() or time.time() - path.stat().st_mtime > STALE_SECONDS:
        return {"count": 0, "games": []}
    found, game = json.loads(path.read_bytes()), get_game(tournament.game)
    return {"count": found["count"], **describe_game(game), "games": [_drawn(game, each) for each in found["games"]]}


def _drawn(game: Game, told: Json) -> Json:
    """Return a game with the position that its moves lead to, and how the last one changed the board."""
    *before, last = told["moves"] or [None]
    position = game.parse_position(told["start"].split()) if told["start"] else game.initial()
    for move in before:
        position.play(game.parse_move(position, move))
    steps = Steps(game, position)
    step = steps.after(MoveRecord(last, "opening")) if last else steps.first()
    return {
        "number": told["number"],
        "players": [told["black"], told["white"]],
        "clocks": [told["clocks"].get(color) for color in COLORS],
        "scores": [told["scores"].get(color) for color in COLORS],
        "asked": told["asked"] or time.time(),
        **{key: step[key] for key in SHOWN},
        "move": last,
        "plies": len(told["moves"]),
    }
