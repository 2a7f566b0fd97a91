"""The selective search: what it may leave out, what it says of that, and what it must never change."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.node import CONFIDENCES, INFINITE, Search
from quietmove.engine.search.table import Table
from quietmove.engine.values import Goal, Info, Limits, Settings
from tests.fakes.addons import present_games

DEPTH = 8
LEVELS = range(1, len(CONFIDENCES))


def played(seed: int, left: int, name: str = "othello") -> Position:
    """Return a position of a random game with ``left`` empty squares, or as near to it as a game that goes on has."""
    choices = random.Random(seed)
    while True:
        position = get_game(name).initial()
        while (moves := position.legal_moves()) and position.moves_left() > left:
            position.play(choices.choice(moves))
        if moves:
            return position


def searched(position: Position, settings: Settings, limits: Limits, table: Table | None = None) -> list[Info]:
    return [replace(info, time=0) for info in Deepening(position, table, settings, limits).iterations()]


@pytest.fixture(scope="module")
def middle_games() -> list[Position]:
    return [played(seed, 24 + 2 * seed) for seed in range(6)]


@pytest.fixture(scope="module")
def full_width(middle_games: list[Position]) -> list[list[Info]]:
    return [searched(each, Settings(), Limits(depth=DEPTH), Table(1)) for each in middle_games]


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (1, [(2411, 116644), (-879, 81511), (2323, 4181), (-880, 92107)]),
        (2, [(2411, 101720), (-879, 68929), (2323, 4005), (-880, 81240)]),
        (3, [(2411, 71912), (-879, 53352), (2323, 3691), (-880, 64885)]),
        (4, [(2411, 53193), (-879, 39123), (2323, 3064), (-1015, 46390)]),
        (5, [(2411, 37656), (-979, 22324), (2319, 2470), (-1015, 32089)]),
    ],
)
def test_values_and_nodes_of_fixed_positions(level: int, expected: list[tuple[int, int]]) -> None:
    """A change of the search, or of the shipped evaluation, changes these numbers."""
    limits = Limits(depth=10)
    last = [searched(played(n, 30 + n), Settings(selectivity=level), limits, Table(1))[-1] for n in range(4)]
    assert [(info.score.value, info.nodes) for info in last] == expected
    assert {info.confidence for info in last} == {CONFIDENCES[level]}


def test_a_verdict_is_as_certain_as_its_confidence_says() -> None:
    """Whether a value is above or below a bound half a disc away. A margin of the wrong sign makes a fifth wrong."""
    level, depth, wrong = 1, 7, []
    for seed in range(24):
        position = played(seed, 24 + seed)
        moves = position.legal_moves()
        value = Search(position, None, Settings(), lambda: False).run(depth, -INFINITE, INFINITE, moves, whole=True)
        search = Search(position, None, Settings(), lambda: False)
        search.choose_selectivity(level)
        for bound in (value - 50, value + 50):
            found = search.run(depth, bound - 1, bound, moves, whole=True)
            wrong.append((found >= bound) != (value >= bound))
    assert CONFIDENCES[level] >= 95
    assert sum(wrong) / len(wrong) < 0.1


def test_values_and_nodes_with_quiescence() -> None:
    """A position whose static value is good enough is not searched further, which only the nodes show."""
    settings = Settings(selectivity=0, quiescence=True)
    last = [searched(played(n, 30 + n), settings, Limits(depth=6), Table(1))[-1] for n in range(4)]
    assert [(info.score.value, info.nodes) for info in last] == [
        (2816, 16665),
        (-772, 11186),
        (1741, 2320),
        (-977, 5286),
    ]


def test_the_first_iterations_leave_nothing_out(middle_games: list[Position], full_width: list[list[Info]]) -> None:
    for position, whole in zip(middle_games, full_width, strict=True):
        infos = searched(position, Settings(selectivity=5), Limits(depth=DEPTH), Table(1))
        full = [info for info in infos if info.confidence == 100]
        assert 1 < len(full) < DEPTH
        assert infos[: len(full)] == whole[: len(full)]


@pytest.mark.parametrize("goal", ["solve", "wld"])
def test_the_end_of_the_game_is_exact_at_last(goal: Goal) -> None:
    position = played(100, 17)
    limits = Limits(goal=goal)
    exact = searched(position, Settings(), limits, Table(1))[-1]
    for level in LEVELS:
        infos = searched(position, Settings(selectivity=level), limits, Table(1))
        assert (infos[-1].score, infos[-1].confidence, infos[-1].depth) == (exact.score, 100, 17)
        confidences = [info.confidence for info in infos if info.depth == 17]
        assert confidences == sorted(confidences)
        assert len(confidences) > 1
        assert confidences[0] == CONFIDENCES[level]


def test_a_limit_leaves_the_confidence_of_the_last_whole_iteration() -> None:
    """The search to the end is cut off by its nodes: what it says last is not exact, and says so."""
    position = played(103, 18)
    infos = searched(position, Settings(selectivity=5), Limits(goal="solve"), Table(1))
    at_the_end = [info for info in infos if info.depth == 18]
    limits = Limits(goal="solve", nodes=at_the_end[-2].nodes + 1000)
    cut = searched(position, Settings(selectivity=5), limits, Table(1))
    assert cut == infos[:-1]
    assert cut[-1].confidence < 100


def test_where_the_limit_does_not_allow_an_exact_search_a_selective_one_comes_first() -> None:
    confidences = set()
    for seed in range(3):
        infos = searched(played(300 + seed, 18), Settings(selectivity=5), Limits(nodes=1_000_000), Table(1))
        confidences |= {info.confidence for info in infos if info.depth == 18}
    assert confidences >= {73, 95, 99}


def test_what_a_selective_search_left_in_the_table_answers_no_other(
    middle_games: list[Position], full_width: list[list[Info]]
) -> None:
    """The full search goes to its depth at once: earlier iterations would write over what was left."""
    differ = 0
    for position, whole in zip(middle_games, full_width, strict=True):
        table = Table(1)
        selective = searched(position, Settings(selectivity=5), Limits(depth=DEPTH), table)
        differ += selective[-1].score != whole[-1].score
        full = Search(position, table, Settings(), lambda: False)
        value = full.run(DEPTH, -INFINITE, INFINITE, position.legal_moves(), whole=True)
        assert value == whole[-1].score.value
    assert differ


def test_what_left_nothing_out_answers_a_selective_search(middle_games: list[Position]) -> None:
    alone = after = 0
    for position in middle_games:
        table = Table(4)
        searched(position, Settings(), Limits(depth=DEPTH), table)
        after += searched(position, Settings(selectivity=5), Limits(depth=DEPTH), table)[-1].nodes
        alone += searched(position, Settings(selectivity=5), Limits(depth=DEPTH), Table(4))[-1].nodes
    assert after < 0.8 * alone


@pytest.mark.parametrize("name", present_games("connect 4x4x3", "capture", "nim 3,4,5", "tree 4x6 3"))
def test_a_game_without_parameters_ignores_it(name: str) -> None:
    position = get_game(name).initial()
    assert not any(position.is_predicted(depth) for depth in range(64))
    full, selective = (searched(position, Settings(selectivity=level), Limits(depth=6), Table(1)) for level in (0, 5))
    assert full == selective


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta"])
def test_another_algorithm_ignores_it(algorithm: str) -> None:
    position = played(5, 40)
    limits = Limits(depth=4)
    full = searched(position, Settings(algorithm), limits, Table(1))
    assert searched(position, Settings(algorithm, selectivity=5), limits, Table(1)) == full


def test_a_stop_within_the_shallow_search_ends_the_search() -> None:
    """Wherever the limit falls, the whole iterations before it stay the same, and the position stands as it did."""
    position = played(7, 30)
    infos = searched(position, Settings(selectivity=5), Limits(depth=DEPTH), Table(1))
    choices = random.Random(1)
    for nodes in [choices.randint(infos[3].nodes, infos[-1].nodes) for _ in range(12)]:
        ply, key = position.ply, position.key
        cut = searched(position, Settings(selectivity=5), Limits(depth=DEPTH, nodes=nodes), Table(1))
        assert cut == infos[: len(cut)]
        assert len(cut) == sum(info.nodes <= nodes for info in infos)
        assert (position.ply, position.key) == (ply, key)
