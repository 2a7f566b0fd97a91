"""The exact value of the last empty squares of Othello, in discs.

Five stages, each for fewer empties than the one before, as the cost of a node must fall with what it can save:

- moves sorted by how few replies they leave ("fastest first"), with a bound by the stable discs and a table of what is
  known;
- moves in the order of parity: squares in a quadrant with an odd number of empties first, so that the opponent has to
  open the next one; still with that bound and that table;
- the same without them;
- the last two squares, tried in turn;
- the last one, which is counted and not played.
"""

from __future__ import annotations

import mmap

import cython

from quietmove.engine.games.base import Watch

if cython.compiled:
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
    from cython.cimports.quietmove.engine.games.othello.stability import stable_discs
else:
    from quietmove.engine.games.othello.bits import (
        final_discs,
        flips,
        last_turned,
        lowest_square,
        mobility,
        near,
        popcount,
        prepare_rays,
    )
    from quietmove.engine.games.othello.stability import stable_discs

__all__ = ["Endgame"]

if not cython.compiled:  # endgame.pxd has them as C constants
    SORTED_FROM = 7  # empties from which sorting the moves pays
    STORED_FROM = 5  # empties from which looking into the table pays
    PROBED_FROM = 8  # empties from which looking up the children before searching them pays
    LARGE_FROM = 9  # empties from which a position has its place in the large part of the table
    SMALL_BITS = 12  # logarithm of the buckets in the small part, which fits the processor's second cache
    LARGE_BITS = 16  # of those in the large part; a bucket has two entries, four words of 64 bits
    MOST_MOVES = 34  # legal moves of one position
    WORST = -65
    STABLE_MARGIN = 2  # discs by which alpha may fall short of twice the empties where the stable discs are counted
    # The cost of a move, by which the moves are sorted. Fitted by hand to the nodes of positions with 20 empties.
    REPLY_COST = 8  # of a reply that it leaves; a corner counts twice
    OPEN_COST = 4  # of an empty square beside the discs of the side that moves
    CORNER_GAIN = 4  # of taking a corner
    ODD_GAIN = 5  # of a quadrant with an odd number of empties

FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
QUADRANT = cython.declare(cython.ulonglong, 0x000000000F0F0F0F)
NEIGHBOURS = cython.declare(cython.ulonglong[64])  # the squares next to a square, and the square

prepare_rays()


@cython.cfunc
def prepare_neighbours() -> None:
    """Fill :data:`NEIGHBOURS`."""
    square: cython.int
    for square in range(64):
        NEIGHBOURS[square] = near(cython.cast(cython.ulonglong, 1) << square)


prepare_neighbours()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def odd_squares(vacant: cython.ulonglong) -> cython.ulonglong:
    """Return the squares of the quadrants that hold an odd number of empties."""
    quadrant: cython.ulonglong = QUADRANT
    odd: cython.ulonglong = 0
    if popcount(vacant & quadrant) & 1:
        odd |= quadrant
    if popcount(vacant & quadrant << 4) & 1:
        odd |= quadrant << 4
    if popcount(vacant & quadrant << 32) & 1:
        odd |= quadrant << 32
    if popcount(vacant & quadrant << 36) & 1:
        odd |= quadrant << 36
    return odd


