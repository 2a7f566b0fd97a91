"""Squares and columns on the wire: both ways, every square, and lists of moves."""

import pytest

from quietmove.engine.errors import IllegalMoveError
from quietmove.engine.games.base import Grid
from quietmove.engine.games.registry import get_game
from quietmove.engine.move_text import split_moves
from quietmove.engine.protocol.notation import ALGEBRAIC, PROJECT, ROWS, UGI, ZERO, Numbers, read_position

OTHELLO, COLUMNS = Grid(8, 8), Grid(7, None)
NAMES = {
    "d3": ("4 6", "3 2"),
    "c4": ("3 5", "2 3"),
    "f5": ("6 4", "5 4"),
    "e6": ("5 3", "4 5"),
    "a1": ("1 8", "0 0"),
    "h1": ("8 8", "7 0"),
    "a8": ("1 1", "0 7"),
    "h8": ("8 1", "7 7"),
}


def spelled(grid: Grid | None, text: str, coordinates: Numbers = PROJECT) -> list[str]:
    moves = split_moves(text.split(), grid is not None and grid.rows is not None)
    return [coordinates.read(grid, move) or move for move in moves]


@pytest.mark.parametrize("move", NAMES)
def test_the_four_first_moves_and_the_corners(move: str) -> None:
    assert (PROJECT.write(OTHELLO, move), ZERO.write(OTHELLO, move), ALGEBRAIC.write(OTHELLO, move)) == (
        *NAMES[move],
        move,
    )
    assert PROJECT.read(OTHELLO, NAMES[move][0]) == ZERO.read(OTHELLO, NAMES[move][1]) == move


def test_the_row_comes_first_in_the_exercise_on_tic_tac_toe() -> None:
    board, wide = Grid(3, 3), Grid(4, 3)
    assert (ROWS.read(board, "1 2"), ZERO.read(board, "1 2")) == ("c2", "b3")
    assert (ROWS.write(board, "c2"), ROWS.read(wide, "2 3"), ROWS.read(wide, "3 2")) == ("1 2", "d3", None)
    assert ROWS.describe(wide) == "'row column' with 0-2 and 0-3, row from the top"


@pytest.mark.parametrize("coordinates", [PROJECT, ZERO, ROWS])
@pytest.mark.parametrize("grid", [OTHELLO, Grid(2, 15), Grid(19, 19)], ids=str)
def test_every_square_comes_back(coordinates: Numbers, grid: Grid) -> None:
    assert grid.rows is not None
    squares = [f"{'abcdefghijklmnopqrs'[x]}{y + 1}" for x in range(grid.columns) for y in range(grid.rows)]
    texts = [coordinates.write(grid, square) for square in squares]
    assert len(set(texts)) == len(squares)
    assert [coordinates.read(grid, text) for text in texts] == squares
    assert spelled(grid, " ".join(texts), coordinates) == squares


def test_a_column_is_one_number() -> None:
    assert [PROJECT.write(COLUMNS, move) for move in "adg"] == ["1", "4", "7"]
    assert [ZERO.write(COLUMNS, move) for move in "adg"] == ["0", "3", "6"]
    assert spelled(COLUMNS, "4 d 8 0 7 dd") == ["d", "d", "8", "0", "g", "dd"]
    assert spelled(COLUMNS, "4 0 7", ZERO) == ["e", "a", "7"]


@pytest.mark.parametrize(
    ("coordinates", "grid", "text"),
    [
        (PROJECT, OTHELLO, "0 1"),
        (PROJECT, OTHELLO, "1 9"),
        (PROJECT, OTHELLO, "04 6"),
        (PROJECT, OTHELLO, "4"),
        (PROJECT, OTHELLO, "４ ６"),
        (ZERO, OTHELLO, "8 0"),
        (PROJECT, COLUMNS, "0"),
        (PROJECT, None, "4 6"),
        (ALGEBRAIC, OTHELLO, "4 6"),
    ],
)
def test_what_names_nothing(coordinates: Numbers, grid: Grid | None, text: str) -> None:
    assert coordinates.read(grid, text) is None


def test_a_list_of_moves_may_mix_the_spellings() -> None:
    mixed = "4 6 C5 5 3 pass d3f4PASSg10 x 4"
    assert spelled(OTHELLO, mixed) == ["d3", "C5", "e6", "pass", "d3", "f4", "PASS", "g10", "x", "4"]
    assert spelled(None, "a1a2 4 6") == ["a1a2", "4", "6"]
    assert spelled(None, "4-5 1-2") == ["4-5", "1-2"]


def test_the_empty_move_is_the_pass_of_ugi_and_stands_among_numbers() -> None:
    assert [UGI.write(None, move) for move in ("pass", "f5")] == ["0000", "f5"]
    game = get_game("othello")
    position = read_position(game, ["position", "fen", "XO" + "-" * 62, "O", "moves", "0000", "3", "8"])
    assert game.format_position(position).startswith("XXX-")


def test_a_pass_after_the_last_move_is_ignored_and_no_other_pass() -> None:
    """Some programs end a game with a pass of each side; the engine's position is the final one all the same."""
    othello = get_game("othello")
    wipeout = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]
    final = read_position(othello, ["position", "startpos", "moves", *wipeout])
    assert final.is_over()
    for more in (["pass"], ["pass", "PA"], ["--", "1-0"]):
        assert read_position(othello, ["position", "startpos", "moves", *wipeout, *more]).ply == final.ply
    for wrong in ([*wipeout, "a1"], [*wipeout[:-1], "pass"]):
        with pytest.raises(IllegalMoveError):
            read_position(othello, ["position", "startpos", "moves", *wrong])
