from quietmove.engine.games.othello.evaluators.evaluator cimport Evaluator


cdef class Classic(Evaluator):
    cdef int value(self, unsigned long long own, unsigned long long opp) noexcept nogil
