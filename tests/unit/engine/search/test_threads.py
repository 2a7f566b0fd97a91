"""Several searches of one root: the same values as one, stopped together, and no thread left behind."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.node import INFINITE, MAX_DEPTH, SOLVED, Search
from quietmove.engine.search.parallel import Team
from quietmove.engine.search.root_search import OwnSearch
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, SearchResult, Settings
from tests.fakes.addons import needs_games
from tests.fakes.processes import WAIT, wait_until

PlayedPosition = Callable[[int, int], Position]


HEXAPAWN = f"{Path(__file__).parents[3] / 'example_games' / 'hexapawn' / 'hexapawn.py'}:Hexapawn"
DEPTH = 8


@pytest.fixture(autouse=True)
def ended_threads() -> Iterator[None]:
    """Check that every helper's thread ends with its search."""
    yield
    for thread in threading.enumerate():
        if thread.name == "search helper":
            thread.join(WAIT)
            assert not thread.is_alive()


def run(position: Position, settings: Settings, limits: Limits) -> tuple[list[Info], SearchResult]:
    search = Deepening(position, Table(4), settings, limits)
    return list(search.iterations()), search.result()


@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs"])
def test_threads_never_change_a_value(played: PlayedPosition, algorithm: str) -> None:
    for seed in range(5):
        position = played(seed, 6 + 3 * seed % 20)
        one, _ = run(position.copy(), Settings(algorithm), Limits(depth=DEPTH))
        three, _ = run(position.copy(), Settings(algorithm, threads=3), Limits(depth=DEPTH))
        assert [info.score for info in three] == [info.score for info in one]


@pytest.mark.parametrize("goal", ["solve", "wld"])
def test_threads_solve_as_one_does(played: PlayedPosition, goal: Any) -> None:
    """The exact value, with a line of play to the end, and every line of several."""
    for seed in range(2):
        position = played(seed, 43)
        settings = Settings(selectivity=5, multipv=2)
        one, _ = run(position.copy(), settings, Limits(goal=goal))
        two, _ = run(position.copy(), Settings(selectivity=5, multipv=2, threads=2), Limits(goal=goal))
        last = max(info.depth for info in one)
        assert [info.score for info in two if info.depth == last and info.confidence == 100] == [
            info.score for info in one if info.depth == last and info.confidence == 100
        ]
        if goal == "solve":
            check_line(position.copy(), two[-2])


def check_line(position: Position, info: Info) -> None:
    """Check that the line of an exact report ends with the game, at the value that is reported."""
    side = position.side_to_move
    for move in info.pv:
        position.play(move)
    assert position.is_over()
    assert (position.result() if side == 0 else -position.result()) == info.score.value


def test_every_thread_takes_part(played: PlayedPosition) -> None:
    team = team_of(played(1, 20), 3)
    job = MAX_DEPTH, -INFINITE, INFINITE, team.first.position.legal_moves(), True
    thread = threading.Thread(target=team.run, args=job)
    thread.start()
    wait_until(lambda: all(search.nodes for search in team.searches))
    team.stop()
    thread.join()
    team.close()
    assert team.nodes == sum(search.nodes for search in team.searches)


def team_of(position: Position, size: int) -> Team:
    table = Table(4)
    return Team([Search(position.copy(), table, Settings(), lambda: False) for _ in range(size)])


def test_threads_share_the_table_of_the_solver(played: PlayedPosition) -> None:
    """What one search has solved, another looks up, even without the table of the search."""
    position = played(1, 47)
    moves = position.legal_moves()
    searches = [Search(position.copy(), None, Settings(), lambda: False) for _ in range(2)]
    for place, search in enumerate(searches):
        search.share(memoryview(bytearray(16)).cast("Q"), place, searches[0].position)
    values = [search.run(SOLVED, -INFINITE, INFINITE, moves, True) for search in searches]
    assert values[0] == values[1]
    assert 2 * searches[1].nodes < searches[0].nodes


def test_one_thread_solves_what_is_not_divided(played: PlayedPosition) -> None:
    position = played(1, 49)
    team = team_of(position, 3)
    team.run(SOLVED, -INFINITE, INFINITE, position.legal_moves(), True)
    team.close()
    assert [search.nodes > 0 for search in team.searches] == [True, False, False]


def test_a_node_limit_holds_for_all_threads_together(played: PlayedPosition) -> None:
    """It is passed by no more than the threads do between two looks, 2048 nodes each."""
    nodes = 100_000
    _, result = run(played(5, 12), Settings(threads=3), Limits(nodes=nodes))
    assert nodes / 2 < result.nodes < nodes + 3 * 2049


@pytest.mark.parametrize(
    ("game", "table", "depth"),
    [
        ("othello", None, 6),
        (HEXAPAWN, Table(1), 7),
        pytest.param("einstein", Table(1), 2, marks=needs_games),
    ],
)
def test_where_threads_are_of_no_use_one_searches(game: str, table: Table | None, depth: int) -> None:
    """Without a table there is nothing to share; a game in plain Python runs one thread at a time; chance is left out.

    So the nodes are those of a single search, which three threads would not repeat.
    """
    limits = Limits(depth=depth)
    counts = set()
    for threads in (1, 3, 3):
        if table is not None:
            table.clear()
        rules = get_game(game)
        position = rules.initial()
        if outcomes := position.outcomes():
            position.play(outcomes[0][0])
        make = rules.new_search if isinstance(rules, OwnSearch) else Deepening
        search = make(position, table, Settings(threads=threads), limits, time.perf_counter)
        assert list(search.iterations())
        counts.add(search.result().nodes)
    assert len(counts) == 1


def test_what_a_helper_raises_is_raised_by_the_run(played: PlayedPosition) -> None:
    """The first search is stopped, and the failure comes out where it can be reported."""

    class Broken:
        """A search that fails at once."""

        def __init__(self) -> None:
            self.nodes = self.probes = self.hits = self.seldepth = 0
            self.next_poll = 0
            self.stopped = False

        def share(self, counts: object, place: int, first: object) -> None:
            pass

        def stop(self) -> None:
            self.stopped = True

        def run(self, *job: object) -> int:
            raise RuntimeError("broken")

    good = team_of(played(4, 10), 1).first
    team = Team([good, Broken()])  # type: ignore[list-item]
    with pytest.raises(RuntimeError, match="broken"):
        team.run(200, -INFINITE, INFINITE, good.position.legal_moves(), True)
    team.close()


def test_the_value_is_that_of_the_first_to_finish() -> None:
    """A helper that finishes stops the first search; the run has its value and its line, and is not cut off."""
    position = get_game("othello").initial()
    for seed in range(4):
        choices = random.Random(seed)
        for _ in range(6):
            position.play(choices.choice(sorted(position.legal_moves())))
        team, alone = team_of(position, 4), team_of(position, 1)
        legal = position.legal_moves()
        value = team.run(DEPTH, -INFINITE, INFINITE, legal, True)
        assert not team.stopped
        assert value == alone.run(DEPTH, -INFINITE, INFINITE, legal, True)
        assert team.line()[0] in legal
        team.close()
        for _ in range(6):
            position.undo()
