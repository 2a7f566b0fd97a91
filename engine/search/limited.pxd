from quietmove.engine.games.base cimport Position, SearchMonitor


cdef class LimitedSearch(SearchMonitor):
    cdef readonly Position position
    cdef public unsigned long long node_limit
    cdef object expired
    cdef object now
    cdef object failure
    cdef readonly int pause
    cdef double looked

    cdef unsigned long long counted(self) noexcept nogil
    cdef void poll(self) noexcept nogil
    cdef void pace(self, double now) noexcept
