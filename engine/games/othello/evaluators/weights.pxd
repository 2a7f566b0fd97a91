from quietmove.engine.games.othello.evaluators.weights_file cimport WeightsFile

cpdef enum:
    PHASES = 15
    MOBILITY = 32  # distinct values of a mobility; higher ones share the last
    POTENTIAL = 48  # distinct values of a potential mobility; higher ones share the last

cdef int phase_of(int empties) noexcept nogil


cdef class Weights(WeightsFile):
    cdef list blocks
    cdef object buffer
    cdef short *values
    cdef bint ready[PHASES]
