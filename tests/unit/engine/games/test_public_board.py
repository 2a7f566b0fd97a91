"""``quietmove.Board`` beside ``quietmove.Position``: moves, ends, values and counts are the same."""

from __future__ import annotations

import copy
import os
import pickle
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quietmove
from quietmove import Board
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.errors import IllegalMoveError, NotationError, PositionError
from tests.fakes.processes import WAIT

PERFT = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]


def squares(letters: str, piece: str) -> int:
    return sum(1 << square for square, letter in enumerate(letters) if letter == piece)


def check_same(board: Board, position: quietmove.Position) -> None:
    letters, side = position.fen.split()
    black = side == "X"
    own, opponent = ("X", "O") if black else ("O", "X")
    assert board.fen == position.fen
    assert (board.turn == "black") == black
    assert (board.own, board.opponent) == (squares(letters, own), squares(letters, opponent))
    assert board.discs == position.discs
    assert board.legal_moves == sorted(board.parse_move(move) for move in position.legal_moves)
    assert board.mobility == sum(1 << move for move in board.legal_moves if move < 64)
    assert (board.is_over, board.result) == (position.is_over, position.result)
    assert board.evaluate() == position.evaluate()


@settings(deadline=None, max_examples=12)
@given(st.randoms(use_true_random=False))
def test_a_game_is_that_of_a_position_move_by_move_and_back(chance: random.Random) -> None:
    board, position = Board(), quietmove.Position()
    boards, moves = [board.copy()], list[int]()
    while legal := board.legal_moves:
        moves.append(chance.choice(legal))
        board.push(moves[-1])
        position.push(Board.format_move(moves[-1]))
        check_same(board, position)
        boards.append(board.copy())
    assert board.is_over
    for expected in reversed(boards[:-1]):
        assert board.pop() == moves.pop()
        assert board == expected
    assert board == Board()
    with pytest.raises(IllegalMoveError, match="pop: no move has been made on this board"):
        board.pop()


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.booleans())
def test_any_discs_are_a_board(one: int, other: int, black: bool) -> None:
    board = Board.from_discs(one, other & ~one, "black" if black else "white")
    position = quietmove.Position(fen=board.fen)
    check_same(board, position)
    assert Board.from_fen(board.fen) == board
    reason = "move: must be one of" if board.legal_moves else "move: the game is over"
    for move in range(65):
        if move not in board.legal_moves:
            before = board.fen
            with pytest.raises(ValueError, match=reason):
                board.push(move)
            assert board.fen == before
    while board.legal_moves:  # up to 64 moves and as many passes; all of them can be undone
        board.push(board.legal_moves[0])
    check_same(board, quietmove.Position(fen=board.fen))


