"""Hexapawn (Martin Gardner, 1962): a row of pawns on either side of a small square board.

A pawn steps forward on an empty square or takes diagonally forward. Whoever reaches the far row wins, and so does
whoever leaves the other without a move. ``hexapawn`` has three pawns per side, ``hexapawn 4`` four.
"""


class Hexapawn:
    """A state is the squares from the top left corner on, and who is to move: 0 is White, who begins below."""

    players = ("White", "Black")
    sides = ("w", "b")

    def __init__(self, size="3"):
        if size not in ("3", "4", "5", "6"):
            raise ValueError("a size from 3 to 6 is allowed")
        self.size = int(size)
        self.labels = "abcdef"[: self.size], [str(self.size - row) for row in range(self.size)]

    def start(self):
        return "b" * self.size + "-" * self.size * (self.size - 2) + "w" * self.size, 0

    def moves(self, state):
        board, side = state
        if "w" in board[: self.size] or "b" in board[-self.size :]:
            return []
        mine, theirs, forward = ("b", "w", 1) if side else ("w", "b", -1)
        found = []
        for square in (square for square, pawn in enumerate(board) if pawn == mine):
            for across, wanted in ((-1, theirs), (1, theirs), (0, "-")):
                target = square + forward * self.size + across
                if 0 <= square % self.size + across < self.size and board[target] == wanted:
                    found.append(64 * square + target)
        return found

    def play(self, state, move):
        board, side = state
        squares = list(board)
        squares[move % 64], squares[move // 64] = squares[move // 64], "-"
        return "".join(squares), 1 - side

    def result(self, state):
        return 1 if state[1] else -1  # the side to move has lost

    def evaluate(self, state):
        return state[0].count("w") - state[0].count("b")

    def side(self, state):
        return state[1]

    def name(self, move):
        columns, rows = self.labels
        return "".join(columns[n % self.size] + rows[n // self.size] for n in divmod(move, 64))

    def squares(self, state):
        return [state[0][row : row + self.size] for row in range(0, self.size**2, self.size)]

    def squares_of(self, state, move):
        return divmod(move, 64)

    def write(self, state):
        return f"{state[0]} {self.sides[state[1]]}"

    def read(self, text):
        board, side = text.split()
        if len(board) != self.size**2 or set(board) - set("wb-"):
            raise ValueError(f"{self.size**2} of w, b and - are allowed")
        return board, self.sides.index(side)
