"""Monte Carlo tree search: the tree, and the simulations that grow it.

A simulation descends the tree by UCT (Kocsis and Szepesvári 2006), plays the rest of the game at random, and adds the
result to each position on its path. It needs no evaluation, only the rules.

Besides its sums, each position has a lower and an upper bound on its exact value. A finished game sets both, and they
are propagated upwards as in minimax, so that a subtree with a proven value is not visited again (MCTS-Solver: Winands,
Björnsson and Saito 2008; with scores: Cazenave and Saffidine 2010).

The tree is stored in arrays that are allocated once. The children of a position are adjacent; if there is no room for
them, the position stays a leaf, and games are played out from there. All arithmetic uses integers, except for a square
root, which every machine rounds identically, so a search with a given seed and number of nodes is exactly reproducible.
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

BYTES = 24  # bytes per position, in all arrays together
MIN_MEGABYTES = 1
LOG_UNIT = 1 << 16
EXPANDED_AT = cython.declare(cython.int, 1)  # visits of a leaf before it is expanded
LONGEST = cython.declare(cython.int, 1000)  # maximum number of plies in a playout; a longer one counts as a draw
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
    """Return the natural logarithm of ``number`` (at least 1) in units of 1 / LOG_UNIT."""
    doublings: cython.longlong = 0
    while number >= EXACT_LOGARITHMS:
        number >>= 1
        doublings += 1
    rest: cython.longlong = LOGARITHMS[number]
    return rest + doublings * LN2


def for_parent(score: cython.int) -> cython.int:
    """Convert a score to the parent's point of view: negate it, and move a win or a loss one ply further away."""
    return score_from_child(-score)


def reward_of(score: cython.int) -> cython.int:
    """Return the reward of a playout's score, from 0 to REWARD: mostly for winning, and a little for the margin."""
    margin: cython.int = score if score > 0 else -score
    margin = MARGIN if margin > DECISIVE else MARGIN * margin // (margin + HALF_MARGIN)
    if score == 0:
        return REWARD // 2
    return REWARD - MARGIN + margin if score > 0 else MARGIN - margin


@dataclass(frozen=True, slots=True)
class Branch:
    """A move in the tree with its statistics, from the mover's point of view.

    :param place: the index, in the tree, of the position after the move.
    :param visits: number of simulations through it.
    :param reward: their mean reward, from 0 to :data:`REWARD`; for a proven value its reward; 0 without visits.
    :param low, high: bounds on its exact value.
    :param decided: whether its value is exact, or a win or a loss is proven.
    """

    place: int
    move: int
    visits: int
    reward: int
    low: int
    high: int
    decided: bool


class Uct(LimitedSearch):
    """A search tree that grows by simulations.

    :param position: searched in place and restored.
    :param roots: the moves to consider, all legal, at least one.
    :param megabytes: size of the tree, or 0 for the minimum of one megabyte.
    :param exploration: the UCT constant in hundredths, for rewards of 1 for a win and 0 for a loss.
    :param seed: seed for the playouts.
    :param expired: called at regular intervals to check whether time is up.
    :param now: the clock used by ``expired``, in seconds from an arbitrary origin.
    :raises OSError, OverflowError: if there is not enough memory.
    :ivar nodes: calls of ``make`` so far, including those of playouts.
    :ivar node_limit: the maximum number of nodes; the search stops before exceeding it.
    :ivar stopped: can be set from any thread to end the search immediately; an unfinished simulation is discarded.
    :ivar seldepth: depth in plies of the deepest position reached in the tree.
    :ivar used: number of positions in the tree.
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
        self.allocate(max(megabytes, MIN_MEGABYTES) << 20)
        self.used = 1
        self.low[ROOT], self.high[ROOT] = -self.most, self.most
        for i in range(len(roots)):
            self.totals[i] = 0
            self.legal[i] = roots[i]
        self.expand(ROOT, len(roots))

    def allocate(self, size: int) -> None:
        """Allocate ``size`` bytes, which the system clears page by page on first touch."""
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
        """The share of the tree's memory in use, in thousandths."""
        return self.used * 1000 // self.capacity

    @property
    def is_full(self) -> bool:
        """Whether the tree may have no room left for the children of one more position."""
        return self.used + MAX_MOVES > self.capacity

    @property
    def is_decided(self) -> bool:
        """Whether the root is proven: its value is exact, or it is won or lost."""
        return bool(self.decided(ROOT))

    @property
    def simulations(self) -> int:
        """The number of completed simulations."""
        return self.visits[ROOT]

    def run(self, nodes: int) -> None:
        """Run simulations until :attr:`nodes` reaches ``nodes``, the root is decided, or the search is stopped.

        :raises BaseException: whatever ``expired`` or the position raised.
        """
        limit: cython.ulonglong = nodes
        if self.position.slow:  # its methods need the interpreter lock, and holding it throughout is faster
            self.grow(limit)
        else:
            with cython.nogil:
                self.grow(limit)
        self.raise_failure()

    def branches(self, place: cython.uint = ROOT) -> list[Branch]:
        """Return the moves of a position in the tree, or [] for a leaf."""
        return [self.branch(child) for child in range(self.first[place], self.first[place] + self.counts[place])]

    def branch(self, child: cython.uint) -> Branch:
        """Return the move that leads to ``child``, with its statistics."""
        visits = self.visits[child]
        reward = self.rewards[child] // visits if visits else 0
        if self.decided(child):
            reward = reward_of(-self.known_score(child))
        low, high = for_parent(self.high[child]), for_parent(self.low[child])
        return Branch(child, self.moves[child], visits, reward, low, high, bool(self.decided(child)))

    def mean(self, root_move: Branch) -> int:
        """Return the mean score of the simulations through a root move.

        In a game without points, a win counts as 100 and a loss as -100.
        """
        total: int = self.totals[root_move.place - self.first[ROOT]]
        return round(total / root_move.visits)

    def grow(self, nodes: cython.ulonglong) -> None:
        """Run simulations for :meth:`run`."""
        while self.nodes < nodes and not self.stopped and not self.decided(ROOT):
            self.simulate()

    def simulate(self) -> None:
        """Run a simulation: descend to a leaf or decided position, play out a leaf, and add the result to the path.

        An unfinished simulation is discarded.
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
                # 1. A leaf is the end of the game, or is expanded, or a game is played out from it.
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
            # 2. Descend to one of the children.
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
        """Make a move, unless the search must stop; return whether it was made."""
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
        """Return the child with the greatest upper confidence bound, or the first unvisited child if there is one.

        Children that cannot be better than a proven value are skipped.
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
        """Return a random child of a chance node, drawn by weight."""
        i: cython.int
        for i in range(self.counts[node]):
            self.legal[i] = self.moves[self.first[node] + i]
        return self.first[node] + self.outcome(self.counts[node])

    def playout(self, count: cython.int) -> cython.int:
        """Play the game out at random and return its score, from the point of view of the side to move here.

        :param count: the number of legal moves, which are in ``legal``.
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
        """Return the index in ``legal`` of a random chance move, drawn by weight."""
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
        """Add a simulation's score to all positions on its path.

        :param score: the score from the point of view of the side to move in the last position of the path.
        :param settled: whether the bounds of that position are new, so that those above may change.
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
        """Update the bounds of ``node`` from its children; return whether they changed.

        At a player's node the value is that of the best child, at a chance node between the smallest and the largest.
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
        """Return whether the value of ``node`` is exact, or a win or a loss is proven."""
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
