from quietmove.engine.games.base cimport Position

cpdef enum:
    MAX_HEAP = 1000
    MAX_TAKE = 64


cdef class SubtractionPosition(Position):
    cdef int heap_at[MAX_HEAP + 1]
    cdef int most

    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
