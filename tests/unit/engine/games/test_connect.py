"""Connect: the bitboards against a model of strings, and the names of its columns."""

from __future__ import annotations

import itertools
import random

import pytest

from quietmove.engine.games.base import WIN
from quietmove.engine.games.registry import get_game

FOUR = "connect 7x6x4"
SIZES = ((4, 4, 3), (7, 6, 4), (5, 3, 2), (1, 8, 4), (16, 3, 5), (3, 15, 4), (6, 5, 5))


def windows(columns: int, rows: int, length: int) -> list[list[int]]:
    """Return each row of ``length`` cells, a cell counted row by row from the top."""
    found = []
    for row, column, (down, across) in itertools.product(
        range(rows), range(columns), ((0, 1), (1, 0), (1, 1), (1, -1))
    ):
        line = [(row + i * down, column + i * across) for i in range(length)]
        if all(0 <= y < rows and 0 <= x < columns for y, x in line):
            found.append([y * columns + x for y, x in line])
    return found


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_moves_rows_and_evaluation_are_those_of_a_model(size: tuple[int, int, int]) -> None:
    columns, rows, length = size
    game = get_game(f"connect {columns}x{rows}x{length}")
    lines = windows(*size)
    for seed in range(10):
        choices, position = random.Random(seed), game.initial()
        while True:
            cells, side = game.format_position(position).split()
            rivals = "OX" if side == "O" else "XO"
            lost = any(all(cells[cell] == rivals[1] for cell in line) for line in lines)
            open_columns = [] if lost else [column for column in range(columns) if cells[column] == "-"]
            assert sorted(position.legal_moves()) == open_columns
            threats = dict.fromkeys(rivals, 0)
            for line in lines:
                content = sorted(cells[cell] for cell in line)
                for player in rivals:
                    threats[player] += content == sorted([player] * (length - 1) + ["-"])
            expected = 100 * (threats[rivals[0]] - threats[rivals[1]])
            assert position.static_value() == (-WIN if lost else expected if open_columns else 0)
            if not open_columns:
                break
            move = choices.choice(open_columns)
            position.play(move)
            row = max(row for row in range(rows) if cells[row * columns + move] == "-")
            place = row * columns + move
            assert game.format_position(position).split()[0] == cells[:place] + side + cells[place + 1 :]


def test_the_centre_comes_first() -> None:
    assert get_game(FOUR).initial().legal_moves() == [3, 2, 4, 1, 5, 0, 6]
    assert get_game("connect").initial().legal_moves() == [1, 2, 0, 3]