def hashed(own: cython.ulonglong, opp: cython.ulonglong) -> cython.ulonglong:
    """Return the key of a board in the table.

    Each product depends on every disc, but the high squares show in its high half alone: so one is turned round.
    """
    theirs: cython.ulonglong = opp * cython.cast(cython.ulonglong, 0xBF58476D1CE4E5B9) & FULL
    return (own * cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15) ^ theirs << 32 ^ theirs >> 32) & FULL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bucket_of(key: cython.ulonglong, left: cython.int) -> cython.ulonglong:
    """Return where in the table the bucket of a board with ``left`` empties begins.

    The many small trees share a part of the table that stays in the processor's cache.
    """
    if left < LARGE_FROM:
        return 4 * (key >> 64 - SMALL_BITS)
    return 4 * ((1 << SMALL_BITS) + (key >> 64 - LARGE_BITS))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lower_of(data: cython.ulonglong) -> cython.int:
    """Return the lower bound of a table entry."""
    return cython.cast(cython.int, data & 255) - 128


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def upper_of(data: cython.ulonglong) -> cython.int:
    """Return the upper bound of a table entry."""
    return cython.cast(cython.int, data >> 8 & 255) - 128


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def square_of(data: cython.ulonglong) -> cython.int:
    """Return the best square of a table entry."""
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
    """Return a bound that settles the window, by the opponent's stable discs or by the table; else :data:`WORST`.

    :param data: of the table's entry, or 0.
    """
    bound: cython.int
    if alpha >= 2 * left - STABLE_MARGIN:
        bound = popcount(board) - 2 * popcount(stable_discs(opp, own, ~board & FULL))
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
def counted(watch: Watch) -> cython.bint:
    """Count a node and return True; return False if the search has to stop before it."""
    if watch.nodes >= watch.next_poll:
        watch.poll()
        if watch.stopped:
            return False
    watch.nodes += 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_moves(
    own: cython.ulonglong,
    opp: cython.ulonglong,
    legal: cython.ulonglong,
    vacant: cython.ulonglong,
    corners: cython.ulonglong,
    first: cython.int,
    squares: cython.p_int,
    turned: cython.p_ulonglong,
) -> cython.int:
    """Write the legal moves and the discs that each turns, cheapest first; return how many.

    :param vacant: the empty squares of the board.
    :param first: the square that comes first if it is among them.
    """
    costs = cython.declare(cython.int[MOST_MOVES])
    odd: cython.ulonglong = odd_squares(vacant)
    count: cython.int = 0
    while legal:
        square: cython.int = lowest_square(legal)
        bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << square
        legal ^= bit
        discs: cython.ulonglong = flips(own, opp, square)
        cost: cython.int = WORST * REPLY_COST
        if square != first:
            replies: cython.ulonglong = mobility(opp ^ discs, own | discs | bit) & vacant
            cost = REPLY_COST * (popcount(replies) + popcount(replies & corners))
            cost += OPEN_COST * popcount(near(own | discs | bit) & vacant)
            cost -= CORNER_GAIN if bit & corners else 0
            cost -= ODD_GAIN if bit & odd else 0
        i: cython.int = count
        while i > 0 and costs[i - 1] > cost:
            costs[i] = costs[i - 1]
            squares[i] = squares[i - 1]
            turned[i] = turned[i - 1]
            i -= 1
        costs[i] = cost
        squares[i] = square
        turned[i] = discs
        count += 1
    return count


