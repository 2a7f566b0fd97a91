"""Options of an engine are tuned: two engines that differ in them alone play pairs of games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from shlex import join, quote
from typing import ClassVar

from quietmove.referee.config.settings import Setting
from quietmove.referee.seats.preflight import objections
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.formats.base import Format, Summary
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.statistics.spsa import Parameter, Spsa, Values, read_parameters

__all__ = ["Tuning"]

TWO = 2  # engines, and games of a pair
SHOWN = 10  # lines of the trajectory


@dataclass(slots=True)
class Progress:
    """How far the run has come.

    :ivar values: before each pair, and after the last.
    :ivar last: the last game of these pairs.
    """

    values: list[Values]
    last: Result | None = None

    @property
    def pairs(self) -> int:
        """Pairs that the values have followed."""
        return len(self.values) - 1


class Tuning(Format):
    """The values move after each pair of games, by the two results, in the order of the pairs' numbers.

    The first engine plays with the values moved one way, the second with them moved the other way. With
    ``pairs_at_once`` n, a pair is played with the values that stood n pairs before its own results count, so n pairs
    can be played at once, and the games are the same however many are. What the delay costs is little while n is small
    beside all pairs.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "parameters",
            "",
            "the options to tune: NAME=START:LEAST:MOST or NAME=START:LEAST:MOST:STEP, with commas between several; "
            "the step is what is tried up and down in the end, by default a twentieth of the range",
            required=True,
        ),
        Setting("pairs", 1000, "pairs of games; each moves the values once", least=1, most=1_000_000),
        Setting(
            "pairs_at_once",
            1,
            "how many pairs may be played at once: each begins with the values that the results up to so many pairs "
            "before it have given, whatever the concurrency is",
            least=1,
            most=10_000,
        ),
        Setting("rate", 0.01, "steps by which a game that is won moves the values in the end", least=1e-6, most=10),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.all_pairs = int(self.values["pairs"])
        self.pairs_at_once = int(self.values["pairs_at_once"])
        self._progress: Progress | None = None

    @cached_property
    def run(self) -> Spsa:
        """The run; :class:`TournamentError` if the settings make none."""
        parameters = read_parameters(str(self.values["parameters"]))
        key = f"{self.tournament.name}/{self.tournament.seed}"
        return Spsa(parameters, self.all_pairs, float(self.values["rate"]), key)

    def problems(self) -> list[tuple[str, str]]:
        """Say which parameter is wrong, and that the two engines must be one but for the name."""
        found = []
        try:
            _ = self.run
        except TournamentError as error:
            found.append(("parameters", str(error)))
        engines = self.tournament.engines
        if len({replace(engine, name="x") for engine in engines}) != 1 or len(engines) != TWO:
            found.append(("engine", "format 'spsa' needs two engines that differ in nothing but their names"))
        return found or [("parameters", text) for text in self._refused_bounds()]

    def _refused_bounds(self) -> list[str]:
        """Ask the engine if it takes the least and the greatest values; what it refuses would be played unnoticed."""
        engine, parameters = self.tournament.engines[0], self.run.parameters
        bounds = ([each.least for each in parameters], [each.most for each in parameters])
        options = [{**dict(engine.options), **dict(self._options(self.run, values))} for values in bounds]
        tried = [replace(engine, options=tuple(each.items())) for each in options]
        return [objection.text for objection in objections(tried, self.tournament.game)]

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        """Return the games of the next pairs, as many as may be played at once."""
        progress = self.follow(results)
        last = min(progress.pairs + self.pairs_at_once, self.all_pairs)
        for number in range(progress.pairs + 1, last + 1):
            yield from self._pair(number, progress.values[max(0, number - self.pairs_at_once)])

    def planned(self, results: Sequence[Result]) -> int:
        """Return the number of all games."""
        return TWO * self.all_pairs

    def follow(self, results: Sequence[Result]) -> Progress:
        """Return the values after ``results``; it goes on from those that it has followed before."""
        progress, run = self._progress, self.run
        if progress is None or (
            progress.last and results[TWO * progress.pairs - 1 : TWO * progress.pairs] != [progress.last]
        ):
            progress = Progress([run.start])
        while progress.pairs < self.all_pairs:
            games = results[TWO * progress.pairs : TWO * progress.pairs + TWO]
            if [game.number for game in games] != [TWO * progress.pairs + 1, TWO * progress.pairs + TWO]:
                break
            balance = sum(2 * game.points_first() - 1 for game in games)
            progress.values.append(run.moved(progress.values[-1], progress.pairs + 1, balance))
            progress.last = games[-1]
        self._progress = progress
        return progress

    def summary(self, results: Sequence[Result]) -> Summary:
        """Return how the values moved, and the command that plays the last against the first."""
        progress, run = self.follow(results), self.run
        names = [each.name for each in run.parameters]
        shown = sorted({round(progress.pairs * part / SHOWN) for part in range(SHOWN + 1)})
        rows = [["pairs", *names]]
        rows += [[str(pairs), *(f"{value:.1f}" for value in progress.values[pairs])] for pairs in shown]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        table = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
        last = self._options(run, map(Parameter.rounded, run.parameters, progress.values[-1]))
        facts = {
            "pairs": progress.pairs,
            "values": dict(last),
            "trajectory": [{"pairs": pairs, "values": list(progress.values[pairs])} for pairs in shown],
        }
        return Summary(
            (*table, f"{_text(last)} after {progress.pairs} of {self.all_pairs} pairs", *self._next(last)), facts
        )

    def _next(self, last: Sequence[tuple[str, str]]) -> list[str]:
        """Return the command that says whether the values are better than those of the beginning."""
        engine = self.tournament.engines[0]
        first = [(each.name, str(each.start)) for each in self.run.parameters]
        if list(last) == first:
            return []
        kind, _, limit = str(engine.limit).partition("=")
        one, other = (_text([*{**dict(engine.options), **dict(values)}.items()]) for values in (last, first))
        words = f"--command {quote(join(engine.command))} --game {quote(self.tournament.game)} --{kind} {limit}"
        return [f"Is that better? quietmove-tournament compare {quote(one)} {quote(other)} {words}"]

    def _pair(self, number: int, values: Values) -> Iterator[ScheduledGame]:
        run = self.run
        first, second = self.tournament.names
        options = tuple(
            (name, self._options(run, run.tried(values, number, sign))) for name, sign in ((first, 1), (second, -1))
        )
        for game in self.meeting((first, second), number, TWO * number - 1):
            yield replace(game, options=options)

    @staticmethod
    def _options(run: Spsa, values: Iterable[int]) -> tuple[tuple[str, str], ...]:
        return tuple((each.name, str(value)) for each, value in zip(run.parameters, values, strict=True))


def _text(options: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in options)
