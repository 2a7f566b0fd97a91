cimport cython
from quietmove.engine.games.base cimport Watch

cdef enum:  # C constants: an exact search with variables takes 3 % longer
    SORTED_FROM = 7  # the moves are sorted from so many empties on
    STORED_FROM = 5  # the table is used from so many empties on
    PROBED_FROM = 8  # the children are looked up before they are searched from so many empties on
    LARGE_FROM = 9  # positions with so many empties or more have their places in the whole table
    LARGE_BITS = 16  # logarithm of the buckets, of two entries or four words of 64 bits each: one huge page
    SMALL_BITS = 12  # the buckets for smaller positions, as a logarithm too, fit the processor's second cache
    MOST_MOVES = 34  # legal moves of one position
    LISTED = 512  # places for the moves of the boards on one line of play, a power of two
    TRIED = 1 << 20  # the cost of a move that was tried: higher than every cost
    WORST = -65  # lower than every value
    STABLE_MARGIN = 2  # stable discs are counted where alpha falls short of twice the empties by so many discs at most
    # The moves are sorted by their costs. These weights were fitted to the nodes of 69 positions with 20 empties.
    REPLY_COST = 16  # a reply that the move leaves costs this; a corner counts twice
    OPEN_COST = 3  # an empty square beside the discs of the side that moves costs this
    CORNER_GAIN = 14  # a move to a corner costs so much less
    ODD_GAIN = 6  # a move to a quadrant with an odd number of empties costs so much less
    FIRST_GAIN = 1000  # the move that the table names costs so much less


@cython.final
cdef class Endgame:
    cdef unsigned long long board
    cdef unsigned long long corners
    cdef unsigned long long[::1] words
    cdef bint has_table
    cdef object failure
    cdef int squares[LISTED]
    cdef int costs[LISTED]
    cdef unsigned long long turned[LISTED]
    cdef unsigned long long replies[LISTED]
    cdef unsigned long long keys[LISTED]

    cdef void take_table(self, Watch watch) noexcept nogil
    cdef int solve(self, unsigned long long own, unsigned long long opp, int alpha, int beta, Watch watch) noexcept nogil
    cdef int sorted_moves(self, unsigned long long own, unsigned long long opp, unsigned long long legal, unsigned long long key, int alpha, int beta, int left, Watch watch) noexcept nogil
    cdef int after(self, unsigned long long own, unsigned long long opp, int i, int alpha, int beta, int left, Watch watch) noexcept nogil
    cdef int child(self, unsigned long long own, unsigned long long opp, int alpha, int beta, int left, Watch watch) noexcept nogil
    cdef int price_moves(self, unsigned long long own, unsigned long long opp, unsigned long long legal, int left, int first) noexcept nogil
    cdef int next_move(self, int start, int end) noexcept nogil
    cdef void prefetch(self, unsigned long long key, int left) noexcept nogil
    cdef int parity_moves(self, unsigned long long own, unsigned long long opp, int alpha, int beta, unsigned long long vacant, int parity, int left, Watch watch) noexcept nogil
    cdef int known_cutoff(self, int beta, int left, int start, int end) noexcept nogil
    cdef unsigned long long probe(self, unsigned long long key, int left) noexcept nogil
    cdef void store(self, unsigned long long key, int left, unsigned long long data, int best, int alpha, int beta, int square) noexcept nogil


cpdef unsigned long long hashed(unsigned long long own, unsigned long long opp) noexcept nogil
cdef int nearest_moves(unsigned long long own, unsigned long long opp, int alpha, int beta, unsigned long long vacant, int parity, int left, int passed, Watch watch) noexcept nogil
cdef int last_two(unsigned long long own, unsigned long long opp, int alpha, int beta, unsigned long long vacant, Watch watch) noexcept nogil
cdef int last_two_passed(unsigned long long own, unsigned long long opp, int alpha, int first, int second, Watch watch) noexcept nogil
cdef int last_one(unsigned long long own, unsigned long long opp, int square, Watch watch) noexcept nogil
