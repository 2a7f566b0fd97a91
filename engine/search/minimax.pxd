from quietmove.engine.games.base cimport DECISIVE, Position


cdef class Minimax:
    cdef Position position
    cdef public unsigned long long nodes

    cdef int best(self, int depth) noexcept nogil
