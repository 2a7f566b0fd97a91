"""The exact endgame solver for Othello. Values are in discs.

It has five stages, each for fewer empty squares than the one before, because the cost of a node must decrease with the
work that it can save:

- moves sorted by the number of replies they leave ("fastest first"), with a bound from stable discs and a table;
- moves in parity order: squares in quadrants with an odd number of empties first, so that the opponent must open the
  next one, corners before and X-squares after the others, with the same bound and table;
- parity order alone, without the table, and without the bound at three empties;
- the last two squares, tried in turn;
- the last square, counted without playing it.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import (
    final_discs,
    flips,
    last_turned,
    lowest_square,
    mobility,
    near,
    popcount,
    prepare_rays,
)
from cython.cimports.quietmove.engine.games.othello.endgame import (
    BUCKET,
    CORNER_GAIN,
    CORNER_REPLY_COST,
    FIRST_GAIN,
    LARGE_BITS,
    LARGE_FROM,
    LISTED,
    MAX_MOVES,
    ODD_GAIN,
    PROBED_FROM,
    REPLY_COST,
    SMALL_BITS,
    SORTED_FROM,
    STABLE_GAIN,
    STABLE_MARGIN,
    STORED_FROM,
    TRIED,
    WORST,
)
from cython.cimports.quietmove.engine.games.othello.stability import stable_discs
from cython.cimports.quietmove.engine.prefetch_header import prefetch_line

from quietmove.engine.games.base import SearchMonitor
from quietmove.engine.memory import fresh_memory

A_FILE = cython.declare(cython.ulonglong, 0x0101010101010101)
H_FILE = cython.declare(cython.ulonglong, 0x8080808080808080)
NEIGHBOURS = cython.declare(cython.ulonglong[64])  # each square with its neighbours
# The parity of a board is a set of bits, one for each quadrant with an odd number of empty squares.
QUADRANTS = cython.declare(cython.ulonglong[4])  # the squares of each quadrant
QUADRANT_OF = cython.declare(cython.int[64])  # the bit of a square's quadrant
ODD_SQUARES = cython.declare(cython.ulonglong[16])  # the squares of the odd quadrants, for each parity

prepare_rays()


@cython.cfunc
def prepare_squares() -> None:
    """Fill the tables of neighbours and quadrants."""
    place: cython.int
    parity: cython.int
    for place in range(4):
        QUADRANTS[place] = cython.cast(cython.ulonglong, 0x0F0F0F0F) << 4 * (place & 1) + 32 * (place >> 1)
    for parity in range(16):
        ODD_SQUARES[parity] = 0
        for place in range(4):
            if parity >> place & 1:
                ODD_SQUARES[parity] |= QUADRANTS[place]
    for place in range(64):
        NEIGHBOURS[place] = near(cython.cast(cython.ulonglong, 1) << place)
        QUADRANT_OF[place] = 1 << (place >> 5 << 1 | place >> 2 & 1)


prepare_squares()


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def parity_of(vacant: cython.ulonglong) -> cython.int:
    """Return the parity of a board: a bit for each quadrant with an odd number of empty squares."""
    parity: cython.int = 0
    quadrant: cython.int
    for quadrant in range(4):
        parity |= (popcount(vacant & QUADRANTS[quadrant]) & 1) << quadrant
    return parity


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def first_of(squares: cython.ulonglong, best: cython.ulonglong, good: cython.ulonglong) -> cython.int:
    """Return the lowest of ``squares``, preferring ``good`` ones and, among these, ``best`` ones. Avoids branches."""
    preferred: cython.ulonglong = squares & good
    preferred = preferred if preferred else squares
    promising: cython.ulonglong = preferred & best
    return lowest_square(promising if promising else preferred)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def corner_areas(corners: cython.ulonglong) -> cython.ulonglong:
    """Return the corners, and the squares next to them on the edges, where discs of the same side are stable."""
    return corners | corners << 8 | corners >> 8 | corners << 1 & ~A_FILE | corners >> 1 & ~H_FILE


def hashed(own: cython.ulonglong, opp: cython.ulonglong) -> cython.ulonglong:
    """Return the table key for a board.

    Each product depends on every disc, but high squares affect only its high half. So one of the products is rotated.
    """
    theirs: cython.ulonglong = opp * cython.cast(cython.ulonglong, 0xBF58476D1CE4E5B9)
    return own * cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15) ^ theirs << 32 ^ theirs >> 32


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lower_of(data: cython.ulonglong) -> cython.int:
    """Return the lower bound in a table entry."""
    return cython.cast(cython.int, data & 255) - 128


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def upper_of(data: cython.ulonglong) -> cython.int:
    """Return the upper bound in a table entry."""
    return cython.cast(cython.int, data >> 8 & 255) - 128


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def square_of(data: cython.ulonglong) -> cython.int:
    """Return the best square in a table entry."""
    return cython.cast(cython.int, data >> 16 & 255)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def known_bound(
    board: cython.ulonglong,
    own: cython.ulonglong,
    opp: cython.ulonglong,
    alpha: cython.int,
    beta: cython.int,
    left: cython.int,
    data: cython.ulonglong,
) -> cython.int:
    """Return a bound that makes the search unnecessary, or :data:`WORST` if none is known.

    The bound comes from the opponent's stable discs or from the table.

    :param data: the data of the table entry, or 0.
    """
    bound: cython.int
    if alpha >= 2 * left - STABLE_MARGIN:
        bound = popcount(board) - 2 * popcount(stable_discs(opp, own, ~board))
        if bound <= alpha:
            return bound
    if data == 0:
        return WORST
    if lower_of(data) >= beta or lower_of(data) == upper_of(data):
        return lower_of(data)
    return upper_of(data) if upper_of(data) <= alpha else WORST


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def counted(monitor: SearchMonitor) -> cython.bint:
    """Count a node and return True, or return False if the search must stop."""
    if monitor.nodes >= monitor.next_poll:
        monitor.poll()
        if monitor.stopped:
            return False
    monitor.nodes += 1
    return True


class Endgame:
    """The endgame solver and its transposition table.

    :param board: the squares of the board; a small board uses the middle of the 64.
    :param corners: the corners of the board.
    :param x_squares: the squares diagonally next to a corner.

    A table entry consists of two words: the key XOR the data, so that an entry half overwritten by another thread reads
    as a miss, and the data. The data contain, from the low end, the lower and the upper bound (8 bits each, offset by
    128), the best square (8) and the number of empties (8). A bucket has two entries: the first is kept for the larger
    tree, the second is always replaced.

    The moves of a board with ``left`` empties are listed from index ``MAX_MOVES * left``: their ``squares``, the discs
    ``turned``, the ``replies`` and ``keys`` after the move, and the ``costs``, whose lowest bits contain the index.
    """

    words: memoryview
    squares: list[int]
    costs: list[int]
    turned: list[int]
    replies: list[int]
    keys: list[int]

    def __init__(self, board: cython.ulonglong, corners: cython.ulonglong, x_squares: cython.ulonglong) -> None:
        self.board = board
        self.corners = corners
        self.x_squares = x_squares
        self.failure: Exception | None = None
        self.forget()

    def forget(self) -> None:
        """Discard the table. A new one is allocated on demand: most positions of a game are too early to need one."""
        self.has_table = False

    def share(self, other: Endgame, place: int) -> None:
        """Use the same table as ``other``. Each ``place`` has its own part for small boards.

        If there is not enough memory, nothing is shared, and each search allocates a table when it needs one.
        """
        if not other.has_table:
            try:
                other.allocate()
            except (MemoryError, OSError):
                return
        self.words = other.words
        self.has_table = True
        self.first_small = (place << SMALL_BITS & (1 << LARGE_BITS) - 1) * BUCKET

    def allocate(self) -> None:
        """Allocate a new table."""
        self.words = memoryview(fresh_memory(8 * BUCKET << LARGE_BITS)).cast("Q")
        self.has_table = True

    def take_table(self, monitor: SearchMonitor) -> None:
        """Allocate a new table.

        If there is not enough memory, ``monitor`` is stopped, and ``failure`` contains the error.
        """
        with cython.gil:
            try:
                self.allocate()
            except (MemoryError, OSError) as error:
                self.failure = error
                monitor.stopped = True

    def solve(
        self, own: cython.ulonglong, opp: cython.ulonglong, alpha: cython.int, beta: cython.int, monitor: SearchMonitor
    ) -> cython.int:
        """Return the fail-soft value in discs from the point of view of ``own``. Requires ``alpha < beta``.

        The value is meaningless if ``monitor`` has stopped the search. ``monitor`` counts the moves made, including
        passes and moves on the last square, which are not really made.
        """
        vacant: cython.ulonglong = self.board & ~(own | opp)
        left: cython.int = popcount(vacant)
        if left >= STORED_FROM:
            if not self.has_table:
                self.take_table(monitor)
                if monitor.stopped:
                    return alpha
            legal: cython.ulonglong = mobility(own, opp) & vacant
            key: cython.ulonglong = hashed(own, opp)
            if left >= SORTED_FROM:
                return self.sorted_moves(own, opp, legal, key, alpha, beta, left, monitor)
            return self.parity_moves(own, opp, legal, key, alpha, beta, parity_of(vacant), left, monitor)
        if left > 2:
            return nearest_moves(own, opp, alpha, beta, vacant, parity_of(vacant), left, 0, monitor)
        if left == 2:
            return last_two(own, opp, alpha, beta, vacant, monitor)
        if left == 1:
            return last_one(own, opp, lowest_square(vacant), monitor)
        return final_discs(own, opp, 0)

    def sorted_moves(
        self,
        own: cython.ulonglong,
        opp: cython.ulonglong,
        legal: cython.ulonglong,
        key: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
        left: cython.int,
        monitor: SearchMonitor,
    ) -> cython.int:
        """Search the moves, fewest replies first.

        :param legal: the squares of the legal moves.
        :param key: the key of the board.
        """
        # 1. Known bounds may settle the window; the table may contain a good move.
        data: cython.ulonglong = self.probe(key, left)
        best: cython.int = known_bound(self.board, own, opp, alpha, beta, left, data)
        if best != WORST:
            return best
        score: cython.int
        # 2. No legal move: pass, or the game is over.
        if legal == 0:
            legal = mobility(opp, own) & self.board
            if legal == 0:
                return final_discs(own, opp, left)
            if not counted(monitor):
                return 0
            return -self.sorted_moves(opp, own, legal, hashed(opp, own), -beta, -alpha, left, monitor)
        # 3. Try the moves until one refutes the position.
        end: cython.int = self.price_moves(own, opp, legal, left, square_of(data) if data else 64)
        start: cython.int = MAX_MOVES * left
        if left >= PROBED_FROM:
            score = self.known_cutoff(beta, left, start, end)
            if score >= beta:
                return score
        low: cython.int = alpha
        best_square: cython.int = 0
        number: cython.int
        for number in range(start, end):
            if not counted(monitor):
                return 0
            i: cython.int = self.next_move(start, end)
            if number > start and beta - low > 1:  # null window first: later moves are expected to be no better
                score = -self.after(own, opp, i, -low - 1, -low, left, monitor)
                if low < score < beta:
                    score = -self.after(own, opp, i, -beta, -score, left, monitor)
            else:
                score = -self.after(own, opp, i, -beta, -low, left, monitor)
            if score > best:
                best = score
                best_square = self.squares[i]
                low = max(low, score)
                if low >= beta:
                    break
        # 4. Store the result in the table.
        if not monitor.stopped:
            self.store(key, left, data, best, alpha, beta, best_square)
        return best

    def after(
        self,
        own: cython.ulonglong,
        opp: cython.ulonglong,
        i: cython.int,
        alpha: cython.int,
        beta: cython.int,
        left: cython.int,
        monitor: SearchMonitor,
    ) -> cython.int:
        """Search the board after the move at index ``i`` of the list, and return the opponent's value."""
        bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << self.squares[i]
        mine: cython.ulonglong = own | self.turned[i] | bit
        theirs: cython.ulonglong = opp ^ self.turned[i]
        if left > SORTED_FROM:
            return self.sorted_moves(theirs, mine, self.replies[i], self.keys[i], alpha, beta, left - 1, monitor)
        parity: cython.int = parity_of(self.board & ~(mine | theirs))
        return self.parity_moves(theirs, mine, self.replies[i], self.keys[i], alpha, beta, parity, left - 1, monitor)

    def price_moves(
        self,
        own: cython.ulonglong,
        opp: cython.ulonglong,
        legal: cython.ulonglong,
        left: cython.int,
        first: cython.int,
    ) -> cython.int:
        """List the legal moves of a board with ``left`` empties, with their costs, and return the end index.

        The table entries for all moves are prefetched before the costs are computed, to hide the memory latency.

        :param first: the square to sort first, if it is legal.
        """
        vacant: cython.ulonglong = self.board & ~(own | opp)
        odd: cython.ulonglong = ODD_SQUARES[parity_of(vacant)]
        corners: cython.ulonglong = self.corners
        stable: cython.ulonglong = corner_areas(own & corners)
        start: cython.int = MAX_MOVES * left
        end: cython.int = start
        while legal:
            square: cython.int = lowest_square(legal)
            bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << square
            legal ^= bit
            turned: cython.ulonglong = flips(own, opp, square)
            self.squares[end] = square
            self.turned[end] = turned
            self.keys[end] = hashed(opp ^ turned, own | turned | bit)
            self.prefetch(self.keys[end], left - 1)
            end += 1
        i: cython.int
        for i in range(start, end):
            bit = cython.cast(cython.ulonglong, 1) << self.squares[i]
            mine: cython.ulonglong = own | self.turned[i] | bit
            theirs: cython.ulonglong = opp ^ self.turned[i]
            replies: cython.ulonglong = mobility(theirs, mine) & vacant
            cost: cython.int = REPLY_COST * popcount(replies)
            cost += CORNER_REPLY_COST * popcount(replies & corners)
            cost -= CORNER_GAIN if bit & corners else 0
            cost -= STABLE_GAIN * popcount(mine & stable)
            cost -= ODD_GAIN if bit & odd else 0
            cost -= FIRST_GAIN if self.squares[i] == first else 0
            self.replies[i] = replies
            self.costs[i] = cost * LISTED + i
        return end

    def next_move(self, start: cython.int, end: cython.int) -> cython.int:
        """Return the index of the cheapest untried move from ``start`` to ``end``, and mark it as tried."""
        least: cython.int = TRIED
        i: cython.int
        for i in range(start, end):
            least = min(least, self.costs[i])
        i = least & LISTED - 1
        self.costs[i] = TRIED
        return i

    def parity_moves(
        self,
        own: cython.ulonglong,
        opp: cython.ulonglong,
        legal: cython.ulonglong,
        key: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
        parity: cython.int,
        left: cython.int,
        monitor: SearchMonitor,
    ) -> cython.int:
        """Search the moves in parity order, with bounds from stable discs and from the table.

        Among squares with equal parity, corners come first and X-squares last.

        :param legal: the squares of the legal moves.
        :param key: the key of the board.
        """
        data: cython.ulonglong = self.probe(key, left)
        best: cython.int = known_bound(self.board, own, opp, alpha, beta, left, data)
        if best != WORST:
            return best
        if legal == 0:
            legal = mobility(opp, own) & self.board
            if legal == 0:
                return final_discs(own, opp, left)
            if not counted(monitor):
                return 0
            return -self.parity_moves(opp, own, legal, hashed(opp, own), -beta, -alpha, parity, left, monitor)
        score: cython.int
        squares: cython.ulonglong = legal & ODD_SQUARES[parity]
        rest: cython.ulonglong = legal ^ squares
        low: cython.int = alpha
        best_square: cython.int = 0
        while squares | rest:
            if squares == 0:
                squares = rest
                rest = 0
            square: cython.int = first_of(squares, self.corners, ~self.x_squares)
            bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << square
            squares ^= bit
            if not counted(monitor):
                return 0
            turned: cython.ulonglong = flips(own, opp, square)
            mine: cython.ulonglong = own | turned | bit
            theirs: cython.ulonglong = opp ^ turned
            vacant: cython.ulonglong = self.board & ~(mine | theirs)
            rest_parity: cython.int = parity ^ QUADRANT_OF[square]
            if left == STORED_FROM:
                score = -known_bound(self.board, theirs, mine, -beta, -low, left - 1, 0)
                if score == -WORST:
                    score = -nearest_moves(theirs, mine, -beta, -low, vacant, rest_parity, left - 1, 0, monitor)
            else:
                next_key: cython.ulonglong = hashed(theirs, mine)
                self.prefetch(next_key, left - 1)
                replies: cython.ulonglong = mobility(theirs, mine) & vacant
                score = -self.parity_moves(theirs, mine, replies, next_key, -beta, -low, rest_parity, left - 1, monitor)
            if score > best:
                best = score
                best_square = square
                low = max(low, score)
                if low >= beta:
                    break
        if not monitor.stopped:
            self.store(key, left, data, best, alpha, beta, best_square)
        return best

    def known_cutoff(self, beta: cython.int, left: cython.int, start: cython.int, end: cython.int) -> cython.int:
        """Return a bound from the table that makes some move a cutoff, or :data:`WORST` (Plaat 1996)."""
        i: cython.int
        for i in range(start, end):
            data: cython.ulonglong = self.probe(self.keys[i], left - 1)
            if data != 0 and -upper_of(data) >= beta:
                return -upper_of(data)
        return WORST

    def bucket(self, key: cython.ulonglong, left: cython.int) -> cython.ulonglong:
        """Return the index of the first word of the bucket for a board with ``left`` empties.

        The many small trees share a part of the table, which stays in the processor's cache.
        """
        if left < LARGE_FROM:
            return self.first_small + BUCKET * (key >> 64 - SMALL_BITS)
        return BUCKET * (key >> 64 - LARGE_BITS)

    def prefetch(self, key: cython.ulonglong, left: cython.int) -> None:
        """Prefetch the bucket of a board that will be looked up soon."""
        prefetch_line(cython.address(self.words[self.bucket(key, left)]))

    def probe(self, key: cython.ulonglong, left: cython.int) -> cython.ulonglong:
        """Return the data word of a key's entry, or 0 if there is none."""
        slot: cython.ulonglong = self.bucket(key, left)
        data: cython.ulonglong = self.words[slot + 1]
        if self.words[slot] ^ data == key:
            return data
        data = self.words[slot + 3]
        return data if self.words[slot + 2] ^ data == key else 0

    def store(
        self,
        key: cython.ulonglong,
        left: cython.int,
        data: cython.ulonglong,
        best: cython.int,
        alpha: cython.int,
        beta: cython.int,
        square: cython.int,
    ) -> None:
        """Store the result of a search in the table.

        :param data: the previous data of the entry, or 0.
        :param best: the value returned by the search with the window from ``alpha`` to ``beta``.
        """
        lower: cython.int = -64 if best <= alpha else best
        upper: cython.int = 64 if best >= beta else best
        if data != 0:
            lower = max(lower, lower_of(data))
            upper = min(upper, upper_of(data))
        slot: cython.ulonglong = self.bucket(key, left)
        kept: cython.ulonglong = self.words[slot + 1]
        if self.words[slot] ^ kept != key and cython.cast(cython.int, kept >> 24) > left:
            slot += 2
        data = cython.cast(cython.ulonglong, lower + 128)
        data |= cython.cast(cython.ulonglong, upper + 128) << 8
        data |= cython.cast(cython.ulonglong, square) << 16 | cython.cast(cython.ulonglong, left) << 24
        self.words[slot] = key ^ data
        self.words[slot + 1] = data


