cdef enum:
    STACK = 130  # maximum number of positions in a game: 64 moves, a pass before each of them, and the initial position


cdef class Evaluator:
    cdef readonly bint incremental

    cdef void reset(self, unsigned long long own, unsigned long long opp) noexcept nogil
    cdef void make(self, int move, unsigned long long turned) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int value(self, unsigned long long own, unsigned long long opp) noexcept nogil
