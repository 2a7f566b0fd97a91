"""``quietmove winner``: the command of a lesson."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from quietmove.commands import quietmove
from quietmove.engine.errors import PositionError


@pytest.mark.parametrize(
    ("words", "answer", "note"),
    [
        (["1 1 1 0 -1 0 0 -1 0"], "1", ""),
        (["-1", "-1", "-1", "0", "0", "0", "0", "0", "0"], "-1", "not 0 X and 3 O"),
        (["1,1,1,1,1,1,1,1,1"], "1", "not 9 X and 0 O"),
        (["xxxooo---"], "0", "both players have a line"),
        (["---------"], "0", ""),
        (["XX--XXOO-OOO", "--game", "tictactoe 4x3x3"], "-1", ""),
    ],
)
def test_the_command(words: list[str], answer: str, note: str) -> None:
    found = CliRunner().invoke(quietmove, ["winner", *words])
    assert (found.stdout, found.exit_code) == (f"{answer}\n", 0)
    assert note in found.stderr
    assert bool(note) == ("note: no game reaches these cells" in found.stderr)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["1 0"],
            "CELLS: expected 9 cells, as 1, -1 and 0 or as X, O and -, and perhaps the player, 1 or -1, not '1 0'",
        ),
        (
            ["---------", "--game", "whist"],
            "--game: must be tictactoe, connect, nim or subtraction, of any size, not whist",
        ),
        (["3,4,5", "--game", "nim", "--value"], "--value: cannot be combined with --game nim"),
        ([""], "CELLS: expected 9 cells, as 1, -1 and 0 or as X, O and -, and perhaps the player, 1 or -1, not ''"),
        (["1 0 0 0 0 0 0 0 0 1"], "CELLS: the player to move must be -1 (O), not X"),
        (["1 0 0 0 0 0 0 0 0 2"], "CELLS: expected 9 cells"),
        (["", "--game", "nim"], "CELLS: expected the number of stones in each pile, such as 3,4,5"),
    ],
)
def test_what_is_no_board(words: list[str], error: str) -> None:
    found = CliRunner().invoke(quietmove, ["winner", *words])
    assert found.exit_code == 2
    assert error in found.output


@pytest.mark.parametrize(
    ("text", "answer"), [("1 1 1 0 -1 0 0 -1 0\n", "1"), ("-1 -1 -1\n1 1 0\n0 0 1\n", "-1"), ("XO-------", "0")]
)
def test_the_cells_are_read_from_standard_input(text: str, answer: str) -> None:
    found = CliRunner().invoke(quietmove, ["winner"], input=text)
    assert (found.stdout, found.exit_code) == (f"{answer}\n", 0)


@pytest.mark.parametrize(
    ("cells", "value", "move"),
    [
        ("1 1 0 -1 -1 0 0 0 0", "1", "2"),
        ("1 0 0 0 0 0 0 0 0", "0", "4"),  # after a corner, only the centre does not lose
        ("1 -1 0 0 0 0 0 0 0", "1", "3"),
        ("1 1 1 -1 -1 0 0 0 0", "1", "none"),
        ("---------", "0", "0"),
        ("1 1 0 -1 -1 0 0 0 0 1", "1", "2"),  # the player to move comes last
        ("1 1 0 -1 0 0 0 0 0 -1", "1", "2"),
    ],
)
def test_the_value_and_the_best_cell(cells: str, value: str, move: str) -> None:
    for flag, answer in (("--value", value), ("--move", move)):
        found = CliRunner().invoke(quietmove, ["winner", cells, flag])
        assert (found.stdout, found.exit_code) == (f"{answer}\n", 0), found.output


def test_large_boards_are_not_searched_and_boards_without_a_game_have_no_value() -> None:
    found = CliRunner().invoke(quietmove, ["winner", "-" * 42, "--game", "connect4", "--value"])
    assert (found.exit_code, "CELLS: must have at most 9 empty cells, not 42" in found.output) == (2, True)
    found = CliRunner().invoke(quietmove, ["winner", "1 1 1 1 1 1 1 1 1", "--move"])
    assert isinstance(found.exception, PositionError)


@pytest.mark.parametrize(
    ("game", "piles", "answer"),
    [
        ("nim", "3,4,5", "True"),
        ("nim", "1 2 3\n", "False"),
        ("nim", "0", "False"),
        ("nim", "123456789 123456788 1", "False"),
        ("nim", "1 2 3 4 5 6 7 8 9 10 11 12", "True"),
        ("subtraction", "20", "False"),
        ("subtraction 100 1,3,4", "7", "False"),  # the losing heaps are 0, 2, 7, 9, 14, 16 ...
        ("subtraction", "5 5", "False"),
    ],
)
def test_whether_the_side_to_move_wins_at_nim(game: str, piles: str, answer: str) -> None:
    for words, text in (([piles], ""), ([], piles)):
        found = CliRunner().invoke(quietmove, ["winner", *words, "--game", game], input=text)
        assert (found.stdout, found.exit_code) == (f"{answer}\n", 0), found.output


def test_a_pile_is_a_number_of_stones() -> None:
    found = CliRunner().invoke(quietmove, ["winner", "3,x,5", "--game", "nim"])
    assert isinstance(found.exception, PositionError)
    assert "pile 2" in str(found.exception)