class Endgame:
    """The solver and its table.

    :param board: the squares of the board; a small one lies in the middle of the 64.
    :param corners: its corners.

    An entry of the table is a key and a word that holds, from the low end, the lower and the upper bound (8 bits each,
    offset by 128), the best square (8) and the empties (8). Two make a bucket: the first is kept for the larger tree,
    the second takes what comes.
    """

    def __init__(self, board: cython.ulonglong, corners: cython.ulonglong) -> None:
        self.board = board
        self.corners = corners
        self.failure: Exception | None = None
        self.forget()

    def forget(self) -> None:
        """Take a fresh table when one is next needed: most positions of a game are too early for that."""
        self.has_table = False

    def take_table(self, watch: Watch) -> None:
        """Take a fresh table, which the system clears page by page as it is first touched.

        If there is no memory for it, ``watch`` is stopped, and ``failure`` says why.
        """
        with cython.gil:
            try:
                self.words = memoryview(mmap.mmap(-1, 32 * ((1 << SMALL_BITS) + (1 << LARGE_BITS)))).cast("Q")
                self.has_table = True
            except (MemoryError, OSError) as error:
                self.failure = error
                watch.stopped = True

    def solve(
        self, own: cython.ulonglong, opp: cython.ulonglong, alpha: cython.int, beta: cython.int, watch: Watch
    ) -> cython.int:
        """Return the value in discs from the view of ``own``, fail-soft, for ``alpha < beta``; worthless once stopped.

        ``watch`` counts the moves made, passes and the counted last squares included.
        """
        left: cython.int = popcount(self.board & ~(own | opp))
        if left >= STORED_FROM and not self.has_table:
            self.take_table(watch)
            if watch.stopped:
                return alpha
        return self.child(own, opp, alpha, beta, left, watch)

    def child(
        self,
        own: cython.ulonglong,
        opp: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
        left: cython.int,
        watch: Watch,
    ) -> cython.int:
        """Choose the stage for ``left`` empties."""
        if left >= SORTED_FROM:
            return self.sorted_moves(own, opp, alpha, beta, left, 0, watch)
        vacant: cython.ulonglong = self.board & ~(own | opp)
        if left >= STORED_FROM:
            return self.parity_moves(own, opp, alpha, beta, vacant, left, watch)
        if left > 2:
            return nearest_moves(own, opp, alpha, beta, vacant, left, 0, watch)
        if left == 2:
            return last_two(own, opp, alpha, beta, vacant, watch)
        if left == 1:
            return last_one(own, opp, lowest_square(vacant), watch)
        return final_discs(own, opp, 0)

    def sorted_moves(
        self,
        own: cython.ulonglong,
        opp: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
        left: cython.int,
        passed: cython.int,
        watch: Watch,
    ) -> cython.int:
        """Search the moves in the order of fewest replies."""
        # 1. What is known may settle the window; the table usually has a good move.
        key: cython.ulonglong = hashed(own, opp)
        data: cython.ulonglong = self.probe(key, left)
        best: cython.int = known_bound(self.board, own, opp, alpha, beta, left, data)
        if best != WORST:
            return best
        score: cython.int
        # 2. No move: the other side's turn, or the end.
        legal: cython.ulonglong = mobility(own, opp) & self.board
        if legal == 0:
            if passed:
                return final_discs(own, opp, left)
            if not counted(watch):
                return 0
            return -self.sorted_moves(opp, own, -beta, -alpha, left, 1, watch)
        # 3. Try the moves until one refutes the position.
        squares = cython.declare(cython.int[MOST_MOVES])
        turned = cython.declare(cython.ulonglong[MOST_MOVES])
        vacant: cython.ulonglong = self.board & ~(own | opp)
        first: cython.int = square_of(data) if data else 64
        count: cython.int = sort_moves(own, opp, legal, vacant, self.corners, first, squares, turned)
        if left >= PROBED_FROM:
            score = self.known_cutoff(own, opp, beta, left, count, squares, turned)
            if score >= beta:
                return score
        best_square: cython.int = 0
        low: cython.int = alpha
        i: cython.int
        for i in range(count):
            if not counted(watch):
                return 0
            mine: cython.ulonglong = own | turned[i] | cython.cast(cython.ulonglong, 1) << squares[i]
            theirs: cython.ulonglong = opp ^ turned[i]
            if i and beta - low > 1:  # a null window first: later moves are expected to be no better
                score = -self.child(theirs, mine, -low - 1, -low, left - 1, watch)
                if low < score < beta:
                    score = -self.child(theirs, mine, -beta, -score, left - 1, watch)
            else:
                score = -self.child(theirs, mine, -beta, -low, left - 1, watch)
            if score > best:
                best = score
                best_square = squares[i]
                low = max(low, score)
                if low >= beta:
                    break
        # 4. Store the result in the table.
        if not watch.stopped:
            self.store(key, left, data, best, alpha, beta, best_square)
        return best

    def parity_moves(
        self,
        own: cython.ulonglong,
        opp: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
        vacant: cython.ulonglong,
        left: cython.int,
        watch: Watch,
    ) -> cython.int:
        """Search the moves in the order of parity, with bounds by the stable discs and by the table."""
        key: cython.ulonglong = hashed(own, opp)
        data: cython.ulonglong = self.probe(key, left)
        best: cython.int = known_bound(self.board, own, opp, alpha, beta, left, data)
        if best != WORST:
            return best
        score: cython.int
        odd: cython.ulonglong = odd_squares(vacant)
        squares: cython.ulonglong = vacant & odd
        rest: cython.ulonglong = vacant & ~odd
        low: cython.int = alpha
        best_square: cython.int = 0
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
            if not counted(watch):
                return 0
            bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << square
            if left == STORED_FROM:
                score = -nearest_moves(opp ^ turned, own | turned | bit, -beta, -low, vacant ^ bit, left - 1, 0, watch)
            else:
                score = -self.parity_moves(opp ^ turned, own | turned | bit, -beta, -low, vacant ^ bit, left - 1, watch)
            if score > best:
                best = score
                best_square = square
                low = max(low, score)
                if low >= beta:
                    break
        if best == WORST:
            if mobility(opp, own) & vacant == 0:
                return final_discs(own, opp, left)
            if not counted(watch):
                return 0
            return -self.parity_moves(opp, own, -beta, -alpha, vacant, left, watch)
        if not watch.stopped:
            self.store(key, left, data, best, alpha, beta, best_square)
        return best

    def known_cutoff(
        self,
        own: cython.ulonglong,
        opp: cython.ulonglong,
        beta: cython.int,
        left: cython.int,
        count: cython.int,
        squares: cython.p_int,
        turned: cython.p_ulonglong,
    ) -> cython.int:
        """Return what the table says of a move that refutes the position, or :data:`WORST` (Plaat 1996)."""
        i: cython.int
        for i in range(count):
            mine: cython.ulonglong = own | turned[i] | cython.cast(cython.ulonglong, 1) << squares[i]
            data: cython.ulonglong = self.probe(hashed(opp ^ turned[i], mine), left - 1)
            if data != 0 and -upper_of(data) >= beta:
                return -upper_of(data)
        return WORST

    def probe(self, key: cython.ulonglong, left: cython.int) -> cython.ulonglong:
        """Return the data word of the entry of ``key``, or 0 where there is none."""
        slot: cython.ulonglong = bucket_of(key, left)
        if self.words[slot] == key:
            return self.words[slot + 1]
        if self.words[slot + 2] == key:
            return self.words[slot + 3]
        return 0

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
        """Write an entry.

        :param data: what the table knew before, or 0.
        :param best: the value that the search in the window from ``alpha`` to ``beta`` returned.
        """
        lower: cython.int = -64 if best <= alpha else best
        upper: cython.int = 64 if best >= beta else best
        if data != 0:
            lower = max(lower, lower_of(data))
            upper = min(upper, upper_of(data))
        slot: cython.ulonglong = bucket_of(key, left)
        if self.words[slot] != key and cython.cast(cython.int, self.words[slot + 1] >> 24) > left:
            slot += 2
        data = cython.cast(cython.ulonglong, lower + 128)
        data |= cython.cast(cython.ulonglong, upper + 128) << 8
        data |= cython.cast(cython.ulonglong, square) << 16 | cython.cast(cython.ulonglong, left) << 24
        self.words[slot] = key
        self.words[slot + 1] = data


