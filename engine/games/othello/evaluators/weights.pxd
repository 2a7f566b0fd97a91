from quietmove.engine.games.othello.evaluators.weights_file cimport WeightsFile

cpdef enum:
    PHASES = 15
    MOBILITY = 32  # mobilities that are told apart
    POTENTIAL = 48  # potential mobilities that are told apart

cdef int phase_of(int empties) noexcept nogil


cdef class Weights(WeightsFile):
    cdef list blocks
    cdef object buffer
    cdef short *values
    cdef bint ready[PHASES]
