"""Values of many positions in one call, beside those of single ones."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import quietmove
from quietmove import Board, environments


def boards_with(empties: int, count: int) -> list[Board]:
    """Return positions of random games; those that end before are left out."""
    boards = list[Board]()
    for seed in range(10 * count):
        board, chance = Board(), random.Random(seed)
        while sum(board.discs) < 64 - empties and board.legal_moves:
            board.push(chance.choice(board.legal_moves))
        if sum(board.discs) == 64 - empties:
            boards.append(board)
    return boards[:count]


def discs_of(boards: list[Board]) -> tuple[Any, Any]:
    return tuple(np.array([getattr(board, side) for board in boards], np.uint64) for side in ("own", "opponent"))


def test_estimates_are_those_of_single_positions() -> None:
    boards = [board for empties in (60, 40, 20, 4, 0) for board in boards_with(empties, 20)]
    values = environments.evaluate(*discs_of(boards))
    assert values.dtype == np.int32
    assert values.tolist() == [board.evaluate() for board in boards]


def test_solved_values_are_exact() -> None:
    boards = [board for empties in (0, 1, 2, 5, 8, 10, 12) for board in boards_with(empties, 6)]
    boards += [Board.from_fen(f"XO{'-' * 0}{'X' * 60}-- {side}") for side in "XO"]  # a pass, or the end of the game
    values = environments.solve(*discs_of(boards))
    for board, value in zip(boards, values.tolist(), strict=True):
        if board.is_over:
            assert board.result is not None
            assert value == (board.result if board.turn == "black" else -board.result)
        else:
            best = list(quietmove.analyse(board, quietmove.Limit(depth=30), selectivity=0))[-1]
            assert best.score.value == 100 * value


def test_arrays_of_any_shape_and_observations() -> None:
    env = environments.OthelloVectorEnv(6, level="self")
    seen, _ = env.reset(seed=1)
    for _ in range(9):
        seen = env.step(env.random_actions())[0]
    own, opponent = environments.to_bitboards(seen["observation"])
    assert [env._boards.discs(game) for game in range(6)] == list(zip(own.tolist(), opponent.tolist(), strict=True))
    single = environments.evaluate(own, opponent)
    assert environments.evaluate(own.reshape(2, 3), opponent.reshape(2, 3)).tolist() == single.reshape(2, 3).tolist()
    assert environments.evaluate(own[0], opponent[0]).shape == ()
    assert environments.evaluate(own[::2], opponent[::2]).tolist() == single[::2].tolist()
    assert environments.evaluate(own.astype(np.int64), opponent.astype(np.int64)).tolist() == single.tolist()
    assert environments.solve(own[:0], opponent[:0]).tolist() == []
    small = environments.raw_env("othello 6x6")
    small.reset(options={"fen": f"X{'-' * 34}O X"})
    assert [int(each) for each in environments.to_bitboards(small.last()[0]["observation"])] == [1 << 9, 1 << 54]
    one = environments.to_bitboards(seen["observation"][0])
    assert [int(each) for each in one] == [own[0], opponent[0]]


ONE, TWO = np.array([1], np.uint64), np.array([2, 4], np.uint64)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("evaluate", (ONE.astype(float), ONE), r"own: must be an array of uint64, not float64 of \(1,\)"),
        ("evaluate", (ONE, [[1, "x"]]), r"opponent: must be an array of uint64, not <U21 of \(1, 2\)"),
        ("solve", (ONE, TWO), r"opponent: must have the shape of own, \(1,\), not \(2,\)"),
        ("solve", (ONE, ONE), "opponent: must have no square in common with own"),
        ("solve", (ONE, 2 * ONE), "own, opponent: must leave at most 12 squares empty, not 62"),
        ("to_bitboards", (np.zeros((8, 8), np.int8),), r"observation: must be integers .*, not int8 of \(8, 8\)"),
        ("to_bitboards", (np.zeros((5, 5, 2), int),), r"observation: must be integers .*, not int64 of \(5, 5, 2\)"),
        ("to_bitboards", (np.zeros((8, 8, 2)),), r"observation: must be integers .*, not float64 of \(8, 8, 2\)"),
    ],
)
def test_wrong_arrays_are_one_error(function: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(environments, function)(*arguments)
