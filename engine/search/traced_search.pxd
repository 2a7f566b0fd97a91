from quietmove.engine.games.base cimport Position
from quietmove.engine.search.node cimport Search
from quietmove.engine.search.ordering cimport Picker
from quietmove.engine.search.table cimport Table


cdef class TracedSearch(Search):
    cdef object emit

    cdef int node(self, int depth, int alpha, int beta, int ply) noexcept nogil
    cdef int child(self, int depth, int alpha, int beta, int ply, bint first) noexcept nogil
    cdef void tell_enter(self, int depth, int alpha, int beta, int ply) noexcept with gil
    cdef void tell_bounds(self, int ply, int alpha, int beta) noexcept with gil
    cdef void tell_cutoff(self, int depth, int value, int beta, int ply) noexcept with gil
    cdef void tell_value(self, int depth, int value, int alpha, int beta, int ply, int source) noexcept with gil
    cdef unsigned long long leaves_behind(self, int move, int depth) noexcept nogil


cdef long long count_positions(Position position, int depth, bint quiescence, long long room) noexcept nogil
