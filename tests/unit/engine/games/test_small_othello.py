"""Othello on six by six and four by four squares: the rules, the values, the texts."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise

import pytest

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.shape import index_of
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

SMALL = (6, 4)


DIRECTIONS = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0))


def turned(board: str, mover: str, index: int) -> list[int]:
    """Return the squares that a disc turns, by the rules alone: a board is its squares, row by row."""
    size = {36: 6, 16: 4}[len(board)]
    found: list[int] = []
    for step_x, step_y in DIRECTIONS if board[index] == "-" else ():
        run: list[int] = []
        x, y = index % size + step_x, index // size + step_y
        while 0 <= x < size and 0 <= y < size and board[size * y + x] not in ("-", mover):
            run.append(size * y + x)
            x, y = x + step_x, y + step_y
        if 0 <= x < size and 0 <= y < size and board[size * y + x] == mover:
            found += run
    return found


def children(board: str, mover: str) -> dict[int, str]:
    """Return the board after each legal move."""
    found = {}
    for index in range(len(board)):
        if discs := turned(board, mover, index):
            squares = list(board)
            for each in (*discs, index):
                squares[each] = mover
            found[index] = "".join(squares)
    return found


@cache
def value(board: str, mover: str) -> int:
    """Return the value in discs from the view of the side to move, by minimax."""
    other = "XO"[mover == "X"]
    if after := children(board, mover):
        return max(-value(child, other) for child in after.values())
    if children(board, other):
        return -value(board, other)
    mine, theirs = board.count(mover), board.count(other)
    return 0 if mine == theirs else (mine - theirs) + board.count("-") * (1 if mine > theirs else -1)


def played(size: int, seed: int) -> list[Position]:
    choices, position = random.Random(seed), get_game(f"othello {size}x{size}").initial()
    found = [position.copy()]
    while moves := sorted(position.legal_moves()):
        position.play(choices.choice(moves))
        found.append(position.copy())
    return found


def text_of(position: Position) -> tuple[str, str]:
    assert isinstance(position, OthelloPosition)
    squares, side = get_game(f"othello {position.size}x{position.size}").format_position(position).split()
    return squares, side


def exact(position: Position, settings: Settings, table: Table | None) -> tuple[int, int]:
    info = list(Deepening(position, table, settings, Limits(goal="solve")).iterations())[-1]
    return info.score.value, info.pv[0]


@pytest.mark.parametrize("size", SMALL)
def test_moves_and_results_are_those_of_the_rules(size: int) -> None:
    passes = 0
    for seed in range(30):
        line = played(size, seed)
        for position, after in pairwise(line):
            squares, side = text_of(position)
            boards = children(squares, side)
            legal = position.legal_moves()
            if legal == [PASS]:
                passes += 1
                assert boards == {}
                assert text_of(after)[0] == squares
            else:
                assert sorted(index_of(move, size) for move in legal) == sorted(boards)
                assert text_of(after)[0] in boards.values()
            assert position.moves_left() == squares.count("-")
        squares, side = text_of(line[-1])
        assert not children(squares, "X")
        assert not children(squares, "O")
        assert line[-1].result() == 100 * value(squares, "X")
    assert passes > 2


def test_four_by_four_is_solved_as_by_minimax_from_every_position() -> None:
    """But for the first positions, whose trees take plain Python long."""
    for number in range(12):
        settings = Settings(ordering=ORDERINGS[number % len(ORDERINGS)], quiescence=number % 2 == 0)
        for position in played(4, number)[4:-1]:
            found, move = exact(position, settings, Table(1) if number % 3 else None)
            assert found == 100 * value(*text_of(position)), text_of(position)
            position.play(move)
            assert found == -100 * value(*text_of(position))


def test_six_by_six_endgames_are_solved_as_by_minimax() -> None:
    searched = 0
    for seed in range(10):
        for position in played(6, seed):
            if not 1 <= position.moves_left() <= 4 + seed % 5 or position.is_over():
                continue
            truth = 100 * value(*text_of(position))
            settings = Settings(ordering=ORDERINGS[seed % len(ORDERINGS)])
            assert exact(position, settings, Table(1))[0] == truth, text_of(position)
            searched += 1
    assert searched > 30


def test_four_by_four_is_lost_by_ten() -> None:
    assert exact(get_game("othello 4x4").initial(), Settings(), Table(1))[0] == -1000
