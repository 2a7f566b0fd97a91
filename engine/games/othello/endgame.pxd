cimport cython
from quietmove.engine.games.base cimport Watch

cdef enum:
    SORTED_FROM = 7
    STORED_FROM = 5
    PROBED_FROM = 8
    LARGE_FROM = 9
    SMALL_BITS = 12
    LARGE_BITS = 16
    MOST_MOVES = 34
    LISTED = 512
    TRIED = 1 << 20
    WORST = -65
    STABLE_MARGIN = 2
    REPLY_COST = 8
    OPEN_COST = 4
    CORNER_GAIN = 4
    ODD_GAIN = 5
    FIRST_GAIN = 1000


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
