from quietmove.engine.games.othello.evaluators.pattern_evaluator cimport PatternEvaluator
from quietmove.engine.games.othello.evaluators.weights cimport Weights


cdef class Learnt(PatternEvaluator):
    cdef Weights weights

    cdef int value(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef void features(self, unsigned long long own, unsigned long long opp, int *found) noexcept nogil
