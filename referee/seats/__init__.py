"""The seats of a game: one module for each kind of player, behind one contract and in one registry.

A new kind is a module with a :class:`Seat` in it and a row in :data:`SEATS`. Its settings become words of the command
line, keys of a tournament's configuration and lines of their help texts.
"""

from __future__ import annotations

from collections.abc import Iterator

from quietmove.referee.config import EngineConfig
from quietmove.referee.errors import SetupError
from quietmove.referee.seats.base import Answer, Failure, Listener, Objection, Seat, Turn
from quietmove.referee.seats.project import ProjectSeat
from quietmove.referee.seats.uci import UciSeat
from quietmove.referee.settings import Setting, suggestion

__all__ = [
    "SEATS",
    "Answer",
    "Failure",
    "Listener",
    "Objection",
    "Seat",
    "Turn",
    "create_seat",
    "get_seat",
    "seat_settings",
]

SEATS: dict[str, type[Seat]] = {"uci": UciSeat, "project": ProjectSeat}


def get_seat(protocol: str) -> type[Seat]:
    """Return the kind of seat that is called ``protocol``.

    :raises SetupError: if there is none.
    """
    if protocol not in SEATS:
        raise SetupError(f"protocol {protocol!r}; {suggestion(protocol, list(SEATS))}allowed: {', '.join(SEATS)}")
    return SEATS[protocol]


def create_seat(config: EngineConfig, game: str) -> Seat:
    """Return the seat that ``config`` describes; it has not been started."""
    return get_seat(config.protocol)(config, game)


def seat_settings() -> Iterator[tuple[Setting, tuple[str, ...]]]:
    """Yield each setting that seats declare, with the protocols that have it."""
    rows = {row.name: row for seat in SEATS.values() for row in seat.settings}
    for row in rows.values():
        yield row, tuple(name for name, seat in SEATS.items() if any(own.name == row.name for own in seat.settings))
