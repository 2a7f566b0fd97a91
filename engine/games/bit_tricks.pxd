cdef unsigned long long mixed(unsigned long long state) noexcept nogil
