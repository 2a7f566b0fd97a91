"""Othello as a :class:`quietmove.engine.games.base.Game`."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.errors import IllegalMoveError, UnknownGameError
from quietmove.engine.games.base import Game, Grid, Position
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.evaluators import EVALUATORS
from quietmove.engine.games.othello.notation import START, format_board, format_square, parse_board, parse_square

__all__ = ["Othello", "make_game"]


class Othello(Game):
    """Othello on eight by eight squares; a point is a disc."""

    name = "othello"
    point = "disc"
    players = ("Black", "White")
    sides = ("X", "O")
    grid = Grid(8, 8)
    evaluators = tuple(EVALUATORS)

    def initial(self) -> OthelloPosition:
        """Return the start position, Black to move."""
        return OthelloPosition(*parse_board((START, "X")))

    def parse_position(self, fields: Sequence[str]) -> OthelloPosition:
        """Return the position of 64 squares (a1 b1 … h8; ``X`` Black, ``O`` White, ``-`` empty) and a side to move."""
        return OthelloPosition(*parse_board(fields))

    def format_position(self, position: Position) -> str:
        """Return the 64 squares and the side to move."""
        board = othello(position)
        return format_board(board.black, board.white, board.side_to_move)

    def parse_move(self, position: Position, text: str) -> int:
        """Return the legal move that ``text`` names."""
        move = parse_square(text)
        legal = position.legal_moves()
        if move in legal:
            return move
        if not legal:
            raise IllegalMoveError(f"{text!r} is not legal here; the game is over")
        names = [format_square(each) for each in sorted(legal)]
        raise IllegalMoveError(f"{text!r} is not legal here; legal: {' '.join(names)}")

    def format_move(self, move: int) -> str:
        """Return the name of ``move``."""
        return format_square(move)

    def draw(self, position: Position) -> str:
        """Return the board between its letters and numbers and the numbers of project coordinates."""
        board = othello(position)
        squares = self.format_position(position)[:64]
        legal = board.legal_moves()
        lines = ["    a b c d e f g h"]
        for row in range(8):
            cells = []
            for square in range(8 * row, 8 * row + 8):
                cells.append("." if squares[square] == "-" and square in legal else squares[square])
            lines.append(f"  {row + 1} {' '.join(cells)} {8 - row}")
        lines.append("    1 2 3 4 5 6 7 8")
        side = board.side_to_move
        state = f"{self.sides[side]} ({self.players[side]}) to move" if legal else "game over"
        if legal == [PASS]:
            state += ", must pass"
        lines.append(f"  {state}; X {board.black.bit_count()}, O {board.white.bit_count()} discs")
        return "\n".join(lines)

    def explain(self, position: Position) -> list[tuple[str, int]]:
        """Return the terms of the evaluator that was chosen."""
        board = othello(position)
        mine, theirs = (board.white, board.black) if board.side_to_move else (board.black, board.white)
        return board.evaluator.terms(mine, theirs)

    def canonical(self, position: Position) -> str:
        """Return the least text among the eight turned and mirrored boards."""
        squares, side = self.format_position(position).split()
        rows = [squares[8 * row : 8 * row + 8] for row in range(8)]
        texts = []
        for _ in range(4):
            rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
            texts += ["".join(rows), "".join(row[::-1] for row in rows)]
        return f"{min(texts)} {side}"


def othello(position: Position) -> OthelloPosition:
    """Return ``position`` with the type that it has here; any other type is a bug of the caller."""
    assert isinstance(position, OthelloPosition)
    return position


def make_game(parameters: str) -> Othello:
    """Return the game.

    :raises UnknownGameError: if there are parameters; it takes none.
    """
    if parameters:
        raise UnknownGameError(f"game othello: no parameters are allowed; {parameters!r} came")
    return Othello()
