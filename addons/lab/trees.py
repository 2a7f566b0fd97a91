"""Search trees to be looked at: positions, and how each algorithm goes through them, for whoever draws them.

The steps are the events of the engine's own traced search, each with the place of its position in the tree. No table is
used, so that every position has its place of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Position
from quietmove.engine.search.events import TURNED, Bounds, Cutoff, Enter, Event, Value, is_leaf, turned, window_of
from quietmove.engine.search.node import ALGORITHMS, INFINITE, SOLVED, Search, score_from_child
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.root_search import full_depth
from quietmove.engine.search.traced_search import TracedSearch, require_small
from quietmove.engine.values import Settings

__all__ = [
    "ALGORITHMS",
    "TREE_ORDERINGS",
    "TURNED",
    "Bounds",
    "Cutoff",
    "Enter",
    "MoveValue",
    "Node",
    "Piece",
    "Settings",
    "Step",
    "Value",
    "WalkedTree",
    "follow",
    "grow_tree",
    "look_ahead",
    "turned",
    "value_of",
    "window_of",
]

FOLLOWED_LIMIT = 1_000_000  # positions of a tree whose search is followed piece by piece
TREE_ORDERINGS = tuple(name for name in ORDERINGS if name != "table")  # "table" is "static" where there is no table


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
    :param saved: the change in the number of leaves that were passed over and not visited: plus those below the moves
        that are not tried, minus 1 where the search visits such a leaf after all.
    """

    node: int
    event: Event
    children: tuple[int, ...] = ()
    saved: int = 0


