"""Checks which games a store has, and when they were finished, against what the format wanted and the store counted."""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from itertools import groupby, islice
from operator import attrgetter

from quietmove.referee.config.config import GameSpec
from quietmove.referee.game.record import GameRecord
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.running.runner import game_spec

__all__ = ["AskedGames", "missing_games", "schedule_faults"]

AHEAD = 1000  # games that a format may name beyond those that are stored, before it is taken to know no others
MOST_GAMES = 1_000_000  # that a format is asked for; some would go on for ever
MOST_NAMED = 20  # missing games that are named; of more only the number is given


class AskedGames:
    """The games that the format asks for.

    It is asked anew with the results that there were when each game was begun, as it was while they were played.

    :ivar games: by their numbers, those among the stored games that it asks for.
    :ivar early: the numbers of those that were finished before the games whose results they follow from.
    :ivar problem: what went wrong while it was asked; empty if nothing did.
    """

    def __init__(self, tournament: Tournament, results: Sequence[Result], finished: Mapping[int, datetime]) -> None:
        """Ask for the games of ``results``.

        :param finished: when; a game that has no time is taken to be the last.
        """
        self.games: dict[int, ScheduledGame] = {}
        self.early: set[int] = set()
        self.problem = ""
        self._plan = plan_of(tournament)
        self._known: list[Result] = []
        self._waiting = {result.number: result for result in results}
        self._limit = min(max(self._waiting, default=0), MOST_GAMES) + len(results) + AHEAD
        try:
            self._ask_in_order_of_time(finished)
            self._ask_in_any_order()
        except Exception as error:  # a format is asked about results that may never have been possible
            self.problem = f"the format {tournament.format} cannot go on from these results: {type(error).__name__}"

    def _ask_in_order_of_time(self, finished: Mapping[int, datetime]) -> None:
        def when(result: Result) -> tuple[bool, datetime]:
            return result.number not in finished, finished.get(result.number, datetime.min.replace(tzinfo=UTC))

        for _, group in groupby(sorted(self._waiting.values(), key=when), key=when):
            together = list(group)
            if any(result.number not in self.games for result in together):
                self._ask()
            if not self._accept(together):
                self._ask()  # a quick game may follow from one that was finished in the same millisecond
                self._accept(together)

    def _ask_in_any_order(self) -> None:
        while self._waiting:
            self._ask()
            named = [result for number, result in self._waiting.items() if number in self.games]
            if not named:
                return
            self.early.update(result.number for result in named)
            self._accept(named)

    def _ask(self) -> None:
        for game in islice(self._plan.next_games(self._known), self._limit):
            if game.number in self._waiting:
                self.games.setdefault(game.number, game)

    def _accept(self, results: Sequence[Result]) -> bool:
        """Count those that were asked for among the known; return whether all were."""
        for result in results:
            if result.number in self.games and self._waiting.pop(result.number, None) is not None:
                insort(self._known, result, key=attrgetter("number"))
        return all(result.number in self.games for result in results)


def missing_games(numbers: Collection[int], written: object) -> Iterator[str]:
    """Yield whether games are missing that were written once.

    :param numbers: of the games that are there.
    :param written: how many there were.
    """
    if written == len(numbers):
        return
    last = max(numbers, default=0)
    gaps = set(range(1, last + 1)).difference(numbers) if last <= len(numbers) + MOST_NAMED else set()
    named = f"; up to game {last} these are missing: {', '.join(map(str, sorted(gaps)))}" if gaps else ""
    yield f"{written} games were written to it, and {len(numbers)} are there{named}"


def schedule_faults(
    tournament: Tournament, stored: ScheduledGame, asked: AskedGames, record: GameRecord
) -> Iterator[str]:
    """Yield how a game differs from the one that the format asked for."""
    wanted = asked.games.get(stored.number)
    if wanted is None:
        yield f"the format {tournament.format} asks for no such game"
        return
    if stored.number in asked.early:
        yield "it was finished before games that it follows from"
    for name in ("id", "opening", "seed"):
        if getattr(stored, name) != getattr(wanted, name):
            yield f"{name} is {getattr(stored, name)!r}, and the format asks for {getattr(wanted, name)!r}"
    spec = game_spec(tournament, wanted)
    for field in fields(GameSpec):
        if getattr(record.spec, field.name) != getattr(spec, field.name):
            yield f"record: {field.name} is not what the configuration says"
