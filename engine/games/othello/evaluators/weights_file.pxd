cdef class WeightsFile:
    cdef readonly str path
    cdef object failure
    cdef object loading

    cdef void load(self, int part) noexcept nogil
