from quietmove.engine.games.base cimport Position

cpdef enum:
    MAX_CELLS = 32
    MAX_PIECES = 12  # both sides together
    QUIET_LIMIT = 20  # plies without a capture after which the game ends

cdef enum:
    STACK = 221  # maximum number of positions in a game: QUIET_LIMIT plies for each piece but one, plus the initial one


cdef class CapturePosition(Position):
    cdef unsigned long long own_pieces[STACK]
    cdef unsigned long long opp_pieces[STACK]
    cdef int quiet_plies[STACK]
    cdef unsigned long long keys[STACK]
    cdef unsigned long long row
    cdef readonly int cells

    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef int generate_noisy(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
    cdef bint finished(self) noexcept nogil
    cdef unsigned long long key_of(self) noexcept nogil
