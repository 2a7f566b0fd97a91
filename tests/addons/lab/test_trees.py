"""Search trees to be looked at: complete, of one shape for all algorithms, and with the counts of the searches."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from quietmove.addons.lab.trees import (
    TREE_ORDERINGS,
    Step,
    WalkedTree,
    follow,
    grow_tree,
    look_ahead,
    value_of,
)
from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.events import Cutoff, Enter, Event, Value
from quietmove.engine.search.node import ALGORITHMS
from quietmove.engine.values import Settings

END = 200
MOST_POSITIONS = 2000
CASES = [
    ("tree", "", END),
    ("tictactoe", "XOXO----- X", END),
    ("tictactoe", "OX---XO-- X", END),
    ("connect", "", 4),
    ("othello", "", 3),
    ("nim 1,2", "", END),
]


def never() -> bool:
    return False


def start(name: str, fields: str = "") -> Position:
    game = get_game(name)
    return game.parse_position(fields.split()) if fields else game.initial()


def grown(name: str, fields: str, depth: int, ordering: str = "static") -> WalkedTree | None:
    return grow_tree(start(name, fields), depth, ALGORITHMS, Settings(ordering=ordering), MOST_POSITIONS, never)


def count(position: Position, depth: int) -> tuple[int, int]:
    moves = position.legal_moves() if depth else []
    nodes, leaves = 1, int(not moves)
    for move in moves:
        position.play(move)
        below = count(position, depth - 1)
        position.undo()
        nodes, leaves = nodes + below[0], leaves + below[1]
    return nodes, leaves


@pytest.mark.parametrize("ordering", TREE_ORDERINGS)
@pytest.mark.parametrize(("name", "fields", "depth"), CASES)
def test_all_algorithms_go_through_one_whole_tree(name: str, fields: str, depth: int, ordering: str) -> None:
    tree = grown(name, fields, depth, ordering)
    assert tree is not None
    assert (len(tree.nodes), len(tree.values)) == count(start(name, fields), depth)
    assert tuple(tree.walks) == ALGORITHMS
    assert visits(tree, "minimax") == (len(tree.values), 0)
    visited, again = visits(tree, "alphabeta")
    assert visited < len(tree.values)
    assert again == 0
    visits(tree, "pvs")
    values = set()
    for steps in tree.walks.values():
        assert isinstance(steps[-1].event, Value)
        assert steps[-1].node == 0
        values.add(steps[-1].event.value)
        for step in steps:
            assert step.node < len(tree.nodes)
            assert [tree.nodes[child].parent for child in step.children] == [step.node] * len(step.children)
    assert len(values) == 1


def test_the_walk_through_is_that_of_the_lecture() -> None:
    """Min's values are 3, 0 and 7; once the second branch has shown a 1, Max does not care for its other two leaves."""
    tree = grown("tree", "", END)
    assert tree is not None
    assert (len(tree.values), visits(tree, "alphabeta")) == (9, (7, 0))
    steps = tree.walks["alphabeta"]
    assert isinstance(steps[-1].event, Value)
    assert (steps[-1].event.value, sum(step.saved for step in steps)) == (700, 2)
    cuts = [step for step in steps if isinstance(step.event, Cutoff)]
    assert [(tree.nodes[cut.node].move, [tree.nodes[child].move for child in cut.children]) for cut in cuts] == [
        (1, [0, 1, 2])
    ]
    # PVS searches the last branch with a null window, then again with a full window, and visits leaf 7 both times.
    assert visits(tree, "pvs") == (7, 4)


def visits(tree: WalkedTree, algorithm: str) -> tuple[int, int]:
    """Return how many leaves a search visited, and how many of the visits were beyond the first of a leaf.

    What the steps say of the leaves that they save is compared step by step.
    """
    seen, again, saved = set[int](), 0, 0
    for step in tree.walks[algorithm]:
        saved += step.saved
        if isinstance(step.event, Enter) and step.node in tree.values:
            again += step.node in seen
            seen.add(step.node)
        assert 0 <= saved <= len(tree.values) - len(seen)
    assert saved + len(seen) == len(tree.values)
    return len(seen), again


def random_tree(choices: random.Random, depth: int) -> object:
    if depth == 0 or choices.random() < 0.15:
        return choices.randint(-5, 5)
    return [random_tree(choices, depth - 1) for _ in range(choices.randint(1, 4))]


@pytest.mark.parametrize("ordering", TREE_ORDERINGS)
def test_each_leaf_is_visited_or_saved_in_any_tree(ordering: str) -> None:
    choices, again = random.Random(ordering), 0
    for _ in range(40):
        position = start("tree", f"{[random_tree(choices, 4)]} {choices.choice(['max', 'min'])}")
        tree = grow_tree(position, END, ALGORITHMS, Settings(ordering=ordering), MOST_POSITIONS, never)
        assert tree is not None
        again += sum(visits(tree, algorithm)[1] for algorithm in ALGORITHMS)
    assert again > 0  # PVS visited some leaves twice


