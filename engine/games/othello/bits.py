"""The bit operations of Othello for a run without a compiler: the twin of ``bits.h``, equal by test.

A board is a pair of 64-bit sets of squares: the discs of the side to move (``own``) and the other's (``opp``). Bit 0
is a1, bit 7 is h1, bit 63 is h8.
"""
# excluded from coverage: a compiled installation never runs it

from __future__ import annotations

__all__ = ["final_discs", "flips", "last_turned", "lowest_square", "mobility", "popcount", "prepare_rays"]

FULL = 0xFFFFFFFFFFFFFFFF
INNER = 0x7E7E7E7E7E7E7E7E
DIRECTIONS = ((1, INNER), (8, FULL), (9, INNER), (7, INNER))
STEPS = ((1, 0), (0, 1), (1, 1), (-1, 1))


def _ray(square: int, step_x: int, step_y: int) -> int:
    x, y, squares = square % 8 + step_x, square // 8 + step_y, 0
    while 0 <= x < 8 and 0 <= y < 8:
        squares |= 1 << (8 * y + x)
        x, y = x + step_x, y + step_y
    return squares


RAYS_UP = tuple(tuple(_ray(square, x, y) for x, y in STEPS) for square in range(64))
RAYS_DOWN = tuple(tuple(_ray(square, -x, -y) for x, y in STEPS) for square in range(64))


def popcount(bits: int) -> int:
    """Return the number of squares in ``bits``."""
    return bits.bit_count()


def lowest_square(bits: int) -> int:
    """Return the lowest square in ``bits``, which holds one at least."""
    return (bits & -bits).bit_length() - 1


def final_discs(own: int, opp: int, left: int) -> int:
    """Return the disc difference of a finished game, the ``left`` empty squares given to the winner."""
    lead = own.bit_count() - opp.bit_count()
    return lead + left if lead > 0 else lead - left if lead < 0 else 0


def near(squares: int) -> int:
    """Return the squares next to those of the set, the set included."""
    wide = squares | squares << 1 & 0xFEFEFEFEFEFEFEFE | squares >> 1 & 0x7F7F7F7F7F7F7F7F
    return (wide | wide << 8 | wide >> 8) & FULL


def mobility(own: int, opp: int) -> int:
    """Return the empty squares on which a disc of ``own`` would enclose discs of ``opp``."""
    ends = 0
    for stride, mask in DIRECTIONS:
        theirs = opp & mask
        up, down = theirs & (own << stride), theirs & (own >> stride)
        for _ in range(5):
            up |= theirs & (up << stride)
            down |= theirs & (down >> stride)
        ends |= up << stride | down >> stride
    return ends & ~(own | opp) & FULL


def flips(own: int, opp: int, square: int) -> int:
    """Return the discs of ``opp`` that a disc of ``own`` on the empty ``square`` turns."""
    turned = 0
    for ray in RAYS_UP[square]:
        block = ray & ~opp
        first = block & -block
        if first & own:
            turned |= ray & (first - 1)
    for ray in RAYS_DOWN[square]:
        block = ray & ~opp
        if block:
            last = block.bit_length() - 1
            if own >> last & 1:
                turned |= ray & ~((2 << last) - 1)
    return turned


def last_turned(own: int, square: int) -> int:
    """Return twice the number of discs that ``own`` turns on the last empty square of the board."""
    return 2 * flips(own, ~own & FULL ^ 1 << square, square).bit_count()


def prepare_rays() -> None:
    """Do nothing: the rays are made when this module is imported."""
