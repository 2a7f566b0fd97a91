"""Simultaneous perturbation stochastic approximation (Spall 1992): tune many values by games between two engines.

In each iteration every value is moved up or down by a step, at random, for one engine, and the other way for the other.
The two engines play a pair of games, and all values move towards the winner's. Steps and rates shrink as Spall
recommends ("Implementation of the simultaneous perturbation algorithm", 1998): the step as k^-0.101, the gain as (A +
k)^-0.602, where A is a tenth of all iterations. Both are given by their last iteration's value. Pure functions.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from quietmove.tournament.errors import TournamentError

GAIN_EXPONENT = 0.602
STEP_EXPONENT = 0.101
STABILITY = 0.1  # A in Spall's gain sequence: a tenth of the iterations
MIN_STEP = 0.5  # minimum of STEP; a smaller one would be lost by rounding
STEPS = 20  # the default step is the range divided by this
SPELLING = re.compile(
    r"(?P<name>[^=:,]+)=(?P<start>-?\d+):(?P<least>-?\d+):(?P<most>-?\d+)(?::(?P<step>\d+(?:\.\d+)?))?"
)

Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """An integer to tune.

    :param start: its initial value.
    :param least, most: its bounds.
    :param step: the step up and down in the last iteration; earlier iterations use larger steps.
    """

    name: str
    start: int
    least: int
    most: int
    step: float

    def clamped(self, value: float) -> float:
        """Limit a value to the bounds."""
        return min(max(value, self.least), self.most)

    def rounded(self, value: float) -> int:
        """Round a value to an integer within the bounds, for the engine's option."""
        return math.floor(self.clamped(value) + 0.5)


def read_parameters(text: str) -> tuple[Parameter, ...]:
    """Parse parameters of the form ``NAME=START:MIN:MAX[:STEP]``, separated by commas.

    :raises TournamentError: naming the first invalid parameter.
    """
    parameters: list[Parameter] = []
    for word in filter(None, map(str.strip, text.split(","))):
        match = SPELLING.fullmatch(word)
        if match is None:
            raise TournamentError(f"must be NAME=START:MIN:MAX or NAME=START:MIN:MAX:STEP, not {word!r}")
        start, least, most = (int(match[key]) for key in ("start", "least", "most"))
        step = float(match["step"]) if match["step"] else max(MIN_STEP, (most - least) / STEPS)
        if not (least <= start <= most and least < most):
            raise TournamentError(f"{match['name']}: must be MIN <= START <= MAX and MIN < MAX, not {word!r}")
        if not MIN_STEP <= step <= most - least:
            raise TournamentError(f"{match['name']}: STEP must be from {MIN_STEP} to {most - least}, not {step:g}")
        if match["name"] in {each.name for each in parameters}:
            raise TournamentError(f"{match['name']}: must be given once, not twice")
        parameters.append(Parameter(match["name"], start, least, most, step))
    if not parameters:
        raise TournamentError("expected at least one NAME=START:MIN:MAX")
    return tuple(parameters)


@dataclass(frozen=True, slots=True)
class Spsa:
    """One tuning run.

    :param iterations: the number of iterations.
    :param rate: how far a won game moves each value in the last iteration, in multiples of the value's step.
    :param key: a text that determines the random directions.
    """

    parameters: Sequence[Parameter]
    iterations: int
    rate: float
    key: str

    @property
    def start(self) -> Values:
        """The values before the first iteration."""
        return tuple(float(each.start) for each in self.parameters)

    def trial_values(self, values: Values, iteration: int, sign: int) -> tuple[int, ...]:
        """Return the values that engine ``sign`` (1 or -1) plays with in an iteration, counted from 1."""
        return tuple(
            each.rounded(value + sign * self._direction(each, iteration) * self._step(each, iteration))
            for each, value in zip(self.parameters, values, strict=True)
        )

    def next_values(self, values: Values, iteration: int, balance: float) -> Values:
        """Return the values after an iteration in which engine 1 won ``balance`` more games than it lost."""
        shrinking = (self.iterations * (1 + STABILITY)) / (self.iterations * STABILITY + iteration)
        moved = []
        for each, value in zip(self.parameters, values, strict=True):
            step = self._step(each, iteration)
            gain = self.rate * each.step**2 * shrinking**GAIN_EXPONENT
            moved.append(each.clamped(value + gain / step * balance * self._direction(each, iteration)))
        return tuple(moved)

    def _step(self, parameter: Parameter, iteration: int) -> float:
        return float(parameter.step * (self.iterations / iteration) ** STEP_EXPONENT)

    def _direction(self, parameter: Parameter, iteration: int) -> int:
        digest = hashlib.blake2b(f"{self.key}/{iteration}/{parameter.name}".encode(), digest_size=1).digest()
        return 1 if digest[0] & 1 else -1
