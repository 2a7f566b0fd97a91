"""A matching of the most vertices in any graph, begun from one that is given (Edmonds 1965). Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

__all__ = ["NOBODY", "complete_matching"]

NOBODY = -1


def complete_matching(neighbours: Callable[[int], Iterable[int]], partners: list[int]) -> bool:
    """Match as many vertices as can be, and tell whether all of them are.

    Along an alternating path from a vertex without a partner to another one each partner is exchanged. So who has a
    partner keeps one, and few are changed if few are missing.

    :param neighbours: gives those of a vertex; the first of them are preferred.
    :param partners: of each vertex, -1 for none; changed in place.
    """
    for vertex, partner in enumerate(partners):
        if partner == NOBODY:
            _Search(neighbours, partners).run(vertex)
    return NOBODY not in partners


class _Search:
    """The search for one alternating path, breadth first. Odd cycles (blossoms) shrink to their base."""

    def __init__(self, neighbours: Callable[[int], Iterable[int]], partners: list[int]) -> None:
        size = len(partners)
        self.neighbours = neighbours
        self.partners = partners
        self.parent = [NOBODY] * size  # of a vertex at odd distance: the one that it was reached from
        self.base = list(range(size))  # of the blossom that a vertex has shrunk to
        self.is_even = [False] * size
        self.queue: deque[int] = deque()

    def run(self, root: int) -> None:
        """Match ``root`` if that is possible."""
        self.is_even[root] = True
        self.queue.append(root)
        while self.queue:
            vertex = self.queue.popleft()
            for other in self.neighbours(vertex):
                if self.base[vertex] == self.base[other] or self.partners[vertex] == other:
                    continue
                if other == root or (self.partners[other] != NOBODY and self.parent[self.partners[other]] != NOBODY):
                    self._shrink(vertex, other)
                elif self.parent[other] == NOBODY:
                    self.parent[other] = vertex
                    if self.partners[other] == NOBODY:
                        self._exchange(other)
                        return
                    self.is_even[self.partners[other]] = True
                    self.queue.append(self.partners[other])

    def _exchange(self, end: int) -> None:
        while end != NOBODY:
            before = self.parent[end]
            following = self.partners[before]
            self.partners[end], self.partners[before] = before, end
            end = following

    def _shrink(self, one: int, other: int) -> None:
        """Make one vertex of the odd cycle that the edge between two even vertices closes."""
        base = self._common_base(one, other)
        inside = [False] * len(self.base)
        self._mark(one, base, other, inside)
        self._mark(other, base, one, inside)
        for vertex, of_vertex in enumerate(self.base):
            if inside[of_vertex]:
                self.base[vertex] = base
                if not self.is_even[vertex]:
                    self.is_even[vertex] = True
                    self.queue.append(vertex)

    def _common_base(self, one: int, other: int) -> int:
        above: set[int] = set()
        while True:
            one = self.base[one]
            above.add(one)
            if self.partners[one] == NOBODY:
                break
            one = self.parent[self.partners[one]]
        while (other := self.base[other]) not in above:
            other = self.parent[self.partners[other]]
        return other

    def _mark(self, vertex: int, base: int, child: int, inside: list[bool]) -> None:
        while self.base[vertex] != base:
            partner = self.partners[vertex]
            inside[self.base[vertex]] = inside[self.base[partner]] = True
            self.parent[vertex] = child
            child = partner
            vertex = self.parent[partner]
