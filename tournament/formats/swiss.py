"""In each round, engines meet that have done about equally well so far."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import ClassVar

from quietmove.referee.config.settings import Setting
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.formats.base import Column, Format, Summary, first_missing
from quietmove.tournament.formats.matching import NOBODY, complete_matching
from quietmove.tournament.games import Result, ScheduledGame

__all__ = ["Swiss"]

Pair = tuple[str, str]


class Swiss(Format):
    """Each round pairs engines of equal or nearly equal scores, as the Dutch system of FIDE does (Handbook C.04.3).

    Engines are ordered by score, and where that is equal as in the file. Of those with one score the better half meets
    the other half. Who finds nobody new there is moved down to the next score. No two meet again as long as there is a
    way to pair all others. With an odd number the last who has rested least often rests, and gets the points of a match
    won.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("rounds", 1, "how many matches each engine plays", least=1, most=10_000, required=True),
        Setting("match_pairs", 1, "pairs of games in a match, each over one opening", least=1, most=10_000),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.rounds = int(self.values["rounds"])
        self.match_pairs = int(self.values["match_pairs"])
        self.games_a_match = 2 * self.match_pairs
        self.games_a_round = len(tournament.names) // 2 * self.games_a_match
        self._paired: tuple[Sequence[Result], list[Pair]] | None = None

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        """Return the games of the first round that has not ended."""
        first = first_missing(results)
        turn = (first - 1) // self.games_a_round
        if turn < self.rounds:
            pairings = self.pairings(results[: turn * self.games_a_round])
            for number in range(first, (turn + 1) * self.games_a_round + 1):
                match, game = divmod((number - 1) % self.games_a_round, self.games_a_match)
                round_number = turn * self.match_pairs + game // 2 + 1
                yield self.meeting(pairings[match], round_number, number - game % 2)[game % 2]

    def planned(self, results: Sequence[Result]) -> int:
        """Return the number of all games."""
        return self.rounds * self.games_a_round

    def pairings(self, results: Sequence[Result]) -> list[Pair]:
        """Return who meets after whole rounds, the best first."""
        if self._paired is None or self._paired[0] != results:
            self._paired = results, self._pair(self._history(results))
        return self._paired[1]

    def summary(self, results: Sequence[Result]) -> Summary:
        """Return the scores and what decides between equal ones."""
        turn = self._turn(results)
        history = self._history(results, self.pairings(results[: turn * self.games_a_round]))
        scores, names = history.scores(self.games_a_match), self.tournament.names
        buchholz = {name: history.rests[name] * scores[name] for name in names}
        berger = dict.fromkeys(names, 0.0)
        for (name, other), points in history.points.items():
            buchholz[name] += history.matches[name, other] * scores[other]
            berger[name] += points * scores[other]
        order = sorted(names, key=lambda name: (-scores[name], -buchholz[name], -berger[name]))
        columns = (
            Column("Score", "score", scores, "points, and for a round without an opponent those of a match won"),
            Column("Buch", "buchholz", buchholz, "Buchholz, the scores of all opponents; for a rest the engine's own"),
            Column(
                "SB", "sonneborn_berger", berger, "Sonneborn-Berger, opponents' scores times the points against them"
            ),
        )
        lines = [f"Swiss system, round {turn + 1} of {self.rounds}: by Score, then Buchholz, then Sonneborn-Berger"]
        if len(results) == self.planned(results):
            best, *others = ((scores[name], buchholz[name], berger[name]) for name in order)
            level = order[: 1 + others.count(best)]
            lines.append(
                f"{level[0]} wins the tournament" if len(level) == 1 else f"{', '.join(level)} share first place"
            )
        return Summary(tuple(lines), {"round": turn + 1, "rounds": self.rounds}, columns, tuple(order))

    def remarks(self) -> list[str]:
        """Say if engines must meet again, and if a pair's openings come again."""
        engines, openings = len(self.tournament.names), len(self.tournament.openings)
        most = engines - 1 + engines % 2
        found = []
        if self.rounds > most:
            found.append(f"{self.rounds} rounds of {engines} engines: after {most} they meet again")
        if self.match_pairs > openings:
            found.append(
                f"matches of {self.match_pairs} pairs over {openings} opening{'s' * (openings != 1)}: they come again"
            )
        return found

    def _turn(self, results: Sequence[Result]) -> int:
        """Return the round that is being played, or the last, from 0."""
        return min(self.rounds - 1, (first_missing(results) - 1) // self.games_a_round)

    def _history(self, results: Sequence[Result], current: Sequence[Pair] | None = None) -> _History:
        """Return what ``results`` say; ``current`` is who meets in the round that is being played."""
        history = _History()
        playing: dict[int, set[str]] = defaultdict(set)
        matches: set[tuple[int, Pair]] = set()
        for result in results:
            turn = (result.id.round - 1) // self.match_pairs
            playing[turn].update(result.id.pair)
            first, second = result.id.pair
            history.points[first, second] += result.points_first()
            history.points[second, first] += 1 - result.points_first()
            matches.add((turn, result.id.pair))
        for _, (first, second) in matches:
            history.matches[first, second] += 1
            history.matches[second, first] += 1
        if current is not None:
            playing[self._turn(results)] = set(chain.from_iterable(current))
        for names in playing.values():
            history.rests.update(name for name in self.tournament.names if name not in names)
        return history

    def _pair(self, history: _History) -> list[Pair]:
        """Return who meets: nobody twice, or else as few times as can be, and the last of those who may rest rests."""
        scores, names = history.scores(self.games_a_match), self.tournament.names
        ranked = sorted(names, key=lambda name: -scores[name])
        resting = list(reversed(ranked)) if len(names) % 2 else [""]
        resting.sort(key=lambda name: history.rests[name])
        for most in range(max(history.matches.values(), default=0) + 1):
            for rest in resting:
                playing = [name for name in ranked if name != rest]
                if pairs := _Pairing(playing, scores, history.matches, most).pairs():
                    places = {name: place for place, name in enumerate(names)}
                    return [(a, b) if places[a] < places[b] else (b, a) for a, b in pairs]
        raise AssertionError("engines that may meet any number of times can be paired")


@dataclass(slots=True)
class _History:
    """What has been played.

    :ivar points: of an engine against another one.
    :ivar matches: between an engine and another one, in either order.
    :ivar rests: rounds that an engine had no opponent in.
    """

    points: defaultdict[Pair, float] = field(default_factory=lambda: defaultdict(float))
    matches: Counter[Pair] = field(default_factory=Counter)
    rests: Counter[str] = field(default_factory=Counter)

    def scores(self, points_for_rest: float) -> defaultdict[str, float]:
        """Return the points of each engine, where a rest brings those of a match won."""
        scores: defaultdict[str, float] = defaultdict(float)
        for name, count in self.rests.items():
            scores[name] += count * points_for_rest
        for (name, _), points in self.points.items():
            scores[name] += points
        return scores


class _Pairing:
    """One try to pair an even number of engines.

    :param ranked: the best first.
    :param most: how often two may have met to meet once more.
    """

    def __init__(self, ranked: Sequence[str], scores: Mapping[str, float], matches: Counter[Pair], most: int) -> None:
        self.ranked = ranked
        self.scores = scores
        self.matches = matches
        self.most = most
        self.partners = [NOBODY] * len(ranked)

    def pairs(self) -> list[Pair]:
        """Return all pairs, or nothing if not all can be paired."""
        self._pair_by_scores()
        if not complete_matching(self._nearest, self.partners):
            return []
        return [(self.ranked[one], self.ranked[other]) for one, other in enumerate(self.partners) if one < other]

    def _pair_by_scores(self) -> None:
        """Pair the better half of each score with the other half; who finds nobody is moved down to the next score."""
        moved: list[int] = []
        for _, group in groupby(range(len(self.ranked)), key=lambda place: self.scores[self.ranked[place]]):
            others = list(group)
            moved = [place for place in moved if not self._pair_with_first(place, others)]
            better = others[: len(others) // 2]
            worse = others[len(others) // 2 :]
            left = [place for place in better if not self._pair_with_first(place, worse)]
            moved += left + worse

    def _pair_with_first(self, place: int, others: list[int]) -> bool:
        """Pair ``place`` with the first of ``others`` that it may meet, and take that from the list."""
        for other in others:
            if self._may_meet(place, other):
                self.partners[place], self.partners[other] = other, place
                others.remove(other)
                return True
        return False

    def _may_meet(self, place: int, other: int) -> bool:
        return place != other and self.matches[self.ranked[place], self.ranked[other]] <= self.most

    def _nearest(self, place: int) -> list[int]:
        """Return everyone that ``place`` may meet, those of the most similar rank first."""
        others = [other for other in range(len(self.ranked)) if self._may_meet(place, other)]
        return sorted(others, key=lambda other: abs(other - place))
