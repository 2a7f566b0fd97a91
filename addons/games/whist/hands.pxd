from quietmove.engine.games.base cimport Position

cpdef enum:
    MAX_CARDS = 24
    PASS = 31
    STACK = 40  # maximum number of positions in a game: 24 cards, a pass after each trick but the last, the initial one


cdef class WhistPosition(Position):
    cdef int ranks
    cdef int full_hand
    cdef unsigned long long hands[2 * STACK]
    cdef int held[2 * STACK]
    cdef int tricks[2 * STACK]
    cdef int lead[STACK]
    cdef bint passing[STACK]
    cdef int shown[MAX_CARDS]

    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
    cdef unsigned long long suit_of(self, int card) noexcept nogil
    cdef bint beats(self, int card, int led) noexcept nogil
    cdef unsigned long long key_here(self) noexcept nogil
