from quietmove.engine.games.othello.evaluators.evaluator cimport STACK

cdef enum:
    BULK_DEPTH = 7  # plies of a perft that one uninterruptible call counts, in about a tenth of a second


cdef class Board:
    cdef readonly unsigned long long own
    cdef readonly unsigned long long opponent
    cdef bint black
    cdef int ply
    cdef unsigned long long own_before[STACK]
    cdef unsigned long long opponent_before[STACK]

    cdef bint make(self, int move) noexcept nogil
