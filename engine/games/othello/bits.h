/* Othello's bit operations, written in C to use vector instructions where the processor has them.
 *
 * Bit 0 is a1, bit 7 is h1, bit 63 is h8. With AVX2, one 256-bit register holds the four lines through a square (row,
 * column and two diagonals), so that one instruction handles four directions; without it, the same steps run one
 * direction at a time. AVX-512 adds instructions for the same registers: 512-bit registers with all eight directions
 * were slower for mobility() on Zen 4.
 */
#ifndef QUIETMOVE_BITS_H
#define QUIETMOVE_BITS_H

#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512CD__) && defined(__AVX512VL__) && defined(__BMI2__)
#define QM_AVX512
#endif

#define QM_INLINE static inline __attribute__((always_inline, unused))

QM_INLINE int popcount(uint64_t bits) { return __builtin_popcountll(bits); }
QM_INLINE int lowest_square(uint64_t bits) { return __builtin_ctzll(bits); }

/* The squares of one column as a set of eight, row 1 in the lowest bit: the product gathers the a-file in the top
 * byte. */
QM_INLINE int column_of(uint64_t squares, int column) {
    return (int)((squares >> column & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56);
}

/* The disc difference of a finished game; the `left` empty squares go to the winner. */
QM_INLINE int final_discs(uint64_t own, uint64_t opp, int left) {
    const int lead = popcount(own) - popcount(opp);
    return lead > 0 ? lead + left : lead < 0 ? lead - left : 0;
}

/* The set and all squares adjacent to it. */
QM_INLINE uint64_t near(uint64_t squares) {
    const uint64_t wide = squares | (squares << 1 & UINT64_C(0xfefefefefefefefe)) |
                          (squares >> 1 & UINT64_C(0x7f7f7f7f7f7f7f7f));
    return wide | wide << 8 | wide >> 8;
}

/* Columns b to g: the squares that can be between two discs on a line other than a column. */
#define QM_INNER UINT64_C(0x7e7e7e7e7e7e7e7e)

#if defined(__AVX2__)

/* Lanes: row (1), column (8), diagonal (9), other diagonal (7). */
QM_INLINE __m256i qm_strides(void) { return _mm256_set_epi64x(7, 9, 8, 1); }

QM_INLINE uint64_t qm_join(__m256i lanes) {
    __m128i half = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half)));
}

/* The empty squares on which a disc of `own` would enclose discs of `opp`. Runs of `opp` are followed from `own` by
 * doubling steps, in both directions of each line simultaneously. */
QM_INLINE uint64_t mobility(uint64_t own, uint64_t opp) {
    const __m256i stride = qm_strides();
    const __m256i twice = _mm256_add_epi64(stride, stride);
    const __m256i mine = _mm256_set1_epi64x((int64_t)own);
    const __m256i theirs = _mm256_and_si256(_mm256_set1_epi64x((int64_t)opp),
        _mm256_set_epi64x((int64_t)QM_INNER, (int64_t)QM_INNER, -1, (int64_t)QM_INNER));
    __m256i up = _mm256_and_si256(theirs, _mm256_sllv_epi64(mine, stride));
    __m256i down = _mm256_and_si256(theirs, _mm256_srlv_epi64(mine, stride));
    up = _mm256_or_si256(up, _mm256_and_si256(theirs, _mm256_sllv_epi64(up, stride)));
    down = _mm256_or_si256(down, _mm256_and_si256(theirs, _mm256_srlv_epi64(down, stride)));
    const __m256i pairs_up = _mm256_and_si256(theirs, _mm256_sllv_epi64(theirs, stride));
    const __m256i pairs_down = _mm256_srlv_epi64(pairs_up, stride);
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));
    const __m256i ends = _mm256_or_si256(_mm256_sllv_epi64(up, stride), _mm256_srlv_epi64(down, stride));
    return qm_join(ends) & ~(own | opp);
}

#else

QM_INLINE uint64_t qm_ends(uint64_t own, uint64_t theirs, int stride) {
    uint64_t up = theirs & (own << stride), down = theirs & (own >> stride);
    up |= theirs & (up << stride);
    down |= theirs & (down >> stride);
    uint64_t pairs_up = theirs & (theirs << stride), pairs_down = pairs_up >> stride;
    up |= pairs_up & (up << 2 * stride);
    down |= pairs_down & (down >> 2 * stride);
    up |= pairs_up & (up << 2 * stride);
    down |= pairs_down & (down >> 2 * stride);
    return up << stride | down >> stride;
}

