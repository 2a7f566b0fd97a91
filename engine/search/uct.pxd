from quietmove.engine.games.base cimport MAX_MOVES, MAX_PLY, Position
from quietmove.engine.search.limited cimport LimitedSearch

cpdef enum:
    ROOT = 0
    REWARD = 1 << 16  # the reward of a win; a loss has 0

cdef enum:
    MARGIN = REWARD // 16  # the part of the reward that depends on the score
    EXACT_LOGARITHMS = 4096


cdef class Uct(LimitedSearch):
    cdef readonly int seldepth
    cdef unsigned int capacity
    cdef readonly unsigned int used
    cdef long long weight
    cdef unsigned long long random_state
    cdef long long[::1] rewards
    cdef unsigned int[::1] visits
    cdef unsigned int[::1] first
    cdef unsigned short[::1] counts
    cdef unsigned short[::1] moves
    cdef short[::1] low
    cdef short[::1] high
    cdef long long totals[MAX_MOVES]
    cdef int legal[MAX_MOVES]
    cdef unsigned int path[MAX_PLY]
    cdef bint chance[MAX_PLY]
    cdef int most

    cdef void grow(self, unsigned long long nodes) noexcept nogil
    cdef void simulate(self) noexcept nogil
    cdef bint step(self, int move) noexcept nogil
    cdef void expand(self, unsigned int node, int count) noexcept nogil
    cdef unsigned int select(self, unsigned int node) noexcept nogil
    cdef unsigned int select_chance(self, unsigned int node) noexcept nogil
    cdef int playout(self, int count) noexcept nogil
    cdef int outcome(self, int count) noexcept nogil
    cdef void learn(self, int depth, int score, bint settled) noexcept nogil
    cdef bint narrow(self, unsigned int node, bint chance) noexcept nogil
    cdef bint decided(self, unsigned int node) noexcept nogil
    cdef int known_score(self, unsigned int node) noexcept nogil
    cdef int below(self, int count) noexcept nogil


cdef int for_parent(int score) noexcept nogil
cdef int reward_of(int score) noexcept nogil
cdef long long logarithm(unsigned int number) noexcept nogil
