from quietmove.engine.games.base cimport MAX_PLY, Position


cdef class TreePosition(Position):
    cdef readonly object tree
    cdef readonly unsigned long long evaluated
    cdef int[::1] first_child
    cdef int[::1] child_count
    cdef int[::1] height
    cdef int[::1] value
    cdef unsigned long long[::1] hashes
    cdef int path[MAX_PLY]

    cdef unsigned long long key_here(self) noexcept nogil
    cdef int value_here(self) noexcept nogil
    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
