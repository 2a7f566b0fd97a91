"""Games of a tournament: their identity, the values derived from it, and their results.

A game's identity is (tournament, round, pair, colour). Its opening and its seed are derived from that identity by a
hash, never from the order in which games are played. The games are therefore the same for any concurrency, and another
round or another engine does not change the other games.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from quietmove.referee.config.model import COLORS, Color, GameSpec
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.score import GameForEngine, PairOfGames
from quietmove.referee.process.launch import with_seed
from quietmove.tournament.definition import Tournament

FAULTS = ("crash", "timeout", "illegal", "stall")  # verdicts on an engine's behaviour rather than on the position
REMEMBERED_ORDERS = 1024  # number of pairs of engines whose order of openings is cached
SEED_BITS = 31  # fits the integer options of all engines


@dataclass(frozen=True, slots=True)
class GameId:
    """The identity of one game within its tournament.

    :param round: the round, from 1; two engines meet at most once per round, from one opening, once with each colour.
    :param pair: two engine names in the order of the configuration.
    :param color: the colour of the first engine in the pair.
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
    """A game in the schedule.

    :param number: its position in the schedule, from 1.
    :param opening: the moves that start both games of the pair.
    :param seed: the seed for an engine that uses random numbers; the two games of a pair have different seeds.
    :param options: options set by the format for this game, by engine name; a stored game has them only in its record.
    """

    id: GameId
    number: int
    opening: tuple[str, ...]
    seed: int
    options: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one game.

    :param points_black: 1, 0.5 or 0.
    :param margin_black: the number of points by which Black won; negative if White won.
    :param reason: the referee's verdict.
    :param forfeited_by: the engine charged by the verdict, or None.
    :param opening, moves: the moves of the opening, and of the whole game including it, separated by commas.
    """

    id: GameId
    number: int
    points_black: float
    margin_black: int
    reason: str
    forfeited_by: str | None
    opening: str
    moves: str

    @classmethod
    def of(cls, game: ScheduledGame, record: GameRecord) -> Result:
        """Return the result of a finished game."""
        charged = None if record.loser is None else game.id.black if record.loser == "black" else game.id.white
        return cls(
            game.id,
            game.number,
            record.points_black,
            record.margin_black,
            record.reason,
            charged,
            ",".join(game.opening),
            ",".join(move.move for move in record.moves),
        )

    @property
    def by_fault(self) -> bool:
        """Whether an engine's fault decided the game."""
        return self.reason in FAULTS

    def points_of(self, engine: str) -> float:
        """Return the points of one of the two engines."""
        return self.points_black if engine == self.id.black else 1 - self.points_black

    def margin_of(self, engine: str) -> int:
        return self.margin_black if engine == self.id.black else -self.margin_black

    def points_first(self) -> float:
        """Return the points of the first engine in the pair."""
        return self.points_of(self.id.pair[0])


def pair_of_games(games: Sequence[Result]) -> PairOfGames:
    """Return the one or two games of a pair from the first engine's point of view."""
    first = games[0].id.pair[0]
    return PairOfGames(
        start=(games[0].id.pair, games[0].opening),
        games={
            game.id.color: GameForEngine(game.points_of(first), game.margin_of(first), game.moves, game.reason)
            for game in games
        },
    )


def meeting(
    tournament: Tournament, pair: tuple[str, str], round_number: int, number: int
) -> tuple[ScheduledGame, ScheduledGame]:
    """Return the two games of ``pair`` in one round, from the same opening, with colours swapped.

    A pair gets a new opening in every round until the list is used up; then the openings repeat in the same order.

    :param pair: names in the order of the configuration.
    :param number: the number of the first of the two games in the schedule.
    """
    openings = tournament.openings
    index = (round_number - 1) % len(openings)
    if tournament.openings_order == "random":
        key = f"{tournament.name}/{tournament.seed}/{pair[0]}/{pair[1]}"
        index = _opening_order(key, len(openings))[index]
    one, two = (GameId(round_number, pair, color) for color in COLORS)
    return (
        ScheduledGame(one, number, openings[index], seed_of(tournament, one, f"/{one.color}")),
        ScheduledGame(two, number + 1, openings[index], seed_of(tournament, two, f"/{two.color}")),
    )


@lru_cache(maxsize=REMEMBERED_ORDERS)
def _opening_order(key: str, count: int) -> list[int]:
    """Return a permutation of ``range(count)`` that depends only on ``key``, not on the machine or Python version."""
    return sorted(range(count), key=lambda index: _digest(f"{key}/opening/{index}"))


def game_spec(tournament: Tournament, game: ScheduledGame) -> GameSpec:
    """Return the specification of a game for the referee.

    Dice and deals derive from a seed that both games of a pair share, like the opening.
    """
    engines = {engine.name: engine for engine in tournament.engines}
    for name, options in game.options:
        engines[name] = replace(engines[name], options=tuple({**dict(engines[name].options), **dict(options)}.items()))
    return GameSpec(
        game=tournament.game,
        opening=game.opening,
        black=with_seed(engines[game.id.black], game.seed),
        white=with_seed(engines[game.id.white], game.seed),
        keep_dialogue=tournament.keep_dialogue,
        seed=seed_of(tournament, game.id),
        adjudication=tournament.adjudication,
    )


def seed_of(tournament: Tournament, game: GameId, color: str = "") -> int:
    """Return the seed of a pair of games, or, with ``color``, of one of its games."""
    key = f"{tournament.name}/{tournament.seed}/{game.pair[0]}/{game.pair[1]}/{game.round}{color}"
    return _digest(key) >> (64 - SEED_BITS)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
