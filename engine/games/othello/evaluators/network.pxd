from quietmove.engine.games.othello.evaluators.network_weights cimport NetworkWeights
from quietmove.engine.games.othello.evaluators.pattern_evaluator cimport PatternEvaluator


cdef class Network(PatternEvaluator):
    cdef NetworkWeights weights

    cdef int value(self, unsigned long long own, unsigned long long opp) noexcept nogil
