"""Everyone meets everyone, in every round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, overload

from quietmove.referee.config.settings import Setting
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.formats.base import Format, first_missing
from quietmove.tournament.games import Result, ScheduledGame

__all__ = ["RoundRobin", "RoundRobinPairs"]


class RoundRobin(Format):
    """Every pair of engines meets once a round; all games are known beforehand."""

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "rounds",
            1,
            "how often every pair meets, each time over one opening",
            least=1,
            most=100_000,
            required=True,
        ),
        Setting(
            "cycle",
            "double",
            "double: two games each time they meet, with colours swapped; single: one game, colours in turn",
            ("double", "single"),
        ),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.rounds = int(self.values["rounds"])
        self.games_a_meeting = 1 if self.values["cycle"] == "single" else 2
        self.pairings = self.pairs(tournament.names)
        self.count = self.rounds * len(self.pairings) * self.games_a_meeting  # of all games
        self._places = {name: place for place, name in enumerate(tournament.names)}

    def pairs(self, names: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Return the pairs that meet in each round."""
        return RoundRobinPairs(names)

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        """Return all games from the first without a result on."""
        for number in range(first_missing(results), self.count + 1):
            yield self.game(number)

    def planned(self, results: Sequence[Result]) -> int:
        """Return the number of all games."""
        return self.count

    def game(self, number: int) -> ScheduledGame:
        """Return the game with this number."""
        index, second = divmod(number - 1, self.games_a_meeting)
        cycle, place = divmod(index, len(self.pairings))
        pair = self.pairings[place]
        if self.games_a_meeting == 1:
            second = (self._places[pair[0]] + self._places[pair[1]] + cycle) % 2  # both colours about equally often
        return self.meeting(pair, cycle + 1, number - second)[second]

    def remarks(self) -> list[str]:
        """Say if a pair meets twice over one opening."""
        openings = len(self.tournament.openings)
        if self.rounds <= openings:
            return []
        return [
            f"{self.rounds} rounds over {openings} opening{'s' * (openings != 1)}: they come again, and games "
            "that engines repeat exactly count once"
        ]


class RoundRobinPairs(Sequence[tuple[str, str]]):
    """Every pair once, ordered by the circle method so that all players advance together; each is found by its index.

    Within a pair the names keep the order of ``names``.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.places = len(names) + len(names) % 2  # of the circle; with an odd number the one against the last rests
        self.boards = len(names) // 2

    def __len__(self) -> int:
        return self.boards * (self.places - 1)

    @overload
    def __getitem__(self, index: int) -> tuple[str, str]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, str]]: ...

    def __getitem__(self, index: int | slice) -> tuple[str, str] | list[tuple[str, str]]:
        if isinstance(index, slice):
            return [self[each] for each in range(len(self))[index]]
        turn, board = divmod(range(len(self))[index], self.boards)
        if self.places > len(self.names):
            resting = 1 + (turn - 1) % (self.places - 1)  # where the absent player sits
            board += board >= min(resting, self.places - 1 - resting)
        one, other = sorted(self._player(place, turn) for place in (board, self.places - 1 - board))
        return self.names[one], self.names[other]

    def _player(self, place: int, turn: int) -> int:
        """Return who sits at ``place`` after so many turns of the circle, in which the first player never moves."""
        return 0 if place == 0 else 1 + (place - 1 - turn) % (self.places - 1)
