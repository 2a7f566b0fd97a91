"""The search of games with hidden information: weighted minimax over the deals that fit what the player knows.

Each deal is searched as if all of it lay open, every root move for itself, and a move is worth its average over the
deals (Levy 1989; Ginsberg 1999). Over all deals this is exact weighted minimax; over a sample of them it is its Monte
Carlo version, which converges to it: the sample is drawn without replacement, so that the sample of all is all.

Its known weakness is called strategy fusion (Frank and Basin 1998): after the first move the search lets a player
choose differently in deals that he cannot tell apart. So it overrates moves that only pay for a player who sees the
cards, never plays to gain or to hide information, and its value is the most that the player could hope for against an
opponent who sees them all, not what he can get.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.search.clock import Clock
from quietmove.engine.search.deepening import answer, depths
from quietmove.engine.search.node import INFINITE, SOLVED, Search
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Score, SearchResult, Settings

__all__ = ["HiddenDeepening", "sample"]


class HiddenDeepening:
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
        self._table = table
        self._settings = settings
        self._limits = limits
        self._clock = Clock(limits, clock)
        self._end = position.moves_left()
        legal = position.legal_moves()
        self._roots = [move for move in legal if not limits.searchmoves or move in limits.searchmoves]
        self._deals = sample(game.deals(position), settings.deals, settings.seed)
        if any(deal.legal_moves() != legal for deal in self._deals):
            raise GameError("the hand of the player to move is not known, and so not what may be played")
        self._best: Info | None = None
        self._nodes = self._probes = self._hits = self._seldepth = 0
        self._search: Search | None = None
        self._stopped = False

    def stop(self) -> None:
        """End the search as soon as possible; from any thread, at any time."""
        self._stopped = True
        search = self._search
        if search is not None:
            search.stopped = True
            search.next_poll = 0

    def ponderhit(self) -> None:
        """Let the clock run from now on; from any thread."""
        self._clock.ponderhit()
        search = self._search
        if search is not None:
            search.next_poll = 0

    def iterations(self) -> Iterator[Info]:
        """Search, and yield a report for each line of each iteration that was completed."""
        if not self._roots:
            return
        if self._table is not None:
            self._table.new_search()
        for depth in depths(self._limits, self._clock, self._end, lambda: self._nodes):
            lines = self._lines(depth, SOLVED if depth == self._end else depth)
            if not lines:
                return
            self._best = lines[0]
            yield from lines
            if self._stopped or not self._clock.may_go_on() or (self._clock.timed and len(self._roots) == 1):
                return

    def _lines(self, depth: int, plies: int) -> list[Info]:
        """Search one iteration over all deals and return its lines, the best first; none if it was cut off."""
        sums = dict.fromkeys(self._roots, 0)
        replies: dict[int, dict[int, int]] = {move: {} for move in self._roots}
        self._probes = self._hits = self._seldepth = 0
        for deal in self._deals:
            self._search_deal(deal, plies, sums, replies)
            if self._stopped:
                return []
        ranked = sorted(self._roots, key=lambda move: -sums[move])  # equals keep their order
        return [
            Info(
                depth=depth,
                seldepth=self._seldepth,
                multipv=rank,
                score=Score(nearest(sums[move], len(self._deals))),
                nodes=self._nodes,
                time=int(self._clock.elapsed() * 1000),
                hashfull=self._table.hashfull() if self._table is not None else 0,
                pv=(move, *most_frequent(replies[move])),
                probes=self._probes,
                hits=self._hits,
            )
            for rank, move in enumerate(ranked[: self._settings.multipv], 1)
        ]

    def _search_deal(
        self, deal: Position, plies: int, sums: dict[int, int], replies: dict[int, dict[int, int]]
    ) -> None:
        """Add the value of each root move in one deal to ``sums``, and the reply to it to ``replies``."""
        search = Search(deal, self._table, self._settings, self._clock.expired)
        if self._limits.nodes is not None:
            search.node_limit = self._limits.nodes - self._nodes
        self._search = search
        if self._stopped:  # by another thread, which could not stop this search yet
            search.stopped = True
        for move in self._roots:
            sums[move] += search.run(plies, -INFINITE, INFINITE, [move], whole=False)
            if search.stopped:
                break
            for reply in search.line()[1:2]:
                replies[move][reply] = replies[move].get(reply, 0) + 1
        self._stopped |= search.stopped
        self._nodes += search.nodes
        self._probes += search.probes
        self._hits += search.hits
        self._seldepth = max(self._seldepth, search.seldepth)

    def result(self) -> SearchResult:
        """Return the answer of the last completed iteration; before there is one, the first legal move."""
        return answer(self._best, self._roots, self._nodes, self._clock)


def sample(deals: list[Position], count: int, seed: int) -> list[Position]:
    """Return ``count`` of the deals in an order that follows from the seed, without replacement; 0 stands for all.

    Of one seed the smaller sample is the beginning of the larger one.
    """
    if count == 0 or count >= len(deals):
        return deals
    lots = random.Random(seed)
    order = sorted(range(len(deals)), key=lambda _: lots.random())
    return [deals[index] for index in order[:count]]


def nearest(total: int, count: int) -> int:
    """Return the whole number nearest to ``total / count``, the greater of two equally near."""
    return (2 * total + count) // (2 * count)


def most_frequent(replies: dict[int, int]) -> tuple[int, ...]:
    """Return the reply that most deals expect, the lowest of several; nothing if there is none."""
    return (min(replies, key=lambda reply: (-replies[reply], reply)),) if replies else ()
