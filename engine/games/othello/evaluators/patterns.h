/* The indices of a position's pattern places, which patterns.py describes. With AVX2, sixteen places change at a time. */
#ifndef QUIETMOVE_PATTERNS_H
#define QUIETMOVE_PATTERNS_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define QM_PLACES 48
#define QM_PARTS (QM_PLACES / 16)

/* Write the indices of the next position after those at `start`: old + sign * (values of the placed square + twice
 * those of the flipped ones); sign is 1 or -1. */
static inline void change_indices(int16_t *indices, int start, const int16_t *values, int placed, uint64_t turned,
                                  int sign) {
    const int16_t *from = indices + start;
    int16_t *to = indices + start + QM_PLACES;
#if defined(__AVX2__)
    __m256i change[QM_PARTS];
    const __m256i *row = (const __m256i *)(values + placed * QM_PLACES);
    for (int part = 0; part < QM_PARTS; part++) change[part] = _mm256_loadu_si256(row + part);
    while (turned) {
        row = (const __m256i *)(values + __builtin_ctzll(turned) * QM_PLACES);
        turned &= turned - 1;
        for (int part = 0; part < QM_PARTS; part++) {
            const __m256i value = _mm256_loadu_si256(row + part);
            change[part] = _mm256_add_epi16(change[part], _mm256_add_epi16(value, value));
        }
    }
    for (int part = 0; part < QM_PARTS; part++) {
        const __m256i old = _mm256_loadu_si256((const __m256i *)from + part);
        const __m256i new = sign > 0 ? _mm256_add_epi16(old, change[part]) : _mm256_sub_epi16(old, change[part]);
        _mm256_storeu_si256((__m256i *)to + part, new);
    }
#else
    int16_t change[QM_PLACES];
    memcpy(change, values + placed * QM_PLACES, sizeof change);
    while (turned) {
        const int16_t *row = values + __builtin_ctzll(turned) * QM_PLACES;
        turned &= turned - 1;
        for (int place = 0; place < QM_PLACES; place++) change[place] += 2 * row[place];
    }
    for (int place = 0; place < QM_PLACES; place++) to[place] = from[place] + sign * change[place];
#endif
}

#endif
