/* What no language level of C offers: a hint that an address is read soon. Without the builtin it is no hint. */

#ifndef QUIETMOVE_PREFETCH_H
#define QUIETMOVE_PREFETCH_H

static inline void prefetch_line(const void *address)
{
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

#endif
