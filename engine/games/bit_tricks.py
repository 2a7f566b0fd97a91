"""Operations on 64-bit sets that several games share: hashing and counting bits."""

from __future__ import annotations

import cython


def mixed(state: cython.ulonglong) -> cython.ulonglong:
    """Return a 64-bit hash of ``state``, without collisions (the finalizer of splitmix64, 2014)."""
    bits: cython.ulonglong = state + cython.cast(cython.ulonglong, 0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> 30)) * cython.cast(cython.ulonglong, 0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> 27)) * cython.cast(cython.ulonglong, 0x94D049BB133111EB)
    return bits ^ (bits >> 31)


def popcount(bits: cython.ulonglong) -> cython.int:
    """Return the number of set bits. Each set bit takes one step (Wegner 1960)."""
    found: cython.int = 0
    while bits:
        bits &= bits - 1
        found += 1
    return found
