cpdef enum:
    SUMS = 64  # numbers in a row
    HALF = 32  # number of products of two sums
    UNITS = 16
    STAGES = 61  # one for each number of empty squares
    MOBILITIES = 40  # distinct values of a mobility; higher ones share the last
    SHORTS = 560  # 16-bit integers per stage
    INTS = 17  # 32-bit integers per stage


cdef class NetworkWeights:
    cdef readonly str path
    cdef object failure
    cdef object loading
    cdef object buffers
    cdef bint ready
    cdef unsigned short *rows
    cdef short *firsts
    cdef short *shorts
    cdef int *ints

    cdef void load(self) noexcept nogil
