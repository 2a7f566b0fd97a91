"""A format for engines that join one after another, can be replaced, and play neighbours until their rating settles."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

from quietmove.referee.config.validation import Setting
from quietmove.referee.seats import get_seat
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats.base import Format, Summary, first_missing
from quietmove.tournament.games import GameId, Result, ScheduledGame, seed_of
from quietmove.tournament.statistics.standings import ratings_of

Pair = tuple[str, str]  # two names in the order of the tournament

MET_ELO = 60  # each earlier meeting makes an opponent count as 60 Elo farther away
ONE_GAME = 1  # from the initial position deterministic engines repeat a game, so they meet only once
GAMES = 2  # games per meeting


@dataclass(frozen=True, slots=True)
class _Round:
    """One round: its pairs, the number of its first game, and the number of earlier meetings of each pair."""

    number: int
    first: int
    pairs: tuple[Pair, ...]
    met: Counter[Pair]


class Ladder(Format):
    """A ladder. Engines without an arrival are anchors: they always take part, and the mean of their ratings is 0.

    Each round is for engines whose rating has not settled, those with the fewest meetings first. An engine first meets
    every anchor once, then the available engine with the nearest rating, where earlier meetings count as distance. A
    rating has settled if its 95 % interval is narrow enough, or after many meetings. When all ratings have settled and
    all goals are reached, the ladder rests. A round depends only on the results of earlier rounds, not on concurrency.

    The k-th meeting with an anchor uses the same opening and seed for all engines.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("quiet_elo", 100.0, "half the width of the 95 % interval at which a rating has settled", least=1),
        Setting("most_pairs", 30, "number of meetings after which a rating counts as settled", least=1, most=100_000),
        Setting("round_pairs", 16, "maximum number of meetings in a round", least=1, most=10_000),
        Setting("goals", "", "meetings with anchors that each engine must reach, such as random=12, level 1=6"),
        Setting(
            "anchor_pairs", 20, "number of meetings between any two engines that always take part", least=0, most=10_000
        ),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        arrived = {arrival.engine for arrival in tournament.arrivals}
        self.anchors = [name for name in tournament.names if name not in arrived]
        goals = (part.rpartition("=") for part in str(self.values["goals"]).split(", ") if part)
        self._goals = {name: int(times) for name, _, times in goals if name in self.anchors}
        self._order = {name: place for place, name in enumerate(tournament.names)}
        sample = next(filter(None, tournament.openings), ())
        self._begins_anywhere = {
            engine.name: not any(get_seat(engine.protocol).game_problems_for(engine, tournament.game, sample))
            for engine in tournament.engines
        }
        # Each round's plan, with the last result before the round. The plan is valid only after that result.
        self._rounds: dict[int, tuple[Sequence[Result], _Round]] = {}

    def active_engines(self, number: float = math.inf) -> list[str]:
        """Return the engines that take part in a round: the anchors, then the others in order of arrival.

        By default it is a round after all arrivals.
        """
        engines = dict.fromkeys(self.anchors)
        for arrival in self.tournament.arrivals:
            if arrival.round <= number:
                engines.pop(arrival.replaces, None)
                engines.update({arrival.engine: None} if arrival.engine else {})
        return list(engines)

    def _joined_by(self, number: int) -> list[str]:
        """Return the engines that had joined by a given round, including those replaced since."""
        arrivals = self.tournament.arrivals
        return list(dict.fromkeys(each.engine for each in arrivals if each.engine and each.round <= number))

    def round_number(self, results: Sequence[Result]) -> int:
        """Return the number of the current round, or of the next one if the ladder rests."""
        return self._current(results).number

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        current = self._current(results)
        for place, pair in enumerate(current.pairs):
            yield from self._meeting(pair, current.number, current.first + GAMES * place, current.met)

    def planned(self, results: Sequence[Result]) -> None:
        """Return None, because more engines can join."""

    def summary(self, results: Sequence[Result]) -> Summary:
        current = self._current(results)
        number = current.number
        rests = not current.pairs
        playing = self.active_engines(number)
        state = "rests" if rests else f"is in round {number}"
        line = (
            f"The ladder {state}; {len(playing) - len(self.anchors)} engines and {len(self.anchors)} anchors take part"
        )
        facts = {"round": number, "rests": rests, "anchors": self.anchors, "in_force": playing}
        return Summary((line,), facts, zero=tuple(self.anchors))

    def _current(self, results: Sequence[Result]) -> _Round:
        """Return the first unfinished round; the pairs of complete rounds are in the results and not planned again."""
        complete = results[: first_missing(results) - 1]
        number = complete[-1].id.round if complete else 1
        latest = self._round(number, complete[: bisect_left(complete, number, key=lambda result: result.id.round)])
        is_over = complete and len(complete) >= latest.first - 1 + GAMES * len(latest.pairs)
        return self._round(number + 1, complete) if is_over else latest

    def _round(self, number: int, results: Sequence[Result]) -> _Round:
        if number not in self._rounds or self._rounds[number][0] != results[-1:]:
            self._rounds[number] = results[-1:], self._plan(number, results)
        return self._rounds[number][1]

    def _plan(self, number: int, results: Sequence[Result]) -> _Round:
        met = Counter(result.id.pair for result in results if result.id.color == "black")
        playing = self.active_engines(number)
        rated = [*self.anchors, *self._joined_by(number)]  # later arrivals do not affect this round
        ratings = ratings_of(rated, results)
        places = {name: place for place, name in enumerate(rated)}
        elo = {name: ratings.elo[places[name]] for name in playing}
        zero = [places[name] for name in self.anchors]
        counts = Counter(name for pair, times in met.items() for name in pair for _ in range(times))

        def is_new(name: str) -> bool:
            return any(not met[self._pair(name, anchor)] for anchor in self.anchors)

        def needs_more_games(name: str) -> bool:
            if is_new(name):
                return True
            is_quiet = ratings.against(places[name], zero)[1] <= float(self.values["quiet_elo"])
            return counts[name] < int(self.values["most_pairs"]) and not is_quiet

        pairs: list[Pair] = []
        free = dict.fromkeys(name for name in playing if name not in self.anchors)
        for name in sorted(free, key=lambda name: counts[name]):
            if len(pairs) == int(self.values["round_pairs"]):
                break
            if name not in free:
                continue
            other = self._opponent(name, free, met, elo) if needs_more_games(name) else self._goal(name, met)
            if other is not None:
                pairs.append(self._pair(name, other))
                free.pop(name)
                free.pop(other, None)
        if pairs and (among := self._among_anchors(met)):
            pairs.append(among)
        return _Round(number, len(results) + 1, tuple(pairs), met)

    def _opponent(self, name: str, free: dict[str, None], met: Counter[Pair], elo: dict[str, float]) -> str | None:
        """Return an engine's next opponent, which is an anchor or a ``free`` engine, or None if no opponent is left."""
        if new := [anchor for anchor in self.anchors if not met[self._pair(name, anchor)]]:
            return new[0]
        others = [
            other
            for other in (*self.anchors, *free)
            if other != name and (met[self._pair(name, other)] < ONE_GAME or not self._repeat(name, other))
        ]
        return min(
            others,
            key=lambda other: abs(elo[name] - elo[other]) + MET_ELO * met[self._pair(name, other)],
            default=None,
        )

    def _goal(self, name: str, met: Counter[Pair]) -> str | None:
        """Return an anchor that an engine has not met as often as the setting ``goals`` requires, or None."""
        goals = self._goals.items()
        return next((anchor for anchor, times in goals if met[self._pair(name, anchor)] < times), None)

    def _repeat(self, name: str, other: str) -> bool:
        """Return whether two engines would repeat their games because they start at the initial position."""
        if name in self.anchors or other in self.anchors:
            return False  # an anchor's games vary with its seed
        return not (self._begins_anywhere[name] and self._begins_anywhere[other])

    def _among_anchors(self, met: Counter[Pair]) -> Pair | None:
        """Return the two anchors with the fewest meetings, or None if all have met often enough."""
        pairs = list(combinations(self.anchors, 2))
        least = min(pairs, key=lambda pair: met[pair], default=None)
        return least if least and met[least] < int(self.values["anchor_pairs"]) else None

    def _meeting(self, pair: Pair, number: int, first: int, met: Counter[Pair]) -> Iterator[ScheduledGame]:
        """Yield the two games of a pair in a round; ``met`` contains the number of each pair's earlier meetings."""
        anchor = next((name for name in pair if name in self.anchors), None)
        turn = met[pair] + 1
        openings = self.tournament.openings if all(self._begins_anywhere[name] for name in pair) else ((),)
        for game in self.meeting(pair, number, first):
            opening = openings[(turn if anchor else number) % len(openings)]
            seed = game.seed
            if anchor:
                color = game.id.color if pair[0] == anchor else "white" if game.id.color == "black" else "black"
                seed = seed_of(self.tournament, GameId(turn, ("", anchor), color), f"/{color}")
            yield replace(game, opening=opening, seed=seed)

    def _pair(self, name: str, other: str) -> Pair:
        return (name, other) if self._order[name] < self._order[other] else (other, name)
