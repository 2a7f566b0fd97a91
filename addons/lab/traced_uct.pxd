from quietmove.engine.games.base cimport Position
from quietmove.engine.search.uct cimport Uct


cdef class TracedUct(Uct):
    cdef object emit
    cdef object told
    cdef bint is_playing_out

    cdef bint step(self, int move) noexcept nogil
    cdef void expand(self, unsigned int node, int count) noexcept nogil
    cdef unsigned int select(self, unsigned int node) noexcept nogil
    cdef int playout(self, int count) noexcept nogil
    cdef void learn(self, int depth, int score, bint settled) noexcept nogil
    cdef void note_choice(self, unsigned int node, unsigned int chosen) noexcept with gil
    cdef void note_expansion(self) noexcept with gil
    cdef void note_move(self, int move) noexcept with gil
    cdef void tell(self) noexcept with gil
