cdef extern from "patterns.h" nogil:
    void change_indices(short *indices, int start, const short *values, int placed, unsigned long long turned, int sign) noexcept
