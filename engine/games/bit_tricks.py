"""What several games do with 64-bit sets: spread their bits for a key, count them."""

from __future__ import annotations

import cython


def mixed(state: cython.ulonglong) -> cython.ulonglong:
    """Return ``state`` with its bits spread over all 64, no two states alike (the finalizer of splitmix64, 2014)."""
    bits: cython.ulonglong = state + cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> 30)) * cython.cast(cython.ulonglong, 0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> 27)) * cython.cast(cython.ulonglong, 0x94D049BB133111EB)
    return bits ^ (bits >> 31)


def popcount(bits: cython.ulonglong) -> cython.int:
    """Return the number of bits set, of which there are few (Wegner 1960)."""
    found: cython.int = 0
    while bits:
        bits &= bits - 1
        found += 1
    return found
