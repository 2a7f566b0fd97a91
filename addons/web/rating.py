"""A person's rating, from games against the levels of this engine.

The rating system is Glicko (Glickman 1999, "Parameter estimation in large dynamic paired comparison experiments"). Each
game is a rating period.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from quietmove.addons.web.boards import Json
from quietmove.engine.errors import GameFileError
from quietmove.engine.levels import DEFAULT_LEVEL, LEVELS, level_elo
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.saved import SavedGame, read_record, saved_files

FIRST_RATING = float(LEVELS[DEFAULT_LEVEL].elo)
FIRST_DEVIATION = 350.0  # Elo: the uncertainty before the first game
LEVEL_DEVIATION = 40.0  # Elo: the uncertainty of a level's measured rating
MIN_DEVIATION = 45.0  # Elo: keeps a rating from becoming fixed
DAY_VARIANCE = (
    350.0**2 - 50.0**2
) / 730  # per day: after two years without a game, a rating is as uncertain as a new one
Q = math.log(10) / 400


def updated(rating: float, deviation: float, opponent: float, score: float) -> tuple[float, float]:
    """Return the rating and its deviation after one game.

    :param opponent: the rating of the level.
    :param score: 1 for a win, 0.5 for a draw, 0 for a loss.
    """
    weight = 1 / math.sqrt(1 + 3 * (Q * LEVEL_DEVIATION / math.pi) ** 2)
    expected = 1 / (1 + 10 ** (-weight * (rating - opponent) / 400))
    information = (Q * weight) ** 2 * expected * (1 - expected)
    variance = 1 / (1 / deviation**2 + information)
    return rating + Q * variance * weight * (score - expected), max(MIN_DEVIATION, math.sqrt(variance))


def rating_of(games: Iterable[SavedGame]) -> Json:
    """Return the rating after some games, in order of date, and the level with the nearest rating.

    Only finished Othello games between one person and a level count, played here from the first move to the last
    without help.
    ``curve`` has each game's date, and the rating and its deviation after the game.
    """
    rating, deviation = FIRST_RATING, FIRST_DEVIATION
    curve: list[Json] = []
    before: datetime | None = None
    for game in sorted(filter(counts, games), key=lambda game: game.date):
        assert game.opponent is not None
        assert game.margin_black is not None
        now = _date(game)
        if before and now:
            days = max(0.0, (now - before).total_seconds() / 86400)
            deviation = min(FIRST_DEVIATION, math.sqrt(deviation**2 + DAY_VARIANCE * days))
        before = now or before
        margin = -game.margin_black if COLORS.index(game.people[0]) else game.margin_black
        score = 0.5 if not margin else float(margin > 0)
        rating, deviation = updated(rating, deviation, level_elo(game.opponent.level), score)
        curve.append({"date": game.date, "rating": round(rating), "deviation": round(deviation)})
    level = min(range(len(LEVELS)), key=lambda number: abs(LEVELS[number].elo - rating))
    return {"rating": round(rating), "deviation": round(deviation), "level": level, "curve": curve}


def counts(game: SavedGame) -> bool:
    """Return whether a game counts towards the rating."""
    is_usual = game.spec.game == "othello" and not game.start and not game.given and not game.was_helped
    is_over = bool(game.moves) and game.margin_black is not None
    return is_usual and is_over and game.opponent is not None and len(game.people) == 1


def rating_in(folder: Path | None) -> Json:
    """Return the rating from a folder's games, skipping unreadable files."""
    games = list[SavedGame]()
    for path in saved_files(folder) if folder else ():
        with suppress(OSError, GameFileError):
            games.append(_read(path, path.stat().st_mtime_ns, path.stat().st_size))
    return rating_of(games)


# Without the cache, the first page takes a second to load with 1,000 saved games.
@lru_cache(maxsize=4096)
def _read(path: Path, changed: int, size: int) -> SavedGame:
    return read_record(path)


def _date(game: SavedGame) -> datetime | None:
    with suppress(ValueError):
        return datetime.fromisoformat(game.date).replace(tzinfo=None)
    return None
