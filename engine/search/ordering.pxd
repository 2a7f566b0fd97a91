from quietmove.engine.games.base cimport MAX_MOVES, MAX_PLY, Position

cdef enum:
    NO_MOVE = -1
    MOVE_STACK = 1 << 15  # maximum total number of moves of all nodes on one line of the search
    HISTORY = 4096  # distinct move numbers in the history table
    HISTORY_MAX = 8192


cdef class Picker:
    cdef Position position
    cdef int goes_by
    cdef int *moves
    cdef int *scores
    cdef int start[MAX_PLY]
    cdef int cursor[MAX_PLY]
    cdef int scored_from[MAX_PLY]
    cdef int reply_value[MAX_PLY]
    cdef int later[MAX_PLY]  # number of postponed moves, or NEVER
    cdef int killers[2 * MAX_PLY]
    cdef int history[2 * HISTORY]

    cdef bint has_room(self, int ply) noexcept nogil
    cdef void begin(self, int ply, int count, int depth, bint exact, int table_move) noexcept nogil
    cdef int next_move(self, int ply) noexcept nogil
    cdef bint postpone(self, int ply, int move) noexcept nogil
    cdef void reward(self, int ply, int move, int depth) noexcept nogil
    cdef bint bring_forward(self, int ply, int place, int move) noexcept nogil
    cdef void sort_by_number(self, int start, int end) noexcept nogil
    cdef void score_rest(self, int ply) noexcept nogil
    cdef int value_after(self, int move) noexcept nogil
