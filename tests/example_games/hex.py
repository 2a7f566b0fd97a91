"""Hex (Piet Hein 1942) in plain Python: a game that brings no evaluation, and for which none is easily found.

Black connects the top of a rhombus with the bottom, White the left side with the right; one of them always does.
"""


class Hex:
    """A state is the board, row by row (0 empty, 1 Black, 2 White), and who has connected the sides (0 for nobody)."""

    def __init__(self, size="7"):
        if size not in ("3", "4", "5", "6", "7", "8", "9"):
            raise ValueError("a size from 3 to 9 is allowed")
        self.size = int(size)
        self.cells = self.size**2
        self.neighbours = [self.around(*divmod(cell, self.size)) for cell in range(self.cells)]

    def around(self, row, column):
        steps = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
        near = [(row + down, column + right) for down, right in steps]
        return [y * self.size + x for y, x in near if 0 <= y < self.size and 0 <= x < self.size]

    def start(self):
        return bytes(self.cells), 0

    def moves(self, state):
        board, winner = state
        return [] if winner else [cell for cell in range(self.cells) if not board[cell]]

    def play(self, state, cell):
        board = bytearray(state[0])
        board[cell] = stone = 1 + self.side(state)
        return bytes(board), stone if self.connects(board, cell, stone) else 0

    def connects(self, board, cell, stone):
        """Return whether the stones connected to ``cell`` touch both sides of their colour."""
        seen, todo, first, last = {cell}, [cell], False, False
        while todo:
            here = todo.pop()
            along = here // self.size if stone == 1 else here % self.size
            first, last = first or along == 0, last or along == self.size - 1
            for near in self.neighbours[here]:
                if board[near] == stone and near not in seen:
                    seen.add(near)
                    todo.append(near)
        return first and last

    def result(self, state):
        return 1 if state[1] == 1 else -1

    def side(self, state):
        return (self.cells - state[0].count(0)) % 2

    def remaining(self, state):
        return 0 if state[1] else state[0].count(0)

    def name(self, cell):
        return f"{'abcdefghi'[cell % self.size]}{cell // self.size + 1}"
