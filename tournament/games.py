"""Games of a tournament: their identity, what follows from it, and how they ended.

A game's identity is (tournament, round, pair, colour); its opening and its seed follow from that identity by a hash,
never from the order in which games happen to be played. So the games are the same however many run at once, and one
more round, or one more engine, does not change the games of the others.
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

FAULTS = ("crash", "timeout", "illegal", "stall")  # the verdicts on an engine, and not on the board
REMEMBERED_ORDERS = 1024  # the order of the openings is computed once for each of so many pairs of engines
SEED_BITS = 31  # a seed of 31 bits fits the integer options of all engines


@dataclass(frozen=True, slots=True)
class GameId:
    """The identity of one game within its tournament.

    :param round: counted from 1; two engines meet at most once a round, over one opening, once with each colour.
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
    :param seed: the seed for an engine that uses random numbers; the two games of a pair have different ones.
    :param options: options that the format sets in this game, by the engine's name; a stored game has them in its
        record alone.
    """

    id: GameId
    number: int
    opening: tuple[str, ...]
    seed: int
    options: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Result:
    """How one game ended.

    :param points_black: 1, 0.5 or 0.
    :param margin_black: the number of the game's points by which Black won; negative if White won.
    :param reason: the referee's verdict.
    :param forfeited_by: the engine that the verdict charges, or ``None``.
    :param opening, moves: the moves of the opening, and of the whole game with its opening, separated by commas.
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
        """Return how a game ended that the referee has judged."""
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
        """Whether a fault of an engine decided it."""
        return self.reason in FAULTS

    def points_of(self, engine: str) -> float:
        """Return the points of one of the two engines."""
        return self.points_black if engine == self.id.black else 1 - self.points_black

    def margin_of(self, engine: str) -> int:
        return self.margin_black if engine == self.id.black else -self.margin_black

    def points_first(self) -> float:
        """Return the points of the first of the pair."""
        return self.points_of(self.id.pair[0])


def pair_of_games(games: Sequence[Result]) -> PairOfGames:
    """Return the one or two games of a pair as they went for the first of the two engines."""
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
    """Return the two games of ``pair`` in one round, both over the same opening, with colours swapped.

    A pair meets over a new opening in every round until the list is used up, then in the same order again.

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
    """Return a permutation of ``range(count)`` that depends on ``key`` alone, on every machine and Python."""
    return sorted(range(count), key=lambda index: _digest(f"{key}/opening/{index}"))


def game_spec(tournament: Tournament, game: ScheduledGame) -> GameSpec:
    """Return what the referee is asked to play.

    Dice and deals follow from a seed that is the same in both games with colours swapped, as the opening is.
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
    """Return the seed of a pair of games, or with ``color`` that of one of its games."""
    key = f"{tournament.name}/{tournament.seed}/{game.pair[0]}/{game.pair[1]}/{game.round}{color}"
    return _digest(key) >> (64 - SEED_BITS)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
