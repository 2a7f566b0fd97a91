"""Search trees to be looked at: positions, and how each algorithm goes through them, for whoever draws them.

The steps are the events of the engine's own traced search, each with the place of its position in the tree. No table is
used, so that every position has its place of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import DECISIVE, Position
from quietmove.engine.search.events import Bounds, Cutoff, Enter, Event, Value
from quietmove.engine.search.node import ALGORITHMS, INFINITE, SOLVED, Search
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.traced_search import TracedSearch, require_small
from quietmove.engine.values import Settings

__all__ = [
    "ALGORITHMS",
    "TREE_ORDERINGS",
    "Bounds",
    "Branch",
    "Cutoff",
    "Enter",
    "Node",
    "Settings",
    "Step",
    "Tree",
    "Value",
    "Walk",
    "grow_tree",
    "look_ahead",
    "value_of",
]

TREE_ORDERINGS = tuple(name for name in ORDERINGS if name != "table")  # which is "static" where there is no table


@dataclass(frozen=True, slots=True)
class Node:
    """A position of a tree.

    :param parent: its place in the tree; None at the root, which is the first.
    :param move: what leads here, as the game's integer; None at the root.
    :param side: who is to move, 0 or 1.
    """

    parent: int | None
    move: int | None
    side: int


@dataclass(frozen=True, slots=True)
class Step:
    """Something that a search does at the position ``node`` of the tree.

    :param children: the positions that the event names: of ``Bounds`` and ``Cutoff`` the move that is best so far, and
        after it the moves that are not tried.
    :param saved: by how much the number of leaves changes that have been passed over and not visited: it grows by those
        behind the moves that are not tried, and falls by 1 where the search comes to one of them after all.
    """

    node: int
    event: Event
    children: tuple[int, ...] = ()
    saved: int = 0


@dataclass(frozen=True, slots=True)
class Walk:
    """A search of a tree by one algorithm.

    :param value: of the root, in hundredths from its side to move.
    :param visited: how many leaves of the tree were visited.
    :param again: how many visits there were beyond the first of each leaf: PVS searches some branches twice.
    :param saved: how many leaves were never visited; ``visited + saved`` is the number of leaves of the tree.
    """

    algorithm: str
    value: int
    steps: tuple[Step, ...]
    visited: int
    again: int
    saved: int


@dataclass(frozen=True, slots=True)
class Tree:
    """All positions that minimax visits, parents before their children, and the searches of them.

    :param leaves: how many of the positions have none below them: minimax visits each once.
    """

    nodes: tuple[Node, ...]
    leaves: int
    walks: tuple[Walk, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """A move, and what a search of the position behind it found.

    :param side: who is to move behind it, 0 or 1.
    :param over: whether the game is over there.
    :param value: in hundredths from the view of ``side``; None if the search was too long.
    :param positions: how many the search visited.
    """

    move: int
    side: int
    over: bool
    value: int | None
    positions: int


def grow_tree(
    position: Position,
    depth: int,
    algorithms: Sequence[str],
    settings: Settings,
    most: int,
    expired: Callable[[], bool],
) -> Tree | None:
    """Return the tree below ``position`` with a search of it by each algorithm; None if it has too many positions.

    :param position: used and restored.
    :param depth: plies, from 0 on; one that reaches the end of the game means its end.
    :param settings: how to search; the algorithm in them does not count.
    :param most: positions below the root.
    :param expired: asked now and then whether time is up.
    :raises LimitsError: if it is.
    """
    survey = _Survey(position, _plies(position, depth), expired)
    try:
        require_small(position, survey.plies, settings.quiescence, survey.moves, most)
    except LimitsError:
        return None
    walks = {name: survey.walk(replace(settings, algorithm=name)) for name in ("minimax", *algorithms)}
    return Tree(tuple(survey.nodes), walks["minimax"].visited, tuple(walks[name] for name in algorithms))


def look_ahead(
    position: Position, depth: int, settings: Settings, nodes: int, expired: Callable[[], bool]
) -> list[Branch]:
    """Return each move of ``position`` with the value behind it; values that cost too much are left out.

    :param position: used and restored.
    :param depth: plies from ``position`` on, at least 1.
    :param nodes: what the search behind one move may visit.
    :param expired: asked now and then whether time is up; then the rest is left out too.
    """
    plies = _plies(position, depth)
    found = []
    for move in position.legal_moves():
        position.play(move)
        copy = position.copy()
        position.undo()
        replies = copy.legal_moves()
        search = Search(copy, None, settings, expired)
        search.node_limit = nodes
        value = search.run(plies if plies == SOLVED else plies - 1, -INFINITE, INFINITE, replies, whole=True)
        known = None if search.stopped else value
        found.append(Branch(move, copy.side_to_move, not replies, known, search.nodes))
    return found


def value_of(branches: Sequence[Branch]) -> int | None:
    """Return the value of the position that the branches start from, for its side to move; None if one is unknown."""
    values = [branch.value for branch in branches]
    known = [_from_child(value) for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None


def _from_child(value: int) -> int:
    """Return the value of a child as its parent has it: a win or a loss is one ply farther away."""
    if value < -DECISIVE:
        return -value - 1
    return -value + 1 if value > DECISIVE else -value


def _plies(position: Position, depth: int) -> int:
    return SOLVED if depth >= position.moves_left() else depth


class _Survey:
    """Searches of one tree; the first of them, by minimax, comes to every position.

    :ivar moves: of the root, none if it is a leaf.
    :ivar nodes: the positions so far.
    """

    def __init__(self, position: Position, plies: int, expired: Callable[[], bool]) -> None:
        self.plies = plies
        self.moves = position.legal_moves() if plies else []
        self.nodes = [Node(None, None, position.side_to_move)]
        self._position = position
        self._expired = expired
        self._places: dict[tuple[int, int], int] = {}  # of a position, by that of its parent and the move
        self._path: list[int] = []

    def walk(self, settings: Settings) -> Walk:
        """Search the tree once."""
        steps: list[Step] = []
        search = TracedSearch(
            self._position, None, settings, self._expired, lambda event: steps.append(self._step(event))
        )
        value = search.run(self.plies, -INFINITE, INFINITE, self.moves, whole=True)
        if search.stopped:
            raise LimitsError("the search of this tree takes too long; a smaller depth or a later position takes less")
        return _counted(settings.algorithm, value, self.nodes, steps)

    def _step(self, event: Event) -> Step:
        if isinstance(event, Enter):
            del self._path[event.ply :]
            self._path.append(self._place(event))
            return Step(self._path[-1], event)
        del self._path[event.ply + 1 :]
        node = self._path[-1]
        if isinstance(event, Value):
            return Step(node, event)
        untried = event.untried if isinstance(event, Cutoff) else ()
        return Step(node, event, tuple(self._places[node, move] for move in (event.move, *untried)))

    def _place(self, event: Enter) -> int:
        """Return the place of the position that is entered, which may be new."""
        if event.move is None:
            return 0
        key = self._path[-1], event.move
        if key not in self._places:
            self._places[key] = len(self.nodes)
            self.nodes.append(Node(key[0], event.move, event.side))
        return self._places[key]


def _counted(algorithm: str, value: int, nodes: Sequence[Node], steps: Sequence[Step]) -> Walk:
    """Return the walk that consists of ``steps``, with the leaves counted."""
    ends = list(range(1, len(nodes) + 1))  # behind the last position below each: minimax came to them in this order
    for place in range(len(nodes) - 1, 0, -1):
        parent = nodes[place].parent
        assert parent is not None
        ends[parent] = max(ends[parent], ends[place])
    is_leaf = [end == place + 1 for place, end in enumerate(ends)]
    visits = [0] * len(nodes)  # of leaves
    passed: set[int] = set()  # leaves that have been passed over

    def saved_by(step: Step) -> int:
        before = len(passed)
        if isinstance(step.event, Enter):
            if is_leaf[step.node]:
                visits[step.node] += 1
            passed.discard(step.node)
        for root in _passed_over(step):
            passed.update(place for place in range(root, ends[root]) if is_leaf[place] and not visits[place])
        return len(passed) - before

    counted = tuple(replace(step, saved=saved_by(step)) for step in steps)
    visited = sum(count > 0 for count in visits)
    return Walk(algorithm, value, counted, visited, sum(visits) - visited, len(passed))


def _passed_over(step: Step) -> Sequence[int]:
    """Return the positions that a search leaves out at a step, with all below them."""
    match step.event:
        case Cutoff():
            return step.children[1:]
        case Value(source=source) if source != "moves":  # good enough without them, or where the game ends
            return (step.node,)
        case _:
            return ()
