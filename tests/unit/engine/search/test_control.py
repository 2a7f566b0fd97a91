"""What ends a search, what it answers then, and what it reports on the way."""

from __future__ import annotations

import gc
import math
import random
import weakref
from collections.abc import Callable
from dataclasses import replace

import pytest

from quietmove.engine.games.base import WIN, Game, Position
from quietmove.engine.games.othello.board import EXACT_REACH, PASS
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening, depths
from quietmove.engine.search.mcts import MonteCarlo
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.node import INFINITE, MAX_DEPTH, SOLVED, Search
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.search.time_manager import EXACT_SPEED, SELECTIVE_GROWTH, SELECTIVE_SPEED, TimeManager
from quietmove.engine.values import Info, Limits, SearchResult, Settings

DEFAULTS = Settings()
UNLIMITED = Limits()
PlayedPosition = Callable[[int, int], Position]


def run(
    position: Position, settings: Settings = DEFAULTS, limits: Limits = UNLIMITED, table: Table | None = None
) -> tuple[list[Info], SearchResult]:
    search = Deepening(position, table, settings, limits)
    return list(search.iterations()), search.result()


def untimed(info: Info) -> Info:
    return replace(info, time=0)


def solved(position: Position, move: int) -> int:
    """Return the value of a root move by plain minimax to the end of the game."""
    position.play(move)
    value = -Minimax(position).value(255)
    position.undo()
    return value


# The table


def test_a_search_begins_where_the_table_knows_the_position(played: PlayedPosition) -> None:
    """After the two moves that were expected the first iteration is as deep as the last search was behind them."""
    nodes = {"fresh": 0, "kept": 0}
    for seed in range(6):
        position, table = played(seed, 24), Table(4)
        before, _ = run(position, limits=Limits(depth=8), table=table)
        for move in before[-1].pv[:2]:
            position.play(move)
        at_once, answer = run(position, limits=Limits(nodes=1), table=table)
        assert [(info.depth, info.score) for info in at_once] == [(6, before[-1].score)]
        assert (answer.move, answer.depth, answer.nodes) == (before[-1].pv[2], 6, 1)
        fresh, _ = run(position, limits=Limits(depth=8), table=Table(4))
        kept, _ = run(position, limits=Limits(depth=8), table=table)
        assert [(info.depth, info.score) for info in kept] == [(info.depth, info.score) for info in fresh[5:]]
        nodes["fresh"] += fresh[-1].nodes
        nodes["kept"] += kept[-1].nodes
    assert nodes["kept"] < 0.9 * nodes["fresh"]


@pytest.mark.parametrize(
    ("before", "settings", "limits", "first"),
    [
        (DEFAULTS, DEFAULTS, Limits(depth=6), 6),
        (DEFAULTS, Settings(selectivity=5), Limits(depth=7), 6),
        (DEFAULTS, DEFAULTS, Limits(depth=5), 1),
        (DEFAULTS, DEFAULTS, Limits(depth=7, searchmoves=(19,)), 1),
        (DEFAULTS, Settings(multipv=2), Limits(depth=7), 1),
        (DEFAULTS, Settings(evaluation="classic"), Limits(depth=7), 1),
        (Settings(selectivity=5), DEFAULTS, Limits(depth=7), 1),
    ],
)
def test_what_the_table_knows_is_taken_where_it_answers_the_question(
    before: Settings, settings: Settings, limits: Limits, first: int
) -> None:
    """Not where other moves, several lines, fewer plies, another evaluator or a surer answer are asked for."""
    position, table = get_game("othello").initial(), Table(4)
    run(position, before, Limits(depth=6), table)
    infos, _ = run(position, settings, limits, table)
    assert infos[0].depth == first


# Node limits


class CutOff(Deepening):
    nodes = 0

    def _obey_limits(self) -> None:
        super()._obey_limits()
        self._search.limit_nodes(self.nodes)


def cut_off(position: Position, settings: Settings, nodes: int, limits: Limits) -> tuple[list[Info], SearchResult]:
    """Search until so many nodes have been made, which no limit says unless ``limits`` does: so a clock ends it."""
    search = CutOff(position, Table(1), settings, limits)
    search.nodes = nodes
    return list(search.iterations()), search.result()


