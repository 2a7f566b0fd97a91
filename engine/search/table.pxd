cpdef enum:
    EXACT = 1
    LOWER = 2
    UPPER = 3

cdef enum:
    SLOTS = 4
    WORDS = 8
    GENERATIONS = 64
    EPOCHS = 8192
    EPOCH_BITS = 51
    ENTERED = 4096


cdef class Table:
    cdef readonly int megabytes
    cdef readonly bint is_ready
    cdef unsigned long long mask
    cdef unsigned long long generation
    cdef unsigned long long epoch
    cdef unsigned long long[::1] words
    cdef unsigned long long[::1] entered

    cdef void prefetch(self, unsigned long long key) noexcept nogil
    cdef unsigned long long probe(self, unsigned long long key) noexcept nogil
    cdef void enter(self, unsigned long long key) noexcept nogil
    cdef void leave(self, unsigned long long key) noexcept nogil
    cdef bint is_entered(self, unsigned long long key) noexcept nogil
    cdef void store(self, unsigned long long key, int depth, int bound, int score, int move, int selectivity) noexcept nogil


cdef int score_of(unsigned long long data) noexcept nogil
cdef int move_of(unsigned long long data) noexcept nogil
cdef int depth_of(unsigned long long data) noexcept nogil
cdef int selectivity_of(unsigned long long data) noexcept nogil
cdef int bound_of(unsigned long long data) noexcept nogil
