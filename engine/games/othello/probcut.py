"""How well a shallow search predicts a deep one: the parameters of ProbCut (Buro 1995, 1997).

The value of a search ``depth`` plies deep is that of one ``shallow`` plies deep, with an error of mean 0 if both depths
are even or both odd. Its standard deviation is a product of three powers and exponentials,

    sigma = exp(A + B·e + C·e²) · (depth - shallow)^D · (shallow + 1)^E    hundredths of a disc,  e = empties / 10
"""

from __future__ import annotations

import math

__all__ = ["PARAMETERS", "UNIT", "error_by_empties", "factor_by_shallow", "factor_by_span"]

PARAMETERS = (6.0948, 0.0318, -0.0300, 0.3252, -0.3462)  # A, B, C, D, E
UNIT = 1024  # of the factors, which are whole numbers


def error_by_empties(empties: int) -> int:
    """Return the part of the standard deviation that depends on the empty squares, in hundredths of a disc."""
    constant, linear, square, _, _ = PARAMETERS
    return round(math.exp(constant + linear * empties / 10 + square * (empties / 10) ** 2))


def factor_by_span(plies: int) -> int:
    """Return the part that depends on how much deeper one search is than the other, in units of 1/1024."""
    return round(UNIT * math.pow(max(1, plies), PARAMETERS[3]))


def factor_by_shallow(depth: int) -> int:
    """Return the part that depends on the depth of the shallow search, in units of 1/1024."""
    return round(UNIT * math.pow(depth + 1, PARAMETERS[4]))
