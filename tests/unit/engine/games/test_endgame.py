"""The last empty squares are solved exactly, in any window."""

from __future__ import annotations

import os
import random
import re
from functools import cache
from pathlib import Path

import pytest

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello import endgame
from quietmove.engine.games.othello.board import EXACT_REACH
from quietmove.engine.games.othello.endgame import hashed
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.node import INFINITE, SOLVED, Search
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Settings
from tests.fakes.games import exact_values, play_at_random

OTHELLO = get_game("othello")
TREE = 20_000  # node limit for plain minimax
DATA = Path(os.environ.get("QUIETMOVE_DATA") or Path(__file__).parents[5] / "shared" / "data")
FFO_FILE = DATA / "ffo-1-39.obf"
FFO_QUICK = range(1, 24)  # 14 to 18 empty squares, except one with 6; each is solved in less than a second
FFO_ALL_MOVES = (1, 2, 5, 7, 9, 20)


def late_position(seed: int) -> Position:
    """Return a position with 4 to 10 empty squares: of a game, or every third a board that no game need reach."""
    choices = random.Random(seed)
    empties = 4 + seed % 7
    if seed % 3 == 0:
        share = choices.choice((0.05, 0.3, 0.5, 0.7, 0.95))
        squares = ["X" if choices.random() < share else "O" for _ in range(64)]
        for square in choices.sample(range(64), empties):
            squares[square] = "-"
        return OTHELLO.parse_position(["".join(squares), choices.choice("XO")])
    return of_a_game(seed, empties)


def of_a_game(seed: int, empties: int) -> Position:
    """Return the position of a random game with so many empty squares, or its last one."""
    position = OTHELLO.initial()
    play_at_random(position, random.Random(seed), left=empties)
    return position


@cache
def late_positions() -> list[tuple[Position, dict[int, int]]]:
    """Return positions that are not over and small enough for minimax, and the values of their moves."""
    found = map(late_position, range(100))
    return [(each, exact_values(each)) for each in found if 1 < each.perft(21) <= TREE]


def last(position: Position, settings: Settings, table: Table | None) -> Info:
    return list(Deepening(position, table, settings, Limits()).iterations())[-1]


def test_the_solver_finds_the_value_of_minimax() -> None:
    for number, (position, values) in enumerate(late_positions()):
        for algorithm in ("minimax", "alphabeta", "pvs"):
            settings = Settings(algorithm, ORDERINGS[number % len(ORDERINGS)], quiescence=number % 2 == 0)
            for table in (None, Table(1)):
                info = last(position, settings, table)
                assert info.score.value == max(values.values()), (OTHELLO.format_position(position), settings)
                assert values[info.pv[0]] == info.score.value
                assert info.depth == position.moves_left()


def test_the_solver_in_any_window() -> None:
    """Windows of hundredths that are no whole discs, beside the value and at the ends of the scale."""
    choices = random.Random(1)
    outside = inside = 0
    for position, values in late_positions():
        assert position.moves_left() <= EXACT_REACH
        move = choices.choice(position.legal_moves())
        truth = values[move]
        edges = [truth + step for step in (-250, -101, -100, -99, -50, -1, 0, 1, 50, 99, 100, 101, 250)]
        edges += [-INFINITE, -6401, -6400, -6399, -6301, -6300, -6299, -1, 0, 1, 6299, 6300, 6301, 6399, 6400, 6401]
        for _ in range(20):
            alpha, beta = sorted(choices.sample([*edges, INFINITE], 2))
            if alpha == beta:
                continue
            if choices.random() < 0.3:
                beta = alpha + 1
            # With a single root move, the negated window is passed to the solver.
            value = Search(position, None, Settings("alphabeta", "none"), lambda: False).run(
                SOLVED, alpha, beta, [move], False
            )
            assert value % 100 == 0
            assert -6400 <= value <= 6400
            if value <= alpha:
                assert truth <= value
            elif value >= beta:
                assert truth >= value
            else:
                assert truth == value
            inside += alpha < truth < beta
            outside += not alpha < truth < beta
    assert inside > 50
    assert outside > 50


def test_a_search_does_not_depend_on_what_the_solver_did_before() -> None:
    """The solver's table is kept for one search: its nodes are those of a fresh position."""
    for seed in range(3):
        position = of_a_game(seed, EXACT_REACH)
        fresh = [last(position.copy(), Settings(), None).nodes for _ in range(2)]
        assert [last(position, Settings(), None).nodes for _ in range(2)] == fresh


