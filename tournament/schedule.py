"""Which games a tournament consists of: a pure function of its name, seed, engines, openings and rounds.

A game's identity is (tournament, round, pair, colour); its opening and its seed follow from that identity by a hash,
never from the order in which games happen to be played. So the games are the same however many run at once, and one
more round, or one more engine, leaves the games of the others as they were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quietmove.referee.config import COLORS, Color

__all__ = ["GameId", "ScheduledGame", "pair_seed", "round_robin", "schedule"]

SEED_BITS = 31  # so that a seed fits every engine's idea of an integer option


@dataclass(frozen=True, slots=True)
class GameId:
    """The identity of one game within its tournament.

    :param round: counted from 1; in each round every pair meets over one opening, once with each colour.
    :param pair: two engine names in the order of the configuration.
    :param color: what the first of the pair plays.
    """

    round: int
    pair: tuple[str, str]
    color: Color

    @property
    def black(self) -> str:
        """The engine that plays Black."""
        return self.pair[0] if self.color == "black" else self.pair[1]

    @property
    def white(self) -> str:
        """The engine that plays White."""
        return self.pair[1] if self.color == "black" else self.pair[0]


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """A game to be played.

    :param number: its place in the schedule, from 1.
    :param opening: the moves that both games of the pair begin with.
    :param seed: for an engine that draws lots; different for the two games of a pair.
    """

    id: GameId
    number: int
    opening: tuple[str, ...]
    seed: int


def schedule(
    tournament: str, seed: int, engines: Sequence[str], openings: Sequence[tuple[str, ...]], rounds: int
) -> tuple[ScheduledGame, ...]:
    """Return every game of a round-robin in the order in which they should be begun.

    A pair meets over a new opening in every round until the list is used up, then in the same order again.
    """
    meetings = round_robin(engines)
    orders = {pair: _opening_order(f"{tournament}/{seed}/{pair[0]}/{pair[1]}", len(openings)) for pair in meetings}
    games: list[ScheduledGame] = []
    for round_number in range(1, rounds + 1):
        for pair in meetings:
            order = orders[pair]
            opening = openings[order[(round_number - 1) % len(order)]]
            for color in COLORS:
                game = GameId(round_number, pair, color)
                games.append(ScheduledGame(game, len(games) + 1, opening, _seed(tournament, seed, game)))
    return tuple(games)


def round_robin(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pair once, ordered by the circle method so that all players advance together.

    Within a pair the names keep the order of ``names``.
    """
    count = len(names) + len(names) % 2
    circle = list(range(count))
    pairs = []
    for _ in range(count - 1):
        for first, second in _opposite(circle):
            if second < len(names):  # the player added to make the count even is nobody: its opponent rests
                pairs.append((names[first], names[second]))
        circle[1:] = [circle[-1], *circle[1:-1]]
    return pairs


def _opposite(circle: list[int]) -> Iterator[tuple[int, int]]:
    for i in range(len(circle) // 2):
        one, other = circle[i], circle[-1 - i]
        yield min(one, other), max(one, other)


def _opening_order(key: str, count: int) -> list[int]:
    """Return a permutation of ``range(count)`` that depends on ``key`` alone, on every machine and Python."""
    return sorted(range(count), key=lambda index: _digest(f"{key}/opening/{index}"))


def pair_seed(tournament: str, seed: int, game: GameId) -> int:
    """Return what dice and deals follow from: as the opening, the same in both games with colours swapped."""
    return _digest(f"{tournament}/{seed}/{game.pair[0]}/{game.pair[1]}/{game.round}") >> (64 - SEED_BITS)


def _seed(tournament: str, seed: int, game: GameId) -> int:
    return _digest(f"{tournament}/{seed}/{game.pair[0]}/{game.pair[1]}/{game.round}/{game.color}") >> (64 - SEED_BITS)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
