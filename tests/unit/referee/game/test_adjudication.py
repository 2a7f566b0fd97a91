"""When the referee ends a game itself, on positions and lists of claims; a whole game is in tests/unit/test_api.py."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import Adjudication
from quietmove.referee.game import judged_game
from quietmove.referee.game.judged_game import adjudicate, agreed_loser, solve
from quietmove.referee.game.record import MoveRecord


def best_result(position: Position) -> int:
    """Return the result from Black's view, by trying everything."""
    if position.is_over():
        return position.result()
    results = []
    for move in position.legal_moves():
        position.play(move)
        results.append(best_result(position))
        position.undo()
    return min(results) if position.side_to_move else max(results)


def claims(black: list[int | None], white: list[int | None]) -> list[MoveRecord]:
    """Return moves with these scores, in turn, behind an opening."""
    moves = [MoveRecord("f5", "opening")]
    for of_black, of_white in zip(black, white, strict=True):
        moves += [MoveRecord("d3", "black", score=of_black), MoveRecord("c4", "white", score=of_white)]
    return moves


@pytest.mark.parametrize("seed", range(8))
def test_the_solved_result_is_that_of_all_lines(played: Any, seed: int) -> None:
    position = played(seed, 53)
    text = get_game("othello").format_position(position)
    assert asyncio.run(solve(position)) == best_result(position)
    assert get_game("othello").format_position(position) == text


@pytest.mark.parametrize(("game", "moves", "points"), [("tictactoe", "a1 b1 a2", 1), ("connect 4x3x3", "b c", None)])
def test_any_game_with_an_end_is_solved(game: str, moves: str, points: float | None) -> None:
    position = get_game(game).initial()
    for move in moves.split():
        position.play(get_game(game).parse_move(position, move))
    verdict = asyncio.run(adjudicate(Adjudication(solve_empties=16), position, []))
    result = best_result(position)
    assert verdict is not None
    assert verdict.points_black == (1.0 if result > 0 else 0.0 if result < 0 else 0.5)
    assert points is None or verdict.points_black == points
    assert verdict.margin_black in (-1, 0, 1)


def test_a_game_goes_on_until_few_enough_moves_are_left(played: Any) -> None:
    position = played(3, 50)
    left = position.moves_left()
    assert asyncio.run(adjudicate(Adjudication(), position, [])) is None
    assert asyncio.run(adjudicate(Adjudication(solve_empties=left - 1), position, [])) is None
    verdict = asyncio.run(adjudicate(Adjudication(solve_empties=left), position, []))
    assert verdict is not None
    assert (verdict.reason, verdict.loser) == ("adjudicated", None)
    assert f"solved with {left} moves left" in verdict.detail
    assert 100 * verdict.margin_black == best_result(position)


def test_a_game_that_is_too_hard_to_solve_goes_on(played: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged_game, "SOLVER_NODES", 100)
    assert asyncio.run(adjudicate(Adjudication(solve_empties=30), played(1, 32), [])) is None


@pytest.mark.parametrize(
    ("black", "white", "loser"),
    [
        ([-500, -500], [500, 500], "black"),
        ([900, 500], [-501, -700], "white"),
        ([-500, -499], [500, 500], None),  # the last score is not decisive enough
        ([-500, -500], [500, 0], None),
        ([500, 500], [500, 500], None),  # both claim to win, so one is wrong
        ([-500, -500], [-500, -500], None),  # both claim to lose
        ([-9999, -9999], [10, 10], None),  # only one engine agrees
        ([-500, None], [500, 500], None),
        ([-500], [500], None),  # too few reports
        ([100, -500, -500], [100, 500, 500], "black"),  # earlier reports do not matter
    ],
)
def test_a_loss_needs_the_word_of_both(black: list[int | None], white: list[int | None], loser: str | None) -> None:
    rules = Adjudication(resign_score=5, resign_moves=2)
    moves = claims(black, white)
    assert agreed_loser(moves, rules) == loser
    verdict = asyncio.run(adjudicate(rules, get_game("othello").initial(), moves))
    assert (verdict is None) == (loser is None)


@pytest.mark.parametrize(
    ("black", "white", "is_drawn"),
    [
        ([100, -100], [0, 99], True),
        ([100, -101], [0, 99], False),
        ([101, 0, 0], [500, 0, 0], True),  # earlier reports do not matter
        ([0], [0], False),  # too few reports
        ([0, None], [0, 0], False),
    ],
)
def test_a_draw_needs_the_word_of_both(black: list[int | None], white: list[int | None], is_drawn: bool) -> None:
    moves, start = claims(black, white), get_game("othello").initial()
    for rules, expected in (
        (Adjudication(draw_moves=2, draw_score=1), is_drawn),
        (Adjudication(draw_moves=2, draw_score=1, draw_after=len(moves)), is_drawn),
        (Adjudication(draw_moves=2, draw_score=1, draw_after=len(moves) + 1), False),
        (Adjudication(draw_score=1), False),
    ):
        verdict = asyncio.run(adjudicate(rules, start, moves))
        assert (verdict is not None) == expected
        if verdict is not None:
            assert (verdict.reason, verdict.loser, verdict.points_black, verdict.margin_black) == (
                "adjudicated",
                None,
                0.5,
                0,
            )


def test_an_agreed_loss_counts_as_the_lesser_claim() -> None:
    rules = Adjudication(resign_score=5, resign_moves=1)
    verdict = asyncio.run(adjudicate(rules, get_game("othello").initial(), claims([-700], [100_000])))
    assert verdict is not None
    assert (verdict.reason, verdict.loser, verdict.points_black, verdict.margin_black) == ("adjudicated", None, 0.0, -7)
    verdict = asyncio.run(adjudicate(rules, get_game("othello").initial(), claims([10**9], [-(10**9)])))
    assert verdict is not None
    assert (verdict.points_black, verdict.margin_black) == (1.0, 64)


def test_a_limit_of_plies_makes_a_draw() -> None:
    position, moves = get_game("othello").initial(), claims([None] * 4, [None] * 4)
    assert asyncio.run(adjudicate(Adjudication(max_plies=10), position, moves)) is None
    verdict = asyncio.run(adjudicate(Adjudication(max_plies=9), position, moves))
    assert verdict is not None
    assert (verdict.reason, verdict.points_black, verdict.detail) == (
        "adjudicated",
        0.5,
        "the game has not ended after 9 plies",
    )


def test_a_game_that_does_not_bound_its_length_is_not_solved() -> None:
    game = get_game("tests/example_games/hexapawn/hexapawn.py:Hexapawn").name
    assert not any(Adjudication().problems(game, ()))
    ((key, text),) = Adjudication(solve_empties=4).problems(game, ())
    assert key == "solve_empties"
    assert "does not report how many moves are left" in text
