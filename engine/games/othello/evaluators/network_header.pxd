cdef extern from "network.h" nogil:
    void sum_rows(short *sums, const short *indices, int start, const signed char *rows, const int *middles, int sign, const short *first, const short *mine, const short *theirs) noexcept
    long long output(const short *sums, const short *shorts, const int *ints, int odd) noexcept
