"""Positions of EinStein würfelt nicht!, compiled.

Squares are numbered from 0 to 24: a1 = 0, b1 = 1 … e5 = 24, with a1 in the upper left corner. A roll is a move from 1
to 6; other moves are ``8 * piece + direction``, with pieces 1 to 6 and directions 0 to 2 for Black, 3 to 5 for White.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython
from cython.cimports.quietmove.addons.games.einstein.pieces import CELLS, PIECES, STEP_VALUE, TURN_VALUE
from cython.cimports.quietmove.engine.games.bit_tricks import mixed

from quietmove.engine.games.base import NATURE, Position

__all__ = ["CELLS", "STEP_VALUE", "TURN_VALUE", "EinsteinPosition"]

GOAL_SCORE = cython.declare(cython.int, 10000)  # 100 points
SIDE_KEY = cython.declare(cython.ulonglong, 0x9D39247E33776D41)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def landing(square: cython.int, direction: cython.int) -> cython.int:
    """Return the square one step away, or -1 if it is off the board."""
    step: cython.int = 1 if direction < 3 else -1
    row: cython.int = square // 5
    column: cython.int = square % 5
    if direction % 3 != 2:
        row += step
    if direction % 3 != 1:
        column += step
    return 5 * row + column if 0 <= row < 5 and 0 <= column < 5 else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def steps(player: cython.int, square: cython.int, diagonal: cython.bint) -> cython.int:
    """Return the number of steps from ``square`` to the player's goal, with or without diagonal steps."""
    rows: cython.int = square // 5 if player else 4 - square // 5
    columns: cython.int = square % 5 if player else 4 - square % 5
    return max(rows, columns) if diagonal else rows + columns


