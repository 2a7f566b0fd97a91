"""Sets of patterns: squares whose discs, read as a number, index a table of learnt weights.

A pattern is placed on the board in up to eight orientations, and all its places share one table (Buro 1998, "From
simple features to sophisticated evaluation functions").

Each square of a place contributes a power of three, times 1 for a disc of the player who began, -1 for a disc of the
other player, or 0 if it is empty. So the same place has the negated index as seen by the other player.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

WIDTH = 48  # number of places in a pattern set: three vector registers of 16-bit indices


class PatternSet:
    """A set of patterns and their places.

    :param patterns: maps the name of each pattern to its first place, as squares in the order of their powers of three.
    :ivar places: each place as the number of its pattern and its squares.
    :ivar starts: the start of each pattern's table, and the end of the last table.
    """

    def __init__(self, patterns: dict[str, str]) -> None:
        squares = [tuple(map(square, names.split())) for names in patterns.values()]
        self.patterns = patterns
        self.places = tuple((number, image) for number, each in enumerate(squares) for image in images(each))
        self.starts: tuple[int, ...] = tuple(accumulate((3 ** len(each) for each in squares), initial=0))
        assert len(self.places) == WIDTH

    @property
    def size(self) -> int:
        """The total length of all tables."""
        return self.starts[-1]

    def square_values(self) -> list[int]:
        """Return the contribution of a disc to each place: 64 rows, one per square, of powers of three or zeros."""
        values = [0] * (64 * WIDTH)
        for place, (_, squares) in enumerate(self.places):
            for power, each in enumerate(squares):
                values[each * WIDTH + place] = 3**power
        return values

    def middles(self) -> list[int]:
        """Return, for each place, the number of its row for index 0, counted from the first pattern's first row."""
        return [self.starts[pattern] + 3 ** len(squares) // 2 for pattern, squares in self.places]

    def symmetries(self) -> list[list[tuple[int, ...]]]:
        """Return the :func:`symmetries` of each pattern's first place."""
        return [symmetries(tuple(map(square, names.split()))) for names in self.patterns.values()]


def square(name: str) -> int:
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def turned(squares: Sequence[int]) -> tuple[int, ...]:
    return tuple(8 * (each % 8) + 7 - each // 8 for each in squares)


def mirrored(squares: Sequence[int]) -> tuple[int, ...]:
    """Return the squares mirrored on the diagonal from a1 to h8."""
    return tuple(8 * (each % 8) + each // 8 for each in squares)


def turns(squares: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the eight symmetric images of a list of squares: its rotations, and those of its mirror image."""
    permutations = []
    for image in (squares, mirrored(squares)):
        for _ in range(4):
            permutations.append(image)
            image = turned(image)
    return permutations


def images(squares: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the places of a pattern: its images with distinct sets of squares."""
    images_so_far: list[tuple[int, ...]] = []
    for image in turns(squares):
        if all(set(image) != set(other) for other in images_so_far):
            images_so_far.append(image)
    return images_so_far


def symmetries(squares: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return all permutations of a place's squares, except the identity, by board symmetries that map it to itself."""
    same = {image for image in turns(squares) if set(image) == set(squares) and image != squares}
    return sorted(tuple(squares.index(each) for each in image) for image in same)


# The 48 places of the network fill three vector registers. Training began with smaller patterns, so their squares come
# first, followed by those added later.
NETWORK = PatternSet(
    {
        "inner rows 2 and 3": "c2 d2 e2 f2 c3 d3 e3 f3 b2 g2",
        "block in the centre": "c4 d4 e4 f4 c5 d5 e5 f5",
        "block at the edge": "b1 c1 d1 e1 b2 c2 d2 e2 f1 f2",
        "edge and X-squares": "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
        "corner 3x3 and d4": "a1 b1 c1 a2 b2 c2 a3 b3 c3 d4",
        "inner 3x3 and a1": "b2 c2 d2 b3 c3 d3 b4 c4 d4 a1",
        "diagonal 8": "a1 b2 c3 d4 e5 f6 g7 h8",
        "diagonal 7 and corners": "a2 b3 c4 d5 e6 f7 g8 a1 h8",
        "corner 2x5": "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
        "triangle": "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
        "row 3": "a3 b3 c3 d3 e3 f3 g3 h3",
    }
)
