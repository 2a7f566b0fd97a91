"""The engine's strength levels: search limits, names and ratings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """A strength level: one row of :data:`LEVELS`.

    :param elo: the rating measured in a tournament of all levels (see engine/README.md), relative to level 0.
    :param depth: maximum search depth in plies.
    :param nodes: maximum number of nodes in the whole search.
    :param error: standard deviation of the noise added to root move values, in hundredths of a point.
    :param overlooked: percentage of moves that are ignored.
    :param simple: whether to use the game's simplest evaluator, which in many games counts the pieces on the board.
    """

    elo: int
    depth: int
    nodes: int
    error: int = 0
    overlooked: int = 0
    simple: bool = False


LEVELS = (
    Level(0, depth=1, nodes=500, error=600, overlooked=25, simple=True),
    Level(70, depth=2, nodes=1_000, error=400, overlooked=15, simple=True),
    Level(300, depth=1, nodes=500, error=2000, overlooked=15),
    Level(450, depth=1, nodes=500, error=1400, overlooked=12),
    Level(620, depth=1, nodes=500, error=1000, overlooked=8),
    Level(810, depth=1, nodes=500, error=750, overlooked=5),
    Level(850, depth=2, nodes=1_000, error=850, overlooked=4),
    Level(1010, depth=3, nodes=3_000, error=700, overlooked=3),
    Level(1160, depth=3, nodes=3_000, error=550, overlooked=2),
    Level(1270, depth=4, nodes=10_000, error=520, overlooked=1),
    Level(1410, depth=4, nodes=10_000, error=400),
    Level(1520, depth=5, nodes=10_000, error=360),
    Level(1680, depth=6, nodes=20_000, error=300),
    Level(1770, depth=6, nodes=20_000, error=220),
    Level(1920, depth=8, nodes=20_000, error=170),
    Level(2100, depth=60, nodes=4_000),
    Level(2220, depth=60, nodes=12_000),
    Level(2350, depth=60, nodes=36_000),
    Level(2410, depth=60, nodes=100_000),
    Level(2550, depth=60, nodes=300_000),
)
FULL_STRENGTH = len(LEVELS)  # the level above the table, at which the search is not limited
DEFAULT_LEVEL = 5  # the level of an opponent if none is chosen
# Each name covers three levels.
BANDS = ("beginner", "novice", "casual player", "club player", "strong player", "expert", "master")
FULL_ELO = 2640  # the rating of full strength at a million nodes a move
DEFAULT_ELO = LEVELS[10].elo


def level_name(number: int) -> str:
    """Return the name of a level's strength, such as ``club player``."""
    return BANDS[number // 3] if number < FULL_STRENGTH else "full strength"


def level_elo(number: int) -> int:
    """Return a level's rating in Othello, relative to level 0."""
    return LEVELS[number].elo if number < FULL_STRENGTH else FULL_ELO
