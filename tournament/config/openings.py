"""Opening lists: found by the engine itself, or at random; no two alike in the game's symmetries."""

from __future__ import annotations

import asyncio
import random
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from quietmove.engine.games.base import UNKNOWN_REMAINING, Game
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import COLORS, OWN_ENGINE, EngineConfig, TimeControl
from quietmove.referee.game.clock import Clock
from quietmove.referee.seats import Listener, Seat, Turn, create_seat
from quietmove.tournament.errors import OpeningsError

__all__ = ["Opening", "Recipe", "find_openings", "random_openings"]

HASH_MEGABYTES = 16
RANDOM_PLIES = 8  # of a random opening where the game is long
SHARE_OF_GAME = 5  # a random opening is at most a fifth of the game
TRIES_PER_OPENING = 2000  # in a row without a find before the search is given up


@dataclass(frozen=True, slots=True)
class Recipe:
    """What makes an opening list; the same recipe and engine make the same list.

    :param count: how many openings to find.
    :param plies: moves in each of them.
    :param depth: plies that the engine looks ahead to judge one.
    :param within: the greatest value of an opening for either side, in hundredths of the game's point.
    """

    game: str = "othello"
    count: int = 200
    plies: int = 8
    depth: int = 10
    within: int = 150
    seed: int = 1

    def command_line(self) -> str:
        """Return the command that makes the list."""
        return (
            f"quietmove-tournament openings --game {shlex.quote(self.game)} --count {self.count} --plies {self.plies} "
            f"--depth {self.depth} --within {self.within} --seed {self.seed}"
        )


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening that was found.

    :param moves: as the game writes them.
    :param value: for the side to move after it, in hundredths of the game's point.
    """

    moves: tuple[str, ...]
    value: int


def find_openings(recipe: Recipe, found: Callable[[Opening], None]) -> None:
    """Call ``found`` with one opening after another.

    Random legal moves lead to a position; it is kept if it is new and the engine values it as nearly level.

    :raises OpeningsError: if the engine fails, or not enough openings are found.
    :raises UnknownGameError: if there is no such game.
    """
    if get_game(recipe.game).kind != "perfect":
        raise OpeningsError(f"openings: must be of a game without dice and deals, not {recipe.game}")
    asyncio.run(_find_all(recipe, found))


def random_openings(game_name: str, count: int, plies: int, seed: int) -> tuple[tuple[str, ...], ...]:
    """Return up to ``count`` openings of random moves, the same on every machine; fewer where a game has no more.

    Twice as many are looked for, and those are taken whose static value is nearer to level.

    :param plies: moves in each of them; 0 for 8, or a fifth of the game where that is less.
    :raises OpeningsError: if there are none.
    """
    game = get_game(game_name)
    if game.kind != "perfect":
        raise OpeningsError(f"must be 0 in a game with dice or deals, such as {game.name}")
    left = game.initial().moves_left()
    plies = plies or max(1, min(RANDOM_PLIES, left // SHARE_OF_GAME if left < UNKNOWN_REMAINING else RANDOM_PLIES))
    lots, seen, found, tries = random.Random(seed), set[str](), list[tuple[int, tuple[str, ...]]](), 0
    while len(found) < 2 * count and tries < TRIES_PER_OPENING:
        moves = _random_moves(game, plies, lots, seen)
        tries = tries + 1 if moves is None else 0
        if moves is not None:
            found.append((_static_value(game, moves), tuple(map(game.format_move, moves))))
    if not found:
        raise OpeningsError(f"{game.name} has no position after {plies} moves that is not over")
    limit = sorted(value for value, _ in found)[min(count, len(found)) - 1]
    return tuple(moves for value, moves in found if value <= limit)[:count]


def _static_value(game: Game, moves: list[int]) -> int:
    position = game.initial()
    for move in moves:
        position.play(move)
    return abs(position.static_value())


async def _find_all(recipe: Recipe, found: Callable[[Opening], None]) -> None:
    game, lots, seen = get_game(recipe.game), random.Random(recipe.seed), set[str]()
    options = (("Hash", str(HASH_MEGABYTES)),)
    limit = TimeControl(depth=recipe.depth)
    seat = create_seat(EngineConfig(OWN_ENGINE, (OWN_ENGINE,), options=options, limit=limit), recipe.game)
    try:
        if failure := await seat.start("black", Listener()):
            raise OpeningsError(f"openings: the engine {failure.detail}")
        count = tries = 0
        while count < recipe.count and tries < TRIES_PER_OPENING:
            tries += 1
            if (moves := _random_moves(game, recipe.plies, lots, seen)) is None:
                continue
            texts = tuple(map(game.format_move, moves))
            if abs(value := await _value(seat, texts)) <= recipe.within:
                found(Opening(texts, value))
                count, tries = count + 1, 0
        if count < recipe.count:
            raise OpeningsError(
                f"openings: found {count} of {recipe.count}, then none in {TRIES_PER_OPENING} tries; "
                "more plies or a greater --within allow more"
            )
    finally:
        await seat.end()


def _random_moves(game: Game, plies: int, lots: random.Random, seen: set[str]) -> list[int] | None:
    """Return random moves to a position that is not among ``seen``, and add it; ``None`` if this try led to none."""
    position = game.initial()
    moves = []
    for _ in range(plies):
        legal = sorted(position.legal_moves())
        if not legal:
            return None
        moves.append(legal[int(lots.random() * len(legal))])  # not choice(), which differs between Pythons
        position.play(moves[-1])
    name = game.canonical(position)
    if position.is_over() or name in seen:
        return None
    seen.add(name)
    return moves


async def _value(seat: Seat, moves: tuple[str, ...]) -> int:
    clocks = {color: Clock(seat.config.limit, seat.config.margin_ms) for color in COLORS}
    answer = await seat.think(Turn(moves, clocks))
    if answer.claim is None or answer.claim.score is None:
        raise OpeningsError(f"openings: the engine gave no score after {' '.join(moves)}: {answer.line}")
    return answer.claim.score
