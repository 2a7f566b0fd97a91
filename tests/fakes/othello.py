"""The rules of Othello once more, for fakes and as an oracle: small, slow and independent of the engine's."""

from __future__ import annotations

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


class Board:
    """Squares are (column, row), 1-8 each, the row from the bottom as on the wire; a pass is None."""

    def __init__(self) -> None:
        self.discs = {(4, 5): "O", (5, 4): "O", (4, 4): "X", (5, 5): "X"}
        self.side = "X"

    def flips(self, square: tuple[int, int], side: str) -> list[tuple[int, int]]:
        if square in self.discs:
            return []
        flipped = []
        for dx, dy in DIRECTIONS:
            line = []
            x, y = square[0] + dx, square[1] + dy
            while self.discs.get((x, y), side) != side:
                line.append((x, y))
                x, y = x + dx, y + dy
            if (x, y) in self.discs:
                flipped += line
        return flipped

    def moves(self, side: str) -> list[tuple[int, int]]:
        squares = [(x, y) for y in range(8, 0, -1) for x in range(1, 9)]
        return [square for square in squares if self.flips(square, side)]

    def legal(self) -> list[tuple[int, int] | None]:
        """Return the moves of the side to move; [None] where it must pass, [] where the game is over."""
        if moves := self.moves(self.side):
            return list(moves)
        return [None] if self.moves(self.other()) else []

    def other(self) -> str:
        return "O" if self.side == "X" else "X"

    def play(self, square: tuple[int, int] | None) -> None:
        if square is not None:
            for flipped in self.flips(square, self.side):
                self.discs[flipped] = self.side
            self.discs[square] = self.side
        self.side = self.other()


def read_move(text: str) -> tuple[int, int] | None:
    """Read ``x y`` or ``pass``."""
    return None if text == "pass" else (int(text.split()[0]), int(text.split()[1]))


def read_moves(words: list[str]) -> list[tuple[int, int] | None]:
    """Read the moves of a `position` line; nothing where they cannot be read."""
    moves = []
    rest = list(words)
    while rest:
        width = 1 if rest[0] == "pass" else 2
        if width == 2 and not "".join(rest[:2]).isdecimal():
            return []
        moves.append(read_move(" ".join(rest[:width])))
        rest = rest[width:]
    return moves


def write_move(square: tuple[int, int] | None) -> str:
    return "pass" if square is None else f"{square[0]} {square[1]}"


def slow_flips(own: int, opp: int, square: int) -> int:
    """Return the discs that ``own`` turns on an empty square; the discs are 64-bit sets."""
    turned = 0
    for step_x, step_y in ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)):
        x, y, run = square % 8 + step_x, square // 8 + step_y, 0
        while 0 <= x < 8 and 0 <= y < 8 and opp >> (8 * y + x) & 1:
            run |= 1 << (8 * y + x)
            x, y = x + step_x, y + step_y
        if 0 <= x < 8 and 0 <= y < 8 and own >> (8 * y + x) & 1:
            turned |= run
    return turned


def images_of(board: str) -> list[str]:
    """Return the eight images of a board, which is written row by row."""
    rows, found = [board[i : i + 8] for i in range(0, 64, 8)], []
    for _ in range(2):
        for _ in range(4):
            found.append("".join(rows))
            rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
        rows = ["".join(column) for column in zip(*rows, strict=True)]
    return found
