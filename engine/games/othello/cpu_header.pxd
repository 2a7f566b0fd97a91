cdef extern from "cpu.h" nogil:
    bint has_v3() noexcept
    bint has_v4() noexcept
