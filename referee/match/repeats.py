"""Which games count, since others only repeat them. Pure.

The unit of statistics is the pair of games over one opening with colours swapped. Two engines that use neither chance
nor a clock play the same games again from the same opening. Such a pair says nothing new, so it counts once. If the
games from one opening differ, each of them counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from quietmove.referee.config.model import Color

__all__ = ["DistinctPairs", "PairOfGames", "PlayedGame", "distinct_pairs"]

Key = TypeVar("Key", bound=Hashable)
Outcome = TypeVar("Outcome", bound=Hashable)


class PlayedGame(NamedTuple):
    """How a game went for one of its engines.

    :param points: 1, 0.5 or 0.
    :param margin: by how many of the game's points it won; negative where it lost.
    :param moves: all of them, those of the opening among them.
    :param reason: the referee's verdict.
    """

    points: float
    margin: int
    moves: str
    reason: str


class PairOfGames(NamedTuple):
    """Two games over one opening with colours swapped; only one of them while the other has not been played.

    :param start: the engines and the opening; only pairs with the same start can repeat each other.
    :param games: by the colour of one of the engines, how they went for it.
    """

    start: Hashable
    games: Mapping[Color, PlayedGame]

    @property
    def points(self) -> float:
        """The points of that engine."""
        return sum(game.points for game in self.games.values())


def distinct_pairs(pairs: Mapping[Key, PairOfGames]) -> set[Key]:
    """Return the keys of ``pairs`` without those that repeat another.

    Pairs with the same start repeat each other if all their games with the same colours are equal. Of these the first
    one with the most games is kept.
    """
    groups: dict[Hashable, list[Key]] = defaultdict(list)
    for key, pair in pairs.items():
        groups[pair.start].append(key)
    kept: set[Key] = set()
    for keys in groups.values():
        if _are_equal([pairs[key] for key in keys]):
            kept.add(max(keys, key=lambda key: len(pairs[key].games)))
        else:
            kept.update(keys)
    return kept


def _are_equal(pairs: Sequence[PairOfGames]) -> bool:
    games = {game for pair in pairs for game in pair.games.items()}
    return len(games) == len({color for color, _ in games})


@dataclass(slots=True)
class _Group(Generic[Outcome]):
    """The complete pairs with one start: the first of them, and how often it came until another one did."""

    games: Mapping[Color, Hashable]
    outcome: Outcome
    repeats: int = 0
    are_equal: bool = True


class DistinctPairs(Generic[Outcome]):
    """The choice of :func:`distinct_pairs`, made anew with each complete pair in constant time.

    :ivar counts: how often each outcome came among the pairs that count.
    :ivar pairs: all pairs that were added.
    """

    def __init__(self) -> None:
        self.counts: Counter[Outcome] = Counter()
        self.pairs = 0
        self._groups: dict[Hashable, _Group[Outcome]] = {}

    @property
    def distinct(self) -> int:
        """The pairs that count."""
        return self.counts.total()

    def add(self, pair: PairOfGames, outcome: Outcome) -> None:
        """Add a complete pair. If it is the first that differs from equal ones, those count from now on too."""
        self.pairs += 1
        group = self._groups.get(pair.start)
        if group is None:
            self._groups[pair.start] = _Group(pair.games, outcome)
        elif group.are_equal and group.games == pair.games:
            group.repeats += 1
            return
        elif group.are_equal:
            self.counts[group.outcome] += group.repeats
            group.are_equal = False
        self.counts[outcome] += 1
