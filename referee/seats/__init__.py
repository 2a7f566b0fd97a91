"""The seats of a game: one module for each kind of player, behind one contract and in one registry.

A new kind is a module with a class in it and a row in :data:`SEATS`. The class is a
:class:`~quietmove.referee.seats.process_seat.ProcessSeat` for engines that speak another protocol, and a plain
:class:`Seat` for players without a process. Its settings become words of the command line, keys of a tournament's
configuration and lines of their help texts. This engine's own dialects are in
:mod:`quietmove.engine.protocol.dialects`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePath

from quietmove.referee.config.model import DEFAULT_PROTOCOL, EngineConfig, GameSpec
from quietmove.referee.config.validation import Setting, requirement_text, suggestion, unknown_key
from quietmove.referee.errors import SetupError
from quietmove.referee.seats.base import Answer, Failure, Listener, Objection, Offered, Seat, Turn
from quietmove.referee.seats.gtp import GtpSeat
from quietmove.referee.seats.in_process import InProcessSeat
from quietmove.referee.seats.json_seat import JsonSeat
from quietmove.referee.seats.nboard import NBoardSeat
from quietmove.referee.seats.project import ProjectSeat
from quietmove.referee.seats.uci import UciSeat, UgiSeat

__all__ = [
    "SEATS",
    "Answer",
    "Failure",
    "Listener",
    "Objection",
    "Offered",
    "Seat",
    "Turn",
    "check_config",
    "check_game",
    "create_seat",
    "get_seat",
    "named_protocol",
    "seat_settings",
]

SEATS: dict[str, type[Seat]] = {
    "uci": UciSeat,
    "project": ProjectSeat,
    "ugi": UgiSeat,
    "gtp": GtpSeat,
    "nboard": NBoardSeat,
    "json": JsonSeat,
    "in-process": InProcessSeat,
}

PROTOCOL_FLAGS = ("protocol", "mode")  # flags that come before the name of a protocol


def get_seat(protocol: str) -> type[Seat]:
    """Return the kind of seat that is called ``protocol``.

    :raises SetupError: if there is none.
    """
    if protocol not in SEATS:
        text = f"protocol: must be one of {', '.join(SEATS)}"
        raise SetupError(requirement_text(text, protocol, suggestion(protocol, SEATS)))
    return SEATS[protocol]


def named_protocol(command: Sequence[str]) -> str:
    """Return the protocol that a command names, for an engine whose configuration gives none; else the default.

    The name is a flag (``--gtp``), follows one (``--protocol gtp``, ``--mode=gtp``), or is a part of the program's name
    (``gtp-rhino``). Nothing is tried out: an engine of another protocol may take a greeting for a move.
    """
    program = ""
    words = list(command)
    if words:
        program = PurePath(words.pop(0)).stem.lower()
    said = [word.lstrip("-").partition("=") for word in words if word.startswith("-")]
    named = [flag for flag, _, _ in said] + [value for flag, _, value in said if flag in PROTOCOL_FLAGS]
    named += [word for flag, word in pairwise(words) if flag.lstrip("-") in PROTOCOL_FLAGS and flag.startswith("-")]
    # Many a program is called `project` that speaks another protocol.
    named += [part for part in re.split("[^a-z0-9]+", program) if part != "project"]
    return next((name for name in named if name in SEATS), DEFAULT_PROTOCOL)


def create_seat(config: EngineConfig, game: str) -> Seat:
    """Return the seat that ``config`` describes; it has not been started."""
    return get_seat(config.protocol)(config, game)


def check_config(config: EngineConfig) -> EngineConfig:
    """Return ``config``.

    :raises SetupError: with everything that its seat does not know or cannot do.
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
    """Return ``spec``.

    :raises SetupError: if a seat cannot play this game from this opening, or the game cannot be ended so.
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
    rows = {row.name: row for seat in SEATS.values() for row in seat.settings}
    for row in rows.values():
        yield row, tuple(name for name, seat in SEATS.items() if any(own.name == row.name for own in seat.settings))
