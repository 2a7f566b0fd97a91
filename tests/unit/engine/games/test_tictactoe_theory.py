"""Tic-tac-toe's winners, book and reachable positions, beside a brute force of their own."""

from __future__ import annotations

import itertools

import pytest
from click.testing import CliRunner

from quietmove.commands import quietmove
from quietmove.engine.games.in_a_row.game import InARow
from quietmove.engine.games.registry import get_game

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
MARKS = {"X": 1, "O": -1, "-": 0}


def test_the_winner_of_all_boards() -> None:
    game = get_game("tictactoe")
    assert isinstance(game, InARow)
    for cells in itertools.product("XO-", repeat=9):
        sums = {sum(MARKS[cells[cell]] for cell in line) for line in LINES}
        assert game.winner("".join(cells)) == (3 in sums) - (-3 in sums)


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
        (["1 0"], "CELLS: must be 9 of 1, -1 and 0, or of X, O and -, not '1 0'"),
        (["1 1 1 0 2 0 0 -1 0"], "CELLS: must be 9 of"),
        (["---------", "--game", "nim"], "--game: must be tictactoe or connect, of any size, not nim"),
    ],
)
def test_what_is_no_board(words: list[str], error: str) -> None:
    found = CliRunner().invoke(quietmove, ["winner", *words])
    assert found.exit_code == 2
    assert error in found.output


def reached() -> list[set[str]]:
    """Return the boards of each ply that games reach."""
    plies = [{"-" * 9}]
    while len(plies) < 10:
        mark = "XO"[(len(plies) - 1) % 2]
        going = [board for board in plies[-1] if not any(board[a] == board[b] == board[c] != "-" for a, b, c in LINES)]
        plies.append({f"{b[:cell]}{mark}{b[cell + 1 :]}" for b in going for cell in range(9) if b[cell] == "-"})
    return plies


def test_reachable_positions_by_ply() -> None:
    counts = [len(boards) for boards in reached()]
    lines = CliRunner().invoke(quietmove, ["perft", "9", "--game", "tictactoe", "--positions"]).output.splitlines()
    assert lines[:-1] == [f"ply {ply}: {count} positions" for ply, count in enumerate(counts)]
    assert lines[-1] == "total: 5478 positions of 19683 fillings of 9 squares, 765 but for symmetry"
    assert sum(counts) == 5478


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ("", {"a1", "c1", "a3", "c3"}),  # one reply of eight holds
        ("a1", {"b2"}),
        ("b2", {"a1", "c1", "a3", "c3"}),
        ("a1 b2", {"c3"}),  # the trap: a reply in a corner loses
        ("b1", {"a1", "c1"}),
        ("a1 b2 c3", set()),  # every reply that holds threatens to win at once
        ("c3 b2 b3", set()),  # and so does the one that holds here
        ("a1 b2 c3 b1 a3", set()),
    ],
)
def test_the_book_plays_the_corner_and_its_trap(moves: str, answers: set[str]) -> None:
    game = get_game("tictactoe")
    book, position = game.open_book(), game.initial()
    assert book is not None
    for move in moves.split():
        position.play(game.parse_move(position, move))
    assert {game.format_move(move.move) for move in book.moves(position)} == answers


def test_the_trap_wins() -> None:
    """Whatever but the centre is played against the corner, the book's moves and then best play win."""
    game = get_game("tictactoe")
    book = game.open_book()
    assert book is not None
    for reply in ("b1", "c1", "a2", "c2", "a3", "b3", "c3"):
        position = game.initial()
        for move in ("a1", reply):
            position.play(game.parse_move(position, move))
        assert {move.value for move in book.moves(position)} == {30000 - 5}


def test_other_boards_have_no_book() -> None:
    assert get_game("tictactoe 4x4x3").open_book() is None
    assert get_game("connect").open_book() is None
