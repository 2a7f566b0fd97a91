from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from statistics import stdev

import pytest

from quietmove.referee.config.model import Color
from quietmove.referee.match.score import Margin
from quietmove.tournament.games import GameId, Result
from quietmove.tournament.statistics.standings import standings


def result(
    number: int,
    pair: str,
    points_black: float,
    margin_black: int = 0,
    *,
    forfeited_by: str | None = None,
    round_number: int = 1,
    opening: str = "",
    moves: str | None = None,
) -> Result:
    """Make a result; odd numbers have the first of the pair as Black, and no two have the same moves unless given."""
    color: Color = "black" if number % 2 else "white"
    reason = "crash" if forfeited_by else "finished"
    game = GameId(round_number, (pair[0], pair[1]), color)
    moves = str(number) if moves is None else moves
    return Result(game, number, points_black, margin_black, reason, forfeited_by, opening, moves)


RESULTS = [
    result(1, "ab", 1, 20),
    result(2, "ab", 0, -10),
    result(3, "ac", 0.5),
    result(4, "ac", 1, 64, forfeited_by="a"),
    result(5, "bc", 0, -2),
    result(7, "ab", 0, -64, round_number=2, forfeited_by="a"),
    result(8, "ab", 0.5, 0, round_number=2),
]


def test_points_margins_and_forfeits() -> None:
    rows = {row.name: row for row in standings(list("abc"), RESULTS).rows}
    a, b, c = (rows[name] for name in "abc")
    assert (a.games, a.wins, a.draws, a.losses, a.points) == (6, 2, 2, 2, 3.0)
    assert (b.games, b.wins, b.draws, b.losses, b.points) == (5, 1, 1, 3, 1.5)
    assert (c.games, c.wins, c.draws, c.losses, c.points) == (3, 2, 1, 0, 2.5)
    assert (a.margin, b.margin, c.margin) == (20 + 10 - 64 - 64, -20 - 10 - 2 + 64, 64 + 2)
    assert (a.forfeits, b.forfeits, c.forfeits) == (2, 0, 0)
    # the pairs of b: against a, -15 in the mean of two games, and +32; against c, -2 in the only game played
    assert b.distinct_margin.mean == pytest.approx((-15 + 32 - 2) / 3)
    assert b.distinct_margin.error == pytest.approx(stdev([-15, 32, -2]) / math.sqrt(3))


def test_the_best_stands_first_and_is_compared_with_the_next() -> None:
    table = standings(list("abc"), RESULTS)
    assert [row.name for row in table.rows] == ["c", "a", "b"]
    assert [row.elo for row in table.rows] == sorted((row.elo for row in table.rows), reverse=True)
    superiorities = [row.superiority for row in table.rows]
    assert superiorities[-1] is None
    assert all(value is not None and 0.5 < value < 1 for value in superiorities[:-1])


def test_nothing_is_said_of_engines_that_have_not_played() -> None:
    table = standings(list("abc"), [result(1, "ab", 1.0)])
    assert [(row.name, row.superiority) for row in table.rows] == [("a", None), ("c", None), ("b", None)]


def test_a_meeting_counts_pairs_whose_two_games_are_there() -> None:
    table = standings(list("abc"), RESULTS)
    found = [(each.first, each.second, each.games, each.points, each.pentanomial) for each in table.meetings]
    assert found == [
        ("a", "b", 4, 2.5, (0, 1, 0, 0, 1)),
        ("a", "c", 2, 0.5, (0, 1, 0, 0, 0)),
        ("b", "c", 1, 0.0, (0, 0, 0, 0, 0)),
    ]
    first = table.meetings[0]
    assert (first.distinct, first.wins, first.draws, first.losses) == (4, 2, 1, 1)
    assert (first.margin, first.distinct_margin) == (20 + 10 - 64 + 0, Margin.of(Counter([15, -32])))


def test_the_order_in_which_results_come_does_not_matter() -> None:
    assert standings(list("abc"), RESULTS) == standings(list("abc"), RESULTS[::-1])


def test_before_the_first_game_all_are_equal_in_the_order_given() -> None:
    table = standings(list("bac"), [])
    assert [row.name for row in table.rows] == list("bac")
    assert all((row.games, row.elo, row.distinct_margin) == (0, 0, Margin(0, None)) for row in table.rows)
    assert table.games == 0


def match(*rounds: tuple[str, str, str, float]) -> list[Result]:
    """Make a match of a and b: opening, the moves of both games, and a's points in the game in which it is Black.

    The second game of each round is always a draw.
    """
    found = []
    for number, (opening, first, second, points) in enumerate(rounds, 1):
        found.append(result(2 * number - 1, "ab", points, round_number=number, opening=opening, moves=first))
        found.append(result(2 * number, "ab", 0.5, round_number=number, opening=opening, moves=second))
    return found


def test_games_that_repeat_each_other_exactly_count_once() -> None:
    once = standings(list("ab"), match(("x", "x1", "x2", 1), ("y", "y1", "y2", 0.5)))
    often = standings(list("ab"), match(*[("x", "x1", "x2", 1)] * 9, ("y", "y1", "y2", 0.5)))
    assert [(row.games, row.distinct, row.points) for row in once.rows] == [(4, 4, 2.5), (4, 4, 1.5)]
    assert [(row.games, row.distinct, row.points) for row in often.rows] == [(20, 4, 14.5), (20, 4, 5.5)]
    assert [(row.elo, row.error, row.superiority) for row in often.rows] == [
        (row.elo, row.error, row.superiority) for row in once.rows
    ]
    assert (often.games, often.distinct) == (20, 4)
    (meeting,) = often.meetings
    assert (meeting.games, meeting.distinct, meeting.points, meeting.pentanomial) == (20, 4, 14.5, (0, 0, 1, 1, 0))


def test_where_games_from_one_opening_differ_all_of_them_count() -> None:
    """A game that one of the engines plays by chance is played again by chance."""
    rounds = [("x", "x1", "x2", 1.0)] * 3
    for other in (("x", "x3", "x2", 1.0), ("x", "x1", "x3", 1.0), ("x", "x1", "x2", 0.0)):
        table = standings(list("ab"), match(*rounds, other))
        assert (table.games, table.distinct) == (8, 8)
    by_color = standings(list("ab"), match(("x", "x1", "x1", 0.5), ("x", "x2", "x2", 0.5)))
    assert by_color.distinct == 4
    table = standings(list("ab"), match(*rounds, ("y", "x1", "x2", 1.0)))
    assert (table.games, table.distinct) == (8, 4)


def test_the_same_moves_with_another_verdict_are_another_game() -> None:
    two = match(("x", "x1", "x2", 1.0), ("x", "x1", "x2", 1.0))
    assert standings(list("ab"), two).distinct == 2
    two[2] = replace(two[2], reason="timeout", forfeited_by="b")
    assert standings(list("ab"), two).distinct == 4


def test_of_equal_pairs_of_games_one_that_is_complete_is_kept() -> None:
    found = match(("x", "x1", "x2", 1.0), ("x", "x1", "x2", 1.0))
    (meeting,) = standings(list("ab"), found[1:]).meetings
    assert (meeting.games, meeting.distinct, meeting.pentanomial) == (3, 2, (0, 0, 0, 1, 0))


def test_two_engines_repeat_only_their_own_games() -> None:
    found = [result(1, "ab", 1, moves="m"), result(3, "ac", 1, moves="m"), result(5, "bc", 1, moves="m")]
    assert standings(list("abc"), found).distinct == 3