def nearest_moves(
    own: cython.ulonglong,
    opp: cython.ulonglong,
    alpha: cython.int,
    beta: cython.int,
    vacant: cython.ulonglong,
    parity: cython.int,
    left: cython.int,
    passed: cython.int,
    monitor: SearchMonitor,
) -> cython.int:
    """Search the moves in parity order, with at least three empty squares.

    Unlike :meth:`Endgame.parity_moves`, this function uses no table and computes the flips of all empty squares.
    Generating the legal moves first, or trying corners first, did not reduce the time here.
    """
    odd: cython.ulonglong = ODD_SQUARES[parity]
    best: cython.int = WORST
    score: cython.int
    squares: cython.ulonglong = vacant & odd
    rest: cython.ulonglong = vacant & ~odd
    while squares | rest:
        if squares == 0:
            squares = rest
            rest = 0
        square: cython.int = lowest_square(squares)
        squares &= squares - 1
        if NEIGHBOURS[square] & opp == 0:
            continue
        turned: cython.ulonglong = flips(own, opp, square)
        if turned == 0:
            continue
        if not counted(monitor):
            return 0
        bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << square
        mine: cython.ulonglong = own | turned | bit
        theirs: cython.ulonglong = opp ^ turned
        if left == 3:
            score = -last_two(theirs, mine, -beta, -alpha, vacant ^ bit, monitor)
        else:
            rest_parity: cython.int = parity ^ QUADRANT_OF[square]
            score = -nearest_moves(theirs, mine, -beta, -alpha, vacant ^ bit, rest_parity, left - 1, 0, monitor)
        if score > best:
            best = score
            alpha = max(alpha, score)
            if alpha >= beta:
                return best
    if best != WORST:
        return best
    if passed:
        return final_discs(own, opp, left)
    if not counted(monitor):
        return 0
    return -nearest_moves(opp, own, -beta, -alpha, vacant, parity, left, 1, monitor)


