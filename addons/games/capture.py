"""Capture: a game on a row of cells. A piece moves to a neighbouring cell that is empty or holds an enemy piece.

Moving onto an enemy piece captures it. The game is over when one side has no pieces left, or after
:data:`QUIET_LIMIT` plies without a capture; its value is the difference in pieces, so equal numbers are a draw. The
number of plies since the last capture is part of the position, its key and its text.

The game is small enough to be solved. A search that stops in the middle of an exchange misjudges the position.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import cython
from cython.cimports.quietmove.addons.games.capture import MAX_CELLS, MAX_PIECES, QUIET_LIMIT
from cython.cimports.quietmove.engine.games.bit_tricks import mixed, popcount

from quietmove.engine.errors import NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.parsing import read_count, read_side
from quietmove.engine.games.rules import Rules

__all__ = ["MAX_CELLS", "MAX_PIECES", "QUIET_LIMIT", "Capture", "CapturePosition", "make_game"]

DEFAULT_ROW = "X--O--X--O--X--O"  # the default of 'Game capture'


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_steps(
    pieces: cython.ulonglong, targets: cython.ulonglong, moves: cython.p_int, start: cython.int
) -> cython.int:
    """Write the moves from ``pieces`` to ``targets`` to ``moves[start:]``, left to right; return the end index."""
    cell: cython.int = 0
    while pieces:
        if pieces & 1:
            if cell > 0 and targets >> (cell - 1) & 1:
                moves[start] = 32 * cell + cell - 1
                start += 1
            if targets >> (cell + 1) & 1:
                moves[start] = 32 * cell + cell + 1
                start += 1
        pieces >>= 1
        cell += 1
    return start


class CapturePosition(Position):
    """Each side's pieces as a bitset of cells, with bit 0 at the left. A move is 32 times its origin plus its target.

    :param black: the cells of Black's pieces.
    :param white: the cells of White's pieces.
    :param side: 0 if Black is to move, 1 if White is.
    :param cells: the length of the row, at most :data:`MAX_CELLS`.
    :param quiet: plies since the last capture, at most :data:`QUIET_LIMIT`.
    """

    own_pieces: list[int]
    opp_pieces: list[int]
    quiet_plies: list[int]
    keys: list[int]

    def __init__(
        self,
        black: cython.ulonglong,
        white: cython.ulonglong,
        side: cython.int,
        cells: cython.int,
        quiet: cython.int,
    ) -> None:
        super().__init__()
        self.own_pieces[0] = white if side else black
        self.opp_pieces[0] = black if side else white
        self.quiet_plies[0] = quiet
        self.cells = cells
        self.row = (cython.cast(cython.ulonglong, 1) << cells) - 1
        self.first_side = side
        self.keys[0] = self.key_of()
        self.key = self.keys[0]

    def key_of(self) -> cython.ulonglong:
        """Return the key, which combines separate hashes of the pieces and of everything else."""
        pieces: cython.ulonglong = self.own_pieces[self.ply] | self.opp_pieces[self.ply] << 32
        rest: cython.ulonglong = 2 * self.quiet_plies[self.ply] + ((self.first_side + self.ply) & 1)
        return mixed(pieces) ^ mixed(mixed(rest + 1))

    def finished(self) -> cython.bint:
        """Return whether the game is over."""
        ply: cython.int = self.ply
        return self.own_pieces[ply] == 0 or self.opp_pieces[ply] == 0 or self.quiet_plies[ply] >= QUIET_LIMIT

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        if self.finished():
            return 0
        own: cython.ulonglong = self.own_pieces[self.ply]
        opp: cython.ulonglong = self.opp_pieces[self.ply]
        end: cython.int = write_steps(own, opp, moves, start)
        return write_steps(own, self.row & ~(own | opp), moves, end) - start

    def generate_noisy(self, moves: cython.p_int, start: cython.int) -> cython.int:
        if self.finished():
            return 0
        return write_steps(self.own_pieces[self.ply], self.opp_pieces[self.ply], moves, start) - start

    def make(self, move: cython.int) -> None:
        ply: cython.int = self.ply
        source: cython.ulonglong = cython.cast(cython.ulonglong, 1) << (move >> 5)
        target: cython.ulonglong = cython.cast(cython.ulonglong, 1) << (move & 31)
        opp: cython.ulonglong = self.opp_pieces[ply]
        self.quiet_plies[ply + 1] = 0 if opp & target else self.quiet_plies[ply] + 1
        self.opp_pieces[ply + 1] = self.own_pieces[ply] ^ source ^ target
        self.own_pieces[ply + 1] = opp & ~target
        self.ply = ply + 1
        self.key = self.key_of()
        self.keys[ply + 1] = self.key

    def unmake(self) -> None:
        self.ply -= 1
        self.key = self.keys[self.ply]

    def evaluate(self) -> cython.int:
        return 100 * (popcount(self.own_pieces[self.ply]) - popcount(self.opp_pieces[self.ply]))

    def final_score(self) -> cython.int:
        return self.evaluate()

    def remaining(self) -> cython.int:
        if self.finished():
            return 0
        pieces: cython.int = popcount(self.own_pieces[self.ply] | self.opp_pieces[self.ply])
        return QUIET_LIMIT * (pieces - 1) - self.quiet_plies[self.ply]

    @property
    def black(self) -> int:
        """The cells of Black's pieces as a bitset."""
        return self.opp_pieces[self.ply] if self.side_to_move else self.own_pieces[self.ply]

    @property
    def white(self) -> int:
        """The cells of White's pieces as a bitset."""
        return self.own_pieces[self.ply] if self.side_to_move else self.opp_pieces[self.ply]

    @property
    def quiet(self) -> int:
        """Plies since the last capture."""
        return self.quiet_plies[self.ply]

    def copy(self) -> CapturePosition:
        return CapturePosition(self.black, self.white, self.side_to_move, self.cells, self.quiet)


