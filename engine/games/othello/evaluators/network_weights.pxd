cpdef enum:
    SUMS = 64
    HALF = 32
    UNITS = 16
    STAGES = 31
    MOBILITIES = 40
    SHORTS = 560
    INTS = 17


cdef class NetworkWeights:
    cdef readonly str path
    cdef object failure
    cdef object loading
    cdef object buffers
    cdef bint ready
    cdef signed char *rows
    cdef short *firsts
    cdef short *shorts
    cdef int *ints

    cdef void load(self) noexcept nogil
