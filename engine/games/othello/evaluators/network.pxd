from quietmove.engine.games.othello.evaluators.evaluator cimport STACK, Evaluator
from quietmove.engine.games.othello.evaluators.network_weights cimport NetworkWeights

cdef enum:
    PLACES = 48


cdef class Network(Evaluator):
    cdef NetworkWeights weights
    cdef int ply
    cdef short indices[STACK * PLACES]

    cdef void reset(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef void make(self, int move, unsigned long long turned) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int value(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef void place_discs(self, unsigned long long squares, int sign) noexcept nogil
