"""How well a shallow search predicts a deep one: the parameters of ProbCut (Buro 1995, 1997).

The value of a search ``depth`` plies deep is that of one ``shallow`` plies deep, with an error of mean 0 where both
depths are even or both odd. The standard deviation of the error is

    exp(constant + linear · e + square · e²) · (depth - shallow)^span · (shallow + 1)^reach,    e = empties / 10,

in hundredths of a disc. The parameters were fitted to the network by

    quietmove train selfplay probcut.pos --games 2000 --random-plies 6 30 --seed 5
    quietmove train probcut probcut.pos --sample 1500 --depth 10 --exact 18
"""

from __future__ import annotations

import math
from typing import NamedTuple

UNIT = 1024  # a factor of 1 is this whole number


class Parameters(NamedTuple):
    """The parameters; their names are those of the formula above."""

    constant: float
    linear: float
    square: float
    span: float
    reach: float

    def deviation(self, empties: int, depth: int, shallow: int) -> float:
        """Return the standard deviation, in hundredths of a disc."""
        logarithm = sum(each * term for each, term in zip(self, terms(empties, depth, shallow), strict=True))
        return math.exp(logarithm)

    def by_empties(self, empties: int) -> int:
        """Return the factor that depends on the empty squares, in hundredths of a disc."""
        return round(self.deviation(empties, 1, 0))

    def by_span(self, plies: int) -> int:
        """Return the factor that depends on how much deeper one search is, in units of 1/1024."""
        return round(UNIT * math.pow(max(1, plies), self.span))

    def by_reach(self, shallow: int) -> int:
        """Return the factor that depends on the depth of the shallow search, in units of 1/1024."""
        return round(UNIT * math.pow(shallow + 1, self.reach))


def terms(empties: int, depth: int, shallow: int) -> tuple[float, ...]:
    """Return what each parameter is multiplied by in the logarithm of the standard deviation."""
    e = empties / 10
    return 1.0, e, e * e, math.log(depth - shallow), math.log(shallow + 1)


PARAMETERS = Parameters(constant=5.8957, linear=-0.1316, square=-0.0095, span=0.3543, reach=-0.2221)
