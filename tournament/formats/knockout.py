"""A format in which the loser of a match is eliminated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import ClassVar

from quietmove.referee.config.validation import Setting
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats.base import Column, Format, Summary
from quietmove.tournament.games import Result, ScheduledGame

ABSENT = ""  # the missing opponent of an engine with a bye in the first stage
STAGES = {1: "final", 2: "semi-final", 4: "quarter-final"}  # keyed by the number of matches in the stage

# The games of each pair, by the two engines and the pair's index in their match.
Played = defaultdict[tuple[str, str], defaultdict[int, list[Result]]]


@dataclass(frozen=True, slots=True)
class Match:
    """A match in the bracket whose two engines are known.

    :param place: its position in its stage, counted from 0 at the top; byes count as matches.
    :param first, second: the engines, the better seed first.
    :param points: the points of both engines in complete pairs of games.
    :param missing: the pairs of games to play now, by their index in the match.
    :param winner: the engine that advances, or None while it is undecided.
    :param by_seed: whether the points are equal and the better seed advances.
    """

    place: int
    first: str
    second: str
    points: tuple[float, float]
    missing: tuple[int, ...]
    winner: str | None
    by_seed: bool = False

    def text(self) -> str:
        """Return a short description of the match."""
        score = f"{self.first} {self.points[0]:g} - {self.points[1]:g} {self.second}"
        if self.by_seed:
            return f"{score} ({self.first} advances as the better seed)"
        return score if self.winner else f"{score} so far"


class Knockout(Format):
    """A knockout. Engines are seeded in file order, so the first two can meet only in the final.

    If the number of engines is not a power of two, the first ones have a bye in the first stage. A tied match is
    extended by one pair of games at a time, up to ``replays`` times; then the better seed advances.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("match_pairs", 1, "pairs of games in a match, each from one opening", least=1, most=10_000),
        Setting("replays", 5, "maximum number of pairs of games that extend a tied match", least=0, most=10_000),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.match_pairs = int(self.values["match_pairs"])
        self.replays = int(self.values["replays"])
        self.most_meetings = self.match_pairs + self.replays
        self._seeds = {name: seed for seed, name in enumerate(tournament.names)}

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        index = 0
        for stage, matches in enumerate(self.bracket(results)):
            for match in matches:
                if match is not None:
                    yield from chain.from_iterable(self._pair(stage, index, match, place) for place in match.missing)
                index += 1

    def planned(self, results: Sequence[Result]) -> int | None:
        return len(results) if self._winner(self.bracket(results)) is not None else None

    def bracket(self, results: Sequence[Result]) -> list[list[Match | None]]:
        """Return the matches of each stage, with None for those whose engines are not known yet."""
        played = self._played(results)
        players: list[str | None] = [*_seeded(self.tournament.names)]
        stages = []
        while len(players) > 1:
            matches: list[Match | None] = []
            following: list[str | None] = []
            for place, (one, other) in enumerate(zip(players[::2], players[1::2], strict=True)):
                if ABSENT in (one, other):
                    following.append(other if one == ABSENT else one)
                else:
                    match = None if one is None or other is None else self._match(place, one, other, played)
                    matches.append(match)
                    following.append(match.winner if match is not None else None)
            stages.append(matches)
            players = following
        return stages

    def summary(self, results: Sequence[Result]) -> Summary:
        stages = self.bracket(results)
        reached = dict.fromkeys(self.tournament.names, 1.0)
        lines, facts = [], []
        for number, matches in enumerate(stages, 1):
            known = [match for match in matches if match is not None]
            for match in known:
                reached[match.first] = reached[match.second] = number
                if match.winner is not None:
                    reached[match.winner] = number + 1
            if known:
                title = STAGES.get(2 ** (len(stages) - number), f"stage {number}")
                lines.append(f"{title}: {'; '.join(match.text() for match in known)}")
                facts.append([{**asdict(match), "missing": len(match.missing)} for match in known])
        winner = self._winner(stages)
        if winner is not None:
            lines.append(f"{winner} wins the tournament")
        column = Column("Stage", "stage", reached, f"the stage reached; {len(stages) + 1} means winner")
        order = sorted(self.tournament.names, key=lambda name: -reached[name])
        return Summary(tuple(lines), {"winner": winner, "stages": facts}, (column,), tuple(order))

    @staticmethod
    def _winner(stages: list[list[Match | None]]) -> str | None:
        final = stages[-1][0]
        return None if final is None else final.winner

    def _match(self, bracket_place: int, one: str, other: str, played: Played) -> Match:
        first, second = sorted((one, other), key=self._seeds.__getitem__)
        pairs = played[first, second]
        points = {
            place: sum(game.points_first() for game in games) for place, games in pairs.items() if len(games) == 2
        }
        missing = tuple(place for place in range(self.match_pairs) if place not in points)
        count = self.match_pairs
        while not missing and sum(points[place] for place in range(count)) == count:
            if count == self.most_meetings:
                return Match(bracket_place, first, second, (count, count), (), first, by_seed=True)
            if count in points:
                count += 1
            else:
                missing = (count,)
        ours = sum(points.values())
        all_points = 2 * len(points)
        winner = None if missing else first if 2 * ours > all_points else second
        return Match(bracket_place, first, second, (ours, all_points - ours), missing, winner)

    def _pair(self, stage: int, index: int, match: Match, place: int) -> tuple[ScheduledGame, ScheduledGame]:
        """Return one pair of games; the pairs that extend tied matches are numbered after all others."""
        if place < self.match_pairs:
            before = index * self.match_pairs + place
        else:
            matches = len(self.tournament.names) - 1
            before = matches * self.match_pairs + index * self.replays + place - self.match_pairs
        round_number = stage * self.most_meetings + place + 1
        return self.meeting((match.first, match.second), round_number, 2 * before + 1)

    def _played(self, results: Sequence[Result]) -> Played:
        played: Played = defaultdict(lambda: defaultdict(list))
        for result in results:
            played[result.id.pair][(result.id.round - 1) % self.most_meetings].append(result)
        return played


def _seeded(names: Sequence[str]) -> list[str]:
    """Return the players of the first stage: best against worst, so that the best two can meet only in the final."""
    seeds = [0]
    while len(seeds) < len(names):
        seeds = [seed for better in seeds for seed in (better, 2 * len(seeds) - 1 - better)]
    return [names[seed] if seed < len(names) else ABSENT for seed in seeds]
