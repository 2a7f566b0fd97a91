cpdef enum:
    PHASES = 15
    MOBILITY = 32
    POTENTIAL = 48

cdef int phase_of(int empties) noexcept nogil


cdef class Weights:
    cdef readonly str path
    cdef list blocks
    cdef object failure
    cdef object buffer
    cdef object loading
    cdef short *values
    cdef bint ready[PHASES]

    cdef void load(self, int phase) noexcept nogil