@pytest.mark.parametrize("quiescence", [False, True])
@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "pvs"])
def test_a_node_limit_is_met_exactly(played: PlayedPosition, algorithm: str, quiescence: bool) -> None:
    """The search makes as many moves as it may, and answers from the last whole iteration.

    Where a clock ends it there, a better move of the iteration that was cut off is the answer.
    """
    choices = random.Random(15)
    depths = set()
    found = 0
    for number, nodes in enumerate((1, 2, 3, 20, 100, 777, 2047, 2048, 2049, 5000, 20011)):
        position = played(nodes, choices.randrange(0, 35))
        for ordering in ORDERINGS[number % 6 :: 6]:
            settings = Settings(algorithm, ordering, quiescence)
            infos, result = run(position, settings, Limits(nodes=nodes), Table(1))
            first, _ = run(position, settings, Limits(depth=1), Table(1))
            assert result.nodes == max(nodes, first[0].nodes)  # the first iteration always completes
            assert result.depth == len(infos)
            depths.add(len(infos))
            whole, _ = run(position, settings, Limits(depth=len(infos) + 1), Table(1))
            assert [untimed(info) for info in infos] == [untimed(info) for info in whole[:-1]]
            assert whole[-1].nodes > nodes
            assert (result.move, result.score) == (whole[-2].pv[0], whole[-2].score)
            timed, late = cut_off(position, settings, nodes, Limits(movetime=10**9))
            assert late.nodes == result.nodes
            if timed[-1].score.bound == "lower":
                better = timed.pop()
                depth = Limits(depth=late.depth, searchmoves=(infos[-1].pv[0],))
                before, _ = run(position, settings, depth, Table(1))
                assert before[-1].score.value < better.score.value <= whole[-1].score.value
                assert (late.move, late.score) == (better.pv[0], better.score)
                found += 1
            assert [untimed(info) for info in timed] == [untimed(info) for info in infos]
    assert found or algorithm == "minimax"
    assert len(depths) > 2


def test_a_node_limit_with_several_lines_ends_between_whole_iterations(played: PlayedPosition) -> None:
    position = played(3, 20)
    for nodes in range(50, 4000, 197):
        infos, result = run(position, Settings(multipv=3), Limits(nodes=nodes))
        assert result.nodes == nodes
        assert len(infos) == 3 * result.depth
        assert result.move == infos[-3].pv[0]


