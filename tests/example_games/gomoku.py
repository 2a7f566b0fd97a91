"""Five in a row on 19x19, a game in plain Python with more moves and more plies than any of ours."""

SIZE = 19
CELLS = SIZE * SIZE


class Gomoku:
    """A state is the board, row by row, and the cell of the last stone (-1 before the first)."""

    def start(self):
        return bytes(CELLS), -1

    def moves(self, state):
        board, last = state
        if last >= 0 and self.has_five(board, last):
            return []
        return [cell for cell in range(CELLS) if not board[cell]]

    def play(self, state, cell):
        board, _ = state
        stone = 1 + (CELLS - board.count(0)) % 2
        return board[:cell] + bytes([stone]) + board[cell + 1 :], cell

    def result(self, state):
        board, last = state
        if not self.has_five(board, last):
            return 0
        return 1 if board[last] == 1 else -1

    def side(self, state):
        return (CELLS - state[0].count(0)) % 2

    def remaining(self, state):
        return state[0].count(0)

    def name(self, cell):
        return f"{'abcdefghijklmnopqrs'[cell % SIZE]}{cell // SIZE + 1}"

    def has_five(self, board, last):
        row, column = divmod(last, SIZE)
        return any(
            self.run(board, row, column, down, right) + self.run(board, row, column, -down, -right) >= 4
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        )

    def run(self, board, row, column, down, right):
        """Count the stones of the same colour beyond a cell in one direction."""
        stone, count = board[SIZE * row + column], 0
        row, column = row + down, column + right
        while 0 <= row < SIZE and 0 <= column < SIZE and board[SIZE * row + column] == stone:
            count, row, column = count + 1, row + down, column + right
        return count
