"""A format in which two engines meet until a sequential test shows whether the first is stronger."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, cast

from quietmove.referee.config.validation import Setting
from quietmove.referee.match.score import DistinctPairs, Estimate, estimate
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats.base import TWO, PairByPair, Summary
from quietmove.tournament.games import Result, ScheduledGame, pair_of_games
from quietmove.tournament.statistics.sprt import MODELS, Model, Sprt, SprtState
from quietmove.tournament.statistics.standings import rounded_count

ELO1 = 20.0  # worth a first look; a smaller difference takes many more games
MAX_ELO = 3000  # limit of elo0 and elo1, beyond any real difference: one game in 30 million is not won
MAX_FAULTS = 0.1  # share of faulty pairs above which a test that only these decide ends without a decision
MIN_ERROR, MAX_ERROR = 1e-6, 0.49  # limits of alpha and beta, whose sum must be below 1
MAX_POINTS = 200  # maximum number of points of the trajectory in a summary
REPEATS = 16  # after this many repeated pairs in a row, and at least one per opening, later pairs would repeat too


class SprtMatch(PairByPair):
    """A sequential test: two engines play pairs of games until it accepts H0 or H1, or ``most_games`` are played.

    The match also ends if many pairs in a row, at least one per opening, were exact repetitions.

    A pair in which an engine lost by a fault counts like any other, but the test accepts only what it would also accept
    without such pairs; if there are too many of them, it ends without a decision.

    Pairs are processed in numerical order, each once both of its games and all earlier pairs are finished, so the order
    in which concurrent games end does not matter. Games running at the decision are finished, but only for the table.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("elo0", 0.0, "the Elo difference of H0, in favour of the first engine", least=-MAX_ELO, most=MAX_ELO),
        Setting("elo1", ELO1, "the Elo difference of H1; more than elo0", least=-MAX_ELO, most=MAX_ELO),
        Setting("alpha", 0.05, "the probability of accepting H1 if H0 is true", least=MIN_ERROR, most=MAX_ERROR),
        Setting("beta", 0.05, "the probability of accepting H0 if H1 is true", least=MIN_ERROR, most=MAX_ERROR),
        Setting("model", "normalized", f"the Elo model of elo0 and elo1: {', '.join(MODELS)}", MODELS),
        Setting("pairs", True, "whether two games from one opening are one observation; never in model bayesian"),
        Setting("most_games", 100_000, "games after which the match ends undecided", least=TWO, most=10_000_000),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.most_pairs = self.most_meetings = int(self.values["most_games"]) // TWO
        self.begin()

    @property
    def test(self) -> Sprt:
        elo0, elo1, alpha, beta = (float(self.values[name]) for name in ("elo0", "elo1", "alpha", "beta"))
        return Sprt(elo0, elo1, alpha, beta, cast("Model", self.values["model"]))

    def problems(self) -> list[tuple[str, str]]:
        problems = []
        if not (test := self.test).elo0 < test.elo1:
            problems.append(("elo0", f"must be less than elo1, which is {test.elo1:g}, not {test.elo0:g}"))
        if (count := len(self.tournament.engines)) != TWO:
            problems.append(("engine", f"must be given twice in format 'sprt', not {count} times"))
        return problems

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        self.follow(results)
        if not self.is_decided:
            for number in range(self.pairs + 1, self.most_pairs + 1):
                yield from self.pair(number)

    def planned(self, results: Sequence[Result]) -> int | None:
        self.follow(results)
        return len(results) if self.is_decided else None

    def begin(self) -> None:
        self.counted: DistinctPairs[tuple[float, float, bool]] = DistinctPairs()
        self.state = self.without_faults = SprtState(0.0, -math.inf, math.inf)
        self.faults = self.faulty_pairs = 0  # games lost by an engine's fault, and pairs with such a game
        self.repeats = 0  # number of consecutive pairs, including the latest, that repeated another pair
        self.ratios = [0.0]  # the log-likelihood ratio before the first pair and after each pair

    def add(self, one: Result, two: Result) -> None:
        before = self.counted.distinct
        faults = sum(game.by_fault for game in (one, two))
        self.faults += faults
        self.faulty_pairs += faults > 0
        self.counted.add(pair_of_games((one, two)), (one.points_first(), two.points_first(), faults > 0))
        self.repeats = self.repeats + 1 if self.counted.distinct == before else 0
        if not self.repeats:
            self.state = self.without_faults = self.test.judge(self._counts())
            if self.state.accepted and self.faults:
                self.without_faults = self.test.judge(self._counts(with_faults=False))
        self.ratios.append(self.state.llr)

    @property
    def is_decided(self) -> bool:
        return self._end() is not None

    @property
    def accepted(self) -> str | None:
        """The hypothesis accepted both with and without the engines' faults, or None."""
        return self.state.accepted if self.state.accepted == self.without_faults.accepted else None

    def _end(self) -> str | None:
        """Return the test's outcome as text, or None while the test continues."""
        if self.accepted is not None:
            return f"{self.accepted} is accepted"
        if self.state.accepted and (self.without_faults.accepted or self.faulty_pairs > MAX_FAULTS * self.pairs):
            return f"no decision: only faults of the engines lead to {self.state.accepted}"
        if self.pairs >= self.most_pairs:
            return f"no decision within most_games = {self.values['most_games']}"
        if self.repeats >= max(REPEATS, len(self.tournament.openings)):
            return "no decision: the engines repeat their games, and more openings are needed"
        return None

    def summary(self, results: Sequence[Result]) -> Summary:
        self.follow(results)
        test, pairs, distinct = self.test, self.pairs, self.counted.distinct
        state = self.state if self.pairs else test.judge(self._counts())
        kind = "pairs" if self._by_pairs else "single games"
        repeats = f", {distinct} of them distinct" if distinct < pairs else ""
        lines = (
            f"SPRT of {' - '.join(self.tournament.names)}: H0 Elo {test.elo0:g}, H1 Elo {test.elo1:g} ({test.model}, "
            f"by {kind}), alpha {test.alpha:g}, beta {test.beta:g}",
            f"LLR {state.llr:+.2f} between {state.lower:+.2f} and {state.upper:+.2f} after "
            f"{pairs} {'pair' if pairs == 1 else 'pairs'}{repeats}: {self._end() or 'no decision yet'}",
            self.sentence(),
            *self._bias_lines(),
        )
        facts = {
            "llr": round(state.llr, 4),
            "lower": round(state.lower, 4),
            "upper": round(state.upper, 4),
            "accepted": self.accepted,
            "faults": self.faults,
            "ended": self._end(),
            "pairs": pairs,
            "distinct_pairs": distinct,
            "counts": self._counts(),
            "trajectory": [{"pairs": each, "llr": round(self.ratios[each], 4)} for each in self.trajectory(MAX_POINTS)],
        }
        return Summary(lines, facts)

    def _bias_lines(self) -> Iterator[str]:
        first, second = self.tournament.engines
        if replace(first, name=second.name) == second:
            yield "Both engines are the same, so this match checks for bias: its Elo interval should contain 0."

    def sentence(self) -> str:
        """Return the score and the test's answer as one sentence."""
        first, second = self.tournament.names
        games = TWO * self.pairs
        faults = f", {self.faults} of them lost by a fault" if self.faults else ""
        found = estimate(self._counts())
        shown = "no game counted yet" if found is None else f"{found} after {games} games{faults}"
        return f"{first} against {second}: {shown}; {self._answer(found)}."

    def _answer(self, found: Estimate | None) -> str:
        """Return the decision as text; if it is undecided but the Elo interval excludes 0, name the better engine."""
        first, test = self.tournament.names[0], self.test
        is_cut_short = self.pairs >= self.most_pairs and not self.state.accepted
        if found is not None and is_cut_short and found.elo_low * found.elo_high > 0:
            word = "better" if found.elo_low > 0 else "worse"
            return f"{first} is {word} by this interval, though the test is undecided: {self._undecided()}"
        if self.accepted is None or found is None:
            return f"it is undecided whether {first} is better: {self._undecided()}"
        unit = "Elo" if test.model == "logistic" else f"{test.model} Elo"
        if self.accepted == "H1":
            word = "better"
            is_clear = found.elo_low > 0
            detail = f"not {-test.elo0:g} {unit} worse" * (test.elo0 < 0)
        else:
            word = "worse"
            is_clear = found.elo_high < 0
            detail = f"not {test.elo1:g} {unit} better" * (test.elo1 > 0)
        if detail and not is_clear:
            return f"{first} is {detail} ({self.accepted} accepted)"
        return f"{first} is {word} ({self.accepted} accepted{detail and f': {detail}'})"

    def _undecided(self) -> str:
        """Return the reason why the test is undecided, or the approximate number of games it still needs, as text."""
        state = self.state
        end = self._end()
        if end and self.pairs < self.most_pairs:
            return end.removeprefix("no decision").lstrip(":, ")
        bound = state.upper if state.llr > 0 else state.lower
        if not state.llr or state.accepted:
            return "more games are needed"
        return f"about {rounded_count(TWO * self.pairs * (bound / state.llr - 1)):,} more games would be needed"

    @property
    def _by_pairs(self) -> bool:
        return bool(self.values["pairs"]) and self.values["model"] != "bayesian"

    def _counts(self, *, with_faults: bool = True) -> list[int]:
        """Return the number of pairs that scored 0, ½, 1, 1½ and 2 points, or of games lost, drawn and won.

        :param with_faults: whether to include pairs in which an engine lost by a fault.
        """
        counts = [0] * (5 if self._by_pairs else 3)
        for (*points, is_faulty), count in self.counted.counts.items():
            if is_faulty and not with_faults:
                continue
            for observed in (sum(points),) if self._by_pairs else points:
                counts[round(TWO * observed)] += count
        return counts
