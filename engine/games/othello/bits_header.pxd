cdef extern from "bits.h" nogil:
    int popcount(unsigned long long bits) noexcept
    int final_discs(unsigned long long own, unsigned long long opp, int left) noexcept
    int column_of(unsigned long long squares, int column) noexcept
    int lowest_square(unsigned long long bits) noexcept
    unsigned long long near(unsigned long long squares) noexcept
    unsigned long long mobility(unsigned long long own, unsigned long long opp) noexcept
    unsigned long long flips(unsigned long long own, unsigned long long opp, int square) noexcept
    int last_turned(unsigned long long own, int square) noexcept
    void prepare_rays() noexcept