def last_two(
    own: cython.ulonglong,
    opp: cython.ulonglong,
    alpha: cython.int,
    beta: cython.int,
    vacant: cython.ulonglong,
    monitor: SearchMonitor,
) -> cython.int:
    """Return the value of a board with two empty squares."""
    first: cython.int = lowest_square(vacant)
    second: cython.int = lowest_square(vacant & (vacant - 1))
    best: cython.int = WORST
    turned: cython.ulonglong
    if NEIGHBOURS[first] & opp:
        turned = flips(own, opp, first)
        if turned:
            if not counted(monitor):
                return 0
            best = -last_one(opp ^ turned, own | turned | cython.cast(cython.ulonglong, 1) << first, second, monitor)
            if best >= beta:
                return best
    if NEIGHBOURS[second] & opp:
        turned = flips(own, opp, second)
        if turned:
            if not counted(monitor):
                return 0
            return max(
                best,
                -last_one(opp ^ turned, own | turned | cython.cast(cython.ulonglong, 1) << second, first, monitor),
            )
    if best != WORST:
        return best
    return last_two_passed(own, opp, alpha, first, second, monitor)


def last_two_passed(
    own: cython.ulonglong,
    opp: cython.ulonglong,
    alpha: cython.int,
    first: cython.int,
    second: cython.int,
    monitor: SearchMonitor,
) -> cython.int:
    """Return the value for ``own`` of a board with two empty squares on which ``own`` has passed."""
    best: cython.int = -WORST
    turned: cython.ulonglong = flips(opp, own, first)
    if turned:
        if not (counted(monitor) and counted(monitor)):
            return 0
        best = last_one(own ^ turned, opp | turned | cython.cast(cython.ulonglong, 1) << first, second, monitor)
        if best <= alpha:
            return best
    turned = flips(opp, own, second)
    if turned:
        if not (counted(monitor) and counted(monitor)):
            return 0
        return min(
            best, last_one(own ^ turned, opp | turned | cython.cast(cython.ulonglong, 1) << second, first, monitor)
        )
    return best if best != -WORST else final_discs(own, opp, 2)


def last_one(own: cython.ulonglong, opp: cython.ulonglong, square: cython.int, monitor: SearchMonitor) -> cython.int:
    """Return the value of a board with one empty square, without making the move."""
    if not counted(monitor):
        return 0
    lead: cython.int = popcount(own) - popcount(opp)
    turned: cython.int = last_turned(own, square)
    if turned:
        return lead + turned + 1
    turned = last_turned(opp, square)
    if turned:
        if not counted(monitor):
            return 0
        return lead - turned - 1
    return final_discs(own, opp, 1)
