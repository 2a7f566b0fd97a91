cimport cython

cpdef enum:
    EXACT = 1
    LOWER = 2
    UPPER = 3

cdef enum:
    SLOTS = 4
    WORDS = 8  # of a bucket
    GENERATIONS = 64
    EPOCHS = 8192
    EPOCH_BITS = 51  # below the epoch
    ENTERED = 4096  # places for the positions that are being searched, a power of two


@cython.final
cdef class Table:
    cdef readonly int megabytes
    cdef readonly bint is_ready
    cdef unsigned long long mask
    cdef unsigned long long generation
    cdef unsigned long long epoch
    cdef unsigned long long[::1] words
    cdef unsigned long long[::1] entered

    cdef void prefetch(self, unsigned long long key) noexcept nogil
    cpdef unsigned long long probe(self, unsigned long long key) noexcept nogil
    cdef void enter(self, unsigned long long key) noexcept nogil
    cdef void leave(self, unsigned long long key) noexcept nogil
    cdef bint is_entered(self, unsigned long long key) noexcept nogil
    cpdef void store(self, unsigned long long key, int depth, int bound, int score, int move, int selectivity) noexcept nogil


cpdef int score_of(unsigned long long data) noexcept nogil
cpdef int move_of(unsigned long long data) noexcept nogil
cpdef int depth_of(unsigned long long data) noexcept nogil
cpdef int selectivity_of(unsigned long long data) noexcept nogil
cpdef int bound_of(unsigned long long data) noexcept nogil
