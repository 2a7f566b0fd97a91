"""The names of Othello openings, looked up by position, so that transpositions have the same name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.notation import START, parse_board, parse_square
from quietmove.engine.games.othello.symmetry import Board, board_of

SIZE = 8  # board size
TABLE = Path(__file__).with_name("opening_names.txt")  # each line: moves in one order, a space, the name


def opening_name(position: Position) -> str:
    """Return the name of the opening that leads to ``position`` or to a symmetric image of it.

    Returns "" for positions without a name, for other games and for small boards.
    """
    is_usual = isinstance(position, OthelloPosition) and position.size == SIZE
    return names().get(board_of(position), "") if is_usual else ""


@cache
def names() -> dict[Board, str]:
    names_by_board = {}
    for name, moves in opening_moves().items():
        position = OthelloPosition(*parse_board((START, "X")))
        for move in moves:
            position.play(move)
        names_by_board[board_of(position)] = name
    return names_by_board


@cache
def opening_moves() -> dict[str, tuple[int, ...]]:
    moves_by_name = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        moves, _, name = line.partition(" ")
        moves_by_name[name] = tuple(parse_square(moves[at : at + 2]) for at in range(0, len(moves), 2))
    return moves_by_name