class EinsteinPosition(Position):
    """A position: the squares of the twelve pieces, the next player, and the die.

    :param places: the squares of Black's pieces 1 to 6, then of White's; -1 for a captured piece.
    :param player: 0 if Black moves next, 1 if White does; in a finished game, the loser.
    :param die: the number rolled, or 0 before the roll.
    """

    places: list[int]
    occupants: list[int]
    moved: list[int]
    came_from: list[int]
    taken: list[int]
    keys: list[int]

    def __init__(self, places: Sequence[int], player: cython.int, die: cython.int) -> None:
        super().__init__()
        self.player = player
        self.die = die
        key: cython.ulonglong = (SIDE_KEY if player else 0) ^ mixed(1000 + die)
        square: cython.int
        piece: cython.int
        for square in range(CELLS):
            self.occupants[square] = -1
        for piece in range(2 * PIECES):
            square = places[piece]
            self.places[piece] = square
            if square >= 0:
                self.occupants[square] = piece
                key ^= mixed(piece * CELLS + square)
        self.key = key

    def has_won(self, player: cython.int) -> cython.bint:
        """Return whether ``player`` has reached the goal or captured all of the opponent's pieces."""
        goal: cython.int = self.occupants[0 if player else CELLS - 1]
        if goal >= 0 and (goal >= PIECES) == (player == 1):
            return True
        left: cython.int = 0
        piece: cython.int
        for piece in range((1 - player) * PIECES, (2 - player) * PIECES):
            left += self.places[piece] >= 0
        return left == 0

    def chosen(self, player: cython.int, roll: cython.int, step: cython.int) -> cython.int:
        """Return the first remaining piece, counting from ``roll`` by ``step`` (1 or -1), or 0 if there is none."""
        number: cython.int = roll
        while 1 <= number <= PIECES:
            if self.places[player * PIECES + number - 1] >= 0:
                return number
            number += step
        return 0

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        if self.has_won(1 - self.player):
            return 0
        end: cython.int = start
        number: cython.int
        if self.die == 0:
            for number in range(1, PIECES + 1):
                moves[end] = number
                end += 1
            return end - start
        lower: cython.int = self.chosen(self.player, self.die, -1)
        higher: cython.int = self.chosen(self.player, self.die, 1)
        side: cython.int = 3 * self.player
        direction: cython.int
        for direction in range(side, side + 3):
            if lower and landing(self.places[self.player * PIECES + lower - 1], direction) >= 0:
                moves[end] = 8 * lower + direction
                end += 1
            if higher and higher != lower and landing(self.places[self.player * PIECES + higher - 1], direction) >= 0:
                moves[end] = 8 * higher + direction
                end += 1
        return end - start

    def is_chance(self) -> cython.bint:
        return self.die == 0

    def weight(self, move: cython.int) -> cython.int:
        return 1 if self.die == 0 else 0

    def make(self, move: cython.int) -> None:
        ply: cython.int = self.ply
        self.keys[ply] = self.key
        self.moved[ply] = -1
        self.taken[ply] = -1
        self.ply = ply + 1
        if self.die == 0:
            self.die = move
            self.key ^= mixed(1000) ^ mixed(1000 + move)
            return
        piece: cython.int = self.player * PIECES + move // 8 - 1
        square: cython.int = self.places[piece]
        target: cython.int = landing(square, move % 8)
        taken: cython.int = self.occupants[target]
        self.moved[ply] = piece + 16 * self.die
        self.came_from[ply] = square
        self.taken[ply] = taken
        key: cython.ulonglong = self.key ^ SIDE_KEY ^ mixed(1000) ^ mixed(1000 + self.die)
        if taken >= 0:
            self.places[taken] = -1
            key ^= mixed(taken * CELLS + target)
        self.occupants[square] = -1
        self.occupants[target] = piece
        self.places[piece] = target
        self.key = key ^ mixed(piece * CELLS + square) ^ mixed(piece * CELLS + target)
        self.player = 1 - self.player
        self.die = 0

    def unmake(self) -> None:
        ply: cython.int = self.ply - 1
        self.ply = ply
        self.key = self.keys[ply]
        if self.moved[ply] < 0:
            self.die = 0
            return
        piece: cython.int = self.moved[ply] % 16
        target: cython.int = self.places[piece]
        taken: cython.int = self.taken[ply]
        self.occupants[target] = taken
        if taken >= 0:
            self.places[taken] = target
        self.places[piece] = self.came_from[ply]
        self.occupants[self.came_from[ply]] = piece
        self.player = 1 - self.player
        self.die = self.moved[ply] // 16

    def shortest(self, player: cython.int, roll: cython.int) -> cython.int:
        """Return the number of steps to the goal for the closest piece that can move after ``roll``."""
        lower: cython.int = self.chosen(player, roll, -1)
        higher: cython.int = self.chosen(player, roll, 1)
        best: cython.int = 5
        if lower:
            best = steps(player, self.places[player * PIECES + lower - 1], True)
        if higher:
            best = min(best, steps(player, self.places[player * PIECES + higher - 1], True))
        return best

    def race(self, player: cython.int) -> cython.int:
        """Return the sum of :meth:`shortest` over all six rolls."""
        total: cython.int = 0
        roll: cython.int
        for roll in range(1, PIECES + 1):
            total += self.shortest(player, roll)
        return total

    def evaluate(self) -> cython.int:
        if self.has_won(1 - self.player):
            return -GOAL_SCORE
        return STEP_VALUE * (self.race(1 - self.player) - self.race(self.player)) + TURN_VALUE

    def final_score(self) -> cython.int:
        return -GOAL_SCORE

    def remaining(self) -> cython.int:
        """Return an upper bound on the number of remaining moves, not counting rolls.

        Every move is a step closer to the goal. So until someone wins, each player makes at most as many moves as its
        pieces can step without reaching the goal, and the players alternate.
        """
        if self.has_won(1 - self.player):
            return 0
        return 2 * min(self.short_steps(0), self.short_steps(1)) + 2

    def short_steps(self, player: cython.int) -> cython.int:
        """Return the maximum number of steps that the player's pieces can make without reaching the goal."""
        most: cython.int = 0
        piece: cython.int
        for piece in range(player * PIECES, player * PIECES + PIECES):
            if self.places[piece] >= 0:
                most += steps(player, self.places[piece], False) - 1
        return most

    @property
    def side_to_move(self) -> int:
        return NATURE if self.die == 0 and not self.has_won(1 - self.player) else self.player

    @property
    def next_player(self) -> int:
        return self.player

    @property
    def largest_score(self) -> int:
        return GOAL_SCORE

    @property
    def rolled(self) -> int:
        """The number rolled, or 0 before the roll."""
        return self.die

    @property
    def squares(self) -> list[int]:
        """The squares of Black's pieces 1 to 6, then of White's; -1 for a captured piece."""
        return [self.places[piece] for piece in range(2 * PIECES)]

    def races(self) -> tuple[int, int]:
        """Return the results of :meth:`race` for the next player and for the other player."""
        return self.race(self.player), self.race(1 - self.player)

    def copy(self) -> EinsteinPosition:
        return EinsteinPosition(self.squares, self.player, self.die)
