"""Search for games with hidden information: weighted minimax over the deals consistent with the player's knowledge.

Each deal is searched with all cards visible, every root move separately, and a move's value is its weighted average
over all deals (Levy 1989; Ginsberg 1999). Over all deals this is exact weighted minimax; over a sample it is the Monte
Carlo version, which converges to it, because the sample is drawn without replacement.

Its known weakness is strategy fusion (Frank and Basin 1998): after the first move, the search lets a player choose
differently in deals that the player cannot distinguish. It therefore overrates moves that pay off only for a player who
sees the cards, and never plays to gain or to hide information. Its value is an upper bound: the player cannot hope for
more against an opponent who sees all cards.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Position
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.search.deepening import depths
from quietmove.engine.search.node import INFINITE, SOLVED, Search
from quietmove.engine.search.root_search import RootSearch
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Score, Settings

UNIT = 1 << 20  # fixed-point 1.0 for the weights in a sample


class HiddenDeepening(RootSearch):
    """A search with iterative deepening: each iteration searches every deal one ply deeper.

    :param position: a view; it is not modified.
    :param table: the transposition table, shared by all deals, or None.
    :param settings: the search settings, including the number of deals.
    :param limits: the search limits; nodes are counted over all deals.
    :param clock: a function that returns seconds from an arbitrary origin.
    :param game: the game, which enumerates the deals of a view.
    :raises GameError: if the legal moves of the side to move are unknown.
    """

    def __init__(
        self,
        position: Position,
        table: Table | None,
        settings: Settings,
        limits: Limits,
        clock: Callable[[], float] = time.perf_counter,
        *,
        game: HiddenCards,
    ) -> None:
        super().__init__(position, settings, limits, clock)
        self._table = table
        self._deals = sample(game.deals(position), settings.deals, settings.seed)
        if any(weight < 1 for _, weight in self._deals):
            raise GameError(f"game {game.name}: weights of deals must be whole numbers from 1")
        if any(deal.legal_moves() != self._legal for deal, _ in self._deals):
            raise GameError("the legal moves are unknown, because the hand of the player to move is unknown")
        self._counted = self._probes = self._hits = self._seldepth = 0
        self._search = self._search_of(self._deals[0][0])

    def _nodes(self) -> int:
        return self._counted

    def _search_of(self, deal: Position) -> Search:
        expired = self._clock.expired if self._may_stop else None
        return Search(deal, self._table, self._settings, expired, self._clock.now)

    def iterations(self) -> Iterator[Info[int]]:
        if not self._roots:
            return
        if self._table is not None:
            self._table.new_search()
        for depth in depths(self._limits, self._clock, self._end, self._nodes):
            lines = self._lines(depth, SOLVED if depth == self._end else depth)
            if not lines:
                return
            self._completed(lines, depth == self._end)
            yield from lines
            if self._is_stopped or not self._clock.may_go_on() or self._is_forced():
                return

    def _lines(self, depth: int, plies: int) -> list[Info[int]]:
        """Search one iteration over all deals and return its lines, best first, or [] if it was interrupted.

        If the first iteration is interrupted, the lines are based on the deals searched so far, at least one.
        """
        sums = dict.fromkeys(self._roots, 0)
        replies: dict[int, dict[int, int]] = {move: {} for move in self._roots}
        self._probes = self._hits = self._seldepth = 0
        total = 0  # total weight of the deals searched
        for deal, weight in self._deals:
            if not self._search_deal(deal, weight, plies, sums, replies):
                if self._best is not None:
                    return []
                break
            total += weight
            self._obey_limits()
        ranked = sorted(self._roots, key=lambda move: -sums[move])  # stable: ties keep their order
        return [
            Info(
                depth=depth,
                seldepth=self._seldepth,
                rank=rank,
                score=Score(rounded_mean(sums[move], total)),
                nodes=self._counted,
                time=self._milliseconds(),
                hashfull=self._table.hashfull() if self._table is not None else 0,
                pv=(move, *most_frequent(replies[move])),
                probes=self._probes,
                hits=self._hits,
            )
            for rank, move in enumerate(ranked[: self._settings.multipv], 1)
        ]

    def _search_deal(
        self, deal: Position, weight: int, plies: int, sums: dict[int, int], replies: dict[int, dict[int, int]]
    ) -> bool:
        """Add each root move's weighted value in one deal to ``sums``, and the weight of its best reply to ``replies``.

        :return: whether the deal was searched completely; otherwise nothing is added.
        """
        search = self._search_of(deal)
        if self._may_stop and self._limits.nodes is not None:
            search.node_limit = max(0, self._limits.nodes - self._counted)
        self._search = search
        if self._may_stop and self._is_stopped:  # another thread requested the stop before this search existed
            search.stopped = True
        results: list[tuple[int, int, list[int]]] = []  # each move, its value and the best reply
        for move in self._roots:
            value = search.run(plies, -INFINITE, INFINITE, [move], whole=False)
            if search.stopped:
                break
            results.append((move, value, search.line()[1:2]))
        self._is_stopped |= search.stopped
        self._counted += search.nodes
        self._probes += search.probes
        self._hits += search.hits
        self._seldepth = max(self._seldepth, search.seldepth)
        if search.stopped:
            return False
        for move, value, line in results:
            sums[move] += weight * value
            for reply in line:
                replies[move][reply] = replies[move].get(reply, 0) + weight
        return True


def sample(deals: list[tuple[Position, int]], count: int, seed: int) -> list[tuple[Position, int]]:
    """Return ``count`` deals (0 for all), sampled without replacement in an order determined by the seed.

    Priority sampling (Duffield, Lund and Thorup 2007): a deal of weight w draws a random u from 0 to 1, and the deals
    with the smallest u / w are chosen. With t the smallest value not chosen, a deal in the sample gets weight max(w, 1
    / t), so that sums of values times weights are unbiased. Equal weights stay equal, in units of 1 / :data:`UNIT`.
    With the same seed, a smaller sample is a prefix of a larger one.
    """
    if count == 0 or count >= len(deals):
        return deals
    lots = random.Random(seed)
    ranks = [lots.random() / weight for _, weight in deals]
    order = sorted(range(len(deals)), key=ranks.__getitem__)
    least = 1 / ranks[order[count]]
    return [(deals[index][0], round(UNIT * max(deals[index][1], least))) for index in order[:count]]


def rounded_mean(total: int, weight: int) -> int:
    """Return ``total / weight`` rounded to the nearest integer, with halves rounded up."""
    return (2 * total + weight) // (2 * weight)


def most_frequent(replies: dict[int, int]) -> tuple[int, ...]:
    """Return a tuple with the reply of the greatest weight (in a tie, the lowest move), or () if there are none."""
    return (min(replies, key=lambda reply: (-replies[reply], reply)),) if replies else ()
