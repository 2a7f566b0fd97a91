"""Monte Carlo tree search: the tree, and the simulations that grow it.

A simulation goes down the tree by UCT (Kocsis and Szepesvári 2006), plays the rest of the game at random, and adds the
result to each position that it came through. No evaluation is needed, only the rules.

Beside its sums each position has two bounds of its exact value. A finished game sets both, and they narrow upwards as
in minimax, so a subtree whose value is proven is not visited again (MCTS-Solver: Winands, Björnsson and Saito 2008;
with scores: Cazenave and Saffidine 2010).

The tree lies in arrays that are allocated once. The children of a position lie side by side; when there is no room for
them, the position stays a leaf, and games are played out from there. All arithmetic is in whole numbers, but for a
square root, which every machine rounds alike: so a search with a seed and a number of nodes can be repeated exactly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import cython
from cython.cimports.libc.math import sqrt
from cython.cimports.quietmove.engine.games.base import DECISIVE, MAX_MOVES, MAX_PLY
from cython.cimports.quietmove.engine.search.node import score_from_child
from cython.cimports.quietmove.engine.search.uct import EXACT_LOGARITHMS, MARGIN, REWARD, ROOT

from quietmove.engine.games.base import Position
from quietmove.engine.memory import fresh_memory
from quietmove.engine.search.limited import LimitedSearch

__all__ = ["REWARD", "ROOT", "Branch", "Uct"]

BYTES = 24  # a position of the tree takes so many in all arrays together
LEAST_MEGABYTES = 1
LOG_UNIT = 1 << 16
EXPANDED_AT = cython.declare(cython.int, 1)  # visits of a leaf before it gets children
LONGEST = cython.declare(cython.int, 1000)  # plies of a playout; a longer one counts as a draw
HALF_MARGIN = cython.declare(cython.int, 1000)  # the score, in hundredths, that earns half of MARGIN
LN2 = cython.declare(cython.longlong, round(log(2) * LOG_UNIT))
LOGARITHMS = cython.declare(cython.longlong[EXACT_LOGARITHMS])


@cython.cfunc
def prepare_logarithms() -> None:
    """Fill the table of natural logarithms, in units of 1 / LOG_UNIT."""
    number: cython.int
    for number in range(1, EXACT_LOGARITHMS):
        LOGARITHMS[number] = round(log(number) * LOG_UNIT)


prepare_logarithms()


def logarithm(number: cython.uint) -> cython.longlong:
    """Return the natural logarithm of ``number``, at least 1, in units of 1 / LOG_UNIT."""
    doublings: cython.longlong = 0
    while number >= EXACT_LOGARITHMS:
        number >>= 1
        doublings += 1
    rest: cython.longlong = LOGARITHMS[number]
    return rest + doublings * LN2


def for_parent(score: cython.int) -> cython.int:
    """Return a score as the side that moved here sees it: with the other sign, a win or a loss one ply farther away."""
    return score_from_child(-score)


def reward_of(score: cython.int) -> cython.int:
    """Return what a playout with this score is worth, from 0 to REWARD: mostly whether it is won, a little how high."""
    margin: cython.int = score if score > 0 else -score
    margin = MARGIN if margin > DECISIVE else MARGIN * margin // (margin + HALF_MARGIN)
    if score == 0:
        return REWARD // 2
    return REWARD - MARGIN + margin if score > 0 else MARGIN - margin


@dataclass(frozen=True, slots=True)
class Branch:
    """A move of the tree and what is known of it, from the view of the side that makes it.

    :param place: of the position behind it, in the tree.
    :param visits: simulations through it.
    :param reward: their mean, from 0 to :data:`REWARD`, that of the proven value where there is one; 0 without a visit.
    :param low, high: bounds of its exact value.
    :param decided: its value is exact, or a win or a loss is proven.
    """

    place: int
    move: int
    visits: int
    reward: int
    low: int
    high: int
    decided: bool


class Uct(LimitedSearch):
    """One tree.

    :param position: searched in place and restored.
    :param roots: the moves to consider, all of them legal, at least one.
    :param megabytes: the size of the tree; 0 for the smallest, one megabyte.
    :param exploration: the constant of UCT in hundredths, where a win is worth 1 and a loss 0.
    :param seed: what the playouts follow from.
    :param expired: asked every few thousand nodes whether time is up.
    :param now: the clock that ``expired`` looks at, in seconds from any origin.
    :raises OSError, OverflowError: if there is not that much memory.
    :ivar nodes: calls of ``make`` so far, those of the playouts included.
    :ivar node_limit: the search stops before it exceeds this.
    :ivar stopped: set from any thread, it ends the search at once; an unfinished simulation leaves no trace.
    :ivar seldepth: plies of the deepest position of the tree that was reached.
    :ivar used: positions in the tree.
    """

    totals: list[int]
    legal: list[int]
    path: list[int]
    chance: list[bool]

    def __init__(
        self,
        position: Position,
        roots: Sequence[int],
        megabytes: int,
        exploration: int,
        seed: int,
        expired: Callable[[], bool],
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__(position, expired, now)
        self.seldepth = 0
        self.most = position.largest_score
        self.weight = exploration * exploration * REWARD * REWARD // (10_000 * LOG_UNIT)
        self.random_state = ((2 * seed + 1) * 0x9E3779B97F4A7C15) % (1 << 64)
        self.allocate(max(megabytes, LEAST_MEGABYTES) << 20)
        self.used = 1
        self.low[ROOT], self.high[ROOT] = -self.most, self.most
        for i in range(len(roots)):
            self.totals[i] = 0
            self.legal[i] = roots[i]
        self.expand(ROOT, len(roots))

    def allocate(self, size: int) -> None:
        """Reserve ``size`` bytes, which the system clears page by page as they are first touched."""
        self.capacity = size // BYTES
        memory, n = memoryview(fresh_memory(size, huge=False)), size // BYTES
        self.rewards = memory[: 8 * n].cast("q")
        self.visits = memory[8 * n : 12 * n].cast("I")
        self.first = memory[12 * n : 16 * n].cast("I")
        self.counts = memory[16 * n : 18 * n].cast("H")
        self.moves = memory[18 * n : 20 * n].cast("H")
        self.low = memory[20 * n : 22 * n].cast("h")
        self.high = memory[22 * n : 24 * n].cast("h")

    @property
    def hashfull(self) -> int:
        """How much of the tree's memory is in use, in thousandths."""
        return self.used * 1000 // self.capacity

    @property
    def is_full(self) -> bool:
        """Whether there may be no room for the children of a position."""
        return self.used + MAX_MOVES > self.capacity

    @property
    def is_decided(self) -> bool:
        """Whether the root is proven: its value is exact, or it is won or lost."""
        return bool(self.decided(ROOT))

    @property
    def simulations(self) -> int:
        """How many simulations were completed."""
        return self.visits[ROOT]

    def run(self, nodes: int) -> None:
        """Simulate until at least ``nodes`` nodes were made in all, the root is decided, or the search is stopped.

        :raises BaseException: whatever ``expired`` or the position raised.
        """
        limit: cython.ulonglong = nodes
        if self.position.slow:  # each of its methods needs the lock: it is quicker to hold it throughout
            self.grow(limit)
        else:
            with cython.nogil:
                self.grow(limit)
        self.raise_failure()

    def branches(self, place: cython.uint = ROOT) -> list[Branch]:
        """Return the moves of a position of the tree; none of a leaf."""
        return [self.branch(child) for child in range(self.first[place], self.first[place] + self.counts[place])]

    def branch(self, child: cython.uint) -> Branch:
        """Return what is known of the move that leads to ``child``."""
        visits = self.visits[child]
        reward = self.rewards[child] // visits if visits else 0
        if self.decided(child):
            reward = reward_of(-self.known_score(child))
        low, high = for_parent(self.high[child]), for_parent(self.low[child])
        return Branch(child, self.moves[child], visits, reward, low, high, bool(self.decided(child)))

    def mean(self, root_move: Branch) -> int:
        """Return the mean score of the simulations through a move of the root; a game that is won counts 100."""
        total: int = self.totals[root_move.place - self.first[ROOT]]
        return round(total / root_move.visits)

    def grow(self, nodes: cython.ulonglong) -> None:
        """Do what :meth:`run` says."""
        while self.nodes < nodes and not self.stopped and not self.decided(ROOT):
            self.simulate()

    def simulate(self) -> None:
        """Go down the tree to a leaf or a decided position, play on from there, and add the result to all on the way.

        An unfinished simulation is forgotten.
        """
        node: cython.uint = ROOT
        depth: cython.int = 0
        score: cython.int = 0
        count: cython.int
        settled: cython.bint = False
        self.path[0] = ROOT
        while True:
            self.chance[depth] = self.position.is_chance()
            if self.first[node] == 0:
                # 1. A leaf is the end of the game, or it is expanded, or a game is played out from there.
                count = self.position.generate(self.legal, 0)
                if count == 0:
                    score = self.position.final_score()
                    self.low[node] = self.high[node] = score
                    settled = True
                    break
                if self.visits[node] < EXPANDED_AT or self.used + count > self.capacity or depth == MAX_PLY - 1:
                    score = self.playout(count)
                    break
                self.expand(node, count)
            # 2. Go on to one of the children.
            node = self.select_chance(node) if self.chance[depth] else self.select(node)
            if not self.step(self.moves[node]):
                break
            depth += 1
            self.path[depth] = node
            if self.decided(node):
                score = self.known_score(node)
                break
        plies: cython.int = depth
        while plies > 0:
            self.position.unmake()
            plies -= 1
        if not self.stopped:
            self.learn(depth, score, settled)

    def step(self, move: cython.int) -> cython.bint:
        """Make a move, unless the search is to stop; tell whether it was made."""
        if self.nodes >= self.next_poll:
            self.poll()
        if self.stopped:
            return False
        self.nodes += 1
        self.position.make(move)
        return True

    def expand(self, node: cython.uint, count: cython.int) -> None:
        """Give ``node`` a child for each of the ``count`` moves in ``legal``."""
        i: cython.int
        child: cython.uint
        self.first[node] = self.used
        self.counts[node] = count
        for i in range(count):
            child = self.used + i
            self.moves[child] = self.legal[i]
            self.low[child] = -self.most
            self.high[child] = self.most
        self.used += count

    def select(self, node: cython.uint) -> cython.uint:
        """Return the child with the greatest upper confidence bound: the first that was never visited, if there is one.

        Left out is what cannot be better than what is proven already.
        """
        exploration: cython.longlong = self.weight * logarithm(self.visits[node] + 1)
        floor: cython.int = self.low[node]
        best: cython.longlong = -1
        best_child: cython.uint = self.first[node]
        child: cython.uint
        visits: cython.longlong
        bound: cython.longlong
        for child in range(self.first[node], self.first[node] + self.counts[node]):
            if for_parent(self.low[child]) <= floor or self.decided(child):
                continue
            visits = self.visits[child]
            if visits == 0:
                return child
            bound = self.rewards[child] // visits + cython.cast(cython.longlong, sqrt(exploration // visits))
            if bound > best:
                best = bound
                best_child = child
        return best_child

    def select_chance(self, node: cython.uint) -> cython.uint:
        """Return a child of nature's position, drawn by its weight."""
        i: cython.int
        for i in range(self.counts[node]):
            self.legal[i] = self.moves[self.first[node] + i]
        return self.first[node] + self.outcome(self.counts[node])

    def playout(self, count: cython.int) -> cython.int:
        """Return the score of a game played on at random, from the view of the side to move here.

        :param count: of the legal moves, which lie in ``legal``.
        """
        plies: cython.int = 0
        turns: cython.int = 0
        score: cython.int = 0
        chance: cython.bint
        while True:
            chance = self.position.is_chance()
            if plies == LONGEST or not self.step(self.legal[self.outcome(count) if chance else self.below(count)]):
                break
            plies += 1
            turns += not chance
            count = self.position.generate(self.legal, 0)
            if count == 0:
                score = self.position.final_score()
                break
        while plies > 0:
            self.position.unmake()
            plies -= 1
        return -score if turns & 1 else score

    def outcome(self, count: cython.int) -> cython.int:
        """Return the place in ``legal`` of one of nature's moves, drawn by its weight."""
        total: cython.int = 0
        i: cython.int = 0
        for i in range(count):
            total += self.position.weight(self.legal[i])
        lot: cython.int = self.below(total)
        for i in range(count):
            lot -= self.position.weight(self.legal[i])
            if lot < 0:
                break
        return i

    def learn(self, depth: cython.int, score: cython.int, settled: cython.bint) -> None:
        """Add the score of a simulation, from the view of its last position of the tree, to all positions on its path.

        :param settled: whether the bounds of that position are new, so that those above it may narrow.
        """
        node: cython.uint = ROOT
        if depth > self.seldepth:
            self.seldepth = depth
        while depth > 0:
            node = self.path[depth]
            depth -= 1
            if not self.chance[depth]:
                score = -score
            self.visits[node] += 1
            self.rewards[node] += reward_of(score)
            if settled:
                settled = self.narrow(self.path[depth], self.chance[depth])
        self.visits[ROOT] += 1
        node -= self.first[ROOT]
        self.totals[node] += score if -DECISIVE <= score <= DECISIVE else 100 if score > 0 else -100

    def narrow(self, node: cython.uint, chance: cython.bint) -> cython.bint:
        """Take the bounds of ``node`` from those of its children; tell whether they changed.

        A player's value is the best of the children. Nature's lies between the least and the greatest of them.
        """
        low: cython.int = self.most if chance else -self.most
        high: cython.int = -self.most
        child: cython.uint
        for child in range(self.first[node], self.first[node] + self.counts[node]):
            if chance:
                low = min(low, self.low[child])
                high = max(high, self.high[child])
            else:
                low = max(low, for_parent(self.high[child]))
                high = max(high, for_parent(self.low[child]))
        changed: cython.bint = low != self.low[node] or high != self.high[node]
        self.low[node] = low
        self.high[node] = high
        return changed

    def decided(self, node: cython.uint) -> cython.bint:
        """Tell whether the value of ``node`` is exact, or a win or a loss is proven."""
        return self.low[node] == self.high[node] or self.low[node] > DECISIVE or self.high[node] < -DECISIVE

    def known_score(self, node: cython.uint) -> cython.int:
        """Return the value of a decided position, or the bound that proves the win or the loss."""
        return self.high[node] if self.high[node] < -DECISIVE else self.low[node]

    def below(self, count: cython.int) -> cython.int:
        """Return a random number from 0 to ``count - 1`` (xorshift64*: Marsaglia 2003, Vigna 2016)."""
        state: cython.ulonglong = self.random_state
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        self.random_state = state
        bits: cython.ulonglong = state * cython.cast(cython.ulonglong, 0x2545F4914F6CDD1D)
        return cython.cast(cython.int, (bits >> 32) * cython.cast(cython.ulonglong, count) >> 32)
