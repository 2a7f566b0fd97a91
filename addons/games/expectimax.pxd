from quietmove.engine.search.node cimport Search
from quietmove.engine.search.ordering cimport MOVE_STACK


cdef long long floored(long long number, long long divisor) noexcept nogil
cdef long long rounded(long long total, long long weight) noexcept nogil


cdef class Expectimax(Search):
    cdef int limit
    cdef int floors[MOVE_STACK]

    cdef int node(self, int depth, int alpha, int beta, int ply) noexcept nogil
    cdef int child(self, int depth, int alpha, int beta, int ply, bint first) noexcept nogil
    cdef int chance_node(self, int depth, int alpha, int beta, int ply) noexcept nogil
    cdef int average(self, int depth, int alpha, int beta, int ply, int count) noexcept nogil
    cdef long long probe_all(self, int depth, int beta, int ply, int count, long long weight) noexcept nogil
    cdef int probe(self, int depth, int beta, int ply) noexcept nogil
