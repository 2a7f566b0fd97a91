"""What the small games refuse: positions, words, moves and parameters."""

from __future__ import annotations

import pytest

from tests.contract.test_refusals import refuse_game, refuse_moves, refuse_parameters, refuse_position, refuse_words

POSITIONS = [
    ("capture", "X--O X", "cells: must be 16 characters from X, O and -, not 'X--O'"),
    ("capture", "---------------- X", "cells: must be some of the pieces XOXOXO in the same order"),
    ("capture", "XX-O--X--O--X--O X", "because pieces cannot pass each other, not 'XX-O--X--O--X--O'"),
    ("capture", "X--O--X--O--X--O X 21", "plies since the last capture: must be a whole number from 0 to 20, not '21'"),
    ("capture", "X--------------- X 0", "side to move: must be O, whose last piece was just captured"),
    ("capture", "X--------------- O 3", "0 plies since the capture, not 'O 3'"),
    ("einstein", "145--26---3---c---fb--edX B -", "25 characters from 1-6, a-f and -"),
    ("einstein", "145--26---3---c---fb--eda B 7", "die: must be 1 to 6, or -"),
    ("nim", "3,4 X", "piles: must be 3 numbers, such as 3,4,5, not '3,4'"),
    ("nim", "3,5,5 X", "pile 2: must be a whole number from 0 to 4, not '5'"),
    ("nim", "3,4,٣ X", "pile 3: must be a whole number from 0 to 5"),
    ("subtraction", "-1 X", "heap: must be a whole number from 0 to 21, not '-1'"),
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
    ("einstein", "a roll from 1 to 6, or a piece", ["7", "4x", "se", "", "44", "4see"]),
    ("nim", "'pile-count'", ["", "1", "1-", "1-0", "0-1", "1-100", "1 - 2", "pass", "1-2-3", "-1-2", "1--2"]),
    ("subtraction", "the number of stones", ["", "0", "-1", "1-2", "take 2", "1000", "pass", "²"]),
    ("tree", "the number of a child", ["a1", "²"]),
    ("whist", "a card", ["c1", "s6", "s", "s0", "", "1s", "s1s2"]),
]
ILLEGAL = [  # game, position, texts of illegal moves, the legal moves in the message
    ("capture", "X--O--X--O--X--O X", ["1-3"], "legal: 1-2 7-6 7-8 13-12 13-14"),
    ("capture", "X--------------- O", ["1-2"], "the game is over"),
    ("einstein", "145--26---3---c---fb--eda B 4", ["4", "5se", "4nw"], "legal: 4se 4s 4e"),
    ("nim 1,2", "1,2 X", ["1-2", "2-3", "3-1"], "legal: 1-1 2-1 2-2"),
    ("subtraction", "21 X", ["4"], "legal: 1 2 3"),
    ("tree", "[[3],[5,6]] max", ["0", "3"], "legal: 1 2"),
]
PARAMETERS = [  # game, part of the message, invalid parameters
    ("capture", "a row of 2 to 32 cells", ["X", "XX--", "--", "7x4", "X-O X-O", "XO" * 7, f"X{'-' * 31}O", "X-B"]),
    ("einstein", "the numbers 1 to 6 in any order", ["113456", "12345"]),
    ("nim", "1 to 6 piles", ["0", "0,0", "121", "60,61", "1,1,1,1,1,1,1", "-1,3", "3 4 5", "3,", "a"]),
    ("subtraction", "a heap of 0 to 100000", ["21", "21 0", "100001 3", "21 65", "00021 3", "-21 3", "21 3 1", "21,3"]),
    ("subtraction", "the maximum per move", ["10 0,1", "10 1,65", "10 1,", "10 1,,3", "10 1, 3"]),
    ("tree", "BxD", ["3", "x", "513x1", "3x3 best", "3x3 1 best"]),
    ("whist", "SUITSxRANKS HAND", ["3x5", "3x5 8", "5x5 5", "4x6 9", "3x5 0", "x", "1x9 9"]),
]
SIZES = [  # well-formed sizes, and the error in each
    ("tree 0x3", "not 0x3"),
    ("tree 2x16", "at most 50000 leaves, not 2x16"),
    ("tree 1x41", "1 to 40 plies"),
]


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
