cpdef enum:
    MAX_MOVES = 512  # maximum number of legal moves in any game; a 19x19 board has 361 cells
    MAX_PLY = 256  # maximum depth of a search in plies
    NATURE = 2  # the side to move at a chance node, such as a roll of a die
    UNKNOWN_REMAINING = 1 << 20  # returned by Position.remaining() if the game's length has no bound
    WIN = 30000  # the score of a win in games without points, less one for each ply until the win
    DECISIVE = 29000  # scores beyond +/-DECISIVE are wins and losses in games without points


cdef class SearchMonitor:
    cdef public unsigned long long nodes
    cdef public unsigned long long next_poll
    cdef public bint stopped

    cdef void poll(self) noexcept nogil


cdef class Position:
    cdef readonly unsigned long long key
    cdef readonly int ply
    cdef int first_side
    cdef readonly int exact_reach
    cdef readonly int selective_reach
    cdef readonly bint slow

    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef int generate_noisy(self, int *moves, int start) noexcept nogil
    cdef int replies(self, int move, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil
    cdef int solve(self, int alpha, int beta, SearchMonitor monitor) noexcept nogil
    cdef int shallow_depth(self, int depth) noexcept nogil
    cdef int shallow_error(self, int depth, int shallow) noexcept nogil
    cdef bint is_chance(self) noexcept nogil
    cdef int weight(self, int move) noexcept nogil
    cdef unsigned long long count_leaves(self, int depth) noexcept nogil
