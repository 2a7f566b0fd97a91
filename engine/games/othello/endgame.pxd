from quietmove.engine.games.base cimport Watch

cdef enum:
    SORTED_FROM = 7
    WORST = -65


cdef int solve(unsigned long long own, unsigned long long opp, int alpha, int beta, Watch watch) noexcept nogil
cdef int sorted_moves(unsigned long long own, unsigned long long opp, int alpha, int beta, int passed, Watch watch) noexcept nogil
cdef int nearest_moves(unsigned long long own, unsigned long long opp, int alpha, int beta, int passed, Watch watch) noexcept nogil
cdef int last_move(unsigned long long own, unsigned long long opp, int square, Watch watch) noexcept nogil
