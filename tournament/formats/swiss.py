"""A format that pairs engines with similar scores in each round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import ClassVar

from quietmove.referee.config.validation import Setting
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats.base import Column, Format, Summary, first_missing
from quietmove.tournament.games import Result, ScheduledGame

Pair = tuple[str, str]
REST = -1  # stands for the opponent in a bye
DIGIT_BITS = 64  # each part of a cost has 64 bits, so that its sum over all matches cannot overflow into the next part


class Swiss(Format):
    """A Swiss tournament: each round pairs engines with similar scores.

    Engines are ordered by score, then by their order in the file. Score groups are paired from the top: as few engines
    as possible leave the highest group for a lower one, then the second, and so on. Within a group, the better half
    meets the other half. No two engines meet again unless there is no other complete pairing. With an odd number of
    engines, the last of those with the fewest byes gets a bye. A bye scores as much as a won match, but nothing for an
    engine that has lost every game by a fault.

    FIDE's Dutch system (Handbook C.04.3) pairs the score groups in this order too. It differs in its rules for colours,
    which do not apply to matches played with both, and in the engines chosen to leave a group.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("rounds", 1, "the number of matches each engine plays", least=1, most=10_000, required=True),
        Setting("match_pairs", 1, "pairs of games in a match, each from one opening", least=1, most=10_000),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.rounds = int(self.values["rounds"])
        self.match_pairs = self.most_meetings = int(self.values["match_pairs"])
        self.games_a_match = 2 * self.match_pairs
        self.games_a_round = len(tournament.names) // 2 * self.games_a_match
        self._paired: tuple[Sequence[Result], list[Pair]] | None = None

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        first = first_missing(results)
        turn = (first - 1) // self.games_a_round
        if turn < self.rounds:
            pairings = self.pairings(results[: turn * self.games_a_round])
            for number in range(first, (turn + 1) * self.games_a_round + 1):
                match, game = divmod((number - 1) % self.games_a_round, self.games_a_match)
                round_number = turn * self.match_pairs + game // 2 + 1
                yield self.meeting(pairings[match], round_number, number - game % 2)[game % 2]

    def planned(self, results: Sequence[Result]) -> int:
        return self.rounds * self.games_a_round

    def pairings(self, results: Sequence[Result]) -> list[Pair]:
        """Return the pairings of the round after ``results`` (complete rounds only), best engines first."""
        if self._paired is None or self._paired[0] != results:
            self._paired = results, self._pair(self._history(results))
        return self._paired[1]

    def summary(self, results: Sequence[Result]) -> Summary:
        turn = self._turn(results)
        history = self._history(results, self.pairings(results[: turn * self.games_a_round]))
        scores = history.scores(self.games_a_match)
        names = self.tournament.names
        buchholz = {name: history.rests[name] * scores[name] for name in names}
        berger = dict.fromkeys(names, 0.0)
        for (name, other), points in history.points.items():
            buchholz[name] += history.matches[name, other] * scores[other]
            berger[name] += points * scores[other]
        order = sorted(names, key=lambda name: (-scores[name], -buchholz[name], -berger[name]))
        columns = (
            Column("Score", "score", scores, "points, with the points of a won match for a bye"),
            Column("Buch", "buchholz", buchholz, "Buchholz: all opponents' scores, and the engine's own for a bye"),
            Column(
                "SB", "sonneborn_berger", berger, "Sonneborn-Berger: opponents' scores times the points against them"
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

    def _turn(self, results: Sequence[Result]) -> int:
        """Return the index of the current round, or of the last round once all are complete."""
        return min(self.rounds - 1, (first_missing(results) - 1) // self.games_a_round)

    def _history(self, results: Sequence[Result], current: Sequence[Pair] | None = None) -> _History:
        """Summarize ``results``; ``current`` contains the pairings of the round in progress."""
        history = _History()
        playing: dict[int, set[str]] = defaultdict(set)
        matches: set[tuple[int, Pair]] = set()
        sound: set[str] = set()  # engines with at least one game not lost through their own fault
        for result in results:
            turn = (result.id.round - 1) // self.match_pairs
            playing[turn].update(result.id.pair)
            sound.update(name for name in result.id.pair if not (result.by_fault and result.forfeited_by == name))
            first, second = result.id.pair
            history.points[first, second] += result.points_first()
            history.points[second, first] += 1 - result.points_first()
            matches.add((turn, result.id.pair))
        for _, (first, second) in matches:
            history.matches[first, second] += 1
            history.matches[second, first] += 1
        history.broken = {name for pair in history.matches for name in pair} - sound
        if current is not None:
            playing[self._turn(results)] = set(chain.from_iterable(current))
        for names in playing.values():
            history.rests.update(name for name in self.tournament.names if name not in names)
        return history

    def _pair(self, history: _History) -> list[Pair]:
        import networkx

        names = self.tournament.names
        scores = history.scores(self.games_a_match)
        ranked = sorted(names, key=lambda name: -scores[name])
        graph = networkx.Graph()
        for (one, other), cost in self._costs(ranked, scores, history):
            graph.add_edge(one, other, weight=-cost)
        matched = sorted(map(sorted, networkx.max_weight_matching(graph, maxcardinality=True)))
        order = {name: place for place, name in enumerate(names)}
        pairs = [sorted((ranked[one], ranked[other]), key=order.__getitem__) for one, other in matched if one != REST]
        return [(first, second) for first, second in pairs]

    @staticmethod
    def _costs(
        ranked: Sequence[str], scores: Mapping[str, float], history: _History
    ) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield two indices into ``ranked`` with the cost of their match; for a bye, the first is :data:`REST`.

        Costs are compared by these criteria, in this order: earlier meetings; for a bye, earlier byes and the rank; the
        engines that leave the highest score group, then the second, and so on; the difference of the scores; and the
        deviation from half a score group between the two.
        """
        sizes = Counter(scores[name] for name in ranked)
        groups = sorted(sizes, reverse=True)
        if len(ranked) % 2:
            for place, name in enumerate(ranked):
                yield (REST, place), _cost(0, history.rests[name], len(ranked) - place, *(0 for _ in groups), 0, 0, 0)
        for (place, name), (lower, other) in combinations(enumerate(ranked), 2):
            apart = round(2 * (scores[name] - scores[other]))
            half = 0 if apart else sizes[scores[name]] // 2
            met = history.matches[name, other]
            left = (scores[other] < score <= scores[name] for score in groups)
            yield (place, lower), _cost(met**2, 0, 0, *left, apart**2, (lower - place - half) ** 2, place * lower)


def _cost(*digits: int) -> int:
    """Combine ``digits`` into a number; sums of such numbers compare digit by digit. The last digit makes ties rare."""
    cost = 0
    for digit in digits:
        cost = (cost << DIGIT_BITS) + digit
    return cost


@dataclass(slots=True)
class _History:
    """A summary of the games played so far.

    :ivar points: the points of one engine against another.
    :ivar matches: the number of matches between two engines, in either order.
    :ivar rests: the number of an engine's byes.
    :ivar broken: the engines that have lost every game by a fault.
    """

    points: defaultdict[Pair, float] = field(default_factory=lambda: defaultdict(float))
    matches: Counter[Pair] = field(default_factory=Counter)
    rests: Counter[str] = field(default_factory=Counter)
    broken: set[str] = field(default_factory=set)

    def scores(self, points_for_rest: float) -> defaultdict[str, float]:
        """Return each engine's points. A bye scores like a won match, but nothing for a broken engine."""
        scores: defaultdict[str, float] = defaultdict(float)
        for name, count in self.rests.items():
            scores[name] += 0 if name in self.broken else count * points_for_rest
        for (name, _), points in self.points.items():
            scores[name] += points
        return scores
