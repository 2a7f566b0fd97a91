"""The limit of a search in the Python interface, and its text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quietmove.engine.common.text import milliseconds
from quietmove.engine.errors import LimitsError
from quietmove.engine.values import Limits

MAX_LIMIT = 10**15  # maximum of every number in a limit
MAX_LIMIT_LENGTH = 60  # maximum length of a limit as text, in characters
CLOCK = re.compile(r"(?:(?P<moves>\d+)/)?(?P<base>[\d.]+(?:ms|s)?)(?:\+(?P<increment>[\d.]+(?:ms|s)?))?")
LIMIT_FORMS = "depth=N, nodes=N, movetime=MILLISECONDS (or 500ms, 0.5s), tc=[MOVES/]SECONDS[+SECONDS] or infinite"


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search ends: at the first limit reached, or when the game is solved.

    >>> Limit(depth=8, movetime=500)
    Limit(depth=8, nodes=None, movetime=500, clock=None, infinite=False)
    >>> str(Limit.parse("movetime=0.5s"))
    'movetime=500'

    :param depth: the maximum depth in plies.
    :param nodes: the maximum number of nodes (moves made).
    :param movetime: the maximum time in milliseconds.
    :param clock: the time for the whole game, in seconds, as ``[MOVES/]SECONDS[+SECONDS]``: ``60``, ``300+2`` with 2
        seconds more after each move, or ``40/300`` for each 40 moves.
    :param infinite: whether to search until the search is stopped or the game is solved.
    :raises LimitsError: if no limit is given, a number is not from 1 to 10**15, or ``infinite`` is not the only limit.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    clock: str | None = None
    infinite: bool = False

    def __post_init__(self) -> None:
        for name in ("depth", "nodes", "movetime"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or not 1 <= value <= MAX_LIMIT):
                unit = " of milliseconds" if name == "movetime" else ""
                raise LimitsError(f"{name}: must be a whole number{unit} from 1 to {MAX_LIMIT}, not {value!r}")
        if self.clock is not None and parse_clock(self.clock) is None:
            raise LimitsError(f"clock: must be [MOVES/]SECONDS[+SECONDS], not {self.clock!r}")
        count = sum(value is not None for value in (self.depth, self.nodes, self.movetime, self.clock))
        if count == 0 if not self.infinite else count > 0:
            raise LimitsError("limit: must have depth, nodes, movetime or clock, or be infinite alone")

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Parse a limit in the format of :meth:`__str__`; a time can have a unit, as in ``movetime=0.5s``.

        :raises LimitsError: if the text is not a limit.
        """
        fields: dict[str, object] = {}
        for word in text.split() if isinstance(text, str) else ():
            name, _, value = word.partition("=")
            number: object = int(value) if value.isdigit() and value.isascii() and len(value) <= 16 else None
            if name == "movetime" and (time := milliseconds(value, "ms")) is not None:
                number = round(time)
            values = {"depth": number, "nodes": number, "movetime": number, "tc": value, "infinite": word == name}
            if not values.get(name) or name in fields:
                break
            fields[name] = values[name]
        else:
            if fields:
                return cls(**{"clock" if name == "tc" else name: value for name, value in fields.items()})  # type: ignore[arg-type]
        raise LimitsError(f"limit: must be {LIMIT_FORMS}, not {text!r}")

    def __str__(self) -> str:
        named = {"depth": self.depth, "nodes": self.nodes, "movetime": self.movetime, "tc": self.clock}
        return " ".join(f"{name}={value}" for name, value in named.items() if value is not None) or "infinite"

    def search_limits(self) -> Limits:
        """Return the limits for the engine's own search."""
        base, increment, moves = (self.clock and parse_clock(self.clock)) or (None, 0, None)
        return Limits(self.depth, self.nodes, self.movetime, time=base, increment=increment, movestogo=moves)


def as_limit(limit: object) -> Limit:
    """Return a :class:`Limit`, parsing it if it is text.

    :raises LimitsError: if it is neither.
    """
    return limit if isinstance(limit, Limit) else Limit.parse(limit)  # type: ignore[arg-type]


def parse_clock(text: str) -> tuple[int, int, int | None] | None:
    """Parse ``[MOVES/]SECONDS[+SECONDS]``: return the time and the increment in milliseconds, and the moves if given.

    Return None if the text has another form.
    """
    match = CLOCK.fullmatch(text) if isinstance(text, str) and len(text) <= MAX_LIMIT_LENGTH else None
    if match is None:
        return None
    base, increment = (milliseconds(match[name] or "0", "s") for name in ("base", "increment"))
    if base is None or increment is None:
        return None
    return round(base), round(increment), int(match["moves"]) if match["moves"] else None
