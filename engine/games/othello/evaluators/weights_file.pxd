cdef class WeightsFile:
    cdef readonly str path
    cdef int parts
    cdef object failure
    cdef object loading

    cdef void load(self, int part) noexcept nogil
