"""The positions of a book that is being built, their values, and which of them are to be expanded next.

Drop-out expansion (Lincke 2000, "Strategies for the automatic construction of opening books"): the fewer plies and the
smaller losses lead to a position, the sooner it is expanded. A loss of the book's user counts much, a loss of the
opponent little. So the best moves of the user are followed against every reasonable move of the opponent. Where a
deeper search finds that a move is worse than it seemed, another move takes its place.

Positions are boards without a forced pass: where a move leaves the opponent none, the player moves again.
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
PLY_COST = 100  # each ply on the way costs so much
LOSS_COSTS = (6, 2)  # a loss of the book's user, and one of the opponent, costs its hundredths of a disc times this
UNREACHED = 1 << 30  # the cost of a position to which no way is known yet


@dataclass(frozen=True, slots=True)
class SearchedValue:
    """What the search of a position found.

    :param value: in hundredths of a disc, from the side to move.
    :param depth: plies of the search; the empty squares if it is exact.
    """

    value: int
    depth: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """Positions that were expanded at once.

    :param followers: for each position the boards after its promising moves, each with whether the same player moves
        again.
    :param searched: the values of those boards that no earlier batch has searched.
    """

    followers: Mapping[Board, Sequence[tuple[Board, bool]]]
    searched: Mapping[Board, SearchedValue]


class GraphNode:
    """A position: its own search, its value, and once it is expanded, the positions after its moves."""

    __slots__ = ("board", "edges", "searched", "value")

    def __init__(self, board: Board, searched: SearchedValue) -> None:
        self.board = board
        self.searched = searched
        self.value = searched.value
        self.edges: tuple[tuple[GraphNode, bool], ...] = ()  # each with whether the player moves again

    @property
    def discs(self) -> int:
        """The discs on the board; each move adds one."""
        return (self.board[0] | self.board[1]).bit_count()

    def after(self) -> Iterator[tuple[int, GraphNode, bool]]:
        """Yield the value of each move, from the side to move here, with what follows it."""
        for child, passed in self.edges:
            yield child.value if passed else -child.value, child, passed


class Graph:
    """All positions, from the start of the game on; two orders of the same moves lead to the same position."""

    def __init__(self) -> None:
        self._nodes = {START: GraphNode(START, SearchedValue(0, 0, exact=False))}

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, board: Board) -> bool:
        return board in self._nodes

    def add(self, batch: Batch) -> None:
        """Expand positions that are there; :meth:`settle` then carries the new values back."""
        for board, searched in batch.searched.items():
            self._nodes[board] = GraphNode(board, searched)
        for board, followers in batch.followers.items():
            self._nodes[board].edges = tuple((self._nodes[each], passed) for each, passed in followers)

    def levels(self) -> list[list[GraphNode]]:
        """Return the positions by their number of discs, fewest first."""
        ordered = sorted(self._nodes.values(), key=lambda node: node.discs)
        return [list(level) for _, level in groupby(ordered, key=lambda node: node.discs)]

    def settle(self) -> None:
        """Make each value that of the best line from the position on."""
        for level in reversed(self.levels()):
            for node in level:
                if node.edges:
                    node.value = max(value for value, _, _ in node.after())

    def next_boards(self, count: int) -> list[Board]:
        """Return the positions that are to be expanded next, fewer than ``count`` only if there are no more.

        The values must be settled. A position that was searched to the end of the game is not expanded.
        """
        costs: dict[Board, list[int]] = {START: [0, 0]}  # least, with the user of the book to move, and the opponent
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
        """Yield what a book holds of each position; the values must be settled."""
        numbers = {board: number for number, board in enumerate(self._nodes)}
        below: dict[Board, int] = {}  # the positions that can come from each one of the next level, as a set of bits
        for level in reversed(self.levels()):
            reached = {}
            for node in level:
                after = reduce(or_, (below[child.board] for child, _ in node.edges), 0)
                reached[node.board] = after | 1 << numbers[node.board]
                yield Entry(*node.board, node.value, node.searched.depth, node.searched.exact, after.bit_count())
            below = reached
