"""The search of games with hidden information: weighted minimax over the deals that fit what the player knows.

Each deal is searched as if all of it lay open, every root move for itself, and a move is worth its average over the
deals, each counted by its weight (Levy 1989; Ginsberg 1999). Over all deals this is exact weighted minimax; over a
sample of them it is its Monte Carlo version, which converges to it: the sample is drawn without replacement, so that
the sample of all is all.

Its known weakness is called strategy fusion (Frank and Basin 1998): after the first move the search lets a player
choose differently in deals that he cannot tell apart. So it overrates moves that only pay for a player who sees the
cards, and never plays to gain or to hide information. Its value is an upper limit: the player can hope for no more
against an opponent who sees all cards.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.search.deepening import depths
from quietmove.engine.search.node import INFINITE, SOLVED, Search
from quietmove.engine.search.root_search import RootSearch
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Score, Settings

UNIT = 1 << 20  # the weight 1 in a sample, where weights are no whole numbers


class HiddenDeepening(RootSearch):
    """One search, from the first iteration to the answer; an iteration searches every deal one ply deeper.

    :param position: a view; it is not touched.
    :param table: the transposition table, or None; all deals share it.
    :param settings: how to search a deal, and how many of them.
    :param limits: when to stop; nodes are counted over all deals.
    :param clock: seconds from any origin.
    :param game: what knows the deals of a view.
    :raises GameError: if it is not known what the player to move may choose from.
    """

    def __init__(
        self,
        position: Position,
        table: Table | None,
        settings: Settings,
        limits: Limits,
        clock: Callable[[], float] = time.perf_counter,
        *,
        game: Game,
    ) -> None:
        super().__init__(position, settings, limits, clock)
        self._table = table
        self._deals = sample(game.deals(position), settings.deals, settings.seed)
        if any(weight < 1 for _, weight in self._deals):
            raise GameError(f"game {game.name}: a weight of a deal must be a whole number from 1")
        if any(deal.legal_moves() != self._legal for deal, _ in self._deals):
            raise GameError("the hand of the player to move is not known, and so not what may be played")
        self._counted = self._probes = self._hits = self._seldepth = 0
        self._search = self._search_of(self._deals[0][0])

    def _nodes(self) -> int:
        return self._counted

    def _search_of(self, deal: Position) -> Search:
        expired = self._clock.expired if self._may_stop else None
        return Search(deal, self._table, self._settings, expired, self._clock.now)

    def iterations(self) -> Iterator[Info]:
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

    def _lines(self, depth: int, plies: int) -> list[Info]:
        """Search one iteration over all deals and return its lines, the best first; none if it was cut off.

        If the first iteration is cut off, its lines are those of the deals that were searched, at least one.
        """
        sums = dict.fromkeys(self._roots, 0)
        replies: dict[int, dict[int, int]] = {move: {} for move in self._roots}
        self._probes = self._hits = self._seldepth = 0
        total = 0  # the weight of the deals that were searched
        for deal, weight in self._deals:
            if not self._search_deal(deal, weight, plies, sums, replies):
                if self._best is not None:
                    return []
                break
            total += weight
            self._obey_limits()
        ranked = sorted(self._roots, key=lambda move: -sums[move])  # equals keep their order
        return [
            Info(
                depth=depth,
                seldepth=self._seldepth,
                multipv=rank,
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
        """Add the weighted value of each root move in one deal to ``sums``, and its reply's weight to ``replies``.

        :return: whether the deal was searched; nothing is added if the search was cut off.
        """
        search = self._search_of(deal)
        if self._may_stop and self._limits.nodes is not None:
            search.node_limit = max(0, self._limits.nodes - self._counted)
        self._search = search
        if self._may_stop and self._is_stopped:  # another thread has asked for it before it could reach this search
            search.stopped = True
        found: list[tuple[int, int, list[int]]] = []  # each move, its value and the reply to it
        for move in self._roots:
            value = search.run(plies, -INFINITE, INFINITE, [move], whole=False)
            if search.stopped:
                break
            found.append((move, value, search.line()[1:2]))
        self._is_stopped |= search.stopped
        self._counted += search.nodes
        self._probes += search.probes
        self._hits += search.hits
        self._seldepth = max(self._seldepth, search.seldepth)
        if search.stopped:
            return False
        for move, value, line in found:
            sums[move] += weight * value
            for reply in line:
                replies[move][reply] = replies[move].get(reply, 0) + weight
        return True


def sample(deals: list[tuple[Position, int]], count: int, seed: int) -> list[tuple[Position, int]]:
    """Return ``count`` of the deals in an order that follows from the seed, without replacement; 0 stands for all.

    Priority sampling (Duffield, Lund and Thorup 2007): a deal of weight w draws a lot u from 0 to 1, and the smallest
    u / w are taken. With t the smallest that is left out, a deal counts max(w, 1 / t) in the sample, so that any sum
    over it, of values times weights, is right on average. Equal weights stay equal, in units of 1 / :data:`UNIT`.
    Of one seed the deals of the smaller sample are the first of the larger one.
    """
    if count == 0 or count >= len(deals):
        return deals
    lots = random.Random(seed)
    ranks = [lots.random() / weight for _, weight in deals]
    order = sorted(range(len(deals)), key=ranks.__getitem__)
    least = 1 / ranks[order[count]]
    return [(deals[index][0], round(UNIT * max(deals[index][1], least))) for index in order[:count]]


def rounded_mean(total: int, weight: int) -> int:
    """Return the whole number nearest to ``total / weight``, the greater of two equally near."""
    return (2 * total + weight) // (2 * weight)


def most_frequent(replies: dict[int, int]) -> tuple[int, ...]:
    """Return the reply of the greatest weight, the lowest of several; nothing where there is none."""
    return (min(replies, key=lambda reply: (-replies[reply], reply)),) if replies else ()
