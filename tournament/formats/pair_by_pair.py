"""What formats of two engines have in common that follow the pairs of games one by one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats.base import Format
from quietmove.tournament.games import Result, ScheduledGame

TWO = 2  # there are two engines, and two games in a pair


class PairByPair(Format):
    """Two engines play pairs of games, which are followed in the order of their numbers, once both games are there.

    Its state is kept between calls: with more results the next pairs are followed, with other results it begins anew.

    :ivar pairs: how many pairs have been followed.
    """

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.pairs = 0
        self._last: Result | None = None

    @abstractmethod
    def begin(self) -> None:
        """Go back to before the first pair."""

    @abstractmethod
    def add(self, one: Result, two: Result) -> None:
        """Follow the next pair, the one after :attr:`pairs`."""

    @property
    @abstractmethod
    def is_decided(self) -> bool:
        """Whether no further pair is to be followed."""

    def follow(self, results: Sequence[Result]) -> None:
        """Follow all complete pairs at the beginning of ``results``."""
        if self._last is None or results[TWO * self.pairs - 1 : TWO * self.pairs] != [self._last]:
            self.pairs = 0
            self.begin()
        while not self.is_decided:
            games = results[TWO * self.pairs : TWO * self.pairs + TWO]
            if [game.number for game in games] != [TWO * self.pairs + 1, TWO * self.pairs + TWO]:
                return
            self.add(*games)
            self.pairs += 1
            self._last = games[-1]

    def pair(self, number: int) -> tuple[ScheduledGame, ScheduledGame]:
        """Return the two games of the pair with this number, from 1."""
        first, second = self.tournament.names
        return self.meeting((first, second), number, TWO * number - 1)

    def trajectory(self, points: int) -> list[int]:
        """Return numbers of pairs from 0 to all that were followed, at equal distances, ``points`` + 1 at most."""
        return sorted({round(self.pairs * part / points) for part in range(points + 1)})
