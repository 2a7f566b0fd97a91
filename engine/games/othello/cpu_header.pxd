cdef extern from "cpu.h" nogil:
    bint has_v3() noexcept
