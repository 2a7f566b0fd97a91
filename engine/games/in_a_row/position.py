"""Boards for N-in-a-row games, with or without gravity: two bitboards, compiled.

Bits run up the columns, starting in the lower left corner, with one more bit per column than cells. This guard bit is
always empty, so that a shifted line never continues into the next column (Tromp's Fhourstones, 1995).

With gravity, a move is a column, from 0 at the left. Without, it is a cell, row by row from the **upper** left corner.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.base import DECISIVE, WIN
from cython.cimports.quietmove.engine.games.bit_tricks import mixed, popcount

from quietmove.engine.games.base import Position, evaluator_named, refuse_file

# The first evaluator counts open lines, which lack one cell; the second scores lines with discs of only one player.
EVALUATORS = ("open-lines", "line-score")

LINE = cython.declare(cython.int, 100)  # value of an open line: one point
SIDE_KEY = cython.declare(cython.ulonglong, 0x2D358DCCAA6C78A5)
FIRST_KEYS = cython.declare(cython.ulonglong[64])
SECOND_KEYS = cython.declare(cython.ulonglong[64])


@cython.cfunc
def prepare_keys() -> None:
    """Fill the tables of random keys for each player's disc on each square (Zobrist 1970)."""
    square: cython.int
    for square in range(64):
        FIRST_KEYS[square] = mixed(2 * square + 1)
        SECOND_KEYS[square] = mixed(2 * square + 2)


prepare_keys()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def worth(discs: cython.int) -> cython.int:
    """Return the value of a line with this many discs of one player, in hundredths of a point."""
    if discs <= 1:
        return 100 * discs
    return 1000 if discs == 2 else 10000


