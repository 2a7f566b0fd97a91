from quietmove.engine.games.base cimport Position

cdef enum:
    CELLS = 64
    STACK = 66  # maximum number of positions in a game
    LONGEST = 16  # maximum number of columns and of rows, and maximum length of a line
    MAX_LINES = 256  # maximum number of winning lines: at most four start at each cell


cdef class InARowPosition(Position):
    cdef readonly int columns
    cdef readonly int rows
    cdef readonly int length
    cdef readonly bint gravity
    cdef int stride
    cdef int discs
    cdef readonly bint by_lines
    cdef int line_count
    cdef unsigned long long lines[MAX_LINES]
    cdef int step_count
    cdef int choice_count
    cdef unsigned long long cells
    cdef int steps[4]
    cdef int order[CELLS]
    cdef int square_of[CELLS]
    cdef int heights[LONGEST]
    cdef int made[STACK]
    cdef unsigned long long own_cells[STACK]
    cdef unsigned long long opp_cells[STACK]
    cdef unsigned long long keys[STACK]
    cdef bint lost[STACK]

    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
    cdef bint has_line(self, unsigned long long own) noexcept nogil
    cdef int open_lines(self, unsigned long long own, unsigned long long free) noexcept nogil
    cdef int line_score(self, unsigned long long own, unsigned long long opp) noexcept nogil
