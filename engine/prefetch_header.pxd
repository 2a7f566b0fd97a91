cdef extern from "prefetch.h" nogil:
    void prefetch_line(const void *address) noexcept
