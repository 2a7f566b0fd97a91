"""What every game refuses: positions that no game reaches, words that are no move, moves that are not legal, names."""

from __future__ import annotations

import pytest

from quietmove.engine.errors import IllegalMoveError, NotationError, PositionError, UnknownGameError
from quietmove.engine.games.registry import get_game

START = "---------------------------OX------XO---------------------------"
ROW = "cells: with X to move, there must be as many X as O or one fewer"
POSITIONS = [
    ("connect", "X--------------- O", "cell a1: must be empty, like the cell below, not 'X'"),
    ("connect", "------------XX-- O", "not 2 X and 0 O"),
    ("othello", f"{START[:9]}?{START[10:]} X", "square b2: must be X, O or -, not '?'"),
    ("othello", "8/8/8/3ox3/3xo4/7/8/8 x", "row 5: must have 8 squares, not 9"),
    (
        "othello 4x4",
        f"{'-' * 64} X",
        "squares: must be 16 characters from X, O and -, in the order a1 b1 ... d4, not 64",
    ),
    ("tictactoe", "-------- X", "must be 9 characters from X, O and -, row by row from the top, not '--------'"),
    ("tictactoe", "OO------- X", f"{ROW}, not 0 X and 2 O"),
    ("tictactoe", "X-O-O---- O", "with O to move, there must be as many O as X or one fewer, not 1 X and 2 O"),
    ("tictactoe", "XXX------ O", "not 3 X and 0 O with a line of X"),
]
WORDS = [  # game, part of the message, texts that are not moves
    ("connect4", "a column, a-g", ["h", "8", "0", "d4", "4 1", "pass", ""]),
    ("othello", "a square a1-h8, or pass", ["", "i1", "a9", "a0", "4 6", "46", "d", "d33", "d3 ", "ｄ３", "passs"]),
    ("othello 6x6", "a square a1-f6, or pass", ["g1", "a7"]),
    ("tictactoe", "a cell a1-c3", ["d1", "a4", "1 0", "4 1", "pass", "2"]),
]
ILLEGAL = [  # game, position, texts of illegal moves, the legal moves in the message
    ("othello", f"{START} X", ["pass", "a1"], "legal: d3 c4 f5 e6"),
]
PARAMETERS = [  # game, part of the message, invalid parameters
    ("othello", "one of 8x8, 6x6, 4x4", ["5x5"]),
    ("tictactoe", "a size like 7x6x4", ["3"]),
]
SIZES = [  # well-formed sizes, and the error in each
    ("tictactoe 3x3x1", "must be 2 to 3 in a row, not 1"),
    ("tictactoe 3x4x5", "must be 2 to 4 in a row, not 5"),
    ("tictactoe 8x8x5", "columns x (rows + 1) up to 64, not 8x8"),
    ("tictactoe 17x1x3", "1 to 16 columns and rows"),
]


def refuse_position(name: str, fields: str, message: str) -> None:
    with pytest.raises(PositionError) as raised:
        get_game(name).parse_position(fields.split())
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def refuse_words(name: str, message: str, words: list[str]) -> None:
    game = get_game(name)
    for word in words:
        with pytest.raises(NotationError, match="is not a move; a move is ") as raised:
            game.parse_move(game.initial(), word)
        assert message in str(raised.value)


def refuse_moves(name: str, fields: str, words: list[str], message: str) -> None:
    game = get_game(name)
    for word in words:
        with pytest.raises(IllegalMoveError, match=f"^'{word}' is not legal here; ") as raised:
            game.parse_move(game.parse_position(fields.split()), word)
        assert message in str(raised.value)


def refuse_parameters(name: str, message: str, parameters: list[str]) -> None:
    for text in parameters:
        with pytest.raises(UnknownGameError, match=f"^game {name}: must be .*, not ") as raised:
            get_game(f"{name} {text}")
        assert message in str(raised.value)
        assert repr(text) in str(raised.value)


def refuse_game(name: str, message: str) -> None:
    with pytest.raises(UnknownGameError) as raised:
        get_game(name)
    assert message in str(raised.value)


@pytest.mark.parametrize(("name", "fields", "message"), POSITIONS)
def test_an_impossible_position_is_one_clear_error(name: str, fields: str, message: str) -> None:
    refuse_position(name, fields, message)


@pytest.mark.parametrize(("name", "message", "words"), WORDS)
def test_a_word_that_is_no_move(name: str, message: str, words: list[str]) -> None:
    refuse_words(name, message, words)


@pytest.mark.parametrize(("name", "fields", "words", "message"), ILLEGAL)
def test_a_move_that_is_not_legal(name: str, fields: str, words: list[str], message: str) -> None:
    refuse_moves(name, fields, words, message)


@pytest.mark.parametrize(("name", "message", "parameters"), PARAMETERS)
def test_parameters_that_make_no_game(name: str, message: str, parameters: list[str]) -> None:
    refuse_parameters(name, message, parameters)


@pytest.mark.parametrize(("name", "message"), SIZES)
def test_a_size_out_of_bounds(name: str, message: str) -> None:
    refuse_game(name, message)
