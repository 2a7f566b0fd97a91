from quietmove.engine.games.base cimport Position

cpdef enum:
    MAX_PILES = 6
    MAX_STONES = 64


cdef class NimPosition(Position):
    cdef unsigned long long piles_at[MAX_STONES + 1]
    cdef int pile_count

    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
