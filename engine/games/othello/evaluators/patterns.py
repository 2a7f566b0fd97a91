"""The patterns of the learnt evaluation: sets of squares whose discs, read as a number, choose a weight.

A pattern is laid on the board in four or eight places, turned and mirrored, and all its places share one table of
weights (Buro 1998, "From simple features to sophisticated evaluation functions"). There are 64 places, four times
sixteen, so that all of a position's indices lie in four vector registers.

A square of a place counts a power of three, times 1 for a disc of the player who began, -1 for one of the other, 0 if
it is empty. So the other player's view of a place is the same index with its sign changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate

__all__ = ["PATTERNS", "PLACES", "TABLE_SIZE", "middles", "orders", "places", "square_values", "table_starts"]

PLACES = 64

# Each pattern in its first place, as squares in the order of their powers of three. All but the 2x5 block at a corner
# are symmetric, so that four turns give all their places.
PATTERNS: dict[str, str] = {
    "row 2": "a2 b2 c2 d2 e2 f2 g2 h2",
    "row 3": "a3 b3 c3 d3 e3 f3 g3 h3",
    "row 4": "a4 b4 c4 d4 e4 f4 g4 h4",
    "edge and X-squares": "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "corner 3x3": "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "corner 2x5": "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
    "triangle": "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
    "corners and block": "a1 h1 c1 d1 e1 f1 c2 d2 e2 f2",
    "wide diagonal": "a1 b1 a2 b2 c2 b3 c3 d3 c4 d4",
    "arrow": "b1 a2 b2 c2 d2 e2 b3 b4 b5 c3",
    "narrow triangle": "a1 b1 c1 d1 e1 a2 a3 a4 a5 b2",
    "diagonal 8": "a1 b2 c3 d4 e5 f6 g7 h8 b1 a2",
    "diagonal 7": "a1 b1 c2 d3 e4 f5 g6 h7 h8",
    "diagonal 6": "b1 c1 d2 e3 f4 g5 h6 h7",
    "diagonal 5": "c1 d1 e2 f3 g4 h5 h6",
}


def square(name: str) -> int:
    """Return the number of a square from its name."""
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def turned(squares: Sequence[int]) -> tuple[int, ...]:
    """Return the squares of a board that is turned by a quarter."""
    return tuple(8 * (each % 8) + 7 - each // 8 for each in squares)


def mirrored(squares: Sequence[int]) -> tuple[int, ...]:
    """Return the squares of a board that is mirrored on the diagonal from a1 to h8."""
    return tuple(8 * (each % 8) + each // 8 for each in squares)


def images(squares: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the places of a pattern: its turns, and those of its mirror image where that is another set of squares."""
    found: list[tuple[int, ...]] = []
    for start in (squares, mirrored(squares)):
        image = start
        for _ in range(4):
            if all(set(image) != set(other) for other in found):
                found.append(image)
            image = turned(image)
    return found


@cache
def places() -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the 64 places, each as the number of its pattern and its squares."""
    found = []
    for number, names in enumerate(PATTERNS.values()):
        found += [(number, image) for image in images(tuple(map(square, names.split())))]
    assert len(found) == PLACES
    return tuple(found)


@cache
def table_starts() -> tuple[int, ...]:
    """Return for each pattern where its table of weights begins, and behind them where the last one ends."""
    return tuple(accumulate((3 ** len(names.split()) for names in PATTERNS.values()), initial=0))


TABLE_SIZE: int = sum(3 ** len(names.split()) for names in PATTERNS.values())


def square_values() -> list[int]:
    """Return what a disc on a square counts in each place: 64 rows, one a square, of 64 powers of three or zeros."""
    values = [0] * (64 * PLACES)
    for place, (_, squares) in enumerate(places()):
        for power, each in enumerate(squares):
            values[each * PLACES + place] = 3**power
    return values


def middles() -> list[int]:
    """Return for each place where, counted from the first weight of the first pattern, its index 0 stands."""
    return [table_starts()[pattern] + 3 ** len(squares) // 2 for pattern, squares in places()]


def orders() -> list[tuple[int, ...]]:
    """Return for each pattern how a symmetry of the board permutes its squares; where there is none, as they are."""
    found = []
    for names in PATTERNS.values():
        squares = tuple(map(square, names.split()))
        found.append(symmetry(squares) or tuple(range(len(squares))))
    return found


def symmetry(squares: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return how a mirror image permutes the squares of a place, or None where no mirror leaves the place as it is."""
    image = mirrored(squares)
    for _ in range(4):
        if set(image) == set(squares) and image != squares:
            return tuple(squares.index(each) for each in image)
        image = turned(image)
    return None
