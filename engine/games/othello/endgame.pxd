cdef enum:
    SORTED_FROM = 7
    WORST = -65


cdef class Endgame:
    cdef unsigned long long nodes

    cdef int solve(self, unsigned long long own, unsigned long long opp, int alpha, int beta) noexcept nogil
    cdef int sorted_moves(self, unsigned long long own, unsigned long long opp, int alpha, int beta, int passed) noexcept nogil
    cdef int nearest_moves(self, unsigned long long own, unsigned long long opp, int alpha, int beta, int passed) noexcept nogil
    cdef int last_move(self, unsigned long long own, unsigned long long opp, int square) noexcept nogil
