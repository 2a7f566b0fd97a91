"""The parameters of ProbCut (Buro 1995, 1997): how accurately a shallow search predicts a deep one.

The value at depth ``depth`` is the value at depth ``shallow`` plus an error with mean 0, if both depths are even or
both odd. The standard deviation of the error is

    exp(constant + linear · e + square · e²) · (depth - shallow)^span · (shallow + 1)^reach,    e = empties / 10,

in hundredths of a disc. The parameters were fitted to the network with

    quietmove train selfplay probcut.pos --games 2000 --random-plies 6 30 --seed 5
    quietmove train probcut probcut.pos --sample 1500 --depth 10 --exact 18
"""

from __future__ import annotations

import math
from typing import NamedTuple

UNIT = 1024  # fixed-point 1.0 in a factor


class Parameters(NamedTuple):
    """The parameters of the formula in the module's docstring."""

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
        """Return the factor for the number of empty squares, in hundredths of a disc."""
        return round(self.deviation(empties, 1, 0))

    def by_span(self, plies: int) -> int:
        """Return the factor for the difference in depth, in units of 1/1024."""
        return round(UNIT * math.pow(max(1, plies), self.span))

    def by_reach(self, shallow: int) -> int:
        """Return the factor for the depth of the shallow search, in units of 1/1024."""
        return round(UNIT * math.pow(shallow + 1, self.reach))


def terms(empties: int, depth: int, shallow: int) -> tuple[float, ...]:
    """Return the coefficient of each parameter in the logarithm of the standard deviation."""
    e = empties / 10
    return 1.0, e, e * e, math.log(depth - shallow), math.log(shallow + 1)


PARAMETERS = Parameters(constant=5.8957, linear=-0.1316, square=-0.0095, span=0.3543, reach=-0.2221)