QM_INLINE uint64_t mobility(uint64_t own, uint64_t opp) {
    const uint64_t inner = opp & QM_INNER;
    return (qm_ends(own, inner, 1) | qm_ends(own, opp, 8) | qm_ends(own, inner, 9) | qm_ends(own, inner, 7))
        & ~(own | opp);
}

#endif

/* Twice the number of discs flipped by a disc on the last empty square, for each square of a line of eight and each set
 * of own discs on it. Filled by prepare_rays(). The other squares of the line hold the opponent's discs. */
static uint8_t qm_last_turned[8][256] __attribute__((unused));

QM_INLINE void qm_prepare_last(void) {
    for (int place = 0; place < 8; place++)
        for (int own = 0; own < 256; own++) {
            int turned = 0, up = place + 1, down = place - 1;
            while (up < 8 && !(own >> up & 1)) up++;
            while (down >= 0 && !(own >> down & 1)) down--;
            if (up < 8) turned += up - place - 1;
            if (down >= 0) turned += place - down - 1;
            qm_last_turned[place][own] = (uint8_t)(2 * turned);
        }
}

/* The squares of the two diagonals through each square, and how many of them have a lower index. */
static uint64_t qm_diagonals[64][2] __attribute__((unused));
static uint8_t qm_below[64][2] __attribute__((unused));

#if defined(QM_AVX512)

/* Twice the number of discs that `own` flips by playing on the board's last empty square. Lines other than rows are
 * gathered into a byte by pext, which is fast on all processors with AVX-512; some with only AVX2 need a hundred
 * cycles. */
QM_INLINE int last_turned(uint64_t own, int square) {
    const int x = square & 7, y = square >> 3;
    int turned = qm_last_turned[x][own >> (8 * y) & 255];
    turned += qm_last_turned[y][_pext_u64(own, UINT64_C(0x0101010101010101) << x)];
    turned += qm_last_turned[qm_below[square][0]][_pext_u64(own, qm_diagonals[square][0])];
    turned += qm_last_turned[qm_below[square][1]][_pext_u64(own, qm_diagonals[square][1])];
    return turned;
}

#else

/* Twice the number of discs that `own` flips by playing on the board's last empty square. Lines other than rows are
 * gathered into a byte by a multiplication that adds the squares of each column; a column is turned into a row
 * first. */
QM_INLINE int last_turned(uint64_t own, int square) {
    const int x = square & 7, y = square >> 3;
    const uint64_t files = UINT64_C(0x0101010101010101);
    int turned = qm_last_turned[x][own >> (8 * y) & 255];
    turned += qm_last_turned[y][((own >> x & files) * UINT64_C(0x0102040810204080)) >> 56];
    turned += qm_last_turned[x][((own & qm_diagonals[square][0]) * files) >> 56];
    turned += qm_last_turned[x][((own & qm_diagonals[square][1]) * files) >> 56];
    return turned;
}

#endif

/* The squares beyond each square, line by line in the order of the lanes: first towards h8, then towards a1. Filled by
 * prepare_rays(), which every module that uses flips() calls once on import. */
static uint64_t qm_rays_up[64][4] __attribute__((aligned(32), unused));
static uint64_t qm_rays_down[64][4] __attribute__((aligned(32), unused));

QM_INLINE void prepare_rays(void) {
    static const int step_x[4] = {1, 0, 1, -1}, step_y[4] = {0, 1, 1, 1};
    for (int square = 0; square < 64; square++)
        for (int lane = 0; lane < 4; lane++) {
            uint64_t up = 0, down = 0;
            for (int n = 1; n < 8; n++) {
                int x = square % 8 + n * step_x[lane], y = square / 8 + n * step_y[lane];
                if (x >= 0 && x < 8 && y < 8) up |= UINT64_C(1) << (8 * y + x);
                x = square % 8 - n * step_x[lane], y = square / 8 - n * step_y[lane];
                if (x >= 0 && x < 8 && y >= 0) down |= UINT64_C(1) << (8 * y + x);
            }
            qm_rays_up[square][lane] = up;
            qm_rays_down[square][lane] = down;
            if (lane < 2) continue;
            qm_diagonals[square][lane - 2] = up | UINT64_C(1) << square | down;
            qm_below[square][lane - 2] = (uint8_t)popcount(down);
        }
    qm_prepare_last();
}

#if defined(QM_AVX512)

/* The discs of `opp` flipped by a disc of `own` on `square`. Upwards, the first square that is not `opp` is the
 * lowest bit of the squares that block the ray, downwards the highest; the run before it is flipped if it is `own`. */
