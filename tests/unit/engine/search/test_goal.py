"""What a search finds that is asked for the end of the game: the exact value, or only win, draw or loss."""

from __future__ import annotations

import random
from functools import cache

import pytest

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.game import UserGame
from quietmove.engine.search.deepening import EXACT_WITHIN, Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Goal, Info, Limits, Score, Settings
from tests.fakes.addons import needs_games, present_games
from tests.fakes.games import Endless, exact_values, play_at_random

TREE = 8_000  # leaf limit for plain minimax
# These positions end after the given number of moves.
EMPTIES = {
    "othello": 7,
    "connect 4x3x3": 8,
    "tictactoe": 9,
    **dict.fromkeys(present_games("capture X-O--X-O"), 16),
    **dict.fromkeys(present_games("nim 3,4,2"), 30),
}
SETTINGS = (Settings(), Settings("alphabeta", "none"), Settings("minimax"), Settings("pvs", "mobility", True))


def searched(position: Position, limits: Limits, settings: Settings | None = None) -> list[Info]:
    return list(Deepening(position, Table(1), settings or Settings(), limits).iterations())


@cache
def late_positions(name: str) -> list[Position]:
    """Return positions of random games that plain minimax can search to the end, finished ones left out."""
    found: list[Position] = []
    for seed in range(40):
        choices = random.Random(seed)
        position = get_game(name).initial()
        most = choices.randint(1, EMPTIES[name])
        play_at_random(position, choices, left=most)
        if not position.is_over() and position.perft(12) <= TREE:
            found.append(position.copy())
    return found


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


@pytest.mark.parametrize("name", EMPTIES)
def test_both_goals_agree_with_minimax(name: str) -> None:
    outcomes = set()
    for number, position in enumerate(late_positions(name)):
        of_moves = exact_values(position)
        best = max(of_moves.values())
        settings = SETTINGS[number % len(SETTINGS)]
        exact = searched(position, Limits(goal="solve"), settings)[-1]
        assert exact.score == Score(best)
        assert of_moves[exact.pv[0]] == best
        side = searched(position, Limits(goal="wld"), settings)[-1]
        assert sign(side.score.value) == sign(best)
        assert side.score.bound != ("upper", "lower", "lower")[sign(best) - 1]
        assert sign(of_moves[side.pv[0]]) == sign(best)
        outcomes.add(sign(best))
    assert {1, -1} <= outcomes


def test_a_win_a_draw_and_a_loss_are_bounds_and_cost_less() -> None:
    nodes = dict.fromkeys(("solve", "wld"), 0)
    found = set()
    for position in late_positions("othello"):
        infos = {goal: searched(position, Limits(goal=goal))[-1] for goal in nodes}
        for goal, info in infos.items():
            nodes[goal] += info.nodes
        found.add((sign(infos["solve"].score.value), infos["wld"].score))
    assert found == {(1, Score(1, "lower")), (0, Score(0)), (-1, Score(-1, "upper"))}
    assert nodes["wld"] < 0.9 * nodes["solve"]


def test_several_lines_are_asked_for_their_side_of_a_draw() -> None:
    seen = set()
    for position in late_positions("othello"):
        of_moves = exact_values(position)
        infos = searched(position, Limits(goal="wld"), Settings(multipv=64))[-len(of_moves) :]
        assert [info.rank for info in infos] == list(range(1, len(of_moves) + 1))
        assert {info.pv[0]: sign(info.score.value) for info in infos} == {
            move: sign(value) for move, value in of_moves.items()
        }
        seen.add(len(of_moves))
    assert max(seen) > 3


def test_where_every_move_loses_the_one_that_seemed_best_is_made() -> None:
    differs = 0
    for position in late_positions("othello"):
        infos = searched(position, Limits(goal="wld"))
        if infos[-1].score.value < 0 and len(infos) > 1:
            assert infos[-1].pv == infos[-2].pv[:1]
            differs += infos[-1].pv[0] != position.legal_moves()[0]
    assert differs > 2


@pytest.mark.parametrize("goal", ["solve", "wld"])
def test_the_end_is_searched_however_little_time_it_is_likely_to_have(played_late: Position, goal: Goal) -> None:
    """A clock that has nearly run out keeps an ordinary search from starting the last iteration."""
    end = played_late.moves_left()
    for limits in (Limits(nodes=10**6), Limits(nodes=2 * 10**5)):
        depths = [info.depth for info in searched(played_late, Limits(nodes=limits.nodes, goal=goal))]
        assert depths[:2] == [1, end][: len(depths)]
    assert [info.depth for info in searched(played_late, Limits(nodes=10**4))][:3] == [1, 2, 3]
    assert [info.depth for info in searched(played_late, Limits(nodes=50, goal=goal))] == [1]
    assert [info.depth for info in searched(played_late, Limits(depth=3, goal=goal))] == [1, 2, 3]


@pytest.fixture
def played_late() -> Position:
    """A position of Othello with so many empty squares that the exact search may just follow the first iteration."""
    position = get_game("othello").initial()
    play_at_random(position, random.Random(3), left=EXACT_WITHIN + 1)
    return position


def test_an_only_move_is_searched_to_its_value() -> None:
    position = get_game("othello").parse_position(
        ["XOOOOOO-XXOOOXXXXXOXOXXXXOXOXOXXOXXXOXOXOOXXXOXX-XOOOXXX-OXXXX--", "O"]
    )
    move = position.legal_moves()[0]
    limits = Limits(time=100_000, searchmoves=(move,))
    assert [info.depth for info in searched(position, limits)] == [1]
    asked = Limits(time=100_000, searchmoves=(move,), goal="solve")
    assert searched(position, asked)[-1].score == Score(exact_values(position)[move])


@pytest.mark.parametrize(
    ("name", "goal", "message"),
    [
        pytest.param(
            "subtraction 500 3",
            "solve",
            "solve: the end of the game must be at most 200 moves away, not 500",
            marks=needs_games,
        ),
        ("", "wld", "wld: the end of the game must be at most 200 moves away, but this game has no bound"),
    ],
)
def test_an_end_that_is_too_far_away(name: str, goal: Goal, message: str) -> None:
    position = (get_game(name) if name else UserGame("endless", Endless())).initial()
    with pytest.raises(LimitsError, match=message):
        Deepening(position, None, Settings(), Limits(goal=goal))
    assert searched(position, Limits(depth=2))


def test_no_move_is_tried_beside_one_that_wins_the_whole_board() -> None:
    """To find the other moves no better takes a hundred times the nodes."""
    squares = "XO-------OX------OXXO--XXXXXXOOX--XXOXOX-OXXXXXX--XXXXXXXXXXXXXX"
    position = get_game("othello").parse_position([squares, "X"])
    *_, info = Deepening(position, Table(16), Settings(), Limits(goal="solve")).iterations()
    assert info.score.value == 6400 == position.largest_score
    assert info.nodes < 300_000
