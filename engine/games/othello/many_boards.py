"""A batch of Othello games for learning programs: one call makes a move in each game.

The arrays belong to the caller. A move is a square, a1 = 0 … h8 = 63, or 64 for a pass, which is legal only if there is
no other move. Only the 8x8 board is supported.
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
    """A batch of ``count`` games played in parallel, all starting from the initial position."""

    def __init__(self, count: cython.int) -> None:
        self.count = count
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

    def __reduce__(self) -> tuple[object, tuple[int, bytes, int]]:
        return restored, (self.count, bytes(self.games), self.chance)

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
        return mobility(self.games[WORDS * game], self.games[WORDS * game + 1])

    def is_over(self, game: cython.int) -> cython.bint:
        """Return whether a game is over."""
        own: cython.ulonglong = self.games[WORDS * game]
        opp: cython.ulonglong = self.games[WORDS * game + 1]
        return mobility(own, opp) == 0 and mobility(opp, own) == 0

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
                if move != PASS if legal == 0 else not 0 <= move < PASS or not legal >> move & 1:
                    ended[game] = ILLEGAL
                else:
                    self.make(game, move)
                    ended[game] = OVER if self.is_over(game) else 0

    def choose(self, moves: cython.longlong[::1]) -> None:
        """Write a random legal move for each game, or a pass if there are no legal moves."""
        game: cython.int
        for game in range(self.count):
            moves[game] = self.any_move(game)

    def observe(self, planes: cython.char[:, :, :, ::1], masks: cython.char[:, ::1]) -> None:
        """Write the observation of each game for its side to move.

        :param planes: shape (count, 8, 8, 2): 1 for own discs in the first plane, 1 for the opponent's in the second.
        :param masks: shape (count, 65): 1 for each legal move. A finished game has no legal moves.
        """
        game: cython.int
        square: cython.int
        for game in range(self.count):
            own: cython.ulonglong = self.games[WORDS * game]
            opp: cython.ulonglong = self.games[WORDS * game + 1]
            legal: cython.ulonglong = mobility(own, opp)
            for square in range(64):
                planes[game, square >> 3, square & 7, 0] = own >> square & 1
                planes[game, square >> 3, square & 7, 1] = opp >> square & 1
                masks[game, square] = legal >> square & 1
            masks[game, PASS] = legal == 0 and mobility(opp, own) != 0

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
        return final_discs(own, opp, 64 - popcount(own | opp))


def restored(count: int, games: bytes, chance: cython.ulonglong) -> ManyBoards:
    """Return a batch from what :meth:`ManyBoards.__reduce__` saved."""
    boards: ManyBoards = ManyBoards(count)
    boards.games = memoryview(bytearray(games)).cast("Q")
    boards.chance = chance
    return boards
