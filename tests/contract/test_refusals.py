"""What every game refuses: positions that no game reaches, words that are no move, moves that are not legal, names."""

from __future__ import annotations

import pytest

from quietmove.engine.errors import IllegalMoveError, NotationError, PositionError, UnknownGameError
from quietmove.engine.games.registry import get_game

START = "---------------------------OX------XO---------------------------"
ROW = "cells: with X to move, there must be as many X as O or one fewer"
POSITIONS = [
    ("capture", "X--O X", "cells: must be 16 characters from X, O and -, not 'X--O'"),
    ("capture", "---------------- X", "cells: must be some of the pieces XOXOXO in the same order"),
    ("capture", "XX-O--X--O--X--O X", "because pieces cannot pass each other, not 'XX-O--X--O--X--O'"),
    ("capture", "X--O--X--O--X--O X 21", "plies since the last capture: must be a whole number from 0 to 20, not '21'"),
    ("capture", "X--------------- X 0", "side to move: must be O, whose last piece was just captured"),
    ("capture", "X--------------- O 3", "0 plies since the capture, not 'O 3'"),
    ("connect", "X--------------- O", "cell a1: must be empty, like the cell below, not 'X'"),
    ("connect", "------------XX-- O", "not 2 X and 0 O"),
    ("einstein", "145--26---3---c---fb--edX B -", "25 characters from 1-6, a-f and -"),
    ("einstein", "145--26---3---c---fb--eda B 7", "die: must be 1 to 6, or -"),
    ("nim", "3,4 X", "piles: must be 3 numbers, such as 3,4,5, not '3,4'"),
    ("nim", "3,5,5 X", "pile 2: must be a whole number from 0 to 4, not '5'"),
    ("nim", "3,4,٣ X", "pile 3: must be a whole number from 0 to 5"),
    ("othello", f"{START[:9]}?{START[10:]} X", "square b2: must be X, O or -, not '?'"),
    ("othello", "8/8/8/3ox3/3xo4/7/8/8 x", "row 5: must have 8 squares, not 9"),
    (
        "othello 4x4",
        f"{'-' * 64} X",
        "squares: must be 16 characters from X, O and -, in the order a1 b1 ... d4, not 64",
    ),
    ("subtraction", "-1 X", "heap: must be a whole number from 0 to 21, not '-1'"),
    ("tictactoe", "-------- X", "must be 9 characters from X, O and -, row by row from the top, not '--------'"),
    ("tictactoe", "OO------- X", f"{ROW}, not 0 X and 2 O"),
    ("tictactoe", "X-O-O---- O", "with O to move, there must be as many O as X or one fewer, not 1 X and 2 O"),
    ("tictactoe", "XXX------ O", "not 3 X and 0 O with a line of X"),
    ("whist", "????? ????? - B", "not both"),
    ("whist", "s1s5h2d1d5 s1h4h5d2d3 - B", "card s1: must occur only once, not 2 times"),
    ("whist", "s1s5h2d1d6 ????? - B", "suits shd and ranks 1 to 5"),
    ("whist", "s1s5h2d1 ????? - B", "Black: cards in hand and played must total 5, not 4"),
    ("whist", "s1s5h2d1d5 ????? - W", "side to move: must be B"),
    ("whist", "s1s5h2d1 ????? d5 B", "side to move: must be W"),
    ("whist", "s1s5h2d1 d3h1h3h4 d5s2 W", "cannot hold d3 after failing to follow that suit"),
    ("whist", "s1s5d1 ??? d5s2d4h2 B", "d4"),
]
WORDS = [  # game, part of the message, texts that are not moves
    ("capture", "cells numbered 1 to 16 from the left", ["", "1", "1-", "0-1", "1-17", "a1", "1-2-3", "01-2", "²-1"]),
    ("connect4", "a column, a-g", ["h", "8", "0", "d4", "4 1", "pass", ""]),
    ("einstein", "a roll from 1 to 6, or a piece", ["7", "4x", "se", "", "44", "4see"]),
    ("nim", "'pile-count'", ["", "1", "1-", "1-0", "0-1", "1-100", "1 - 2", "pass", "1-2-3", "-1-2", "1--2"]),
    ("othello", "a square a1-h8, or pass", ["", "i1", "a9", "a0", "4 6", "46", "d", "d33", "d3 ", "ｄ３", "passs"]),
    ("othello 6x6", "a square a1-f6, or pass", ["g1", "a7"]),
    ("subtraction", "the number of stones", ["", "0", "-1", "1-2", "take 2", "1000", "pass", "²"]),
    ("tictactoe", "a cell a1-c3", ["d1", "a4", "1 0", "4 1", "pass", "2"]),
    ("tree", "the number of a child", ["a1", "²"]),
    ("whist", "a card", ["c1", "s6", "s", "s0", "", "1s", "s1s2"]),
]
ILLEGAL = [  # game, position, texts of illegal moves, the legal moves in the message
    ("capture", "X--O--X--O--X--O X", ["1-3"], "legal: 1-2 7-6 7-8 13-12 13-14"),
    ("capture", "X--------------- O", ["1-2"], "the game is over"),
    ("einstein", "145--26---3---c---fb--eda B 4", ["4", "5se", "4nw"], "legal: 4se 4s 4e"),
    ("nim 1,2", "1,2 X", ["1-2", "2-3", "3-1"], "legal: 1-1 2-1 2-2"),
    ("othello", f"{START} X", ["pass", "a1"], "legal: d3 c4 f5 e6"),
    ("subtraction", "21 X", ["4"], "legal: 1 2 3"),
    ("tree", "[[3],[5,6]] max", ["0", "3"], "legal: 1 2"),
]
PARAMETERS = [  # game, part of the message, invalid parameters
    ("capture", "a row of 2 to 32 cells", ["X", "XX--", "--", "7x4", "X-O X-O", "XO" * 7, f"X{'-' * 31}O", "X-B"]),
    ("einstein", "the numbers 1 to 6 in any order", ["113456", "12345"]),
    ("nim", "1 to 6 piles", ["0", "0,0", "121", "60,61", "1,1,1,1,1,1,1", "-1,3", "3 4 5", "3,", "a"]),
    ("othello", "one of 8x8, 6x6, 4x4", ["5x5"]),
    ("subtraction", "a heap of 0 to 100000", ["21", "21 0", "100001 3", "21 65", "00021 3", "-21 3", "21 3 1", "21,3"]),
    ("subtraction", "the maximum per move", ["10 0,1", "10 1,65", "10 1,", "10 1,,3", "10 1, 3"]),
    ("tictactoe", "a size like 7x6x4", ["3"]),
    ("tree", "BxD", ["3", "x", "513x1", "3x3 best", "3x3 1 best"]),
    ("whist", "SUITSxRANKS HAND", ["3x5", "3x5 8", "5x5 5", "4x6 9", "3x5 0", "x", "1x9 9"]),
]
SIZES = [  # well-formed sizes, and the error in each
    ("tictactoe 3x3x1", "must be 2 to 3 in a row, not 1"),
    ("tictactoe 3x4x5", "must be 2 to 4 in a row, not 5"),
    ("tictactoe 8x8x5", "columns x (rows + 1) up to 64, not 8x8"),
    ("tictactoe 17x1x3", "1 to 16 columns and rows"),
    ("tree 0x3", "not 0x3"),
    ("tree 2x16", "at most 50000 leaves, not 2x16"),
    ("tree 1x41", "1 to 40 plies"),
]


