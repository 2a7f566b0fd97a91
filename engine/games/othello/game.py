"""The game of Othello, a :class:`quietmove.engine.games.base.Game`."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.base import Book, Game, Grid
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.evaluators import evaluators_of
from quietmove.engine.games.othello.notation import (
    START,
    bits_of,
    format_board,
    format_square,
    parse_board,
    parse_square,
    usual_fields,
)
from quietmove.engine.games.othello.shape import SIZES, bit_of
from quietmove.engine.games.rules import Rules


class Othello(Game):
    """Othello on a board of ``size`` 8, 6 or 4. A point is a disc."""

    point = "disc"
    move_count = PASS + 1
    rules = Rules(
        "Othello",
        "Black begins. A move places a disc on an empty square so that one or more of the opponent's discs lie in a "
        "straight line, in any of the eight directions, between it and another disc of the same colour; all discs "
        "enclosed this way are flipped. A move must flip at least one disc. A player who cannot move passes; when "
        "neither side can move, the game is over, and the side with more discs wins. Empty squares go to the winner.",
        "8x8 (the default), 6x6 or 4x4",
        ("reversi", "iago"),
        moves="f5 d6 c3",
    )

    def __init__(self, size: int = 8) -> None:
        self.size = size
        self.name = "othello" if size == 8 else f"othello {size}x{size}"
        self.grid = Grid(size, size)
        self.evaluators = evaluators_of(size)

    @property
    def actions(self) -> Sequence[int]:
        """The squares of the board row by row from the upper left corner, then a pass."""
        return (*bits_of(self.size), PASS)

    def initial(self) -> OthelloPosition:
        return OthelloPosition(*parse_board((START, "X")), self.size)

    def parse_position(self, fields: Sequence[str]) -> OthelloPosition:
        """Parse the squares a1 b1 … (``X`` for Black, ``O`` for White, ``-`` for an empty square) and the side to move.

        Other programs' notations are accepted too: see :func:`quietmove.engine.games.othello.notation.usual_fields`.
        """
        return OthelloPosition(*parse_board(usual_fields(fields, self.size), self.size), self.size)

    def format_position(self, position: OthelloPosition) -> str:
        return format_board(position.black, position.white, position.side_to_move, self.size)

    def parse_move(self, position: OthelloPosition, text: str) -> int:
        return self.require_legal(position, parse_square(text, self.size), text)

    def format_move(self, move: int) -> str:
        return format_square(move, self.size)

    def draw(self, position: OthelloPosition) -> str:
        size = self.size
        squares = self.squares(position)
        legal = position.legal_moves()
        lines = [f"    {' '.join('abcdefgh'[:size])}"]
        for row in range(size):
            cells = []
            for index in range(size * row, size * row + size):
                cells.append("." if squares[index] == "-" and bit_of(index, size) in legal else squares[index])
            lines.append(f"  {row + 1} {' '.join(cells)} {size - row}")
        lines.append(f"    {' '.join('12345678'[:size])}")
        state = self.turn(position) + (", must pass" if legal == [PASS] else "")
        lines.append(f"  {state}; X {position.black.bit_count()}, O {position.white.bit_count()} discs")
        return "\n".join(lines)

    def squares(self, position: OthelloPosition) -> str:
        return self.format_position(position).split()[0]

    def explain(self, position: OthelloPosition) -> list[tuple[str, int]]:
        mine, theirs = (position.white, position.black) if position.side_to_move else (position.black, position.white)
        return position.evaluator.terms(mine, theirs)

    def canonical(self, position: OthelloPosition) -> str:
        squares, side = self.format_position(position).split()
        rows = [squares[self.size * row :][: self.size] for row in range(self.size)]
        texts = []
        for _ in range(4):
            rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
            texts += ["".join(rows), "".join(row[::-1] for row in rows)]
        return f"{min(texts)} {side}"

    def open_book(self, file: str = "") -> Book | None:
        """Return the book in ``file``, or the shipped book if ``file`` is "". Small boards have no book."""
        if self.size != 8:
            return super().open_book(file)
        from quietmove.engine.games.othello.book import SHIPPED, book_of  # imported on demand

        return book_of(file or SHIPPED)


def make_game(parameters: str) -> Othello:
    """Return the game on a board of the given size, such as ``6x6``; the default is 8x8.

    :raises UnknownGameError: if there is no such size.
    """
    sizes = {f"{size}x{size}": size for size in SIZES}
    size = sizes.get(parameters or "8x8")
    if size is None:
        raise UnknownGameError(f"game othello: must be one of {', '.join(sizes)}, not {parameters!r}")
    return Othello(size)