class Capture(Game):
    """The game Capture, with a given initial row.

    :param board: the initial row: ``X`` for Black, ``O`` for White, ``-`` for an empty cell.
    """

    point = "piece"
    rules = Rules(
        "Capture",
        "Pieces of two colours stand on a row of cells. Black begins. A piece moves to the next cell on its left or "
        "right, if that cell is empty or holds an opponent's piece, which is captured. The game is over when one side "
        "has no pieces left, or after 20 moves without a capture; the side with more pieces wins.",
        "the row: X--O--X--O--X--O, with X for Black, O for White and - for an empty cell",
        moves="7-6 4-5 6-5",
    )

    def __init__(self, board: str = DEFAULT_ROW) -> None:
        self.board = board
        self.name = "capture" if board == DEFAULT_ROW else f"capture {board}"
        self.move_count = 32 * len(board)

    def initial(self) -> CapturePosition:
        return set_up(self.board, 0, 0)

    def parse_position(self, fields: Sequence[str]) -> CapturePosition:
        if len(fields) not in (2, 3):
            raise PositionError(
                "position: must have 2 or 3 fields (cells, side to move and, optionally, plies since the last "
                f"capture), not {len(fields)}"
            )
        board, side = fields[0], read_side(self.sides, fields[1])
        self._require_possible(board)
        quiet = read_count("plies since the last capture", fields[2], 0, QUIET_LIMIT) if len(fields) == 3 else 0
        gone = [each for each in self.sides if each not in board]
        if gone and (self.sides[side] != gone[0] or quiet):
            raise PositionError(
                f"side to move: must be {gone[0]}, whose last piece was just captured, with 0 plies since the capture, "
                f"not {' '.join(fields[1:])!r}"
            )
        return set_up(board, side, quiet)

    def _require_possible(self, board: str) -> None:
        """Raise PositionError if ``board`` cannot be reached from the initial position."""
        if len(board) != len(self.board) or set(board) - set("XO-"):
            raise PositionError(f"cells: must be {len(self.board)} characters from X, O and -, not {board!r}")
        pieces, left = board.replace("-", ""), iter(self.board)
        if not pieces or not all(piece in left for piece in pieces):
            raise PositionError(
                f"cells: must be some of the pieces {self.board.replace('-', '')} in the same order, "
                f"because pieces cannot pass each other, not {board!r}"
            )

    def format_position(self, position: CapturePosition) -> str:
        return f"{spell(position)} {self.sides[position.side_to_move]} {position.quiet}"

    def parse_move(self, position: CapturePosition, text: str) -> int:
        match = re.fullmatch(r"([1-9][0-9]?)-([1-9][0-9]?)", text)
        if match is None or not all(int(cell) <= len(self.board) for cell in match.groups()):
            raise NotationError(
                f"{text!r} is not a move; a move is 'from-to', with cells numbered 1 to {len(self.board)} from the left"
            )
        return self.require_legal(position, 32 * (int(match[1]) - 1) + int(match[2]) - 1, text)

    def format_move(self, move: int) -> str:
        return f"{(move >> 5) + 1}-{(move & 31) + 1}"

    def draw(self, position: CapturePosition) -> str:
        numbers = range(1, len(self.board) + 1)
        return "\n".join(
            [
                "  " + " ".join(f"{cell:>2}" for cell in spell(position)),
                "  " + " ".join(f"{number:>2}" for number in numbers),
                f"  {self.turn(position)}; plies since the last capture: {position.quiet} of {QUIET_LIMIT}",
            ]
        )

    def squares(self, position: CapturePosition) -> str:
        return spell(position)

    def planes(self, position: CapturePosition, side: int) -> tuple[int, list[list[int]]]:
        own, other = (position.black, position.white)[:: -1 if side else 1]
        cells = range(len(self.board))
        pieces = [[each >> cell & 1 for cell in cells] for each in (own, other)]
        return len(self.board), [*pieces, [position.quiet] * len(self.board)]

    @property
    def board_columns(self) -> int:
        return len(self.board)

    def squares_of(self, position: CapturePosition, move: int) -> tuple[int, ...]:
        return move >> 5, move & 31

    def column_name(self, column: int) -> str:
        return str(column + 1)

    def row_name(self, row: int) -> str:
        return ""

    def canonical(self, position: CapturePosition) -> str:
        text = spell(position)
        return f"{min(text, text[::-1])} {self.sides[position.side_to_move]} {position.quiet}"