def test_the_leaves_are_counted() -> None:
    board = Board()
    assert [board.perft(depth) for depth in range(10)] == PERFT
    assert board == Board()
    late = Board()
    while not late.is_over:
        late.push(late.legal_moves[-1])
        position = quietmove.Position(fen=late.fen)
        assert late.perft(4) == position._position.perft(4)
    assert late.perft(8) == late.perft(30) == 1
    for wrong in (-1, 65, 2.0, "3"):
        with pytest.raises(ArgumentError, match=f"depth: must be an integer from 0 to 64, not {wrong!r}"):
            late.perft(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda wrong: Board.format_move(-1), IllegalMoveError, "move: must be an integer from 0 to 64, not -1"),
        (lambda wrong: Board.format_move(1000), IllegalMoveError, "move: must be an integer from 0 to 64, not 1000"),
        (lambda wrong: Board().push(2**70), IllegalMoveError, "move: must be an integer from 0 to 64, not 118"),
        (Board.format_move, IllegalMoveError, r"move: must be an integer from 0 to 64, not \[\]"),
        (Board().push, IllegalMoveError, r"move: must be an integer from 0 to 64, not \[\]"),
        (Board.parse_move, NotationError, r"move: must be a string, not \[\]"),
        (Board.from_fen, PositionError, r"position: must be a string, not \[\]"),
        (Board().random_game, ArgumentError, r"seed: must be an integer, not \[\]"),
        (Board().perft, ArgumentError, r"depth: must be an integer from 0 to 64, not \[\]"),
        (lambda wrong: Board.from_discs(1, 2, wrong), PositionError, r"turn: must be black or white, not \[\]"),
        (lambda wrong: Board.from_discs(wrong, 1), PositionError, r"own: must be an unsigned 64-bit integer, not \[\]"),
    ],
)
def test_a_value_of_another_type_is_one_error(
    call: Callable[[Any], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call([])


def test_a_long_count_ends_at_an_interrupt() -> None:
    code = "from quietmove import Board\nprint(flush=True)\nBoard().perft(40)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=WAIT)
    assert errors.decode().splitlines()[-1] == "KeyboardInterrupt"


def test_a_forced_pass_and_the_end() -> None:
    board = Board.from_fen("XO------" + "-" * 56 + " O")
    assert board.legal_moves == [64]
    with pytest.raises(ValueError, match=r"move: must be one of \[64\], not 2"):
        board.push(2)
    board.push(64)
    assert (board.legal_moves, board.turn) == ([2], "black")
    board.push(2)
    assert (board.legal_moves, board.is_over, board.discs, board.result) == ([], True, (3, 0), 64)
    with pytest.raises(ValueError, match=r"move: .*the game is over"):
        board.push(64)
    assert [board.pop(), board.pop()] == [2, 64]
    assert board.fen == "XO------" + "-" * 56 + " O"
    assert Board.from_discs(1, 0, "white").result == -64
    assert Board.from_discs(0, 0).result == 0


@pytest.mark.parametrize("move", ["d3", 19.0, None, 2**70, [19]])
def test_what_is_no_number_of_a_move_is_refused(move: Any) -> None:
    board = Board()
    with pytest.raises(ValueError, match="move: must be an integer from 0 to 64, not"):
        board.push(move)
    assert board == Board()
    board.push(np.int8(19))  # an action chosen by a network
    assert board.fen == quietmove.Position(moves="d3").fen


@pytest.mark.parametrize(
    ("own", "opponent", "message"),
    [
        (3, 2, "opponent: must not share a square with own, but both have b1"),
        (-1, 0, "own: must be an unsigned 64-bit integer, not -1"),
        (0, 2**64, "opponent: must be an unsigned 64-bit integer, not 18446744073709551616"),
        (1.0, 0, "own: must be an unsigned 64-bit integer, not 1.0"),
    ],
)
def test_what_are_no_discs_is_one_error(own: Any, opponent: Any, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Board.from_discs(own, opponent)


def test_texts() -> None:
    board = Board()
    board.push(Board.parse_move("F5"))
    assert eval(repr(board), {"Board": Board}) == board
    assert str(board) == str(quietmove.Position(moves="f5"))
    assert Board.from_fen("8/8/8/3ox3/3xo3/8/8/8 x") == Board()
    assert (Board.parse_move("pass"), Board.format_move(64), Board.format_move(37)) == (64, "pass", "f5")
    for text in ("", "X"):
        with pytest.raises(PositionError):
            Board.from_fen(text)
    with pytest.raises(NotationError):
        Board.parse_move("j9")


def test_boards_are_values() -> None:
    board, other = Board(), Board()
    for move in (19, 18, 17):
        board.push(move)
    for move in (17, 18, 19):
        if move in other.legal_moves:
            other.push(move)
    assert len({Board().key, Board().key, board.key}) == 2
    assert board != Board() != quietmove.Position()
    assert Board.from_discs(board.own, board.opponent, "white") == board
    assert Board.from_discs(board.own, board.opponent) != board
    for same in (pickle.loads(pickle.dumps(board)), copy.copy(board), copy.deepcopy(board), board.copy()):
        assert (same, same.moves, same.key) == (board, board.moves, board.key)
        same.push(same.legal_moves[0])
        assert same != board
    assert len(pickle.dumps(board)) < 120


def test_a_random_game_follows_from_its_seed() -> None:
    games = [Board().random_game(seed) for seed in (1, 2, 1, -5, 10**30)]
    assert games[0] == games[2] != games[1]
    board, followed = Board(), Board()
    for move in board.random_game(7):
        followed.push(move)
    assert board == followed
    assert board.is_over
    assert board.random_game(1) == []
    firsts = {Board().random_game(seed)[0] for seed in range(50)}
    assert firsts == set(Board().legal_moves)


def test_analyses_and_engines_take_a_board() -> None:
    board = Board()
    board.push(37)
    position = quietmove.Position(moves="f5")
    analysis = quietmove.analyse(board, quietmove.Limit(depth=4))
    assert analysis.best_move == quietmove.analyse(position, quietmove.Limit(depth=4)).best_move
    config = quietmove.player("", protocol="in-process", limit="depth=2", options={"Hash": 1})
    with quietmove.Engine(config) as engine:
        assert engine.best_move(board).move == engine.best_move(quietmove.Position(fen=position.fen)).move
        with pytest.raises(PositionError, match=r"must be a quietmove\.Position or quietmove\.Board, not 'f5'"):
            engine.best_move("f5")  # type: ignore[arg-type]
    with pytest.raises(PositionError, match=r"must be a quietmove\.Position or quietmove\.Board, not 'f5'"):
        quietmove.analyse("f5", "depth=1")  # type: ignore[arg-type]
