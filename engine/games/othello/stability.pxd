cdef int edge_stable(int own, int opp) noexcept nogil
cpdef unsigned long long stable_discs(unsigned long long own, unsigned long long opp, unsigned long long outside) noexcept nogil
