"""The traced search is the same search, and its events are complete and true."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import WIN, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.uci import TRACE_PREFIX, format_event
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.events import Bounds, Cutoff, Enter, Event, Value
from quietmove.engine.search.node import ALGORITHMS
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Settings

CASES = [("tree 3x4 2", "", 4), ("tree", "", 2), ("othello", "", 4), ("othello", "XO" + "-" * 62 + " O", 3)]


def start(name: str, fields: str) -> Position:
    game = get_game(name)
    return game.parse_position(fields.split()) if fields else game.initial()


def traced(
    position: Position, settings: Settings, depth: int, table: Table | None = None
) -> tuple[list[Info], list[Event]]:
    events: list[Event] = []
    search = Deepening(position, table, settings, Limits(depth=depth), trace=events.append)
    return [replace(info, time=0) for info in search.iterations()], events


def last_tree(events: list[Event]) -> list[Event]:
    begin = max(index for index, event in enumerate(events) if isinstance(event, Enter) and event.ply == 0)
    return events[begin:]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("case", CASES)
def test_a_trace_changes_nothing(case: tuple[str, str, int], algorithm: str) -> None:
    name, fields, depth = case
    for ordering in ORDERINGS:
        for megabytes in (0, 1):
            settings = Settings(algorithm, ordering)
            plain = Deepening(start(name, fields), Table(1) if megabytes else None, settings, Limits(depth=depth))
            infos = [replace(info, time=0) for info in plain.iterations()]
            position = start(name, fields)
            told, events = traced(position, settings, depth, Table(1) if megabytes else None)
            assert [replace(info, pv=()) for info in told] == [replace(info, pv=()) for info in infos]
            assert told[-1].pv == infos[-1].pv[: len(told[-1].pv)]
            assert position.key == start(name, fields).key
            entered = sum(1 for event in events if isinstance(event, Enter) and event.ply > 0)
            nodes = told[-1].nodes  # the re-search of a null window's move enters the node again, without a make
            assert entered >= nodes if algorithm == "pvs" else entered == nodes


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("case", CASES)
def test_events_nest_and_say_the_truth(case: tuple[str, str, int], algorithm: str) -> None:
    name, fields, depth = case
    infos, events = traced(start(name, fields), Settings(algorithm, "none"), depth)
    stack: list[Enter] = []
    for event in events:
        if isinstance(event, Enter):
            assert event.ply == len(stack)
            stack.append(event)
            continue
        here = stack[-1]
        assert event.ply == here.ply
        if isinstance(event, Bounds):
            assert here.alpha is None or event.alpha > here.alpha
            assert here.beta is None or event.alpha < here.beta
        elif isinstance(event, Cutoff):
            assert here.beta == event.beta <= event.value
            assert event.untried
            assert event.saved >= len(event.untried)
            assert event.move not in event.untried
        else:
            low, high = here.alpha, here.beta
            assert event.bound != "lower" or (high is not None and event.value >= high)
            assert event.bound != "upper" or (low is not None and event.value <= low)
            stack.pop()
    assert stack == []
    assert isinstance(events[-1], Value)
    assert events[-1].value == infos[-1].score.value


def test_an_answer_of_the_table_is_shown_as_one() -> None:
    table = Table(1)
    sources = []
    for _ in range(2):
        _, events = traced(get_game("othello").initial(), Settings("alphabeta", "none"), 5, table)
        sources.append(Counter(event.source for event in events if isinstance(event, Value)))
    assert sources[1]["table"] > sources[0]["table"] > 0
    _, without = traced(get_game("othello").initial(), Settings("alphabeta", "none"), 4)
    assert not [event for event in without if isinstance(event, Value) and event.source == "table"]


def test_the_solver_s_work_is_told_as_one_value() -> None:
    game = get_game("othello")
    position = game.parse_position(["XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOOO-OOOOOOO", "X"])
    _, events = traced(position, Settings("alphabeta", "none"), 60)
    assert next(event.source for event in last_tree(events) if isinstance(event, Value) and event.ply == 1) == "solver"


def test_quiescence_goes_below_the_horizon() -> None:
    fields = "-XXX-O----XXOO--OOXOOX-OOOXOXXOXOOOXXOX-OOXXOXOOOXXOXX-O-XXXXXXO X"
    _, events = traced(start("othello", fields), Settings("alphabeta", "none", quiescence=True), 1)
    assert max(event.ply for event in events) == 2
    assert min(event.depth for event in events if isinstance(event, Enter) and event.depth is not None) == -1


def test_root_moves_may_make_a_tree_small_enough() -> None:
    position = start("othello", "")
    limits = Limits(depth=7)
    with pytest.raises(LimitsError):
        Deepening(position, None, Settings(), limits, trace=[].append)
    Deepening(position, None, Settings(), replace(limits, searchmoves=(position.legal_moves()[0],)), trace=[].append)


def test_what_the_listener_raises_ends_the_search() -> None:
    def fail(event: Event) -> None:
        if isinstance(event, Value) and event.ply == 2:
            raise KeyboardInterrupt

    position = get_game("othello").initial()
    search = Deepening(position, None, Settings(), Limits(depth=4), trace=fail)
    with pytest.raises(KeyboardInterrupt):
        list(search.iterations())
    assert position.key == get_game("othello").initial().key


def test_events_as_lines() -> None:
    game = get_game("othello")
    events: list[Event] = [
        Enter(0, None, 0, None, None, None),
        Enter(1, 19, 1, 2, -100, 250),
        Bounds(0, 19, 7, None),
        Cutoff(1, 18, 300, 250, (34,), 3),
        Value(1, 300, "lower", "moves"),
    ]
    lines = [format_event(event, game, game.format_move) for event in events]
    assert all(line.startswith(TRACE_PREFIX) and "\n" not in line for line in lines)
    assert [json.loads(line.removeprefix(TRACE_PREFIX)) for line in lines] == [
        {"event": "enter", "ply": 0, "move": None, "side": "X", "depth": None, "alpha": None, "beta": None},
        {"event": "enter", "ply": 1, "move": "d3", "side": "O", "depth": 2, "alpha": -100, "beta": 250},
        {"event": "bounds", "ply": 0, "move": "d3", "alpha": 7, "beta": None},
        {"event": "cutoff", "ply": 1, "move": "c3", "value": 300, "beta": 250, "untried": ["c5"], "saved": 3},
        {"event": "value", "ply": 1, "value": 300, "bound": "lower", "source": "moves"},
    ]


@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs"])
@pytest.mark.parametrize("fields", ["XX-OO---- X", "X-O------ X", "XO--X---- O", "O----X--X O"])
def test_a_game_that_is_won_has_possible_scores(fields: str, algorithm: str) -> None:
    """No win or loss is shown that lies before its position."""
    position = start("tictactoe", fields)
    _, events = traced(position, Settings(algorithm, "static"), 9)
    shown = [event.alpha for event in events if isinstance(event, Enter | Bounds)]
    shown += [event.beta for event in events if isinstance(event, Enter | Bounds | Cutoff)]
    assert all(abs(bound) < WIN for bound in shown if bound is not None)
    values = [event for event in events if isinstance(event, Value)]
    assert all(abs(event.value) <= WIN - (event.source not in ("over", "static")) for event in values)
    assert all(event.bound == "lower" for event in values if event.source == "distance")
