"""Openings at random, no two alike in the game's symmetries."""

from __future__ import annotations

import random

from quietmove.engine.games.base import UNKNOWN_REMAINING, Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.referee.errors import SetupError

__all__ = ["RANDOM", "RANDOM_OPENINGS", "TRIES_PER_OPENING", "position_after", "random_moves", "random_openings"]

RANDOM = "random"  # asks for such openings
RANDOM_OPENINGS = 5000  # openings that are made: one comes again after as many pairs of games
RANDOM_PLIES = 8  # moves of a random opening where the game is long
SHARE_OF_GAME = 5  # a random opening is at most a fifth of the game
TRIES_PER_OPENING = 2000  # failed tries in a row after which no more openings are looked for


def random_openings(game_name: str, count: int, plies: int, seed: int) -> tuple[tuple[str, ...], ...]:
    """Return up to ``count`` openings of random moves, the same on every machine; fewer where a game has no more.

    Twice as many are looked for, and those are taken whose static value is nearer to level.

    :param plies: moves in each of them; 0 for 8, or a fifth of the game where that is less.
    :raises SetupError: if there are none.
    """
    game = get_game(game_name)
    if game.kind != "perfect":
        raise SetupError(f"openings: must not be random in a game with dice or deals, such as {game.name}")
    left = game.initial().moves_left()
    plies = plies or max(1, min(RANDOM_PLIES, left // SHARE_OF_GAME if left < UNKNOWN_REMAINING else RANDOM_PLIES))
    lots, seen, found, tries = random.Random(seed), set[str](), list[tuple[int, tuple[str, ...]]](), 0
    while len(found) < 2 * count and tries < TRIES_PER_OPENING:
        moves = random_moves(game, plies, lots, seen)
        tries = tries + 1 if moves is None else 0
        if moves is not None:
            found.append((abs(position_after(game, moves).static_value()), tuple(map(game.format_move, moves))))
    if not found:
        raise SetupError(f"openings: {game.name} has no position after {plies} moves that is not over")
    limit = sorted(value for value, _ in found)[min(count, len(found)) - 1]
    return tuple(moves for value, moves in found if value <= limit)[:count]


def position_after(game: Game, moves: list[int]) -> Position:
    """Return the position after moves from the start of the game."""
    position = game.initial()
    for move in moves:
        position.play(move)
    return position


def random_moves(game: Game, plies: int, lots: random.Random, seen: set[str]) -> list[int] | None:
    """Return random moves to a position that is not among ``seen``, and add it; ``None`` if this try led to none."""
    position = game.initial()
    moves = []
    for _ in range(plies):
        legal = sorted(position.legal_moves())
        if not legal:
            return None
        moves.append(legal[int(lots.random() * len(legal))])  # choice() differs between versions of Python
        position.play(moves[-1])
    name = game.canonical(position)
    if position.is_over() or name in seen:
        return None
    seen.add(name)
    return moves