def nearest_moves(
    own: cython.ulonglong,
    opp: cython.ulonglong,
    alpha: cython.int,
    beta: cython.int,
    vacant: cython.ulonglong,
    left: cython.int,
    passed: cython.int,
    watch: Watch,
) -> cython.int:
    """Search the moves in the order of parity; at least three squares are empty."""
    odd: cython.ulonglong = odd_squares(vacant)
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
        if not counted(watch):
            return 0
        bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << square
        if left == 3:
            score = -last_two(opp ^ turned, own | turned | bit, -beta, -alpha, vacant ^ bit, watch)
        else:
            score = -nearest_moves(opp ^ turned, own | turned | bit, -beta, -alpha, vacant ^ bit, left - 1, 0, watch)
        if score > best:
            best = score
            alpha = max(alpha, score)
            if alpha >= beta:
                return best
    if best != WORST:
        return best
    if passed:
        return final_discs(own, opp, left)
    if not counted(watch):
        return 0
    return -nearest_moves(opp, own, -beta, -alpha, vacant, left, 1, watch)


def last_two(
    own: cython.ulonglong,
    opp: cython.ulonglong,
    alpha: cython.int,
    beta: cython.int,
    vacant: cython.ulonglong,
    watch: Watch,
) -> cython.int:
    """Return the value with two empty squares left."""
    first: cython.int = lowest_square(vacant)
    second: cython.int = lowest_square(vacant & (vacant - 1))
    best: cython.int = WORST
    turned: cython.ulonglong
    if NEIGHBOURS[first] & opp:
        turned = flips(own, opp, first)
        if turned:
            if not counted(watch):
                return 0
            best = -last_one(opp ^ turned, own | turned | cython.cast(cython.ulonglong, 1) << first, second, watch)
            if best >= beta:
                return best
    if NEIGHBOURS[second] & opp:
        turned = flips(own, opp, second)
        if turned:
            if not counted(watch):
                return 0
            return max(
                best,
                -last_one(opp ^ turned, own | turned | cython.cast(cython.ulonglong, 1) << second, first, watch),
            )
    if best != WORST:
        return best
    return last_two_passed(own, opp, alpha, first, second, watch)


def last_two_passed(
    own: cython.ulonglong,
    opp: cython.ulonglong,
    alpha: cython.int,
    first: cython.int,
    second: cython.int,
    watch: Watch,
) -> cython.int:
    """Return the value with two empty squares left where ``own`` has no move, from the view of ``own``."""
    best: cython.int = -WORST
    turned: cython.ulonglong = flips(opp, own, first)
    if turned:
        if not (counted(watch) and counted(watch)):
            return 0
        best = last_one(own ^ turned, opp | turned | cython.cast(cython.ulonglong, 1) << first, second, watch)
        if best <= alpha:
            return best
    turned = flips(opp, own, second)
    if turned:
        if not (counted(watch) and counted(watch)):
            return 0
        return min(
            best, last_one(own ^ turned, opp | turned | cython.cast(cython.ulonglong, 1) << second, first, watch)
        )
    return best if best != -WORST else final_discs(own, opp, 2)


def last_one(own: cython.ulonglong, opp: cython.ulonglong, square: cython.int, watch: Watch) -> cython.int:
    """Return the value with one empty square left, without making the move."""
    if not counted(watch):
        return 0
    lead: cython.int = popcount(own) - popcount(opp)
    turned: cython.int = last_turned(own, square)
    if turned:
        return lead + turned + 1
    turned = last_turned(opp, square)
    if turned:
        if not counted(watch):
            return 0
        return lead - turned - 1
    return final_discs(own, opp, 1)
