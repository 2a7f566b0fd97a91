from quietmove.engine.games.base cimport Position

cpdef enum:
    MAX_PILES = 6
    MAX_TAKE = 64  # maximum number of stones taken by a move in the subtraction game
    WORD_BITS = 60  # bits used for the piles, divided equally among them


cdef class NimPosition(Position):
    cdef unsigned long long piles
    cdef int[::1] made
    cdef int pile_count
    cdef int pile_bits
    cdef unsigned long long takes
    cdef int least
    cdef int most

    cdef unsigned long long key_here(self) noexcept nogil
    cdef int pile(self, int index) noexcept nogil
    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil


cdef class HeapTable:
    cdef readonly object grundy
    cdef unsigned char[::1] values
    cdef int[::1] ends

    cdef void fill(self, int largest, unsigned long long takes) noexcept nogil
