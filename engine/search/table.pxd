cimport cython

cpdef enum:
    EXACT = 1
    LOWER = 2
    UPPER = 3

cdef enum:  # fields of an entry's second word, from the low end: sizes and offsets in bits
    SCORE_BITS = 16
    MOVE_BITS = 16
    DEPTH_BITS = 8
    BOUND_BITS = 2
    GENERATION_BITS = 6
    SELECTIVITY_BITS = 3
    EPOCH_BITS = 13
    MOVE_AT = SCORE_BITS
    DEPTH_AT = MOVE_AT + MOVE_BITS
    BOUND_AT = DEPTH_AT + DEPTH_BITS
    GENERATION_AT = BOUND_AT + BOUND_BITS
    SELECTIVITY_AT = GENERATION_AT + GENERATION_BITS
    EPOCH_AT = SELECTIVITY_AT + SELECTIVITY_BITS

cdef enum:
    SLOTS = 4  # entries per bucket
    WORDS = 2 * SLOTS  # 64-bit words per bucket
    ENTERED = 4096  # size of the set of positions being searched, a power of two


@cython.final
cdef class Table:
    cdef readonly int megabytes
    cdef readonly bint is_ready
    cdef unsigned long long last  # the last bucket
    cdef unsigned long long mask  # the last bucket of the part in use
    cdef unsigned long long crowded  # entries of other positions overwritten since that part doubled
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
    cdef void grow(self) noexcept nogil


cpdef int score_of(unsigned long long data) noexcept nogil
cpdef int move_of(unsigned long long data) noexcept nogil
cpdef int depth_of(unsigned long long data) noexcept nogil
cpdef int selectivity_of(unsigned long long data) noexcept nogil
cpdef int bound_of(unsigned long long data) noexcept nogil
cdef int age_of(unsigned long long data, unsigned long long generation) noexcept nogil
