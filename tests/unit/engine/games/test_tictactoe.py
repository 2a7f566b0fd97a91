"""Tic-tac-toe: counted and valued whole by an independent model of strings; its winners, book and positions."""

from __future__ import annotations

import functools
import random

import pytest
from click.testing import CliRunner

from quietmove.commands import quietmove
from quietmove.engine.games.base import DECISIVE, WIN, Game, Position
from quietmove.engine.games.in_a_row.game import InARow
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

GAMES = 255168
POSITIONS = 5478
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@pytest.fixture(scope="module")
def game() -> Game:
    return get_game("tictactoe")


@pytest.fixture(scope="module")
def every_position(game: Game) -> dict[str, Position]:
    found: dict[str, Position] = {}

    def visit(position: Position) -> None:
        cells = game.format_position(position).split()[0]
        if cells not in found:
            found[cells] = position.copy()
            for move in position.legal_moves():
                position.play(move)
                visit(position)
                position.undo()

    visit(game.initial())
    return found


def has_won(cells: str, player: str) -> bool:
    return any(all(cells[cell] == player for cell in row) for row in ROWS)


@functools.cache
def model_value(cells: str) -> int:
    """Return the value from the side to move: a win is worth one less for each ply to it."""
    mine, theirs = ("X", "O") if cells.count("X") == cells.count("O") else ("O", "X")
    if has_won(cells, theirs):
        return -WIN
    if "-" not in cells:
        return 0
    values = [-model_value(cells[:i] + mine + cells[i + 1 :]) for i in range(9) if cells[i] == "-"]
    best = max(values)
    return best - (best > 0) + (best < 0)


def solved(position: Position, settings: Settings = Settings(), megabytes: int = 1) -> tuple[int, int]:  # noqa: B008
    search = Deepening(position, Table(megabytes) if megabytes else None, settings, Limits())
    *_, last = search.iterations()
    return last.score.value, last.pv[0]