@dataclass(frozen=True, slots=True)
class WalkedTree:
    """All positions that minimax visits, parents before their children, and the searches of them.

    :param values: the values of the leaves by their place, in hundredths from their side to move.
    :param walks: the steps of the search by each algorithm.
    """

    nodes: tuple[Node, ...]
    values: dict[int, int]
    walks: dict[str, tuple[Step, ...]]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some frames of a search that is too long to be shown whole; a frame is a step, or a leaf entered and left.

    :param nodes: the root, what the steps enter, and the moves there; parents before their children.
    :param before: the steps that draw the tree as it is seen where the piece begins: the way there, and each branch
        beside it that the search has left, as entered and left at once.
    :param first: how many frames lie before ``steps``.
    :param visited, saved: how many leaves were visited and saved by cutoffs in the frames before ``steps``.
    :param ended: whether the search ends with ``steps``.
    """

    nodes: tuple[Node, ...]
    before: tuple[Step, ...]
    steps: tuple[Step, ...]
    first: int
    visited: int
    saved: int
    ended: bool


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A move, and what a search of the position after it found.

    :param side: who is to move after it, 0 or 1.
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
) -> WalkedTree | None:
    """Return the tree below ``position`` with a search of it by each algorithm; None if it has too many positions.

    :param position: used and restored.
    :param depth: plies, from 0 on; one that reaches the end of the game means its end.
    :param settings: how to search; the algorithm in them does not count.
    :param most: positions below the root.
    :param expired: asked now and then whether time is up.
    :raises LimitsError: if it is.
    """
    survey = _Survey(position, depth, expired)
    if not survey.has_at_most(most, settings):
        return None
    walks = {name: survey.walk(replace(settings, algorithm=name)) for name in ("minimax", *algorithms)}
    values = {step.node: step.event.value for step in walks["minimax"] if is_leaf(step.event)}
    return WalkedTree(tuple(survey.nodes), values, {name: walks[name] for name in algorithms})


def follow(
    position: Position, depth: int, settings: Settings, first: int, count: int, expired: Callable[[], bool]
) -> Piece | None:
    """Return ``count`` frames of a search, from frame ``first`` on; None if the tree has too many positions.

    The search is made anew for each piece, so that none of it is kept meanwhile.

    :param position: used and restored.
    :param first: one beyond the end stands for the end.
    :param expired: asked now and then whether time is up.
    :raises LimitsError: if it is.
    """
    survey = _Survey(position, depth, expired)
    if not survey.has_at_most(FOLLOWED_LIMIT, settings):
        return None
    cutter = _Cutter(first, first + count)
    survey.search(settings, cutter.take)
    before = tuple(map(survey.step_with_moves, cutter.before))
    steps = tuple(map(survey.step_with_moves, cutter.kept))
    begin = min(first, cutter.frames)
    return Piece(tuple(survey.nodes), before, steps, begin, cutter.visited, cutter.saved, cutter.ended)


def look_ahead(
    position: Position, depth: int, settings: Settings, nodes: int, expired: Callable[[], bool]
) -> list[MoveValue]:
    """Return each move of ``position`` with the value after it; values that cost too much are left out.

    :param position: used and restored.
    :param depth: plies from ``position`` on, at least 1.
    :param nodes: how many positions the search after one move may visit.
    :param expired: asked now and then whether time is up; then the rest is left out too.
    """
    plies = full_depth(position, depth)
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
        found.append(MoveValue(move, copy.side_to_move, not replies, known, search.nodes))
    return found


def value_of(branches: Sequence[MoveValue]) -> int | None:
    """Return the value of the position that the branches start from, for its side to move; None if one is unknown."""
    known = [score_from_child(-branch.value) for branch in branches if branch.value is not None]
    return max(known) if known and len(known) == len(branches) else None


class _Survey:
    """Searches of one tree; the first of them, by minimax, comes to every position.

    :ivar nodes: the positions so far.
    """

    def __init__(self, position: Position, depth: int, expired: Callable[[], bool]) -> None:
        self._plies = full_depth(position, depth)
        self._moves = position.legal_moves() if depth else []  # none if the root is a leaf
        self.nodes = [Node(None, None, position.side_to_move)]
        self._position = position
        self._expired = expired
        self._places: dict[tuple[int, int], int] = {}  # the place of a position, by that of its parent and the move
        self._path: list[int] = []

    def has_at_most(self, positions: int, settings: Settings) -> bool:
        """Tell whether the tree has no more positions before anything is pruned."""
        try:
            require_small(self._position, self._plies, settings.quiescence, self._moves, positions)
        except LimitsError:
            return False
        return True

    def walk(self, settings: Settings) -> tuple[Step, ...]:
        steps: list[Step] = []
        self.search(settings, lambda event: steps.append(self._step(event)))
        return _counted(self.nodes, steps)

    def search(self, settings: Settings, emit: Callable[[Event], None]) -> None:
        """Search the tree, until ``emit`` raises :class:`_EnoughError`."""
        search = TracedSearch(self._position, None, settings, self._expired, emit)
        with suppress(_EnoughError):
            search.run(self._plies, -INFINITE, INFINITE, self._moves, whole=True)
            if search.stopped:
                raise LimitsError(
                    "the search of this tree takes too long; a smaller depth or a later position takes less"
                )

    def step_with_moves(self, event: Event) -> Step:
        """Return the step of an event; of a position that is entered, all moves become positions of the tree."""
        step = self._step(event)
        if isinstance(event, Enter) and (event.depth is None or event.depth > 0):
            position = self._position.copy()
            for place in self._path[1:]:
                move = self.nodes[place].move
                assert move is not None
                position.play(move)
            for move in position.legal_moves():
                self._child(step.node, move, 1 - event.side)
        return replace(step, saved=event.saved if isinstance(event, Cutoff | Value) else 0)

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
        side = 1 - self.nodes[node].side
        return Step(node, event, tuple(self._child(node, move, side) for move in (event.move, *untried)))

    def _place(self, event: Enter) -> int:
        if event.move is None:
            return 0
        place = self._child(self._path[-1], event.move, event.side)
        self.nodes[place] = replace(self.nodes[place], side=event.side)
        return place

    def _child(self, parent: int, move: int, side: int) -> int:
        """Return the place of the position after a move, which may be new."""
        key = parent, move
        if key not in self._places:
            self._places[key] = len(self.nodes)
            self.nodes.append(Node(parent, move, side))
        return self._places[key]


class _EnoughError(Exception):
    """All frames that are wanted were seen."""


class _Cutter:
    """Takes the events of a search, and keeps those of the frames from ``first`` to ``last``.

    :ivar frames: how many frames there were so far.
    """

    def __init__(self, first: int, last: int) -> None:
        self.kept: list[Event] = []
        self.frames = self.visited = self.saved = 0
        self._first, self._last = first, last
        self._open: list[list[Event]] = []  # the events that still show at each position of the way
        self._done: list[Event] = []  # the events that still show when the search is done
        self._before: Event | None = None

    @property
    def before(self) -> list[Event]:
        """What is to be seen where the kept events begin, in the order in which it happened."""
        return self._done or [event for events in self._open for event in events]

    @property
    def ended(self) -> bool:
        return isinstance(self._before, Value) and self._before.ply == 0

    def take(self, event: Event) -> None:
        if not (isinstance(event, Value) and isinstance(self._before, Enter)):
            if self.frames == self._last:
                raise _EnoughError
            self.frames += 1
        self._before = event
        if self.frames > self._first:
            self.kept.append(event)
            return
        self.visited += is_leaf(event)
        self.saved += event.saved if isinstance(event, Cutoff | Value) else 0
        if isinstance(event, Enter):
            self._open.append([event])
        elif isinstance(event, Value):
            entered, *inside = self._open.pop()
            if self._open:
                self._open[-1] += entered, event
            else:
                self._done = [entered, *inside, event]
        else:
            self._open[-1].append(event)


def _counted(nodes: Sequence[Node], steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps with the leaves counted that each of them saves."""
    ends = list(range(1, len(nodes) + 1))  # each one's descendants end before this place: minimax came to all in order
    for place in range(len(nodes) - 1, 0, -1):
        parent = nodes[place].parent
        assert parent is not None
        ends[parent] = max(ends[parent], ends[place])
    is_leaf = [end == place + 1 for place, end in enumerate(ends)]
    visited: set[int] = set()  # leaves that the search has come to
    passed: set[int] = set()  # leaves that have been passed over

    def saved_by(step: Step) -> int:
        before = len(passed)
        if isinstance(step.event, Enter):
            visited.add(step.node)
            passed.discard(step.node)
        for root in _passed_over(step):
            passed.update(place for place in range(root, ends[root]) if is_leaf[place] and place not in visited)
        return len(passed) - before

    return tuple(replace(step, saved=saved_by(step)) for step in steps)


def _passed_over(step: Step) -> Sequence[int]:
    """Return the positions that a search leaves out at a step, with all below them."""
    match step.event:
        case Cutoff():
            return step.children[1:]
        case Value(source=source) if source != "moves":  # good enough without them, or where the game ends
            return (step.node,)
        case _:
            return ()
