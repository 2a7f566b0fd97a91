cdef extern from "network.h" nogil:
    int output(const short *indices, const unsigned short *rows, const int *middles, int sign, const short *first, const short *mine, const short *theirs, const short *shorts, const int *ints) noexcept
