from quietmove.engine.games.othello.evaluators.weights_file cimport WeightsFile

cpdef enum:
    SUMS = 64
    HALF = 32
    UNITS = 16
    STAGES = 31
    MOBILITIES = 40
    SHORTS = 560
    INTS = 18


cdef class NetworkWeights(WeightsFile):
    cdef object buffers
    cdef bint ready
    cdef unsigned short *rows
    cdef short *firsts
    cdef short *shorts
    cdef int *ints