def test_without_memory_for_its_table_the_solver_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is raised, a move is known all the same, and the next search finds the value."""
    position = of_a_game(1, EXACT_REACH)

    def refuse(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as context:
        context.setattr(endgame, "fresh_memory", refuse)
        for settings in (Settings(), Settings(threads=2)):
            search = Deepening(position, Table(1), settings, Limits(goal="solve"))
            with pytest.raises(MemoryError):
                list(search.iterations())
            assert search.result().move in position.legal_moves()
    assert last(position, Settings(), None).nodes == last(position.copy(), Settings(), None).nodes


def test_the_solver_is_reached_from_a_search() -> None:
    """Above its reach the search goes on to the end of the game by itself, and hands over below."""
    for seed in range(3):
        position = of_a_game(seed, EXACT_REACH + 2)
        reference = last(position, Settings("alphabeta", "full"), Table(1))
        for ordering in ("static", "history", "full"):
            assert last(position, Settings("pvs", ordering), None).score == reference.score
        # Each root move has the value found by a search of the position after it.
        best = -INFINITE
        for move in position.legal_moves():
            position.play(move)
            if position.is_over():
                best = max(best, position.result() if not position.side_to_move else -position.result())
            else:
                best = max(best, -last(position, Settings(), Table(1)).score.value)
            position.undo()
        assert best == reference.score.value


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "pvs"])
@pytest.mark.parametrize("megabytes", [0, 1])
def test_the_line_of_an_exact_search_goes_on_to_the_end(algorithm: str, megabytes: int) -> None:
    positions = [position for position, _ in late_positions()[::4]]
    for position in positions if algorithm == "minimax" else [*positions, of_a_game(4, 13)]:
        table = Table(megabytes) if megabytes else None
        infos = list(Deepening(position, table, Settings(algorithm, multipv=2), Limits()).iterations())
        before = OTHELLO.format_position(position)
        for info in infos[-min(2, len(position.legal_moves())) :]:
            for move in info.pv:
                position.play(move)
            assert position.is_over()
            result = position.result() if before.endswith("X") else -position.result()
            assert result == info.score.value
            for _ in info.pv:
                position.undo()


def ffo(number: int) -> tuple[Position, dict[str, int]]:
    """Return a position of the FForum set and the value of each move in discs."""
    if not FFO_FILE.exists():
        pytest.skip(f"no {FFO_FILE.name}: QUIETMOVE_DATA names no folder that has it, nor is it beside the checkout")
    for line in FFO_FILE.read_text(encoding="utf-8").splitlines():
        if re.search(rf"% FFO #{number}\b", line):
            board, *moves = line.partition("%")[0].split(";")
            values = dict(move.strip().split(":") for move in moves if ":" in move)
            return OTHELLO.parse_position(board.split()), {move.lower(): int(value) for move, value in values.items()}
    raise AssertionError(f"FFO #{number} is missing")


@pytest.mark.parametrize("number", FFO_QUICK)
def test_ffo(number: int) -> None:
    position, values = ffo(number)
    info = last(position, Settings(), Table(16))
    assert info.score.value == 100 * max(values.values())
    assert values[OTHELLO.format_move(info.pv[0])] == max(values.values())


@pytest.mark.parametrize("number", FFO_ALL_MOVES)
def test_ffo_every_move(number: int) -> None:
    position, values = ffo(number)
    infos = list(Deepening(position, Table(16), Settings(multipv=len(values)), Limits()).iterations())
    found = [(info.score.value, OTHELLO.format_move(info.pv[0])) for info in infos[-len(values) :]]
    assert {move: value // 100 for value, move in found} == values
    assert [value for value, _ in found] == sorted((100 * value for value in values.values()), reverse=True)


def test_the_keys_of_the_table_tell_boards_apart_that_differ_in_one_square() -> None:
    choices = random.Random(3)
    for _ in range(200):
        own = choices.getrandbits(64)
        opp = choices.getrandbits(64) & ~own
        boards = {(own, opp)}
        for square in range(64):
            bit = 1 << square
            rest = own & ~bit, opp & ~bit
            boards |= {rest, (rest[0] | bit, rest[1]), (rest[0], rest[1] | bit)}
        assert len({hashed(*board) for board in boards}) == len(boards)
