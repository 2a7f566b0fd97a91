"""The positions of a book under construction, with their values and the order of expansion.

Drop-out expansion (Lincke 2000, "Strategies for the automatic construction of opening books"): positions reached after
fewer plies and with smaller losses are expanded first. Losses of the book's user weigh much more than losses of the
opponent, so that the user's best moves are followed against every reasonable move of the opponent. If a deeper search
finds a move worse than expected, another move takes its place.

Positions are boards without forced passes: if the opponent has no reply to a move, the same player moves again.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from operator import or_

from quietmove.engine.games.othello.book import Entry
from quietmove.engine.games.othello.symmetry import Board, canonical_board

START = canonical_board(0x810000000, 0x1008000000)
PLY_COST = 100  # cost of each ply
LOSS_COSTS = (6, 2)  # cost per hundredth of a disc lost by the book's user, and by the opponent
UNREACHED = 1 << 30  # the cost of an unreached position


@dataclass(frozen=True, slots=True)
class SearchedValue:
    """The result of searching a position.

    :param value: the value in hundredths of a disc, from the side to move's point of view.
    :param depth: the search depth in plies, or the number of empty squares if the value is exact.
    """

    value: int
    depth: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of positions that are expanded together.

    :param followers: for each position, the boards after its promising moves, each paired with whether the same player
        moves again.
    :param searched: the values of the boards that no earlier batch searched.
    """

    followers: Mapping[Board, Sequence[tuple[Board, bool]]]
    searched: Mapping[Board, SearchedValue]


class GraphNode:
    """A position with its search result, its value and, once expanded, the positions after its moves."""

    __slots__ = ("board", "edges", "searched", "value")

    def __init__(self, board: Board, searched: SearchedValue) -> None:
        self.board = board
        self.searched = searched
        self.value = searched.value
        self.edges: tuple[tuple[GraphNode, bool], ...] = ()  # nodes, and whether the same player moves again

    @property
    def discs(self) -> int:
        """The number of discs on the board; each move adds one."""
        return (self.board[0] | self.board[1]).bit_count()

    def after(self) -> Iterator[tuple[int, GraphNode, bool]]:
        """Yield each move's value for the mover, the position after it, and whether the same player moves again."""
        for child, passed in self.edges:
            yield child.value if passed else -child.value, child, passed


class Graph:
    """A graph of positions from the start of the game; transpositions share a node."""

    def __init__(self) -> None:
        self._nodes = {START: GraphNode(START, SearchedValue(0, 0, exact=False))}

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, board: Board) -> bool:
        return board in self._nodes

    def add(self, batch: Batch) -> None:
        """Expand existing positions; call :meth:`settle` afterwards to propagate the new values."""
        for board, searched in batch.searched.items():
            self._nodes[board] = GraphNode(board, searched)
        for board, followers in batch.followers.items():
            self._nodes[board].edges = tuple((self._nodes[each], passed) for each, passed in followers)

    def levels(self) -> list[list[GraphNode]]:
        """Return the positions grouped by number of discs, fewest first."""
        ordered = sorted(self._nodes.values(), key=lambda node: node.discs)
        return [list(level) for _, level in groupby(ordered, key=lambda node: node.discs)]

    def settle(self) -> None:
        """Set each position's value to the value of the best line from it."""
        for level in reversed(self.levels()):
            for node in level:
                if node.edges:
                    node.value = max(value for value, _, _ in node.after())

    def next_boards(self, count: int) -> list[Board]:
        """Return the next ``count`` positions to expand, or all if there are fewer.

        Call :meth:`settle` first. Positions searched to the end of the game are not expanded.
        """
        # For each position, the minimum cost of reaching it with the book's user, and with the opponent, to move.
        costs: dict[Board, list[int]] = {START: [0, 0]}
        leaves: list[tuple[int, Board]] = []
        for level in self.levels():
            for node in level:
                here = costs[node.board]
                if not node.edges:
                    if not node.searched.exact:
                        leaves.append((min(here), node.board))
                    continue
                for value, child, passed in node.after():
                    there = costs.setdefault(child.board, [UNREACHED, UNREACHED])
                    for player, weight in enumerate(LOSS_COSTS):
                        mover = player if passed else 1 - player
                        there[mover] = min(there[mover], here[player] + PLY_COST + weight * (node.value - value))
        return [board for _, board in heapq.nsmallest(count, leaves)]

    def entries(self) -> Iterator[Entry]:
        """Yield the book entries; call :meth:`settle` first."""
        numbers = {board: number for number, board in enumerate(self._nodes)}
        below: dict[Board, int] = {}  # the positions reachable from each position of the next level, as bit sets
        for level in reversed(self.levels()):
            reached = {}
            for node in level:
                after = reduce(or_, (below[child.board] for child, _ in node.edges), 0)
                reached[node.board] = after | 1 << numbers[node.board]
                yield Entry(*node.board, node.value, node.searched.depth, node.searched.exact, after.bit_count())
            below = reached
