/* Hint to the CPU that an address will be read soon. C has no standard way; without the builtin it does nothing. */

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
