from quietmove.engine.games.base cimport Position

cpdef enum:
    MAX_PILES = 6
    MAX_PILE = 1000
    MAX_TAKE = 64
    STONE_BITS = 10


cdef class NimPosition(Position):
    cdef unsigned long long piles
    cdef int made[MAX_PILE + 1]
    cdef int pile_count
    cdef int most

    cdef unsigned long long key_here(self) noexcept nogil
    cdef int pile(self, int index) noexcept nogil
    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