def set_up(board: str, side: int, quiet: int) -> CapturePosition:
    """Return the position for a row that is known to be valid."""
    black, white = (sum(1 << cell for cell, piece in enumerate(board) if piece == letter) for letter in "XO")
    return CapturePosition(black, white, side, len(board), quiet)


def spell(row: CapturePosition) -> str:
    """Return the row as text."""
    black, white = row.black, row.white
    return "".join("X" if black >> cell & 1 else "O" if white >> cell & 1 else "-" for cell in range(row.cells))


def make_game(parameters: str = "") -> Capture:
    """Return the game with this initial row, such as ``X--O--X--O``.

    :raises UnknownGameError: if it is not a row of at most 32 cells and 12 pieces, at least one of each side.
    """
    if not parameters:
        return Capture()
    board = parameters.upper()
    pieces = board.replace("-", "")
    if re.fullmatch(r"[XO-]{2,32}", board) and {"X", "O"} == set(pieces) and len(pieces) <= MAX_PIECES:
        return Capture(board)
    raise UnknownGameError(
        f"game capture: must be a row of 2 to {MAX_CELLS} cells (X, O or -) with 2 to {MAX_PIECES} pieces, at least "
        f"one per side, such as 'capture {DEFAULT_ROW}', not {parameters!r}"
    )
