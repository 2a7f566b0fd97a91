from quietmove.engine.games.base cimport Position

cpdef enum:
    PIECES = 6  # per player
    CELLS = 25
    STACK = 200  # maximum number of positions in a game: 12 pieces with at most 7 moves each, the last move, the rolls
    STEP_VALUE = 380  # value of being a step closer for one of the six rolls; the board's length is 24 such steps
    TURN_VALUE = 400  # bonus for the side to move: half of a move's average value


cdef class EinsteinPosition(Position):
    cdef int places[2 * PIECES]
    cdef int occupants[CELLS]
    cdef int player
    cdef int die
    cdef int moved[STACK]
    cdef int came_from[STACK]
    cdef int taken[STACK]
    cdef unsigned long long keys[STACK]

    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
    cdef bint is_chance(self) noexcept nogil
    cdef int weight(self, int move) noexcept nogil
    cdef bint has_won(self, int player) noexcept nogil
    cdef int chosen(self, int player, int roll, int step) noexcept nogil
    cdef int shortest(self, int player, int roll) noexcept nogil
    cdef int race(self, int player) noexcept nogil
    cdef int short_steps(self, int player) noexcept nogil