QM_INLINE uint64_t flips(uint64_t own, uint64_t opp, int square) {
    const __m256i mine = _mm256_set1_epi64x((int64_t)own);
    const __m256i theirs = _mm256_set1_epi64x((int64_t)opp);
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi64x(-1);
    const __m256i ray_up = _mm256_load_si256((const __m256i *)qm_rays_up[square]);
    const __m256i ray_down = _mm256_load_si256((const __m256i *)qm_rays_down[square]);

    const __m256i block_up = _mm256_andnot_si256(theirs, ray_up);
    const __m256i end_up = _mm256_ternarylogic_epi64(block_up, _mm256_sub_epi64(zero, block_up), mine, 0x80); /* & & */
    const __m256i none_up = _mm256_cmpeq_epi64(end_up, zero);
    const __m256i up = _mm256_ternarylogic_epi64(_mm256_add_epi64(end_up, ones), ray_up, none_up, 0x40); /* a & b & ~c */

    const __m256i block_down = _mm256_andnot_si256(theirs, ray_down);
    const __m256i last = _mm256_srlv_epi64(_mm256_set1_epi64x(INT64_MIN), _mm256_lzcnt_epi64(block_down));
    const __m256i end_down = _mm256_and_si256(last, mine); /* if it is 0, subtracting 1 leaves no bit of the ray */
    const __m256i down = _mm256_ternarylogic_epi64(end_down, _mm256_add_epi64(end_down, ones), ray_down, 0x02); /* ~(a|b)&c */

    return qm_join(_mm256_or_si256(up, down));
}

#elif defined(__AVX2__)

/* The discs of `opp` flipped by a disc of `own` on `square`. Upwards, the first square that is not `opp` is the
 * lowest bit of the squares that block the ray; downwards it is the highest, found by smearing. */
QM_INLINE uint64_t flips(uint64_t own, uint64_t opp, int square) {
    const __m256i mine = _mm256_set1_epi64x((int64_t)own);
    const __m256i theirs = _mm256_set1_epi64x((int64_t)opp);
    const __m256i zero = _mm256_setzero_si256();
    const __m256i ray_up = _mm256_load_si256((const __m256i *)qm_rays_up[square]);
    const __m256i ray_down = _mm256_load_si256((const __m256i *)qm_rays_down[square]);

    const __m256i block_up = _mm256_andnot_si256(theirs, ray_up);
    const __m256i below = _mm256_add_epi64(block_up, _mm256_set1_epi64x(-1));
    const __m256i first_up = _mm256_andnot_si256(below, block_up);
    const __m256i open_up = _mm256_cmpeq_epi64(_mm256_and_si256(first_up, mine), zero);
    const __m256i run_up = _mm256_andnot_si256(block_up, _mm256_and_si256(below, ray_up));
    const __m256i up = _mm256_andnot_si256(open_up, run_up);

    const __m256i block_down = _mm256_andnot_si256(theirs, ray_down);
    const __m256i stride = qm_strides();
    const __m256i twice = _mm256_add_epi64(stride, stride);
    __m256i shadow = _mm256_or_si256(block_down, _mm256_srlv_epi64(block_down, stride));
    shadow = _mm256_or_si256(shadow, _mm256_srlv_epi64(shadow, twice));
    shadow = _mm256_or_si256(shadow, _mm256_srlv_epi64(shadow, _mm256_add_epi64(twice, twice)));
    const __m256i first_down = _mm256_andnot_si256(_mm256_srlv_epi64(shadow, stride), block_down);
    const __m256i open_down = _mm256_cmpeq_epi64(_mm256_and_si256(first_down, mine), zero);
    const __m256i run_down = _mm256_andnot_si256(shadow, ray_down);
    const __m256i down = _mm256_andnot_si256(open_down, run_down);

    return qm_join(_mm256_or_si256(up, down));
}

#else

QM_INLINE uint64_t qm_run_up(uint64_t own, uint64_t opp, uint64_t ray) {
    uint64_t block = ray & ~opp, first = block & (0 - block);
    return first & own ? (first - 1) & ray : 0;
}

QM_INLINE uint64_t qm_run_down(uint64_t own, uint64_t opp, uint64_t ray) {
    uint64_t block = ray & ~opp;
    if (!block) return 0;
    int square = 63 - __builtin_clzll(block);
    return own >> square & 1 ? ray & (UINT64_MAX - 1) << square : 0;
}

QM_INLINE uint64_t flips(uint64_t own, uint64_t opp, int square) {
    uint64_t turned = 0;
    for (int lane = 0; lane < 4; lane++) {
        turned |= qm_run_up(own, opp, qm_rays_up[square][lane]);
        turned |= qm_run_down(own, opp, qm_rays_down[square][lane]);
    }
    return turned;
}

#endif
#endif