def line_score(cells: str, columns: int, length: int) -> int:
    """Return the tutorial's score from X's view: 1, 10, 100 points for a line that X alone has discs in, less O's."""
    rows = len(cells) // columns
    board = {(index % columns, index // columns): cell for index, cell in enumerate(cells)}
    score = 0
    for column, row in board:
        for across, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
            places = [(column + step * across, row + step * down) for step in range(length)]
            if all(0 <= each < columns and 0 <= other < rows for each, other in places):
                line = "".join(board[place] for place in places)
                if "O" not in line or "X" not in line:
                    score += (0, 100, 1000, 10000)[line.count("X")] - (0, 100, 1000, 10000)[line.count("O")]
    return max(1 - DECISIVE, min(DECISIVE - 1, score))


@pytest.mark.parametrize(
    ("name", "columns", "length"), [("3x3x3", 3, 3), ("7x7x4", 7, 4), ("5x4x4", 5, 4), ("2x8x3", 2, 3)]
)
def test_the_line_score_is_that_of_the_tutorial(name: str, columns: int, length: int) -> None:
    board = get_game(f"tictactoe {name}")
    for seed in range(8):
        choices, position = random.Random(seed), board.initial()
        position.choose_evaluator("line-score")
        while moves := position.legal_moves():
            cells, side = board.format_position(position).split()
            assert position.static_value() == (-1 if side == "O" else 1) * line_score(cells, columns, length)
            position.play(choices.choice(moves))


def test_the_line_score_stays_below_a_win() -> None:
    position = get_game("tictactoe 7x7x4").parse_position(["XXX-XXX" + "-" * 28 + "O--O--OO--O--O", "X"])
    position.choose_evaluator("line-score")
    assert position.static_value() == DECISIVE - 1


def test_either_side_may_have_begun(game: Game, every_position: dict[str, Position]) -> None:
    exchange = str.maketrans("XO", "OX")
    for cells, position in random.Random(2).sample(sorted(every_position.items()), 30):
        side = "XO"[position.side_to_move]
        other = game.parse_position([cells.translate(exchange), side.translate(exchange)])
        assert other.is_over() == position.is_over()
        if position.is_over():
            assert other.result() == -position.result()
        elif cells.count("-") < 5:
            assert solved(other) == solved(position)
    assert game.format_position(game.parse_position(["XX-OO----", "O"])) == "XX-OO---- O"


def test_all_games_and_all_positions_are_counted(game: Game, every_position: dict[str, Position]) -> None:
    assert game.initial().perft(9) == GAMES
    assert len(every_position) == len({position.key for position in every_position.values()}) == POSITIONS
    over = {cells: position for cells, position in every_position.items() if position.is_over()}
    assert len(over) == 958
    for cells, position in over.items():
        assert position.result() == (WIN if has_won(cells, "X") else -WIN if has_won(cells, "O") else 0)


def test_every_value_is_the_quickest_win_and_the_slowest_loss(every_position: dict[str, Position]) -> None:
    unfinished = [cells for cells, position in every_position.items() if not position.is_over()]
    kinds = set()
    for cells in random.Random(1).sample(unfinished, 200):
        value, move = solved(every_position[cells])
        assert value == model_value(cells), cells
        mine = "XO"[every_position[cells].side_to_move]
        after = -model_value(cells[:move] + mine + cells[move + 1 :])
        assert after - (after > 0) + (after < 0) == value, cells
        kinds.add(value)
    assert {WIN - 1, WIN - 3, WIN - 5, 2 - WIN, 4 - WIN, 0} <= kinds


@pytest.mark.parametrize(
    ("name", "sign"), [("tictactoe 3x3x3", 0), ("tictactoe 4x3x3", 1), ("tictactoe 4x3x4", 0), ("tictactoe 3x2x2", 1)]
)
def test_other_sizes_have_their_known_values(name: str, sign: int) -> None:
    search = Deepening(get_game(name).initial(), Table(16), Settings(), Limits())
    *_, last = search.iterations()
    value = last.score.value
    assert value == 0 if sign == 0 else value > DECISIVE


def test_the_winner_of_all_boards(game: Game) -> None:
    assert isinstance(game, InARow)
    choices = random.Random(3)
    for _ in range(500):
        cells = "".join(choices.choices("XO-", k=9))
        assert game.winner(cells) == has_won(cells, "X") - has_won(cells, "O")


def test_reachable_positions_by_ply() -> None:
    counts = (1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78)
    lines = CliRunner().invoke(quietmove, ["perft", "9", "--game", "tictactoe", "--positions"]).output.splitlines()
    assert lines[:-1] == [f"ply {ply}: {count} positions" for ply, count in enumerate(counts)]
    assert lines[-1] == "total: 5478 positions of 19683 fillings of 9 squares, 765 but for symmetry"


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ("", {"a1", "c1", "a3", "c3"}),  # only one of eight replies does not lose
        ("a1", {"b2"}),
        ("b2", {"a1", "c1", "a3", "c3"}),
        ("a1 b2", {"c3"}),  # the trap: a reply in a corner loses
        ("b1", {"a1", "c1"}),
        ("a1 b2 c3", set()),  # every reply that does not lose threatens an immediate win
        ("c3 b2 b3", set()),  # the only reply that does not lose threatens an immediate win
        ("a1 b2 c3 b1 a3", set()),
    ],
)
def test_the_book_plays_the_corner_and_its_trap(game: Game, moves: str, answers: set[str]) -> None:
    book, position = game.open_book(), game.initial()
    assert book is not None
    for move in moves.split():
        position.play(game.parse_move(position, move))
    assert {game.format_move(move.move) for move in book.moves(position)} == answers


def test_the_trap_wins(game: Game) -> None:
    """Whatever but the centre is played against the corner, the book's moves and then best play win."""
    book = game.open_book()
    assert book is not None
    for reply in ("b1", "c1", "a2", "c2", "a3", "b3", "c3"):
        position = game.initial()
        for move in ("a1", reply):
            position.play(game.parse_move(position, move))
        assert {move.value for move in book.moves(position)} == {WIN - 5}
