"""Games of the engine against itself: a random opening, then the best move of a search, the end played exactly.

Openings of many lengths bring positions that no good game reaches, which an evaluation must know too (Buro 1995,
"Statistical feature combination for the evaluation of game positions").
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.tools.training.judge import Effort, Judge, discs
from quietmove.engine.tools.training.positions import EXACT, Records, as_records

__all__ = ["BLOCK_GAMES", "SelfPlay", "play_block"]

BLOCK_GAMES = 64

Row = tuple[int, int, int, int]  # own, opp, value, flags


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """Which games are played; each follows from this and from its number alone.

    :param games: how many.
    :param shortest, longest: random plies of an opening; each length between them is equally likely.
    :param seed: of the openings.
    :param effort: of the search that chooses the moves, and whose values are kept.
    """

    games: int
    shortest: int
    longest: int
    seed: int
    effort: Effort

    @property
    def blocks(self) -> int:
        """How many blocks of games there are."""
        return -(-self.games // BLOCK_GAMES)


def play_block(plan: SelfPlay, number: int) -> Records:
    """Return the positions of a block of games, each with its value, its result and its game's number."""
    judge = Judge(plan.effort)
    first = number * BLOCK_GAMES
    games = range(first, min(first + BLOCK_GAMES, plan.games))
    return as_records(row for game in games for row in play_game(judge, plan, game))


def play_game(judge: Judge, plan: SelfPlay, game: int) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Play one game and yield its positions behind the opening."""
    position = judge.position
    play_opening(position, plan, random.Random(f"{plan.seed} {game}"))
    rows = list(play_on(judge))
    result = position.result() // 100  # from Black's view
    for side, (own, opp, value, flags) in rows:
        yield own, opp, game, value, -result if side else result, flags


def play_opening(position: OthelloPosition, plan: SelfPlay, choices: random.Random) -> None:
    """Set up the position after a random opening; one that ends the game is drawn anew."""
    while True:
        position.set_up(0x810000000, 0x1008000000, 0)
        for _ in range(choices.randint(plan.shortest, plan.longest)):
            moves = position.legal_moves()
            if not moves:
                break
            position.play(choices.choice(moves))
        if not position.is_over():
            return


def play_on(judge: Judge) -> Iterator[tuple[int, Row]]:
    """Play to the end and yield each position with a move: the side to move, and its row.

    From the first exact value on, each value follows from the one before, so a narrow window finds the move.
    """
    position = judge.position
    look = judge.value
    while moves := position.legal_moves():
        if moves == [PASS]:
            position.play(PASS)
            continue
        exact = judge.is_exact()
        side = position.side_to_move
        value, move = look()
        yield side, (*discs(position), value, EXACT if exact else 0)
        position.play(move)
        if exact:
            absolute = -value if side else value
            look = partial(known_value, judge, absolute)


def known_value(judge: Judge, absolute: int) -> tuple[int, int]:
    """Return a value that is known, from the side to move, and the move that keeps it."""
    value = -absolute if judge.position.side_to_move else absolute
    return judge.value(value - 1, value + 1)
