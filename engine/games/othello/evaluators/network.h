/* The value of the network; network.py says what it is, and says the same for a run without a compiler. All numbers are
 * whole, so that each of the ways below gives the same value.
 */
#ifndef QUIETMOVE_NETWORK_H
#define QUIETMOVE_NETWORK_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define QM_NET_PLACES 44
#define QM_NET_WIDTH 48 /* the places, and others without squares that fill a register */
#define QM_NET_SUMS 64  /* numbers in a row */
#define QM_NET_HALF 32
#define QM_NET_UNITS 16
#define QM_NET_ONE 256 /* 1.0 of a sum; a product has 1024, an output 2^22 */

/* Write the 64 sums: of `first`, `mine`, `theirs` and the rows at middles[place] + sign * indices[start + place]. */
static inline void sum_rows(int16_t *sums, const int16_t *indices, int start, const int8_t *rows,
                            const int32_t *middles, int sign, const int16_t *first, const int16_t *mine,
                            const int16_t *theirs) {
    indices += start;
#if defined(__AVX512BW__)
    __m512i low = _mm512_loadu_si512(first), high = _mm512_loadu_si512(first + 32);
    low = _mm512_add_epi16(_mm512_add_epi16(low, _mm512_loadu_si512(mine)), _mm512_loadu_si512(theirs));
    high = _mm512_add_epi16(_mm512_add_epi16(high, _mm512_loadu_si512(mine + 32)), _mm512_loadu_si512(theirs + 32));
#pragma GCC unroll 11
    for (int place = 0; place < QM_NET_PLACES; place++) {
        const int8_t *row = rows + QM_NET_SUMS * (int64_t)(middles[place] + sign * indices[place]);
        low = _mm512_add_epi16(low, _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)row)));
        high = _mm512_add_epi16(high, _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)row + 1)));
    }
    _mm512_storeu_si512(sums, low);
    _mm512_storeu_si512(sums + 32, high);
#elif defined(__AVX2__)
    int32_t offsets[QM_NET_WIDTH];
    const __m256i signs = _mm256_set1_epi32(sign);
    for (int i = 0; i < QM_NET_WIDTH / 8; i++) {
        const __m256i index = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)indices + i));
        const __m256i row = _mm256_add_epi32(_mm256_sign_epi32(index, signs), _mm256_loadu_si256((const __m256i *)middles + i));
        _mm256_storeu_si256((__m256i *)offsets + i, _mm256_slli_epi32(row, 6));
    }
    __m256i part[4];
    for (int i = 0; i < 4; i++) {
        part[i] = _mm256_add_epi16(_mm256_loadu_si256((const __m256i *)first + i),
                                   _mm256_loadu_si256((const __m256i *)mine + i));
        part[i] = _mm256_add_epi16(part[i], _mm256_loadu_si256((const __m256i *)theirs + i));
    }
#pragma GCC unroll 4
    for (int place = 0; place < QM_NET_PLACES; place++) {
        const __m128i *row = (const __m128i *)(rows + (uint32_t)offsets[place]);
        for (int i = 0; i < 4; i++)
            part[i] = _mm256_add_epi16(part[i], _mm256_cvtepi8_epi16(_mm_loadu_si128(row + i)));
    }
    for (int i = 0; i < 4; i++) _mm256_storeu_si256((__m256i *)sums + i, part[i]);
#else
    for (int i = 0; i < QM_NET_SUMS; i++) sums[i] = first[i] + mine[i] + theirs[i];
    for (int place = 0; place < QM_NET_PLACES; place++) {
        const int8_t *row = rows + QM_NET_SUMS * (int64_t)(middles[place] + sign * indices[place]);
        for (int i = 0; i < QM_NET_SUMS; i++) sums[i] += row[i];
    }
#endif
}

/* The output, 2^22 for ten discs. `shorts` has the weights of the units, for each pair of products two of each unit;
 * then those of the products themselves, then those of the units; `ints` the constants of the units and of the output.
 */
static inline int64_t output(const int16_t *sums, const int16_t *shorts, const int32_t *ints) {
    int16_t products[QM_NET_HALF];
    int32_t units[QM_NET_UNITS];
    for (int i = 0; i < QM_NET_HALF; i++) {
        int a = sums[i], b = sums[i + QM_NET_HALF];
        a = a < 0 ? 0 : a > QM_NET_ONE ? QM_NET_ONE : a;
        b = b < 0 ? 0 : b > QM_NET_ONE ? QM_NET_ONE : b;
        products[i] = (int16_t)(a * b >> 6);
    }
    const int16_t *skip = shorts + QM_NET_HALF * QM_NET_UNITS, *second = skip + QM_NET_HALF;
    int32_t total = ints[QM_NET_UNITS];
#if defined(__AVX2__)
    __m256i low = _mm256_loadu_si256((const __m256i *)ints), high = _mm256_loadu_si256((const __m256i *)ints + 1);
#pragma GCC unroll 16
    for (int pair = 0; pair < QM_NET_HALF / 2; pair++) {
        int32_t two;
        memcpy(&two, products + 2 * pair, sizeof two);
        const __m256i both = _mm256_set1_epi32(two);
        const __m256i *weights = (const __m256i *)(shorts + 2 * QM_NET_UNITS * pair);
        low = _mm256_add_epi32(low, _mm256_madd_epi16(both, _mm256_loadu_si256(weights)));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(both, _mm256_loadu_si256(weights + 1)));
    }
    _mm256_storeu_si256((__m256i *)units, low);
    _mm256_storeu_si256((__m256i *)units + 1, high);
#else
    for (int k = 0; k < QM_NET_UNITS; k++) {
        units[k] = ints[k];
        for (int i = 0; i < QM_NET_HALF; i++)
            units[k] += products[i] * shorts[2 * QM_NET_UNITS * (i / 2) + 2 * k + i % 2];
    }
#endif
    for (int i = 0; i < QM_NET_HALF; i++) total += products[i] * skip[i];
    for (int k = 0; k < QM_NET_UNITS; k++) {
        int unit = units[k] < 0 ? 0 : units[k] > 1 << 22 ? 1 << 22 : units[k];
        total += (unit >> 12) * second[k];
    }
    return total;
}

#endif
