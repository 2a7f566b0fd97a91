from quietmove.engine.games.othello.evaluators.network cimport PLACES, Network

cdef enum:
    CHOSEN = PLACES + 3  # rows of a position: its patterns', its stage's and two for mobility
    CONSTANTS = 512  # offset of the unit constants in a stage
    OUTPUTS = 528
    SKIPS = 544
    STAGE = 577  # parameters per stage


cdef class Descent:
    cdef Network board
    cdef int middles[PLACES]  # for each place, the number of its row for index 0
    cdef object buffers
    cdef float *rows
    cdef float *row_squares
    cdef float *stages
    cdef float *stage_squares
    cdef int *fold
    cdef int chosen[CHOSEN]
    cdef float sums[64]
    cdef float products[32]
    cdef float units[16]

    cdef void choose(self, unsigned long long own, unsigned long long opp, int stage) noexcept nogil
    cdef float forward(self, int stage) noexcept nogil
    cdef void backward(self, int stage, float error, float row_rate, float stage_rate) noexcept nogil
    cdef void step(self, int place, float *slopes, float rate) noexcept nogil
