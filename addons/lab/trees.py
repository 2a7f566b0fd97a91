"""Search trees for display: positions, and how each algorithm walks through them.

The steps are the events of the engine's traced search, each with its position's index in the tree. The search uses no
table, so that every position has its own index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Position
from quietmove.engine.search.events import Cutoff, Enter, Event, Value, is_leaf
from quietmove.engine.search.node import INFINITE, SOLVED, Search, score_from_child
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.root_search import full_depth
from quietmove.engine.search.traced_search import TracedSearch, require_small
from quietmove.engine.values import Settings

FOLLOWED_LIMIT = 1_000_000  # maximum number of positions in the full tree, if the page loads it in pieces
# Without a table, "table" is the same as "static".
TREE_ORDERINGS = tuple(name for name in ORDERINGS if name != "table")


@dataclass(frozen=True, slots=True)
class Node:
    """A position in a tree.

    :param parent: the parent's index, or None for the root, which comes first.
    :param move: the move leading here, as the game's integer, or None for the root.
    :param side: the side to move, 0 or 1.
    """

    parent: int | None
    move: int | None
    side: int


@dataclass(frozen=True, slots=True)
class Step:
    """An event of a search at the position ``node`` of the tree.

    :param children: the positions named in the event. For ``Bounds`` and ``Cutoff``, the best move so far, then the
        moves not tried.
    :param saved: the change in the number of saved leaves: plus the leaves below moves not tried, minus 1 when the
        search visits such a leaf after all.
    """

    node: int
    event: Event
    children: tuple[int, ...] = ()
    saved: int = 0


@dataclass(frozen=True, slots=True)
class WalkedTree:
    """All positions that minimax visits, parents before children, and each algorithm's search of them.

    :param values: the leaves' values by index, in hundredths, from the side to move's point of view.
    :param walks: each algorithm's steps.
    """

    nodes: tuple[Node, ...]
    values: dict[int, int]
    walks: dict[str, tuple[Step, ...]]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some frames of a search that is too long to show whole. A frame is a step, or a leaf entered and left.

    :param nodes: the root, the positions the steps enter, and the moves there; parents before children.
    :param before: the steps that rebuild the tree as displayed at the start of the piece: those of the current path,
        and the entry and exit of each finished branch next to it.
    :param first: the number of frames before ``steps``.
    :param visited, saved: the number of leaves visited, and saved by cutoffs, before ``steps``.
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
    """A move and the result of searching the position after it.

    :param side: the side to move after it, 0 or 1.
    :param over: whether the game is over after it.
    :param value: in hundredths, from ``side``'s point of view, or None if the search was too long.
    :param positions: the number of positions searched.
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
    """Return the tree below ``position`` with each algorithm's search, or None if it has too many positions.

    :param position: the root position, which is restored after the search.
    :param depth: in plies, 0 or more; any depth that reaches the end of the game searches to the end.
    :param settings: search settings; their algorithm is ignored.
    :param most: maximum number of positions below the root.
    :param expired: a function, called regularly, that returns whether time is up.
    :raises LimitsError: if time is up.
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
    """Return ``count`` frames of a search starting at frame ``first``, or None if the tree has too many positions.

    Every piece repeats the search from the beginning, so nothing has to be stored between pieces.

    :param position: the root position, which is restored after the search.
    :param first: the number of the first frame; any number past the end means the end.
    :param expired: a function, called regularly, that returns whether time is up.
    :raises LimitsError: if time is up.
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
    """Return each legal move with its value, or with None if its search ran out of nodes or time.

    :param position: the root position, which is restored after the search.
    :param depth: in plies from ``position``, at least 1.
    :param nodes: node limit of the search after each move.
    :param expired: a function, called regularly, that returns whether time is up. Values not known by then stay None.
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
    """Return the parent position's value for its side to move, or None if any branch's value is unknown."""
    known = [score_from_child(-branch.value) for branch in branches if branch.value is not None]
    return max(known) if known and len(known) == len(branches) else None


class _Survey:
    """The searches of one tree. The first :meth:`walk` must be minimax, which visits every position.

    :ivar nodes: the positions found so far.
    """

    def __init__(self, position: Position, depth: int, expired: Callable[[], bool]) -> None:
        self._plies = full_depth(position, depth)
        self._moves = position.legal_moves() if depth else []  # empty if the root is a leaf
        self.nodes = [Node(None, None, position.side_to_move)]
        self._position = position
        self._expired = expired
        self._places: dict[tuple[int, int], int] = {}  # index of a position, by its parent's index and the move
        self._path: list[int] = []

    def has_at_most(self, positions: int, settings: Settings) -> bool:
        """Return whether the full tree has at most this many positions."""
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
                raise LimitsError("the search of this tree takes too long; try a smaller depth or a later position")

    def step_with_moves(self, event: Event) -> Step:
        """Return an event's step. When a position is entered, also add all its moves to the tree."""
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
        """Return the index of the position after a move, adding it if it is new."""
        key = parent, move
        if key not in self._places:
            self._places[key] = len(self.nodes)
            self.nodes.append(Node(parent, move, side))
        return self._places[key]


class _EnoughError(Exception):
    """All requested frames have been collected."""


class _Cutter:
    """A collector of a search's events from frame ``first`` until before frame ``last``, counted from 0.

    :ivar frames: the number of frames so far.
    """

    def __init__(self, first: int, last: int) -> None:
        self.kept: list[Event] = []
        self.frames = self.visited = self.saved = 0
        self._first, self._last = first, last
        self._open: list[list[Event]] = []  # events still visible at each position of the current path
        self._done: list[Event] = []  # events still visible after the search is done
        self._before: Event | None = None

    @property
    def before(self) -> list[Event]:
        """The events visible at the start of the collected frames, in the order they happened."""
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
    """Return the steps with ``saved`` filled in: the number of leaves that each step saves."""
    ends = list(range(1, len(nodes) + 1))  # index after each node's last descendant, in minimax's order of visits
    for place in range(len(nodes) - 1, 0, -1):
        parent = nodes[place].parent
        assert parent is not None
        ends[parent] = max(ends[parent], ends[place])
    is_leaf = [end == place + 1 for place, end in enumerate(ends)]
    visited: set[int] = set()  # leaves visited so far
    passed: set[int] = set()  # leaves skipped so far

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
    """Return the topmost positions that a step skips; everything below them is skipped too."""
    match step.event:
        case Cutoff():
            return step.children[1:]
        case Value(source=source) if source != "moves":  # good enough without trying moves, or the game is over
            return (step.node,)
        case _:
            return ()
