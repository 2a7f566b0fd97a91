cdef int evaluate(unsigned long long own, unsigned long long opp) noexcept nogil