class InARowPosition(Position):
    """A position of an N-in-a-row game.

    :param columns, rows: size of the board; ``columns * (rows + 1)`` is at most 64.
    :param length: cells in a winning line.
    :param gravity: whether discs fall to the lowest empty cell of their column.
    :param first: the first player's cells as a 64-bit set; the module's docstring describes the order of the bits.
    :param second: the second player's cells.
    :param side: 0 if the first player is to move, 1 if the second is.
    """

    lines: list[int]
    steps: list[int]
    order: list[int]
    square_of: list[int]
    heights: list[int]
    made: list[int]
    own_cells: list[int]
    opp_cells: list[int]
    keys: list[int]
    lost: list[bool]

    def __init__(self, columns: int, rows: int, length: int, gravity: bool, first: int, second: int, side: int) -> None:
        self.ply = self.exact_reach = self.selective_reach = 0
        self.slow = self.by_lines = False
        self.columns, self.rows, self.length, self.gravity = columns, rows, length, gravity
        self.stride = rows + 1
        self.first_side = side
        self.discs = first.bit_count() + second.bit_count()
        self.prepare_board()
        self.own_cells[0] = second if side else first
        self.opp_cells[0] = first if side else second
        self.lost[0] = self.has_line(self.opp_cells[0])
        self.key = SIDE_KEY if side else 0
        for square in range(64):
            if first >> square & 1:
                self.key ^= FIRST_KEYS[square]
            if second >> square & 1:
                self.key ^= SECOND_KEYS[square]
        for column in range(columns):
            self.heights[column] = ((first | second) >> column * self.stride & (1 << rows) - 1).bit_count()
        self.keys[0] = self.key

    def prepare_board(self) -> None:
        """Map cells to bits, rank the moves, and list the directions in which a line fits on the board."""
        shorter = min(self.columns, self.rows)
        fits = ((1, self.rows), (self.stride, self.columns), (self.stride + 1, shorter), (self.stride - 1, shorter))
        directions = [step for step, most in fits if self.length <= most]
        self.step_count = len(directions)
        for index, step in enumerate(directions):
            self.steps[index] = step
        places = [(column, row) for row in range(self.rows) for column in range(self.columns)]
        cells: cython.ulonglong = 0
        for cell, (column, row) in enumerate(places):
            self.square_of[cell] = column * self.stride + self.rows - 1 - row
            cells |= cython.cast(cython.ulonglong, 1) << self.square_of[cell]
        self.cells = cells
        if self.gravity:
            ranked = sorted(range(self.columns), key=lambda column: abs(2 * column - self.columns + 1))
        else:
            ranked = sorted(range(len(places)), key=lambda cell: -self.lines_through(*places[cell]))
        self.choice_count = len(ranked)
        for index, move in enumerate(ranked):
            self.order[index] = move

    def lines_through(self, column: int, row: int) -> int:
        """Return the number of winning lines through a cell of the empty board."""
        found = 0
        for across, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
            for start in range(self.length):
                left, top = column - start * across, row - start * down
                right, bottom = left + (self.length - 1) * across, top + (self.length - 1) * down
                found += left >= 0 and right < self.columns and min(top, bottom) >= 0 and max(top, bottom) < self.rows
        return found

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        if self.lost[self.ply]:
            return 0
        taken: cython.ulonglong = self.own_cells[self.ply] | self.opp_cells[self.ply]
        end: cython.int = start
        i: cython.int
        move: cython.int
        for i in range(self.choice_count):
            move = self.order[i]
            if self.heights[move] < self.rows if self.gravity else not taken >> self.square_of[move] & 1:
                moves[end] = move
                end += 1
        return end - start

    def make(self, move: cython.int) -> None:
        ply: cython.int = self.ply
        square: cython.int
        if self.gravity:
            square = move * self.stride + self.heights[move]
            self.heights[move] += 1
            self.made[ply] = move
        else:
            square = self.square_of[move]
        own: cython.ulonglong = self.own_cells[ply] | cython.cast(cython.ulonglong, 1) << square
        self.key ^= SIDE_KEY ^ (SECOND_KEYS[square] if (self.first_side + ply) & 1 else FIRST_KEYS[square])
        self.own_cells[ply + 1] = self.opp_cells[ply]
        self.opp_cells[ply + 1] = own
        self.lost[ply + 1] = self.has_line(own)
        self.keys[ply + 1] = self.key
        self.ply = ply + 1

    def unmake(self) -> None:
        self.ply -= 1
        self.key = self.keys[self.ply]
        if self.gravity:
            self.heights[self.made[self.ply]] -= 1

    def choose_evaluator(self, name: str, file: str = "") -> str:
        refuse_file(file)
        name = evaluator_named(EVALUATORS, name)
        self.by_lines = name == "line-score"
        if self.by_lines:
            self.prepare_lines()
        return name

    def prepare_lines(self) -> None:
        """List all winning lines as bitsets."""
        self.line_count = 0
        for index in range(self.step_count):
            line: cython.ulonglong = 0
            for place in range(self.length):
                line |= cython.cast(cython.ulonglong, 1) << place * self.steps[index]
            while line <= self.cells:
                if line & ~self.cells == 0:
                    self.lines[self.line_count] = line
                    self.line_count += 1
                line <<= 1

    def evaluate(self) -> cython.int:
        """Return the value of the selected evaluator.

        The first scores one point for each open line of the side to move, minus one for each of the opponent's.
        """
        own: cython.ulonglong = self.own_cells[self.ply]
        opp: cython.ulonglong = self.opp_cells[self.ply]
        free: cython.ulonglong = self.cells & ~(own | opp)
        if self.lost[self.ply] or free == 0:
            return self.final_score()
        if self.by_lines:
            return self.line_score(own, opp)
        return LINE * (self.open_lines(own, free) - self.open_lines(opp, free))

    def final_score(self) -> cython.int:
        return -WIN if self.lost[self.ply] else 0

    def remaining(self) -> cython.int:
        return self.columns * self.rows - self.discs - self.ply

    def has_line(self, own: cython.ulonglong) -> cython.bint:
        """Return whether ``own`` contains a line."""
        i: cython.int
        line: cython.ulonglong
        for i in range(self.step_count):
            line = own
            for _ in range(self.length - 1):
                line &= line >> self.steps[i]
            if line:
                return True
        return False

    def open_lines(self, own: cython.ulonglong, free: cython.ulonglong) -> cython.int:
        """Return the number of lines that consist of cells of ``own`` and one cell of ``free``.

        A line with its gap at index ``g`` consists of a run of ``g`` cells, the gap, and a run of the remaining cells.
        """
        runs = cython.declare(cython.ulonglong[17])
        found: cython.int = 0
        rest: cython.int = self.length - 1
        i: cython.int
        gap: cython.int
        step: cython.int
        line: cython.ulonglong
        for i in range(self.step_count):
            step = self.steps[i]
            runs[1] = own
            for gap in range(2, rest + 1):
                runs[gap] = runs[gap - 1] & runs[gap - 1] >> step
            found += popcount(free & runs[rest] >> step) + popcount(runs[rest] & free >> rest * step)
            for gap in range(1, rest):
                line = runs[gap] & free >> gap * step
                found += popcount(line & runs[rest - gap] >> (gap + 1) * step)
        return found

    def line_score(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return the value of the lines with discs of ``own`` only, minus the same for ``opp``.

        One disc is worth 1 point, two are worth 10, three or more 100.
        """
        score: cython.int = 0
        i: cython.int
        for i in range(self.line_count):
            if self.lines[i] & opp == 0:
                score += worth(popcount(self.lines[i] & own))
            elif self.lines[i] & own == 0:
                score -= worth(popcount(self.lines[i] & opp))
        return max(1 - DECISIVE, min(DECISIVE - 1, score))

    @property
    def first(self) -> int:
        """The first player's cells as a 64-bit set."""
        return self.opp_cells[self.ply] if self.side_to_move else self.own_cells[self.ply]

    @property
    def second(self) -> int:
        """The second player's cells as a 64-bit set."""
        return self.own_cells[self.ply] if self.side_to_move else self.opp_cells[self.ply]

    def copy(self) -> InARowPosition:
        return InARowPosition(
            self.columns, self.rows, self.length, self.gravity, self.first, self.second, self.side_to_move
        )
