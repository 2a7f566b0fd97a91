from quietmove.engine.games.base cimport Position


cdef class UserPosition(Position):
    cdef readonly object rules
    cdef object moves_of
    cdef object play_of
    cdef object result_of
    cdef object evaluate_of
    cdef object side_of
    cdef object remaining_of
    cdef object key_of
    cdef bint counts_points
    cdef list states
    cdef list legal
    cdef list keys
    cdef str doing
    cdef object failure

    cdef int generate(self, int *moves, int start) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void unmake(self) noexcept nogil
    cdef int evaluate(self) noexcept nogil
    cdef int final_score(self) noexcept nogil
    cdef int remaining(self) noexcept nogil

    cdef list legal_here(self)
    cdef int write_moves(self, int *moves, int start) except -1
    cdef void push(self, int move) except *
    cdef unsigned long long key_for(self, object state) except? 0
