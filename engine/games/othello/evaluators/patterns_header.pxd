cdef extern from "patterns.h" nogil:
    void change_indices(short *indices, int start, const short *values, int placed, unsigned long long turned, int sign, int places) noexcept
    int sum_weights(const short *indices, int start, const short *weights, int first, const int *middles, int sign) noexcept
