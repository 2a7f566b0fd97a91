cdef unsigned long long mixed(unsigned long long state) noexcept nogil
cdef int popcount(unsigned long long bits) noexcept nogil
