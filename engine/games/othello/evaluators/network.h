/* The output of the network, which is described in network.py. All numbers are integers, so that every processor gives
 * the same value. On x86-64 they stay in vectors of as many 16-bit numbers (LANES) as the processor has; elsewhere they
 * are in arrays, with loops that compilers vectorise.
 *
 * A row is 32 words of 16 bits. The low byte of word i is number i plus 128, the high byte is number i + 32. The words
 * are added as they are, and so are their high bytes: the first sum minus the second one (shifted) is the sum of the
 * low bytes. So a row needs one addition for each word and one for each high byte, and bytes need not be widened.
 */
#ifndef QUIETMOVE_NETWORK_H
#define QUIETMOVE_NETWORK_H

#include <stdint.h>
#include <string.h>

#define QM_NET_PLACES 48
#define QM_NET_SUMS 64 /* numbers in a row */
#define QM_NET_HALF 32
#define QM_NET_UNITS 16
#define QM_NET_ONE 256 /* fixed-point 1.0 in a sum; it is 1024 in a product and 2^22 in an output */

#if defined(__AVX512BW__)
#include <immintrin.h>
#define QM_NET_LANES 32
typedef __m512i qm_net_vector;
#define qm_net_load(from) _mm512_loadu_si512(from)
#define qm_net_set16 _mm512_set1_epi16
#define qm_net_add16 _mm512_add_epi16
#define qm_net_sub16 _mm512_sub_epi16
#define qm_net_add32 _mm512_add_epi32
#define qm_net_left16 _mm512_slli_epi16
#define qm_net_right16 _mm512_srai_epi16
#define qm_net_min16 _mm512_min_epi16
#define qm_net_max16 _mm512_max_epi16
#define qm_net_high16 _mm512_mulhi_epi16
#define qm_net_pairs _mm512_madd_epi16
#define qm_net_pair(vector, place) _mm512_permutexvar_epi32(_mm512_set1_epi32(place), vector)
static inline int32_t qm_net_total(__m512i units) { return _mm512_reduce_add_epi32(units); }
static inline __m512i qm_net_limited(__m512i units) {
    const __m512i most = _mm512_set1_epi32(1 << 22);
    return _mm512_srai_epi32(_mm512_min_epi32(_mm512_max_epi32(units, _mm512_setzero_si512()), most), 12);
}
static inline __m512i qm_net_weighted(__m512i units, const int16_t *weights) {
    return _mm512_madd_epi16(units, _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)weights)));
}
#elif defined(__AVX2__)
#include <immintrin.h>
#define QM_NET_LANES 16
typedef __m256i qm_net_vector;
#define qm_net_load(from) _mm256_loadu_si256((const __m256i *)(from))
#define qm_net_set16 _mm256_set1_epi16
#define qm_net_add16 _mm256_add_epi16
#define qm_net_sub16 _mm256_sub_epi16
#define qm_net_add32 _mm256_add_epi32
#define qm_net_left16 _mm256_slli_epi16
#define qm_net_right16 _mm256_srai_epi16
#define qm_net_min16 _mm256_min_epi16
#define qm_net_max16 _mm256_max_epi16
#define qm_net_high16 _mm256_mulhi_epi16
#define qm_net_pairs _mm256_madd_epi16
#define qm_net_pair(vector, place) _mm256_permutevar8x32_epi32(vector, _mm256_set1_epi32(place))
static inline int32_t qm_net_total(__m256i units) {
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(units), _mm256_extracti128_si256(units, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1)));
}
static inline __m256i qm_net_limited(__m256i units) {
    const __m256i most = _mm256_set1_epi32(1 << 22);
    return _mm256_srai_epi32(_mm256_min_epi32(_mm256_max_epi32(units, _mm256_setzero_si256()), most), 12);
}
static inline __m256i qm_net_weighted(__m256i units, const int16_t *weights) {
    return _mm256_madd_epi16(units, _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)weights)));
}
#elif defined(__SSE2__)
#include <emmintrin.h>
#define QM_NET_LANES 8
typedef __m128i qm_net_vector;
#define qm_net_load(from) _mm_loadu_si128((const __m128i *)(from))
#define qm_net_set16 _mm_set1_epi16
#define qm_net_add16 _mm_add_epi16
#define qm_net_sub16 _mm_sub_epi16
#define qm_net_add32 _mm_add_epi32
#define qm_net_left16 _mm_slli_epi16
#define qm_net_right16 _mm_srai_epi16
#define qm_net_min16 _mm_min_epi16
#define qm_net_max16 _mm_max_epi16
#define qm_net_high16 _mm_mulhi_epi16
#define qm_net_pairs _mm_madd_epi16
static inline __m128i qm_net_pair(__m128i vector, int place) {
    switch (place) {
        case 0: return _mm_shuffle_epi32(vector, 0x00);
        case 1: return _mm_shuffle_epi32(vector, 0x55);
        case 2: return _mm_shuffle_epi32(vector, 0xAA);
        default: return _mm_shuffle_epi32(vector, 0xFF);
    }
}
static inline int32_t qm_net_total(__m128i units) {
    const __m128i sum = _mm_add_epi32(units, _mm_shuffle_epi32(units, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1)));
}
static inline __m128i qm_net_limited(__m128i units) {
    const __m128i most = _mm_set1_epi32(1 << 22);
    const __m128i above = _mm_cmpgt_epi32(units, most), positive = _mm_cmpgt_epi32(units, _mm_setzero_si128());
    units = _mm_or_si128(_mm_and_si128(above, most), _mm_andnot_si128(above, units));
    return _mm_srai_epi32(_mm_and_si128(units, positive), 12);
}
static inline __m128i qm_net_weighted(__m128i units, const int16_t *weights) {
    const __m128i words = _mm_loadl_epi64((const __m128i *)weights);
    return _mm_madd_epi16(units, _mm_unpacklo_epi16(words, words)); /* the upper half of a unit is 0 */
}
#endif

