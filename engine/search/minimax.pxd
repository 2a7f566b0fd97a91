from quietmove.engine.games.base cimport Position


cdef class Minimax:
    cdef Position position
    cdef public unsigned long long nodes

    cdef int best(self, int depth) noexcept nogil
