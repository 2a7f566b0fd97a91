"""Seats: one class per kind of player, all with the same interface, listed in one registry.

To add a kind, write a class and a row in :data:`SEATS`. Derive from
:class:`~quietmove.referee.seats.process_seat.ProcessSeat` for engines that speak another protocol, or from
:class:`Seat` for players without a process. The class's settings become command-line arguments, keys of a tournament's
configuration and help texts. This engine's own dialects are in :mod:`quietmove.engine.protocol.dialects`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath

from quietmove.engine.common.addons import added, load_added
from quietmove.referee.config.model import DEFAULT_PROTOCOL, EngineConfig, GameSpec
from quietmove.referee.config.validation import Setting, requirement_text, suggestion, unknown_key
from quietmove.referee.errors import SetupError
from quietmove.referee.seats.base import Answer, Failure, Listener, Objection, Seat, Turn
from quietmove.referee.seats.in_process import InProcessSeat
from quietmove.referee.seats.json_seat import JsonSeat
from quietmove.referee.seats.project import ProjectSeat
from quietmove.referee.seats.uci import UciSeat, UgiSeat

__all__ = [
    "SEATS",
    "Answer",
    "Failure",
    "Listener",
    "Objection",
    "Seat",
    "Turn",
    "check_config",
    "check_game",
    "create_seat",
    "get_seat",
    "is_protocol",
    "named_protocol",
    "seat_settings",
    "seat_types",
]

SEATS: dict[str, type[Seat]] = {
    "uci": UciSeat,
    "project": ProjectSeat,
    "ugi": UgiSeat,
    "json": JsonSeat,
    "in-process": InProcessSeat,
}
CORE = dict(SEATS)  # without the seats that add-ons and servers add

PROTOCOL_FLAGS = ("protocol", "mode")  # flags that precede the name of a protocol


def get_seat(protocol: str) -> type[Seat]:
    """Return the seat class of a protocol, which may be an add-on's.

    :raises SetupError: if the protocol is unknown.
    """
    if not is_protocol(protocol):
        names = list(seat_types())
        text = f"protocol: must be one of {', '.join(names)}"
        raise SetupError(requirement_text(text, protocol, suggestion(protocol, names)))
    return SEATS[protocol]


def is_protocol(protocol: str) -> bool:
    """Return whether a protocol has a seat. An add-on's seat becomes a row of :data:`SEATS` on its first use."""
    if protocol not in SEATS and protocol in (rows := _added_seats()):
        SEATS[protocol] = load_added(rows[protocol])
    return protocol in SEATS


def seat_types() -> Mapping[str, type[Seat]]:
    """Return the seat class of each protocol, including those of add-ons.

    :raises AddonError: if an add-on's seat cannot be imported, or its name is taken.
    """
    return {name: get_seat(name) for name in (*SEATS, *_added_seats())}


def _added_seats() -> Mapping[str, str]:
    return added("seats", core=CORE)


def named_protocol(command: Sequence[str]) -> str:
    """Return the protocol that a command names, or the default. Used when the configuration specifies none.

    The name is a flag (``--gtp``), follows a flag (``--protocol gtp``, ``--mode=gtp``), or is part of the program's
    name (``gtp-rhino``). The engine is not probed, because with another protocol it might read a greeting as a move.
    """
    program = ""
    words = list(command)
    if words:
        program = PurePath(words.pop(0)).stem.lower()
    flags = [word.lstrip("-").partition("=") for word in words if word.startswith("-")]
    named = [flag for flag, _, _ in flags] + [value for flag, _, value in flags if flag in PROTOCOL_FLAGS]
    named += [word for flag, word in pairwise(words) if flag.lstrip("-") in PROTOCOL_FLAGS and flag.startswith("-")]
    # Many programs named `project` speak another protocol.
    named += [part for part in re.split("[^a-z0-9]+", program) if part != "project"]
    return next((name for name in named if name in SEATS or name in _added_seats()), DEFAULT_PROTOCOL)


def create_seat(config: EngineConfig, game: str) -> Seat:
    """Return a new seat for ``config``. The seat has not been started."""
    return get_seat(config.protocol)(config, game)


def check_config(config: EngineConfig) -> EngineConfig:
    """Check that an engine's seat supports its whole configuration, and return the configuration unchanged.

    :raises SetupError: listing everything that the seat does not know or support.
    """
    if problems := [f"engine {config.name}: {text}" for text in _problems(config)]:
        raise SetupError(problems)
    return config


def _problems(config: EngineConfig) -> Iterator[str]:
    try:
        seat = get_seat(config.protocol)
    except SetupError as error:
        yield str(error)
        return
    rows = {row.name: row for row in seat.settings}
    for name, value in config.settings:
        try:
            if name not in rows:
                raise ValueError(unknown_key(name, rows))
            rows[name].check(value)
        except ValueError as error:
            yield f"settings.{name}: {error}"
    yield from seat.problems(config)


def check_game(spec: GameSpec) -> GameSpec:
    """Return ``spec`` unchanged if the game can be played.

    :raises SetupError: if a seat cannot play this game from this opening, or an adjudication rule does not apply.
    """
    problems = [
        f"engine {config.name}: {text}"
        for config in (spec.black, spec.white)
        for text in get_seat(config.protocol).game_problems_for(config, spec.game, spec.opening)
    ]
    problems += [f"{key}: {text}" for key, text in spec.adjudication.problems(spec.game, spec.opening)]
    if problems:
        raise SetupError(problems)
    return spec


def seat_settings() -> Iterator[tuple[Setting, tuple[str, ...]]]:
    """Yield every setting of a seat with the protocols that have it."""
    seats = seat_types()
    rows = {row.name: row for seat in seats.values() for row in seat.settings}
    for row in rows.values():
        yield row, tuple(name for name, seat in seats.items() if any(own.name == row.name for own in seat.settings))
