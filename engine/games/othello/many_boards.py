"""A batch of Othello games for learning programs: one call makes a move in each game.

The arrays belong to the caller. A move is an action: a square of the board, row by row from a1 = 0, or the number of
squares for a pass, which is legal only if there is no other move.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import (
    final_discs,
    flips,
    lowest_square,
    mobility,
    popcount,
    prepare_rays,
)
from cython.cimports.quietmove.engine.games.othello.board import PASS
from cython.cimports.quietmove.engine.games.othello.many_boards import ILLEGAL, OVER, WORDS

from quietmove.engine.games.othello.notation import START, parse_board

__all__ = ["ILLEGAL", "OVER", "ManyBoards"]

WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # a 64-bit mask for uncompiled code
BLACK, WHITE, _ = parse_board((START, "X"))

prepare_rays()


class ManyBoards:
    """A batch of ``count`` games played in parallel, all starting from the initial position.

    :ivar games: for each game, the discs of the side to move and of its opponent as 64-bit sets, and the side to move.
    :param size: the board's size: 8, 6 or 4.
    """

    squares: list[int]
    actions: list[int]

    def __init__(self, count: cython.int, size: cython.int = 8) -> None:
        self.count = count
        self.size = size
        self.board = 0
        action: cython.int
        square: cython.int
        around: cython.int = (8 - size) // 2  # a small board uses the middle of the large one
        for action in range(size * size):
            square = 8 * (action // size + around) + action % size + around
            self.squares[action] = square
            self.actions[square] = action
            self.board |= cython.cast(cython.ulonglong, 1) << square
        self.squares[size * size] = PASS
        self.actions[PASS] = size * size
        self.games = memoryview(bytearray(8 * WORDS * count)).cast("Q")
        self.seed(0)
        for game in range(count):
            self.begin(game)

    def seed(self, seed: int) -> None:
        """Seed the random number generator with an integer."""
        self.chance = (2 * seed + 1) * 0x9E3779B97F4A7C15 % (1 << 64)

    def begin(self, game: cython.int, black: int = BLACK, white: int = WHITE, side: cython.int = 0) -> None:
        """Restart a game from a position, by default the initial one. ``side`` is the side to move: 0 for Black."""
        self.set_up(game, white if side else black, black if side else white, side)

    def __reduce__(self) -> tuple[object, tuple[int, int, bytes, int]]:
        return restored, (self.count, self.size, bytes(self.games), self.chance)

    def set_up(self, game: cython.int, own: cython.ulonglong, opp: cython.ulonglong, side: cython.int) -> None:
        """Replace the position of a game.

        :param own: the discs of the side to move.
        :param side: the side to move: 0 for Black, 1 for White.
        """
        self.games[WORDS * game] = own
        self.games[WORDS * game + 1] = opp
        self.games[WORDS * game + 2] = side

    def legal(self, game: cython.int) -> cython.ulonglong:
        """Return the squares on which the side to move can play."""
        return mobility(self.games[WORDS * game], self.games[WORDS * game + 1]) & self.board

    def is_over(self, game: cython.int) -> cython.bint:
        """Return whether a game is over."""
        own: cython.ulonglong = self.games[WORDS * game]
        opp: cython.ulonglong = self.games[WORDS * game + 1]
        return mobility(own, opp) & self.board == 0 and mobility(opp, own) & self.board == 0

    def make(self, game: cython.int, move: cython.int) -> None:
        """Play a legal move, without checks."""
        own: cython.ulonglong = self.games[WORDS * game]
        opp: cython.ulonglong = self.games[WORDS * game + 1]
        turned: cython.ulonglong
        if move != PASS:
            turned = flips(own, opp, move)
            own |= turned | cython.cast(cython.ulonglong, 1) << move
            opp ^= turned
        self.games[WORDS * game] = opp
        self.games[WORDS * game + 1] = own
        self.games[WORDS * game + 2] ^= 1

    def any_move(self, game: cython.int) -> cython.int:
        """Return a random legal move or a pass, chosen by xorshift64 (Marsaglia 2003)."""
        legal: cython.ulonglong = self.legal(game)
        if legal == 0:
            return PASS
        self.chance ^= self.chance << 13 & WORD
        self.chance ^= self.chance >> 7
        self.chance ^= self.chance << 17 & WORD
        before: cython.int = (self.chance >> 33) % popcount(legal)
        while before:
            legal &= legal - 1
            before -= 1
        return lowest_square(legal)

    def play(self, moves: cython.longlong[::1], wanted: cython.uchar[::1], ended: cython.uchar[::1]) -> None:
        """Make a move in each of the ``wanted`` games.

        :param ended: set to 0 if the game continues, :data:`OVER` if it is now over, or :data:`ILLEGAL` if the move was
            not legal; the game is then unchanged.
        """
        game: cython.int
        for game in range(self.count):
            if wanted[game]:
                legal: cython.ulonglong = self.legal(game)
                move: cython.longlong = moves[game]
                square: cython.int = -1
                if 0 <= move <= self.size * self.size:
                    square = self.squares[move]
                if square != PASS if legal == 0 else not 0 <= square < PASS or not legal >> square & 1:
                    ended[game] = ILLEGAL
                else:
                    self.make(game, square)
                    ended[game] = OVER if self.is_over(game) else 0

    def choose(self, moves: cython.longlong[::1]) -> None:
        """Write a random legal move for each game, or a pass if there are no legal moves."""
        game: cython.int
        for game in range(self.count):
            moves[game] = self.actions[self.any_move(game)]

    def finish(self) -> None:
        """Play each game to its end with random moves."""
        game: cython.int
        for game in range(self.count):
            while not self.is_over(game):
                self.make(game, self.any_move(game))

    def observe(self, planes: cython.char[:, :, :, ::1], masks: cython.char[:, ::1]) -> None:
        """Write the observation of each game for its side to move.

        :param planes: shape (count, size, size, 2): 1 for own discs in the first plane, the opponent's in the second.
        :param masks: shape (count, size * size + 1): 1 for each legal move. A finished game has no legal moves.
        """
        game: cython.int
        row: cython.int
        column: cython.int
        square: cython.int
        passing: cython.int = self.size * self.size
        for game in range(self.count):
            own: cython.ulonglong = self.games[WORDS * game]
            opp: cython.ulonglong = self.games[WORDS * game + 1]
            legal: cython.ulonglong = self.legal(game)
            for row in range(self.size):
                for column in range(self.size):
                    square = self.squares[self.size * row + column]
                    planes[game, row, column, 0] = own >> square & 1
                    planes[game, row, column, 1] = opp >> square & 1
                    masks[game, self.size * row + column] = legal >> square & 1
            masks[game, passing] = legal == 0 and mobility(opp, own) & self.board != 0

    def side(self, game: cython.int) -> int:
        """Return the side to move in a game: 0 for Black, 1 for White."""
        return int(self.games[WORDS * game + 2])

    def discs(self, game: cython.int) -> tuple[int, int]:
        """Return the discs of the side to move and of the opponent, as 64-bit sets."""
        return int(self.games[WORDS * game]), int(self.games[WORDS * game + 1])

    def score(self, game: cython.int) -> int:
        """Return the result of a finished game, in discs from the side to move's point of view."""
        own: cython.ulonglong = self.games[WORDS * game]
        opp: cython.ulonglong = self.games[WORDS * game + 1]
        return final_discs(own, opp, self.size * self.size - popcount(own | opp))


def restored(count: int, size: int, games: bytes, chance: cython.ulonglong) -> ManyBoards:
    """Return a batch from what :meth:`ManyBoards.__reduce__` saved."""
    boards: ManyBoards = ManyBoards(count, size)
    boards.games = memoryview(bytearray(games)).cast("Q")
    boards.chance = chance
    return boards