@pytest.mark.parametrize(("name", "depth"), [("othello 6x6", 3), ("capture", 2)])
def test_each_leaf_is_visited_or_saved_in_quiescence(name: str, depth: int) -> None:
    """Estimates that are good enough leave out leaves too."""
    for ordering in TREE_ORDERINGS:
        settings = Settings(ordering=ordering, quiescence=True)
        tree = grow_tree(start(name), depth, ALGORITHMS, settings, MOST_POSITIONS, never)
        assert tree is not None
        events = [step.event for steps in tree.walks.values() for step in steps]
        assert any(isinstance(each, Value) and each.source == "static" for each in events)
        for algorithm in ALGORITHMS:
            visits(tree, algorithm)


@pytest.mark.parametrize(("most", "whole"), [(12, True), (11, False)])
def test_a_tree_beyond_the_limit_is_none(most: int, whole: bool) -> None:
    position = start("tree")
    assert (grow_tree(position, END, ["pvs"], Settings(), most, never) is not None) == whole
    assert position.ply == 0


def test_a_search_that_takes_too_long_is_an_error() -> None:
    with pytest.raises(LimitsError, match="too long"):
        grow_tree(start("tree"), END, ["pvs"], Settings(), MOST_POSITIONS, lambda: True)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("fields", "depth"), [("XOXO----- X", END), ("XOXO----- X", 2), ("XX-OO---- X", END), ("OX---XO-- X", END)]
)
def test_the_first_level_has_the_values_of_the_whole_tree(fields: str, depth: int, algorithm: str) -> None:
    tree = grow_tree(start("tictactoe", fields), depth, [algorithm], Settings(), MOST_POSITIONS, never)
    assert tree is not None
    branches = look_ahead(start("tictactoe", fields), depth, Settings(algorithm), 100_000, never)
    last = tree.walks[algorithm][-1].event
    assert isinstance(last, Value)
    assert value_of(branches) == last.value
    assert [branch.move for branch in branches] == start("tictactoe", fields).legal_moves()
    assert [branch.over for branch in branches].count(True) == (fields == "XX-OO---- X")


def test_a_value_that_costs_too_much_is_left_out() -> None:
    branches = look_ahead(start("tictactoe"), END, Settings("alphabeta", "static"), 1400, never)
    assert None in [branch.value for branch in branches]
    assert 0 in [branch.value for branch in branches]
    assert max(branch.positions for branch in branches) <= 1400
    assert value_of(branches) is None
    assert value_of([]) is None


def flat(steps: Sequence[Step]) -> list[Event]:
    return [step.event for step in steps]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_pieces_together_are_the_whole_search(algorithm: str) -> None:
    """What a piece says came before it is the whole search so far, without what lies in branches that it left."""
    settings = Settings(algorithm, "static")
    whole = follow(start("tictactoe", "XOXO----- X"), END, settings, 0, 1_000_000, never)
    assert whole is not None
    assert whole.ended
    events = flat(whole.steps)
    frames: list[list[Event]] = []
    for event in events:
        if isinstance(event, Value) and isinstance(frames[-1][-1], Enter):
            frames[-1].append(event)
        else:
            frames.append([event])
    for first in range(0, len(frames) + 1, 7):
        piece = follow(start("tictactoe", "XOXO----- X"), END, settings, first, 10, never)
        assert piece is not None
        assert flat(piece.steps) == [event for frame in frames[first : first + 10] for event in frame]
        seen = [event for frame in frames[:first] for event in frame]
        assert piece.visited == sum(isinstance(event, Value) and event.source == "over" for event in seen)
        assert piece.saved == sum(event.saved for event in seen if isinstance(event, Cutoff))
        kept: list[Event] = []
        for event in seen:
            if isinstance(event, Value) and event.ply > 0:
                begin = max(i for i, each in enumerate(kept) if isinstance(each, Enter) and each.ply == event.ply)
                kept = [*kept[: begin + 1], event]
            else:
                kept.append(event)
        assert flat(piece.before) == kept
    beyond = follow(start("tictactoe", "XOXO----- X"), END, settings, 10_000, 10, never)
    assert beyond is not None
    assert (beyond.first, beyond.steps, beyond.ended) == (len(frames), (), True)
    assert beyond.before[-1].event == events[-1]


def test_the_leaves_of_a_search_that_is_followed_are_all_accounted_for() -> None:
    piece = follow(start("tictactoe"), END, Settings("alphabeta", "static"), 10**6, 1, never)
    assert piece is not None
    assert piece.ended
    assert piece.visited + piece.saved == 255_168


def test_a_tree_that_is_too_large_is_not_followed() -> None:
    assert follow(start("connect"), END, Settings(), 0, 10, never) is None
    with pytest.raises(LimitsError, match="takes too long"):
        follow(start("tictactoe"), END, Settings("minimax"), 0, 1_000_000, lambda: True)