@pytest.mark.parametrize(("name", "fields", "message"), POSITIONS)
def test_an_impossible_position_is_one_clear_error(name: str, fields: str, message: str) -> None:
    with pytest.raises(PositionError) as raised:
        get_game(name).parse_position(fields.split())
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("name", "message", "words"), WORDS)
def test_a_word_that_is_no_move(name: str, message: str, words: list[str]) -> None:
    game = get_game(name)
    for word in words:
        with pytest.raises(NotationError, match="is not a move; a move is ") as raised:
            game.parse_move(game.initial(), word)
        assert message in str(raised.value)


@pytest.mark.parametrize(("name", "fields", "words", "message"), ILLEGAL)
def test_a_move_that_is_not_legal(name: str, fields: str, words: list[str], message: str) -> None:
    game = get_game(name)
    for word in words:
        with pytest.raises(IllegalMoveError, match=f"^'{word}' is not legal here; ") as raised:
            game.parse_move(game.parse_position(fields.split()), word)
        assert message in str(raised.value)


@pytest.mark.parametrize(("name", "message", "parameters"), PARAMETERS)
def test_parameters_that_make_no_game(name: str, message: str, parameters: list[str]) -> None:
    for text in parameters:
        with pytest.raises(UnknownGameError, match=f"^game {name}: must be .*, not ") as raised:
            get_game(f"{name} {text}")
        assert message in str(raised.value)
        assert repr(text) in str(raised.value)


@pytest.mark.parametrize(("name", "message"), SIZES)
def test_a_size_out_of_bounds(name: str, message: str) -> None:
    with pytest.raises(UnknownGameError) as raised:
        get_game(name)
    assert message in str(raised.value)
