"""The games of a tournament that are being played now, as the page draws them: read from the run's snapshot."""

from __future__ import annotations

import time
from pathlib import Path

from pydantic import BaseModel, ConfigDict, FiniteFloat, NonNegativeInt, PositiveInt, ValidationError

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import COLORS, Color
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.web.boards import Json, Steps, describe_game
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.running.snapshot import STALE_SECONDS, snapshot_path

__all__ = ["running_games"]

SHOWN = ("board", "picture", "text", "caption", "placed", "changed", "toMove", "counts")  # keys of a step


class SnapshotGame(BaseModel):
    """A game in the snapshot, as :class:`quietmove.tournament.running.snapshot.RunningGame` writes it."""

    model_config = ConfigDict(strict=True)

    number: PositiveInt
    black: str
    white: str
    start: str
    moves: list[str]
    clocks: dict[Color, int | None]
    scores: dict[Color, int | None]
    asked: FiniteFloat


class SnapshotFile(BaseModel):
    """The snapshot: how many games are being played, and the first of them in detail."""

    model_config = ConfigDict(strict=True)

    count: NonNegativeInt
    games: list[SnapshotGame]


def running_games(store: Path, tournament: Tournament) -> Json:
    """Return the games that are being played for ``store``, by what the run says of them.

    A game of other engines, or whose moves cannot be played, is left out. ``count`` is how many there are; those beyond
    the first few are not told in detail.
    """
    found = _read(snapshot_path(store))
    if found is None:
        return {"count": 0, "games": []}
    game = get_game(tournament.game)
    games = [_drawn(game, each) for each in found.games if {each.black, each.white} <= set(tournament.names)]
    return {"count": found.count, **describe_game(game), "games": [each for each in games if each]}


def _read(path: Path) -> SnapshotFile | None:
    """Return what a run that still goes on has written; None if there is none."""
    try:
        is_old = time.time() - path.stat().st_mtime > STALE_SECONDS
        return None if is_old else SnapshotFile.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _drawn(game: Game, told: SnapshotGame) -> Json | None:
    """Return a game with the position that its moves lead to, and how the last one changed the board."""
    try:
        position = game.parse_position(told.start.split()) if told.start else game.initial()
        for move in told.moves[:-1]:
            position.play(game.parse_move(position, move))
        steps = Steps(game, position)
        step = steps.after(MoveRecord(told.moves[-1], "opening")) if told.moves else steps.first()
    except QuietmoveError:
        return None
    return {
        "number": told.number,
        "players": [told.black, told.white],
        "clocks": [told.clocks.get(color) for color in COLORS],
        "scores": [told.scores.get(color) for color in COLORS],
        "asked": told.asked or time.time(),
        **{key: step[key] for key in SHOWN},
        "move": step.get("move"),
        "plies": len(told.moves),
    }
