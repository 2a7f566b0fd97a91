from quietmove.engine.games.othello.evaluators.evaluator cimport Evaluator


cdef class Mobility(Evaluator):
    cdef unsigned long long board
    cdef unsigned long long corners
    cdef int largest

    cdef int value(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef int moves_term(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef int open_term(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef int corner_term(self, unsigned long long own, unsigned long long opp) noexcept nogil
