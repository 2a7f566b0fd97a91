"""Monte Carlo tree search: one tree grows from the first report to the result.

Reports and results have the same form as those of :class:`quietmove.engine.search.deepening.Deepening`, but are read
from the tree. The line follows the most visits; the score is the mean result of the simulations that start with the
move, or its proven value.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from quietmove.engine.errors import LimitsError, OptionError
from quietmove.engine.games.base import DECISIVE, NATURE, Position
from quietmove.engine.search.root_search import RootSearch
from quietmove.engine.search.uct import Branch, Uct
from quietmove.engine.values import Info, Limits, Score, Settings

FIRST_REPORT = 1000  # nodes before the first report; each further report is made after twice as many


class MonteCarlo(RootSearch):
    """A Monte Carlo search, starting from an empty tree.

    :param position: searched in place and restored; do not use it during the search.
    :param megabytes: size of the tree, or 0 for the minimum of one megabyte.
    :param settings: the search settings.
    :param limits: the search limits; a depth refers to the length of the reported line.
    :param clock: a function that returns seconds from an arbitrary origin.
    :raises LimitsError: if an exact value is requested.
    :raises OptionError: if there is not enough memory for the tree.
    :raises GameError: at a chance node, where there is no move to choose.
    """

    _search: Uct
    _solves = False

    def __init__(
        self,
        position: Position,
        megabytes: int,
        settings: Settings,
        limits: Limits,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if limits.goal != "move":
            raise LimitsError(f"{limits.goal}: Algorithm must be minimax, alphabeta or pvs, not mcts")
        super().__init__(position, settings, limits, clock)
        try:
            chosen = (megabytes, settings.exploration, settings.seed)
            self._search = Uct(position, self._roots, *chosen, self._expired, self._clock.now)
        except (MemoryError, OverflowError, OSError):
            raise OptionError(f"Hash: not enough memory for {megabytes} MB") from None

    def _expired(self) -> bool:
        """Return whether time is up. The result is False until every move has been tried, unless the game is slow."""
        return self._may_stop and (self._clock.expired() or not self._clock.may_go_on())

    def iterations(self) -> Iterator[Info[int]]:
        tree, nodes = self._search, FIRST_REPORT
        reported = 0
        while tree.simulations < len(self._roots) and not (tree.stopped or tree.is_decided):
            tree.run(tree.nodes + 1)  # run one more simulation
        self._obey_limits()
        while self._roots:
            tree.run(nodes)
            if tree.simulations > reported:
                reported = tree.simulations
                lines = self._lines()
                self._completed(lines)
                yield from lines
            if tree.stopped or tree.is_decided or self._is_enough():
                return
            nodes = 2 * tree.nodes

    def _is_enough(self) -> bool:
        """Return whether to end the search: at the requested depth, or because the move is forced while a clock runs.

        A search to a given depth also ends when the tree is full.
        """
        depth = self._limits.depth
        if depth is not None and (self._search.is_full or (self._best is not None and self._best.depth >= depth)):
            return True
        return self._is_forced()

    def _lines(self) -> list[Info[int]]:
        tree = self._search
        branches = tree.branches()
        lines = []
        for rank in range(1, min(self._settings.multipv, len(branches)) + 1):
            branch = best_of(branches)
            if not branch.visits:
                break
            branches.remove(branch)
            line = self._line(branch)
            lines.append(
                Info(
                    depth=len(line),
                    seldepth=tree.seldepth,
                    rank=rank,
                    score=self._score(branch, branches),
                    nodes=tree.nodes,
                    time=self._milliseconds(),
                    hashfull=tree.hashfull,
                    pv=tuple(line),
                )
            )
        return lines

    def _score(self, branch: Branch, others: Sequence[Branch]) -> Score:
        """Return the value of a root move: a proven value or bound, or else the mean of its simulations.

        The value of a win is exact only if none of ``others`` can win faster.
        """
        if branch.low == branch.high:
            quicker = branch.low > DECISIVE and any(other.high > branch.low for other in others)
            return Score(branch.low, "lower" if quicker else "exact")
        if branch.low > DECISIVE:
            return Score(branch.low, "lower")
        if branch.high < -DECISIVE:
            return Score(branch.high, "upper")
        return Score(max(branch.low, min(branch.high, self._search.mean(branch))))

    def _line(self, branch: Branch) -> list[int]:
        """Return the best line starting with a root move, up to a leaf of the tree or a chance node."""
        position, start = self._position, self._position.ply
        line = []
        try:
            while branch.visits:
                line.append(branch.move)
                position.play(branch.move)
                branches = self._search.branches(branch.place)
                if not branches or position.side_to_move == NATURE:
                    break
                branch = best_of(branches)
        finally:
            while position.ply > start:
                position.undo()
        return line


def best_of(branches: Sequence[Branch]) -> Branch:
    """Return the move to play: the most visited one, unless a proven move is worth at least as much as its mean.

    Visits are preferred to means because a mean of few simulations says little (Chaslot and others 2008).
    """
    proven = [branch for branch in branches if branch.decided]
    known = max(proven, key=lambda branch: (proven_value(branch), branch.visits), default=None)
    others = [branch for branch in branches if not branch.decided and (known is None or branch.high > known.low)]
    tried = max(others, key=lambda branch: (branch.visits, branch.reward), default=None)
    if known is None or tried is None:
        return known or tried or branches[0]
    return known if known.reward >= tried.reward and not is_lost(known) else tried


def proven_value(branch: Branch) -> int:
    """Return the value of a decided move, or the bound that proves the win or the loss."""
    return branch.high if is_lost(branch) else branch.low


def is_lost(branch: Branch) -> bool:
    """Return whether a move is proven to lose."""
    return branch.high < -DECISIVE
