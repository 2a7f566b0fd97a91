cimport cython


@cython.final
cdef class Yardstick:
    cdef readonly unsigned long long nodes

    cdef int solve(self, unsigned long long own, unsigned long long opp, int alpha, int beta, int empties) noexcept nogil