def test_a_node_limit_is_met_exactly_inside_the_solver(played: PlayedPosition) -> None:
    position = played(11, 60 - EXACT_REACH - 1)
    assert position.moves_left() == EXACT_REACH + 1
    whole, _ = run(position)
    for nodes in range(100, whole[-1].nodes, max(1, whole[-1].nodes // 15)):
        infos, result = run(position, limits=Limits(nodes=nodes))
        assert result.nodes == nodes
        assert result.move == infos[-1].pv[0]
        if result.depth == whole[-1].depth:  # the limit may have truncated the line, but its beginning is right
            assert infos[-1].score == whole[-1].score
            assert solved(position, infos[-1].pv[0]) == whole[-1].score.value
        else:
            alone, _ = run(position, limits=Limits(depth=result.depth))
            assert [untimed(info) for info in infos] == [untimed(info) for info in alone]


@pytest.mark.parametrize("way", ["stop", "time"])
def test_the_solver_ends_at_once(played: PlayedPosition, way: str) -> None:
    """The whole search is one call of the solver; it asks for the time, and makes no move after it is to end."""
    position = played(10, 60 - EXACT_REACH - 1)
    asked: list[int] = []

    def expired() -> bool:
        asked.append(search.nodes)
        if way == "stop" and len(asked) == 4:  # another thread would stop a search this way
            search.stopped = True
            search.next_poll = 0
        return way == "time" and len(asked) == 4

    search = Search(position, None, Settings("pvs", "full"), expired, FakeTime())
    search.run(SOLVED, -INFINITE, INFINITE, position.legal_moves()[:1], False)
    assert search.stopped
    assert len(asked) == 4
    assert search.nodes == asked[-1] > 60
    assert position.moves_left() == EXACT_REACH + 1


# Stopping


class FakeTime:
    """Seconds that pass by looking at them, and by being told to."""

    def __init__(self, step: float = 0.0) -> None:
        self.seconds = 100.0
        self.step = step
        self.acceleration = 1.0

    def __call__(self) -> float:
        self.seconds += self.step
        self.step *= self.acceleration
        return self.seconds


def test_the_time_for_a_move_ends_the_search(played: PlayedPosition) -> None:
    """With a millisecond between two looks at the clock, a tenth of a second is a hundred looks."""
    time = FakeTime(0.001)
    position = played(2, 14)
    search = Deepening(position, None, Settings(move_overhead=0), Limits(movetime=100), time)
    infos = list(search.iterations())
    result = search.result()
    assert infos
    assert result.move == infos[-1].pv[0]
    assert result.depth == len(infos) < position.moves_left()
    assert 100 <= result.time <= 110
    whole, _ = run(position, limits=Limits(depth=result.depth))
    assert [info.pv for info in whole] == [info.pv for info in infos]


def test_no_clock_runs_while_pondering(played: PlayedPosition) -> None:
    time = FakeTime()
    settings, limits = Settings(move_overhead=0), Limits(movetime=50, ponder=True)
    search = Deepening(played(2, 14), Table(1), settings, limits, time)
    reports = search.iterations()
    for _ in range(4):
        next(reports)
        time.seconds += 1000
    search.ponderhit()
    next(reports)
    time.seconds += 0.049
    next(reports)
    time.seconds += 0.002
    assert list(reports) == []
    assert search.result().depth == 6


@pytest.mark.parametrize(("pondered", "more"), [(100.0, False), (0.01, True)])
def test_time_that_was_pondered_on_a_move_is_not_spent_on_it_again(
    played: PlayedPosition, pondered: float, more: bool
) -> None:
    time = FakeTime()
    search = Deepening(played(2, 14), Table(1), Settings(), Limits(time=10_000, ponder=True), time)
    reports = search.iterations()
    for _ in range(4):
        next(reports)
    time.seconds += pondered
    search.ponderhit()
    assert (next(reports, None) is not None) == more
    search.stop()
    assert search.result().depth >= 4


class BrokenTime(FakeTime):
    """A clock that fails at its last look."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def __call__(self) -> float:
        self.looks -= 1
        if self.looks == 0:
            raise KeyboardInterrupt
        return super().__call__()


@pytest.mark.parametrize("plies", [14, 60 - EXACT_REACH - 1])
def test_an_error_of_the_clock_ends_the_search_and_is_raised(played: PlayedPosition, othello: Game, plies: int) -> None:
    """So an interrupt from the keyboard, which Python raises wherever it happens to be, ends a search."""
    position = played(11, plies)
    before = (othello.format_position(position), position.key, position.ply)
    raised = 0
    for looks in range(1, 60, 3):
        try:
            list(Deepening(position, None, Settings(), Limits(movetime=10**9), BrokenTime(looks)).iterations())
        except KeyboardInterrupt:
            raised += 1
        assert (othello.format_position(position), position.key, position.ply) == before
    assert raised > 5


# Several lines and selected root moves


@pytest.mark.parametrize("settings", [Settings(), Settings("alphabeta", "history"), Settings("minimax", "none")])
@pytest.mark.parametrize("seed", [1, 4, 7])
def test_the_lines_are_the_root_moves_in_the_order_of_their_values(
    played: PlayedPosition, settings: Settings, seed: int
) -> None:
    position = played(seed, 6 + 6 * seed)
    moves = position.legal_moves()
    wanted = min(len(moves), 1 + seed)
    several = Settings(settings.algorithm, settings.ordering, multipv=wanted + (1 if wanted == len(moves) else 0))
    for table in (None, Table(1)):
        infos, result = run(position, several, Limits(depth=4), table)
        depth = min(4, position.moves_left())
        single = {move: run(position, settings, Limits(depth=depth, searchmoves=(move,)))[0][-1] for move in moves}
        last = infos[-wanted:]
        assert [(info.depth, info.rank) for info in last] == [(depth, rank) for rank in range(1, wanted + 1)]
        ranked = sorted((info.score.value for info in single.values()), reverse=True)
        assert [info.score.value for info in last] == ranked[:wanted]
        assert all(single[info.pv[0]].score == info.score for info in last)
        assert len({info.pv[0] for info in last}) == wanted
        assert result.move == last[0].pv[0]
        assert len(infos) == depth * wanted


@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs"])
def test_what_some_moves_are_worth_is_not_kept_as_the_value_of_all(played: PlayedPosition, algorithm: str) -> None:
    """The position is searched again as a child, just as deep, where the table may answer for it."""
    settings = Settings(algorithm)
    for seed in (0, 9):
        parent = played(seed, 10 + 2 * seed)
        truth = run(parent, settings, Limits(depth=5))[0][-1].score
        for move in parent.legal_moves():
            table = Table(1)
            child = parent.copy()
            child.play(move)
            for searchmove in child.legal_moves():
                run(child, settings, Limits(depth=4, searchmoves=(searchmove,)), table)
            run(child, replace(settings, multipv=2), Limits(depth=4), table)
            assert run(parent, settings, Limits(depth=5), table)[0][-1].score == truth


# The end of the game


def test_a_forced_pass_is_searched_like_a_move(othello: Game) -> None:
    position = othello.parse_position(("XO" + "-" * 62 + " O").split())
    infos, result = run(position, limits=Limits(depth=4))
    assert result.move == PASS
    assert result.depth == 4
    assert infos[-1].pv[:2] == (PASS, 2)
    assert result.ponder == 2
    assert result.score is not None
    assert result.score.value == -6400


@pytest.mark.parametrize(
    ("end", "limits", "expected"),
    [
        (22, Limits(), [*range(1, 11), 22]),
        (22, Limits(depth=60), [*range(1, 11), 22]),
        (22, Limits(depth=21), list(range(1, 22))),
        (13, Limits(), [1, 13]),
        (2, Limits(), [1, 2]),
        (1, Limits(), [1]),
        (1 << 20, Limits(depth=4), [1, 2, 3, 4]),
        (1 << 20, Limits(), list(range(1, MAX_DEPTH + 1))),
        (14, Limits(nodes=10**9), [1, 2, 3, 4, 5, 6, 14]),
        (14, Limits(nodes=100 + 100 * 2**8), [*range(1, 7), 14]),
        (14, Limits(nodes=100 + 100 * 2**8 - 1), [*range(1, 8), 14]),
        (14, Limits(nodes=200), list(range(1, 15))),
        (14, Limits(movetime=1000 + 1000 * 2**8 // EXACT_SPEED), [*range(1, 7), 14]),
        (14, Limits(movetime=1000 + 1000 * 2**8 // EXACT_SPEED - 1), [*range(1, 8), 14]),
    ],
)
def test_near_the_end_the_exact_search_follows_at_once(end: int, limits: Limits, expected: list[int]) -> None:
    """It does so where the limits leave it enough nodes or time, after 100 nodes or one second."""
    assert depths_of(end, limits, selective=False) == expected


@pytest.mark.parametrize(
    ("end", "limits", "expected"),
    [
        (22, Limits(), [*range(1, 13), 22]),
        (22, Limits(depth=21), list(range(1, 22))),
        (20, Limits(nodes=100 + math.ceil(100 * SELECTIVE_GROWTH**8)), [*range(1, 13), 20]),
        (20, Limits(nodes=100 + int(100 * SELECTIVE_GROWTH**8)), [*range(1, 14), 20]),
        (20, Limits(movetime=1001 + int(1000 * SELECTIVE_GROWTH**8 / SELECTIVE_SPEED)), [*range(1, 13), 20]),
        (20, Limits(movetime=1000 + int(1000 * SELECTIVE_GROWTH**8 / SELECTIVE_SPEED)), [*range(1, 14), 20]),
        (22, Limits(goal="solve"), [*range(1, 13), 22]),
    ],
)
def test_a_selective_search_to_the_end_is_tried_at_less_cost(end: int, limits: Limits, expected: list[int]) -> None:
    assert depths_of(end, limits, selective=True) == expected


def depths_of(end: int, limits: Limits, selective: bool) -> list[int]:
    time = FakeTime()
    clock = TimeManager(limits, time, overhead=0)
    time.seconds += 1
    return list(depths(limits, clock, end, lambda: 100, selective=selective))


def test_a_search_for_the_exact_value_goes_to_the_end_where_no_iteration_says_more() -> None:
    clock = TimeManager(Limits(goal="solve"), FakeTime())
    values = iter([False, True, True])
    found = list(depths(Limits(goal="solve"), clock, 40, lambda: 100, lambda: next(values)))
    assert found == [1, 2, 3, 4, 5, 6, 7, 40]
    found = list(depths(Limits(), clock, 40, lambda: 100, lambda: True))
    assert found[:10] == list(range(1, 11))


@pytest.mark.parametrize(
    ("name", "fields", "multipv", "depths", "scores"),
    [
        ("tictactoe 4x4x3", "--XX-O-----X-O-- O", 1, 1, [WIN - 1]),
        ("tictactoe 4x4x3", "--O---X--X------ O", 2, 2, [2 - WIN, 2 - WIN]),
        ("connect", "---------O---X-- X", 1, 3, [WIN - 3]),
        ("connect", "---------O---X-- X", 2, 4, [WIN - 3, -100]),  # the second line is not decided
        ("connect", "------------O-XX O", 1, 6, [6 - WIN]),
    ],
)
def test_a_proven_win_or_loss_ends_deepening(
    name: str, fields: str, multipv: int, depths: int, scores: list[int]
) -> None:
    """Every line must be proven; a loss takes all moves, so it is proven at the depth that sees its end."""
    position = get_game(name).parse_position(fields.split())
    for settings in (Settings(multipv=multipv), Settings("minimax", "none", multipv=multipv)):
        depth = depths if scores == [WIN - 3, -100] else MAX_DEPTH
        infos, result = run(position, settings, Limits(depth=min(depth, position.moves_left() - 1)))
        assert [info.depth for info in infos] == [each for each in range(1, depths + 1) for _ in range(multipv)]
        assert [info.score.value for info in infos[-multipv:]] == scores
        assert result.depth == depths


def test_nothing_is_looked_for_beyond_a_win_that_is_found() -> None:
    """After a win in three each other first move is made, and left at once: it cannot win any sooner than in three."""
    position = get_game("connect").parse_position(["---------O---X--", "X"])
    moves = position.legal_moves()
    values = {move: nodes_and_value(position, [move])[1] for move in moves}
    wins = [move for move in moves if values[move] == WIN - 3]
    others = [move for move in moves if values[move] != WIN - 3]
    assert wins
    assert others
    alone, value = nodes_and_value(position, wins[:1])
    assert nodes_and_value(position, wins[:1] + others) == (alone + len(others), value)


def test_a_win_in_one_is_the_last_move_that_is_tried() -> None:
    position = get_game("tictactoe").parse_position(["XX-OO----", "X"])
    assert nodes_and_value(position, position.legal_moves()) == (1, WIN - 1)
    assert nodes_and_value(position, position.legal_moves(), "minimax")[0] > 20  # minimax prunes nothing


def nodes_and_value(position: Position, roots: list[int], algorithm: str = "alphabeta") -> tuple[int, int]:
    search = Search(position, None, Settings(algorithm, "static"), lambda: False)
    value = search.run(SOLVED, -INFINITE, INFINITE, roots, False)
    return search.nodes, value


# Reports


@pytest.mark.parametrize(("algorithm", "megabytes"), [("alphabeta", 0), ("pvs", 0), ("pvs", 1), ("minimax", 0)])
def test_the_line_is_legal_and_leads_to_its_value(played: PlayedPosition, algorithm: str, megabytes: int) -> None:
    """Principal variation search keeps its line whole with a table too; the game's solver gives no line."""
    for seed, ordering in enumerate(2 * ORDERINGS):
        position = played(seed, 3 * seed)
        depth = 4 if algorithm == "minimax" else 6
        table = Table(megabytes) if megabytes else None
        for info in run(position, Settings(algorithm, ordering), Limits(depth=depth), table)[0]:
            if info.depth == position.moves_left():
                continue
            for move in info.pv:
                position.play(move)
            assert len(info.pv) == info.depth or position.is_over()
            value = position.static_value()
            assert info.score.value == (-value if len(info.pv) % 2 else value)
            for _ in info.pv:
                position.undo()


def test_reports_count_upwards(played: PlayedPosition) -> None:
    infos, result = run(played(4, 10), Settings(multipv=2), Limits(depth=7), Table(1))
    nodes = [info.nodes for info in infos]
    assert nodes == sorted(set(nodes))
    assert result.nodes == nodes[-1]
    assert [info.hashfull for info in infos] == sorted(info.hashfull for info in infos)
    assert infos[-1].hashfull > 0
    assert all(info.time >= 0 and info.nps > 0 for info in infos)
    assert all(info.seldepth >= info.depth for info in infos)
    for info in run(played(4, 10), limits=Limits(depth=4))[0]:  # without a table there are no lookups
        assert (info.probes, info.hits, info.hashfull) == (0, 0, 0)


def test_a_search_is_freed_with_the_last_reference_to_it(othello: Game) -> None:
    """Half a megabyte for each answer; that of thousands of them must not wait for the collector of cycles."""
    gc.disable()
    try:
        search = Deepening(othello.initial(), None, DEFAULTS, Limits(depth=2))
        assert list(search.iterations())
        freed = weakref.ref(search)
        del search
        assert freed() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("kind", ["deepening", "mcts"])
def test_where_nodes_are_slow_the_clock_is_looked_at_sooner(played: PlayedPosition, kind: str) -> None:
    """By the clock that limits the search: it goes on at each look, as if the nodes since the last one took so long."""
    nodes = []
    for step, movetime in ((0.005, 300), (0.0001, 6)):
        limits, settings = Limits(movetime=movetime), Settings(move_overhead=0)
        search = (
            Deepening(played(1, 10), Table(1), settings, limits, FakeTime(step))
            if kind == "deepening"
            else MonteCarlo(played(1, 10), 1, settings, limits, FakeTime(step))
        )
        list(search.iterations())
        nodes.append(search.result().nodes)
    assert nodes[0] < 4 * 2048 < 20 * 2048 < nodes[1]
