"""Levels of strength: what a level sees, misjudges and overlooks, and what it never changes."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.levels import FULL_ELO, FULL_STRENGTH, LEVELS, Level
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.levels import LevelSearch, level_of_elo
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, SearchResult, Settings
from tests.fakes.talk import SessionTalk

PlayedPosition = Callable[[int, int], Position]  # the type of a fixture in conftest.py
SURE = Level(0, depth=4, nodes=10**6)
ERRING = replace(SURE, error=1000)
HASTY = replace(SURE, overlooked=60)


def level_search(
    level: Level,
    position: Position,
    settings: Settings = Settings(),  # noqa: B008 (a frozen value)
    limits: Limits = Limits(),  # noqa: B008
    table: Table | None = None,
) -> LevelSearch:
    def make(table: Table | None, settings: Settings, limits: Limits) -> Deepening:
        return Deepening(position.copy(), table, settings, limits)

    return LevelSearch(level, position, table, settings, limits, "discs", make)


def run(*arguments: Any, **named: Any) -> tuple[list[Info], SearchResult]:
    search = level_search(*arguments, **named)
    return list(search.iterations()), search.result()


def untimed(info: Info) -> Info:
    return replace(info, time=0, hashfull=0, probes=0, hits=0)


# Reports and moves


def test_reports_are_what_was_searched_and_the_move_played_has_one(played: PlayedPosition) -> None:
    others = 0
    for seed in range(20):
        position = played(seed, 20)
        infos, result = run(ERRING, position, Settings(seed=seed))
        everything = Settings(multipv=len(position.legal_moves()))
        true = {line.pv[0]: line for line in Deepening(position.copy(), None, everything, Limits(depth=4)).iterations()}
        assert [info.depth for info in infos if info.rank == 1] == [1, 2, 3, 4]
        assert infos[-1].pv[0] == result.move
        assert (infos[-1].score, infos[-1].depth) == (result.score, result.depth)
        for info in infos:
            if info.depth == 4:
                assert untimed(info) == untimed(true[info.pv[0]])
        others += infos[-1].rank > 1
    assert 7 < others < 20  # an error of 10 discs changes most choices


def test_what_is_counted_out_is_not_misjudged(played: PlayedPosition) -> None:
    for seed in range(30):
        position = played(seed, 56)
        if position.is_over() or position.moves_left() > 4:
            continue
        for limits in (Limits(), Limits(searchmoves=tuple(position.legal_moves()))):
            _, result = run(ERRING, position, Settings(seed=seed), limits)
            best = Deepening(position.copy(), None, Settings(), Limits(goal="solve"))
            assert list(best.iterations())[-1].score == result.score


def test_a_win_that_is_seen_is_played() -> None:
    game = get_game("connect 7x6x4")
    position = game.initial()
    for column in "ddccbb":
        position.play(game.parse_move(position, column))
    for seed in range(50):
        _, result = run(ERRING, position, Settings(seed=seed))
        assert result.move is not None
        assert game.format_move(result.move) in ("a", "e")


def test_moves_are_overlooked_as_often_as_the_row_says_and_never_all(played: PlayedPosition) -> None:
    seen = legal = 0
    for seed in range(300):
        position = played(seed, 20)
        moves = position.legal_moves()
        search = level_search(HASTY, position, Settings(seed=seed, multipv=64), Limits(depth=1))
        considered = {info.pv[0] for info in search.iterations()}
        assert considered
        assert considered <= set(moves)
        seen, legal = seen + len(considered), legal + len(moves)
    assert 0.35 < seen / legal < 0.47  # 40 % of the moves are seen; if all were overlooked, one is still considered


def test_errors_spread_as_the_row_says(played: PlayedPosition) -> None:
    errors = [error for seed in range(200) for error in level_search(ERRING, played(seed, 20))._errors.values()]
    assert abs(statistics.fmean(errors)) < 60
    assert 950 < statistics.pstdev(errors) < 1050


def test_only_moves_that_may_be_searched_are_played(played: PlayedPosition) -> None:
    for seed in range(20):
        position = played(seed, 20)
        some = tuple(position.legal_moves()[:2])
        for level in (ERRING, HASTY):
            _, result = run(level, position, Settings(seed=seed), Limits(searchmoves=some))
            assert result.move in some


def test_the_lowest_levels_judge_by_the_simplest_evaluator(othello: Game) -> None:
    position = othello.initial()
    simple = replace(SURE, depth=1, simple=True)
    assert run(simple, position)[0][0].score.value == 300  # disc difference after the first move
    assert run(simple, position, Settings(evaluation="classic"))[0] != run(simple, position)[0]


# Reproducibility


def test_a_seed_gives_one_move_whatever_was_searched_before(played: PlayedPosition) -> None:
    level = LEVELS[12]
    position = played(4, 24)
    fresh = SessionTalk(level=12)
    fresh.session.set_up(position.copy())
    infos, result = fresh.go()
    used = SessionTalk(hash=1)
    used.session.set_up(position.copy())
    used.go(Limits(depth=9))
    used.change(level=12)
    again, second = used.go()
    assert list(map(untimed, infos)) == list(map(untimed, again))
    assert result.move == second.move
    assert result.nodes <= level.nodes


def test_seeds_vary_the_moves(played: PlayedPosition) -> None:
    position = played(2, 20)
    moves = {run(LEVELS[3], position, Settings(seed=seed))[1].move for seed in range(30)}
    assert len(moves) >= 3


# Other properties


@pytest.mark.parametrize("level", [0, 8])
@pytest.mark.parametrize("name", game_names())
def test_every_game_is_played_at_every_kind_of_level(name: str, level: int) -> None:
    talk = SessionTalk(game=name, level=level)
    if talk.session.position.side_to_move == NATURE:
        talk.session.position.play(talk.session.position.legal_moves()[0])
    for _ in range(3):
        legal = talk.session.position.legal_moves()
        infos, result = talk.go()
        assert all(isinstance(info, Info) for info in infos), infos
        assert infos
        assert result.move in legal
        assert result.depth >= 1
        talk.session.position.play(result.move)
        if talk.session.position.side_to_move == NATURE:
            talk.session.position.play(talk.session.position.legal_moves()[0])
        if talk.session.position.is_over():
            break


@pytest.mark.parametrize("level", [0, 7, 19])
def test_the_limits_of_go_hold_at_every_level(level: int, played: PlayedPosition) -> None:
    talk = SessionTalk(level=level)
    talk.session.set_up(played(1, 20))
    assert {info.depth for info in talk.go(Limits(depth=1))[0]} == {1}
    moves = len(talk.session.position.legal_moves())
    assert talk.go(Limits(nodes=40))[1].nodes <= max(40, moves * (moves + 1) // 2)  # one ply, with a line for each move
    assert talk.go()[1].nodes <= LEVELS[level].nodes


def test_a_wide_first_iteration_is_finished() -> None:
    infos, result = run(replace(ERRING, depth=1, nodes=10), get_game("tictactoe 8x7x5").initial())
    assert result.depth == 1
    assert 10 < infos[-1].nodes <= 56 * 57 // 2


def test_full_strength_and_questions_for_the_truth_know_no_level(played: PlayedPosition) -> None:
    position = played(3, 46)
    plain, strong, weak = SessionTalk(), SessionTalk(level=FULL_STRENGTH), SessionTalk(level=0)
    for talk in (plain, strong, weak):
        talk.session.set_up(position.copy())
    for limits in (Limits(goal="solve"), Limits(goal="wld")):
        assert [*map(untimed, plain.go(limits)[0])] == [*map(untimed, weak.go(limits)[0])]
    plain.session.clear_table()
    assert [*map(untimed, plain.go()[0])] == [*map(untimed, strong.go()[0])]


def test_without_a_table_a_level_has_none(played: PlayedPosition) -> None:
    talk = SessionTalk(hash=0, level=12)
    talk.session.set_up(played(1, 20))
    infos, result = talk.go()
    assert infos[-1].hashfull == 0
    assert result.depth >= 4


def test_a_level_beats_a_much_lower_one(othello: Game) -> None:
    won = 0
    for seed in range(6):
        position = othello.initial()
        strong = seed % 2
        while not position.is_over():
            row = LEVELS[9] if position.side_to_move == strong else LEVELS[1]
            move = run(row, position, Settings(seed=seed))[1].move
            assert move is not None
            position.play(move)
        won += (position.result() < 0) if strong else (position.result() > 0)
    assert won >= 5


# Ratings


def test_a_rating_is_played_by_the_two_levels_next_to_it(played: PlayedPosition) -> None:
    low, high = LEVELS[5], LEVELS[6]
    assert low.elo < high.elo
    quarter = low.elo + (high.elo - low.elo) // 4
    chosen = [level_of_elo(quarter, seed, played(seed, 10)) for seed in range(400)]
    assert set(chosen) == {low, high}
    assert 0.18 < chosen.count(high) / 400 < 0.32
    position = played(1, 10)
    assert [level_of_elo(level.elo, 0, position) for level in LEVELS] == list(LEVELS)
    assert level_of_elo(FULL_ELO, 0, position) is None
    assert {level_of_elo(FULL_ELO - 1, seed, position) for seed in range(50)} <= {LEVELS[-1], None}


def test_ratings_rise_and_weaknesses_fall() -> None:
    ratings = [level.elo for level in LEVELS] + [FULL_ELO]
    assert ratings[0] == 0
    assert ratings == sorted(set(ratings))
    assert [level.overlooked for level in LEVELS] == sorted((level.overlooked for level in LEVELS), reverse=True)
    assert [level.depth for level in LEVELS[2:]] == sorted(level.depth for level in LEVELS[2:])


def test_the_rating_counts_only_if_strength_is_limited(played: PlayedPosition) -> None:
    talk = SessionTalk(level=0, limit_strength=True, elo=FULL_ELO)
    talk.session.set_up(played(1, 20))
    assert talk.go(Limits(depth=7))[1].depth == 7
    talk.change(elo=0, level=FULL_STRENGTH)
    assert talk.go(Limits(depth=7))[1].depth == 1
    talk.change(limit_strength=False)
    assert talk.go(Limits(depth=7))[1].depth == 7


def test_a_level_that_makes_errors_knows_no_book() -> None:
    talk = SessionTalk(own_book=True)
    for number in (0, 14, 15, FULL_STRENGTH):
        talk.change(level=number)
        knows = number == FULL_STRENGTH or not LEVELS[number].error
        assert (talk.go()[0][0].book_moves > 0) == knows
