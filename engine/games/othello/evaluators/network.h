/* The value of the network; network.py says what it is, and says the same for a run without a compiler. All numbers are
 * whole, so that each processor gives the same value. On x86-64 the rows are added, and the units computed, by vectors
 * of as many 16-bit numbers (LANES) as the processor has; elsewhere by loops that a compiler makes vectors of.
 */
#ifndef QUIETMOVE_NETWORK_H
#define QUIETMOVE_NETWORK_H

#include <stdint.h>
#include <string.h>

#define QM_NET_PLACES 44
#define QM_NET_SUMS 64 /* numbers in a row */
#define QM_NET_HALF 32
#define QM_NET_UNITS 16
#define QM_NET_ONE 256 /* 1.0 of a sum; a product has 1024, an output 2^22 */

#if defined(__AVX512BW__)
#include <immintrin.h>
#define QM_NET_LANES 32
typedef __m512i qm_net_vector;
#define qm_net_load(from) _mm512_loadu_si512(from)
#define qm_net_store(to, vector) _mm512_storeu_si512(to, vector)
#define qm_net_add16 _mm512_add_epi16
#define qm_net_add32 _mm512_add_epi32
#define qm_net_multiply_add _mm512_madd_epi16
#define qm_net_twice(two) _mm512_set1_epi32(two)
#define qm_net_widen(from) _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(from)))
#elif defined(__AVX2__)
#include <immintrin.h>
#define QM_NET_LANES 16
typedef __m256i qm_net_vector;
#define qm_net_load(from) _mm256_loadu_si256((const __m256i *)(from))
#define qm_net_store(to, vector) _mm256_storeu_si256((__m256i *)(to), vector)
#define qm_net_add16 _mm256_add_epi16
#define qm_net_add32 _mm256_add_epi32
#define qm_net_multiply_add _mm256_madd_epi16
#define qm_net_twice(two) _mm256_set1_epi32(two)
#define qm_net_widen(from) _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(from)))
#elif defined(__SSE2__)
#include <emmintrin.h>
#define QM_NET_LANES 8
typedef __m128i qm_net_vector;
#define qm_net_load(from) _mm_loadu_si128((const __m128i *)(from))
#define qm_net_store(to, vector) _mm_storeu_si128((__m128i *)(to), vector)
#define qm_net_add16 _mm_add_epi16
#define qm_net_add32 _mm_add_epi32
#define qm_net_multiply_add _mm_madd_epi16
#define qm_net_twice(two) _mm_set1_epi32(two)
static inline __m128i qm_net_widen(const int8_t *from) {
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)from);
    return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
}
#endif

/* Write the 64 sums: of `first`, `mine`, `theirs` and the rows at middles[place] + sign * indices[start + place]. */
static inline void sum_rows(int16_t *sums, const int16_t *indices, int start, const int8_t *rows,
                            const int32_t *middles, int sign, const int16_t *first, const int16_t *mine,
                            const int16_t *theirs) {
    int32_t chosen[QM_NET_PLACES];
    indices += start;
    for (int place = 0; place < QM_NET_PLACES; place++)
        chosen[place] = QM_NET_SUMS * (middles[place] + (int16_t)(sign * indices[place]));
#ifdef QM_NET_LANES
    qm_net_vector part[QM_NET_SUMS / QM_NET_LANES];
    for (int i = 0; i < QM_NET_SUMS / QM_NET_LANES; i++) {
        part[i] = qm_net_add16(qm_net_load(first + QM_NET_LANES * i), qm_net_load(mine + QM_NET_LANES * i));
        part[i] = qm_net_add16(part[i], qm_net_load(theirs + QM_NET_LANES * i));
    }
#pragma GCC unroll 4
    for (int place = 0; place < QM_NET_PLACES; place++) {
        const int8_t *row = rows + (uint32_t)chosen[place];
        for (int i = 0; i < QM_NET_SUMS / QM_NET_LANES; i++)
            part[i] = qm_net_add16(part[i], qm_net_widen(row + QM_NET_LANES * i));
    }
    for (int i = 0; i < QM_NET_SUMS / QM_NET_LANES; i++) qm_net_store(sums + QM_NET_LANES * i, part[i]);
#else
    typedef int8_t bytes __attribute__((vector_size(8)));
    typedef int16_t numbers __attribute__((vector_size(16)));
    for (int i = 0; i < QM_NET_SUMS; i += 8) {
        numbers sum = {0};
        for (int place = 0; place < QM_NET_PLACES; place++) {
            bytes row;
            memcpy(&row, rows + chosen[place] + i, sizeof row);
            sum += __builtin_convertvector(row, numbers);
        }
        for (int j = 0; j < 8; j++) sums[i + j] = sum[j] + first[i + j] + mine[i + j] + theirs[i + j];
    }
#endif
}

/* The output, 2^22 for ten discs. `shorts` has the weights of the units, for each pair of products two of each unit;
 * then those of the products themselves, then those of the units; `ints` the constants of the units, and of the output
 * with an even and with an odd number of empty squares.
 */
static inline int64_t output(const int16_t *sums, const int16_t *shorts, const int32_t *ints, int odd) {
    int16_t products[QM_NET_HALF];
    int32_t units[QM_NET_UNITS];
    for (int i = 0; i < QM_NET_HALF; i++) {
        int a = sums[i], b = sums[i + QM_NET_HALF];
        a = a < 0 ? 0 : a > QM_NET_ONE ? QM_NET_ONE : a;
        b = b < 0 ? 0 : b > QM_NET_ONE ? QM_NET_ONE : b;
        products[i] = (int16_t)(a * b >> 6);
    }
    const int16_t *skip = shorts + QM_NET_HALF * QM_NET_UNITS, *second = skip + QM_NET_HALF;
    int32_t total = ints[QM_NET_UNITS + odd];
#ifdef QM_NET_LANES
    qm_net_vector part[2 * QM_NET_UNITS / QM_NET_LANES];
    for (int i = 0; i < 2 * QM_NET_UNITS / QM_NET_LANES; i++) part[i] = qm_net_load(ints + QM_NET_LANES / 2 * i);
#pragma GCC unroll 16
    for (int pair = 0; pair < QM_NET_HALF / 2; pair++) {
        int32_t two;
        memcpy(&two, products + 2 * pair, sizeof two);
        const qm_net_vector both = qm_net_twice(two);
        for (int i = 0; i < 2 * QM_NET_UNITS / QM_NET_LANES; i++) {
            const int16_t *weights = shorts + 2 * QM_NET_UNITS * pair + QM_NET_LANES * i;
            part[i] = qm_net_add32(part[i], qm_net_multiply_add(both, qm_net_load(weights)));
        }
    }
    for (int i = 0; i < 2 * QM_NET_UNITS / QM_NET_LANES; i++) qm_net_store(units + QM_NET_LANES / 2 * i, part[i]);
#else
    for (int k = 0; k < QM_NET_UNITS; k++) units[k] = ints[k];
    for (int pair = 0; pair < QM_NET_HALF / 2; pair++) {
        const int16_t *weights = shorts + 2 * QM_NET_UNITS * pair;
        const int one = products[2 * pair], other = products[2 * pair + 1];
        for (int k = 0; k < QM_NET_UNITS; k++) units[k] += one * weights[2 * k] + other * weights[2 * k + 1];
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
