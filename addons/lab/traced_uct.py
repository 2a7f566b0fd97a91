"""The engine's Monte Carlo tree search, extended to report the four phases of every simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt

import cython
from cython.cimports.quietmove.engine.search.uct import REWARD, ROOT, logarithm

from quietmove.engine.games.base import Position
from quietmove.engine.search.uct import Uct
from quietmove.engine.values import Settings

MEGABYTES = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """A move that the selection can choose, from the point of view of the side making it.

    :param place: the index in the tree of the position after the move.
    :param mean: the average of its simulations, 0 for a loss and 1 for a win; None before the first visit.
    :param bound: the upper confidence bound; None, meaning infinity, before the first visit.
    :param decided: whether the value is proven, so that the move is not visited again.
    """

    place: int
    move: int
    visits: int
    mean: float | None
    bound: float | None
    decided: bool


@dataclass(slots=True)
class Simulation:
    """One simulation, phase by phase.

    :ivar choices: 1. selection: the choices at each position on the path.
    :ivar path: tree indices of the positions on the path, starting at the root.
    :ivar expanded: 2. expansion: the index in ``path`` of the expanded position, or None.
    :ivar playout: 3. simulation: the random moves to the end of the game.
    :ivar visits, means: 4. backpropagation: the new values for each position in ``path``; the root's mean is 0.
    """

    choices: list[tuple[Choice, ...]] = field(default_factory=list)
    path: list[int] = field(default_factory=lambda: [ROOT])
    expanded: int | None = None
    playout: list[int] = field(default_factory=list)
    visits: list[int] = field(default_factory=list)
    means: list[float] = field(default_factory=list)


class TracedUct(Uct):
    """A search that passes every finished simulation to ``emit``.

    :param settings: only ``exploration`` and ``seed`` are used.
    """

    def __init__(
        self, position: Position, roots: Sequence[int], settings: Settings, emit: Callable[[Simulation], None]
    ) -> None:
        self.told = Simulation()  # discarded: records the root's expansion, which belongs to no simulation
        self.is_playing_out = False
        super().__init__(position, roots, MEGABYTES, settings.exploration, settings.seed, lambda: False)
        self.emit = emit
        self.told = Simulation()

    def select(self, node: cython.uint) -> cython.uint:
        chosen: cython.uint = Uct.select(self, node)
        self.note_choice(node, chosen)
        return chosen

    def expand(self, node: cython.uint, count: cython.int) -> None:
        Uct.expand(self, node, count)
        self.note_expansion()

    def playout(self, count: cython.int) -> cython.int:
        self.is_playing_out = True
        score: cython.int = Uct.playout(self, count)
        self.is_playing_out = False
        return score

    def step(self, move: cython.int) -> cython.bint:
        made: cython.bint = Uct.step(self, move)
        if made and self.is_playing_out:
            self.note_move(move)
        return made

    def learn(self, depth: cython.int, score: cython.int, settled: cython.bint) -> None:
        Uct.learn(self, depth, score, settled)
        self.tell()

    def note_choice(self, node: cython.uint, chosen: cython.uint) -> None:
        """Record the children of a position and the chosen one."""
        scale: cython.longlong = self.weight * logarithm(self.visits[node] + 1)
        choices = []
        for branch in self.branches(node):
            bound = None
            if branch.visits:
                bound = (branch.reward + sqrt(scale // branch.visits)) / REWARD
            mean = branch.reward / REWARD if branch.visits else None
            choices.append(Choice(branch.place, branch.move, branch.visits, mean, bound, branch.decided))
        self.told.choices.append(tuple(choices))
        self.told.path.append(chosen)

    def note_expansion(self) -> None:
        """Record that the last position on the path was expanded."""
        self.told.expanded = len(self.told.path) - 1

    def note_move(self, move: cython.int) -> None:
        """Record a move of a playout."""
        self.told.playout.append(move)

    def tell(self) -> None:
        """Pass the simulation to ``emit`` and start the next one."""
        told = self.told
        for place in told.path:
            found = self.branch(place)
            told.visits.append(found.visits)
            told.means.append(found.reward / REWARD)
        self.told = Simulation()
        try:
            self.emit(told)
        except BaseException as error:  # run() re-raises what emit raised
            self.failure = error
            self.stopped = True
