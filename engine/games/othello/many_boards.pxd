cpdef enum:
    OVER = 1
    ILLEGAL = 2

cdef enum:
    WORDS = 3  # words per game: the discs of the side to move, the opponent's, and the side to move


cdef class ManyBoards:
    cdef readonly int count
    cdef readonly int size
    cdef readonly unsigned long long[::1] games
    cdef unsigned long long board
    cdef int squares[65]
    cdef int actions[65]
    cdef unsigned long long chance

    cdef void set_up(self, int game, unsigned long long own, unsigned long long opp, int side) noexcept nogil
    cdef unsigned long long legal(self, int game) noexcept nogil
    cdef bint is_over(self, int game) noexcept nogil
    cdef void make(self, int game, int move) noexcept nogil
    cdef int any_move(self, int game) noexcept nogil
