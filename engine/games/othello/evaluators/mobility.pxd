from quietmove.engine.games.othello.evaluators.evaluator cimport Evaluator


cdef class Mobility(Evaluator):
    cdef unsigned long long board
    cdef unsigned long long corners
    cdef unsigned long long c_squares
    cdef unsigned long long x_squares
    cdef int largest

    cdef int value(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef int moves_term(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef int corners_term(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef int x_squares_term(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef int c_squares_term(self, unsigned long long own, unsigned long long opp) noexcept nogil