/* The output; 2^22 is ten discs. It adds `first`, `mine`, `theirs` and the rows at middles[place] + sign *
 * indices[place]. `shorts` contains the weights of the units, two per unit for each pair of products, then those of the
 * products themselves, then those of the units; `ints` the biases of the units, then that of the output.
 */
static inline int32_t output(const int16_t *indices, const uint16_t *rows, const int32_t *middles, int sign,
                             const int16_t *first, const int16_t *mine, const int16_t *theirs, const int16_t *shorts,
                             const int32_t *ints) {
    const int16_t *skip = shorts + QM_NET_HALF * QM_NET_UNITS, *second = skip + QM_NET_HALF;
    int32_t chosen[QM_NET_PLACES];
    for (int place = 0; place < QM_NET_PLACES; place++)
        chosen[place] = QM_NET_HALF * (middles[place] + (int16_t)(sign * indices[place]));
#ifdef QM_NET_LANES
    enum { PARTS = QM_NET_HALF / QM_NET_LANES, UNIT_PARTS = 2 * QM_NET_UNITS / QM_NET_LANES };
    const qm_net_vector none = qm_net_set16(0), one = qm_net_set16(QM_NET_ONE);
    qm_net_vector words[PARTS], highs[PARTS], products[PARTS], units[2][UNIT_PARTS];
    for (int i = 0; i < PARTS; i++) words[i] = highs[i] = none;
#pragma GCC unroll 4
    for (int place = 0; place < QM_NET_PLACES; place++) {
        const uint16_t *row = rows + (uint32_t)chosen[place];
        for (int i = 0; i < PARTS; i++) {
            const qm_net_vector word = qm_net_load(row + QM_NET_LANES * i);
            words[i] = qm_net_add16(words[i], word);
            highs[i] = qm_net_add16(highs[i], qm_net_right16(word, 8));
        }
    }
    for (int i = 0; i < PARTS; i++) {
        qm_net_vector sums[2] = {
            qm_net_sub16(qm_net_sub16(words[i], qm_net_left16(highs[i], 8)), qm_net_set16(128 * QM_NET_PLACES)),
            highs[i],
        };
        for (int half = 0; half < 2; half++) {
            const int from = QM_NET_HALF * half + QM_NET_LANES * i;
            sums[half] = qm_net_add16(sums[half], qm_net_load(first + from));
            sums[half] = qm_net_add16(sums[half], qm_net_add16(qm_net_load(mine + from), qm_net_load(theirs + from)));
            sums[half] = qm_net_left16(qm_net_min16(qm_net_max16(sums[half], none), one), 5);
        }
        products[i] = qm_net_high16(sums[0], sums[1]); /* a * b >> 6, of a and b from 0 to 256 */
    }
    for (int i = 0; i < UNIT_PARTS; i++) {
        units[0][i] = qm_net_load(ints + QM_NET_LANES / 2 * i);
        units[1][i] = none;
    }
#pragma GCC unroll 16
    for (int pair = 0; pair < QM_NET_HALF / 2; pair++) {
        const qm_net_vector both = qm_net_pair(products[2 * pair / QM_NET_LANES], pair % (QM_NET_LANES / 2));
        for (int i = 0; i < UNIT_PARTS; i++) {
            const qm_net_vector weights = qm_net_load(shorts + 2 * QM_NET_UNITS * pair + QM_NET_LANES * i);
            units[pair & 1][i] = qm_net_add32(units[pair & 1][i], qm_net_pairs(both, weights));
        }
    }
    qm_net_vector total = none;
    for (int i = 0; i < PARTS; i++)
        total = qm_net_add32(total, qm_net_pairs(products[i], qm_net_load(skip + QM_NET_LANES * i)));
    for (int i = 0; i < UNIT_PARTS; i++) {
        const qm_net_vector unit = qm_net_limited(qm_net_add32(units[0][i], units[1][i]));
        total = qm_net_add32(total, qm_net_weighted(unit, second + QM_NET_LANES / 2 * i));
    }
    return ints[QM_NET_UNITS] + qm_net_total(total);
#else
    typedef uint16_t vector __attribute__((vector_size(16)));
    typedef int16_t signed_vector __attribute__((vector_size(16)));
    vector word_parts[QM_NET_HALF / 8] = {{0}};
    signed_vector high_parts[QM_NET_HALF / 8] = {{0}};
    for (int place = 0; place < QM_NET_PLACES; place++) {
        for (int i = 0; i < QM_NET_HALF / 8; i++) {
            vector word;
            memcpy(&word, rows + chosen[place] + 8 * i, sizeof word);
            word_parts[i] += word;
            high_parts[i] += (signed_vector)word >> 8;
        }
    }
    uint16_t words[QM_NET_HALF], products[QM_NET_HALF];
    int16_t highs[QM_NET_HALF];
    memcpy(words, word_parts, sizeof words);
    memcpy(highs, high_parts, sizeof highs);
    int32_t total = ints[QM_NET_UNITS];
    for (int i = 0; i < QM_NET_HALF; i++) {
        const int16_t low = (int16_t)(words[i] - (uint16_t)(highs[i] * 256) - 128 * QM_NET_PLACES);
        const int j = i + QM_NET_HALF;
        int a = low + first[i] + mine[i] + theirs[i], b = highs[i] + first[j] + mine[j] + theirs[j];
        a = a < 0 ? 0 : a > QM_NET_ONE ? QM_NET_ONE : a;
        b = b < 0 ? 0 : b > QM_NET_ONE ? QM_NET_ONE : b;
        products[i] = (uint16_t)(a * b >> 6);
        total += products[i] * skip[i];
    }
    int32_t units[QM_NET_UNITS];
    for (int k = 0; k < QM_NET_UNITS; k++) units[k] = ints[k];
    for (int pair = 0; pair < QM_NET_HALF / 2; pair++) {
        const int16_t *weights = shorts + 2 * QM_NET_UNITS * pair;
        const int one = products[2 * pair], other = products[2 * pair + 1];
        for (int k = 0; k < QM_NET_UNITS; k++) units[k] += one * weights[2 * k] + other * weights[2 * k + 1];
    }
    for (int k = 0; k < QM_NET_UNITS; k++) {
        const int unit = units[k] < 0 ? 0 : units[k] > 1 << 22 ? 1 << 22 : units[k];
        total += (unit >> 12) * second[k];
    }
    return total;
#endif
}

#endif
