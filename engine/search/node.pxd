from quietmove.engine.games.base cimport MAX_PLY, Position
from quietmove.engine.search.limited cimport LimitedSearch
from quietmove.engine.search.ordering cimport Picker
from quietmove.engine.search.table cimport Table

cpdef enum:
    INFINITE = 32000  # higher than any score
    SOLVED = 255  # the depth of a search to the end of the game
    SHARED_REMAINING = 14  # minimum remaining plies at which the searches of a team divide a node of such a search

cdef enum:  # indices into ALGORITHMS
    MINIMAX = 0
    ALPHABETA = 1
    PVS = 2

cdef enum:  # the source of a node's value: indices into SOURCES
    MOVES = 0
    STATIC = 1
    TABLE = 2
    OVER = 3
    SOLVER = 4
    DISTANCE = 5


cpdef int score_from_child(int score) noexcept nogil
cpdef int bound_for_child(int bound) noexcept nogil


cdef class Search(LimitedSearch):
    cdef readonly Table table
    cdef readonly Picker picker
    cdef int algorithm
    cdef bint quiescence
    cdef bint leaves_are_static
    cdef int most
    cdef readonly int selectivity
    cdef int margin
    cdef int solver_reach
    cdef int source
    cdef unsigned long long salt
    cdef readonly bint shared
    cdef unsigned long long[::1] counts
    cdef int size
    cdef int place
    cdef int finished
    cdef public int seldepth
    cdef public unsigned long long probes
    cdef public unsigned long long hits
    cdef public unsigned long long null_windows
    cdef public unsigned long long researches
    cdef int root_count
    cdef bint root_whole
    cdef int *pv
    cdef int pv_length[MAX_PLY]

    cdef int node(self, int depth, int alpha, int beta, int ply) noexcept nogil
    cdef int leaf(self, int ply) noexcept nogil
    cdef bint is_left_to_solver(self, int depth) noexcept nogil
    cdef int child(self, int depth, int alpha, int beta, int ply, bint first) noexcept nogil
    cdef int probable_bound(self, int plies, int shallow, int static, int alpha, int beta, int ply) noexcept nogil
    cdef int known_refutation(self, int beta, int ply, int count) noexcept nogil
    cdef unsigned long long counted(self) noexcept nogil
    cdef bint claim_move(self, int ply, int move, bint first) noexcept nogil
    cdef void release_move(self) noexcept nogil
    cdef bint is_finished(self, int depth, int alpha, int beta) noexcept nogil
    cdef bint answers(self, unsigned long long data, int depth, int alpha, int beta) noexcept nogil
    cdef void extend_line(self, int ply, int move) noexcept nogil
