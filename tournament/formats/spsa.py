"""A format that tunes options of an engine: two engines that differ only in these options play pairs of games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from shlex import join, quote
from typing import ClassVar

from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import Setting
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.formats.base import TWO, PairByPair, Summary
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.statistics.spsa import Parameter, Spsa, Values, read_parameters

TRAJECTORY_LINES = 10  # maximum number of lines of the trajectory in a summary


class Tuning(PairByPair):
    """SPSA tuning: the result of each pair of games moves the values. Pairs are processed in numerical order.

    The first engine plays with the values moved one way, the second with the values moved the other way. With
    ``pairs_at_once`` n, a pair is played with the values from n pairs earlier, so that n pairs can run concurrently and
    the games do not depend on the concurrency. The delay costs little if n is small compared to the number of pairs.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "parameters",
            "",
            "the options to tune: NAME=START:MIN:MAX or NAME=START:MIN:MAX:STEP, separated by commas; "
            "STEP is the final step up and down, by default a twentieth of the range",
            required=True,
        ),
        Setting("pairs", 1000, "the number of pairs of games; each moves the values once", least=1, most=1_000_000),
        Setting(
            "pairs_at_once",
            1,
            "the number of pairs that can be played concurrently: each pair uses the values from N pairs earlier, "
            "whatever the concurrency",
            least=1,
            most=10_000,
        ),
        Setting(
            "rate",
            0.01,
            "how far a won game moves each value in the last iteration, in multiples of STEP",
            least=1e-6,
            most=10,
        ),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.all_pairs = int(self.values["pairs"])
        self.pairs_at_once = int(self.values["pairs_at_once"])

    @cached_property
    def run(self) -> Spsa:
        """The tuning run; raises :class:`TournamentError` if the settings are invalid."""
        parameters = read_parameters(str(self.values["parameters"]))
        key = f"{self.tournament.name}/{self.tournament.seed}"
        return Spsa(parameters, self.all_pairs, float(self.values["rate"]), key)

    def problems(self) -> list[tuple[str, str]]:
        problems = []
        try:
            _ = self.run
        except TournamentError as error:
            problems.append(("parameters", str(error)))
        engines = self.tournament.engines
        if len({replace(engine, name="x") for engine in engines}) != 1 or len(engines) != TWO:
            problems.append(("engine", "must be given twice in format 'spsa', differing only in the name"))
        return problems

    def variants(self) -> list[EngineConfig]:
        engine, parameters = self.tournament.engines[0], self.run.parameters
        bounds = ([each.least for each in parameters], [each.most for each in parameters])
        options = [{**dict(engine.options), **dict(self._options(values))} for values in bounds]
        return [replace(engine, options=tuple(each.items())) for each in options]

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        self.follow(results)
        last = min(self.pairs + self.pairs_at_once, self.all_pairs)
        for number in range(self.pairs + 1, last + 1):
            values = self.course[max(0, number - self.pairs_at_once)]
            sides = zip(self.tournament.names, (1, -1), strict=True)
            options = tuple((name, self._options(self.run.trial_values(values, number, sign))) for name, sign in sides)
            yield from (replace(game, options=options) for game in self.pair(number))

    def planned(self, results: Sequence[Result]) -> int:
        return TWO * self.all_pairs

    def begin(self) -> None:
        self.course: list[Values] = [self.run.start]  # the values before the first pair and after each pair

    def add(self, one: Result, two: Result) -> None:
        balance = sum(2 * game.points_first() - 1 for game in (one, two))
        self.course.append(self.run.next_values(self.course[-1], self.pairs + 1, balance))

    @property
    def is_decided(self) -> bool:
        return self.pairs >= self.all_pairs

    def summary(self, results: Sequence[Result]) -> Summary:
        self.follow(results)
        names = [each.name for each in self.run.parameters]
        shown = self.trajectory(TRAJECTORY_LINES)
        rows = [["pairs", *names]]
        rows += [[str(pairs), *(f"{value:.1f}" for value in self.course[pairs])] for pairs in shown]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        table = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
        last = self._options(map(Parameter.rounded, self.run.parameters, self.course[-1]))
        facts = {
            "pairs": self.pairs,
            "values": dict(last),
            "trajectory": [{"pairs": pairs, "values": list(self.course[pairs])} for pairs in shown],
        }
        return Summary(
            (*table, f"{_text(last)} after {self.pairs} of {self.all_pairs} pairs", *self._next(last)), facts
        )

    def _next(self, last: Sequence[tuple[str, str]]) -> list[str]:
        """Return the command that compares the tuned values with the initial ones, or [] if they are equal."""
        engine = self.tournament.engines[0]
        first = [(each.name, str(each.start)) for each in self.run.parameters]
        if list(last) == first:
            return []
        kind, _, limit = str(engine.limit).partition("=")
        one, other = (_text([*{**dict(engine.options), **dict(values)}.items()]) for values in (last, first))
        words = f"--command {quote(join(engine.command))} --game {quote(self.tournament.game)} --{kind} {limit}"
        return [f"Is that better? quietmove-tournament compare {quote(one)} {quote(other)} {words}"]

    def _options(self, values: Iterable[int]) -> tuple[tuple[str, str], ...]:
        return tuple((each.name, str(value)) for each, value in zip(self.run.parameters, values, strict=True))


def _text(options: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in options)
