cimport cython
from quietmove.engine.games.base cimport SearchMonitor

cdef enum:  # C constants: with variables an exact search takes 3 % longer
    SORTED_FROM = 7  # minimum empties for sorting the moves
    STORED_FROM = 5  # minimum empties for using the table
    PROBED_FROM = 8  # minimum empties for looking up all children before searching
    LARGE_FROM = 11  # minimum empties for using the whole table
    BUCKET = 4  # 64-bit words in a bucket of the table: two entries
    LARGE_BITS = 16  # log2 of the number of buckets, which fill one huge page
    SMALL_BITS = 11  # log2 of the number of buckets for smaller positions, which fit in the L2 cache
    MAX_MOVES = 34  # maximum number of legal moves in a position
    LISTED = 512  # size of the move list for all boards of one line of play, a power of two
    TRIED = 1 << 20  # the cost of a move already tried, higher than any other
    WORST = -65  # lower than any value
    STABLE_MARGIN = 2  # count stable discs if alpha is at least twice the empties minus this many discs
    # Moves are sorted by cost. These weights minimise the nodes for 69 positions with 20 empties.
    REPLY_COST = 16  # cost of each reply left to the opponent
    CORNER_REPLY_COST = 13  # additional cost of a reply in a corner
    CORNER_GAIN = 7  # bonus for a move to a corner
    STABLE_GAIN = 8  # bonus for each disc in or next to a corner that the mover already holds
    ODD_GAIN = 4  # bonus for a move to a quadrant with an odd number of empties
    FIRST_GAIN = 1000  # bonus for the move from the table


@cython.final
cdef class Endgame:
    cdef unsigned long long board
    cdef unsigned long long corners
    cdef unsigned long long x_squares
    cdef unsigned long long[::1] words
    cdef bint has_table
    cdef unsigned long long first_small
    cdef object failure
    cdef int squares[LISTED]
    cdef int costs[LISTED]
    cdef unsigned long long turned[LISTED]
    cdef unsigned long long replies[LISTED]
    cdef unsigned long long keys[LISTED]

    cdef void take_table(self, SearchMonitor monitor) noexcept nogil
    cdef int solve(self, unsigned long long own, unsigned long long opp, int alpha, int beta, SearchMonitor monitor) noexcept nogil
    cdef int sorted_moves(self, unsigned long long own, unsigned long long opp, unsigned long long legal, unsigned long long key, int alpha, int beta, int left, SearchMonitor monitor) noexcept nogil
    cdef int after(self, unsigned long long own, unsigned long long opp, int i, int alpha, int beta, int left, SearchMonitor monitor) noexcept nogil
    cdef int price_moves(self, unsigned long long own, unsigned long long opp, unsigned long long legal, int left, int first) noexcept nogil
    cdef int next_move(self, int start, int end) noexcept nogil
    cdef unsigned long long bucket(self, unsigned long long key, int left) noexcept nogil
    cdef void prefetch(self, unsigned long long key, int left) noexcept nogil
    cdef int parity_moves(self, unsigned long long own, unsigned long long opp, unsigned long long legal, unsigned long long key, int alpha, int beta, int parity, int left, SearchMonitor monitor) noexcept nogil
    cdef int known_cutoff(self, int beta, int left, int start, int end) noexcept nogil
    cdef unsigned long long probe(self, unsigned long long key, int left) noexcept nogil
    cdef void store(self, unsigned long long key, int left, unsigned long long data, int best, int alpha, int beta, int square) noexcept nogil


cpdef unsigned long long hashed(unsigned long long own, unsigned long long opp) noexcept nogil
cdef int nearest_moves(unsigned long long own, unsigned long long opp, int alpha, int beta, unsigned long long vacant, int parity, int left, int passed, SearchMonitor monitor) noexcept nogil
cdef int last_two(unsigned long long own, unsigned long long opp, int alpha, int beta, unsigned long long vacant, SearchMonitor monitor) noexcept nogil
cdef int last_two_passed(unsigned long long own, unsigned long long opp, int alpha, int first, int second, SearchMonitor monitor) noexcept nogil
cdef int last_one(unsigned long long own, unsigned long long opp, int square, SearchMonitor monitor) noexcept nogil
