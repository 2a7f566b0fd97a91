from quietmove.engine.games.base cimport Position, SearchMonitor
from quietmove.engine.games.othello.endgame cimport Endgame
from quietmove.engine.games.othello.evaluators.evaluator cimport STACK, Evaluator

cpdef enum:
    PASS = 64
    EXACT_REACH = 12  # the endgame solver takes over at this many empty squares
    NOISY_MOBILITY = 3
    NOISY_DISCS = 2
    NOISY_LOOK = 8

cdef enum:
    GROUPS = 6  # groups of squares, which define the static move order
    CACHED = 8192  # size of a position's cache of static values, a power of two up to 65536


cdef class OthelloPosition(Position):
    cdef unsigned long long own_discs[STACK]
    cdef unsigned long long opp_discs[STACK]
    cdef unsigned long long keys[STACK]
    cdef unsigned long long board
    cdef unsigned long long groups[GROUPS]
    cdef readonly int size
    cdef readonly Evaluator evaluator
    cdef bint incremental
    cdef Endgame endgame
    cdef unsigned long long values[CACHED]

    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef int generate_noisy(self, int *moves, int start) noexcept nogil
    cdef int replies(self, int move, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
    cdef int solve(self, int alpha, int beta, SearchMonitor monitor) noexcept nogil
    cdef int shallow_depth(self, int depth) noexcept nogil
    cdef int shallow_error(self, int depth, int shallow) noexcept nogil
    cdef unsigned long long count_leaves(self, int depth) noexcept nogil


cdef unsigned long long perft(unsigned long long own, unsigned long long opp, int depth, unsigned long long board) noexcept nogil
