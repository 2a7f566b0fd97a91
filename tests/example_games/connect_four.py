"""Connect Four in plain Python, with nothing but its rules."""

COLUMNS, ROWS = 7, 6
STRIDE = ROWS + 1  # a column's cells plus an empty one, so that no line continues from one column into the next


class ConnectFour:
    """A state is the discs of the player who moved last, those of the other, and the height of each column."""

    def start(self):
        return 0, 0, (0,) * COLUMNS

    def moves(self, state):
        last, _, heights = state
        return [] if four_in_line(last) else [column for column in range(COLUMNS) if heights[column] < ROWS]

    def play(self, state, column):
        last, own, heights = state
        disc = 1 << STRIDE * column + heights[column]
        return own | disc, last, (*heights[:column], heights[column] + 1, *heights[column + 1 :])

    def result(self, state):
        if not four_in_line(state[0]):
            return 0
        return 1 if self.side(state) else -1

    def side(self, state):
        return sum(state[2]) % 2

    def remaining(self, state):
        return COLUMNS * ROWS - sum(state[2])

    def name(self, column):
        return "abcdefg"[column]


def four_in_line(discs):
    """Return whether four of the discs are in a line: a column, a row or a diagonal."""
    for step in (1, STRIDE, STRIDE - 1, STRIDE + 1):
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False
