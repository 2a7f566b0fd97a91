"""Which games count, since others only repeat them. Pure.

The unit of statistics is the pair of games over one opening with colours swapped. Two engines that use neither chance
nor a clock play the same games again from the same opening. Such a pair says nothing new, so it counts once. If the
games from one opening differ, each of them counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from quietmove.referee.config.model import Color

Outcome = TypeVar("Outcome", bound=Hashable)


class GameForEngine(NamedTuple):
    """How a game went for one of its engines.

    :param points: 1, 0.5 or 0.
    :param margin: the number of points by which it won; negative if it lost.
    :param moves: all moves of the game, with those of the opening.
    :param reason: the referee's verdict.
    """

    points: float
    margin: int
    moves: str
    reason: str


class PairOfGames(NamedTuple):
    """Two games over one opening with colours swapped; only one of them while the other has not been played.

    :param start: the engines and the opening; only pairs with the same start can repeat each other.
    :param games: how the games went for one of the engines, by its colour.
    """

    start: Hashable
    games: Mapping[Color, GameForEngine]


@dataclass(slots=True)
class _Group(Generic[Outcome]):
    """The pairs with one start.

    :ivar games: how the games went in all pairs so far, by colour.
    :ivar size, counted: the number of games and the outcome of the one pair that counts while all pairs are equal.
    :ivar repeats: the outcomes of the pairs that do not count.
    """

    games: dict[Color, GameForEngine]
    size: int
    counted: Outcome
    repeats: list[Outcome] = field(default_factory=list)
    are_equal: bool = True


class DistinctPairs(Generic[Outcome]):
    """Counts the pairs that do not repeat another; each is added in constant time.

    Pairs with the same start repeat each other if all their games with the same colours are equal. Of these the first
    one with the most games counts.

    :ivar counts: how often each outcome came among the pairs that count.
    """

    def __init__(self) -> None:
        self.counts: Counter[Outcome] = Counter()
        self._groups: dict[Hashable, _Group[Outcome]] = {}

    @property
    def distinct(self) -> int:
        """The pairs that count."""
        return self.counts.total()

    def add(self, pair: PairOfGames, outcome: Outcome) -> None:
        """Add a pair. If it is the first that differs from equal ones, those count from now on too."""
        group = self._groups.get(pair.start)
        if group is None:
            self._groups[pair.start] = _Group(dict(pair.games), len(pair.games), outcome)
        elif group.are_equal:
            group.are_equal = all(group.games.setdefault(color, game) == game for color, game in pair.games.items())
            if not group.are_equal:
                self.counts.update(group.repeats)
            elif len(pair.games) <= group.size:
                group.repeats.append(outcome)
                return
            else:
                group.repeats.append(group.counted)
                self.counts[group.counted] -= 1
                group.size, group.counted = len(pair.games), outcome
        self.counts[outcome] += 1
