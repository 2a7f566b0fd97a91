"""What is to be played: engines, their limits, and a game between two of them.

All values are frozen and check themselves, so that a game that cannot be played is refused before it is started.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from quietmove.engine.protocol.coordinates import PROGRAMS
from quietmove.referee.errors import ConfigError

__all__ = [
    "COLORS",
    "COORDINATES",
    "PROTOCOLS",
    "TIME_UNITS",
    "Color",
    "EngineConfig",
    "GameSpec",
    "TimeControl",
    "parse_engine",
]

Color = Literal["black", "white"]

COLORS: tuple[Color, Color] = ("black", "white")  # in the order in which they move
PROTOCOLS = ("uci", "project")
COORDINATES = tuple(PROGRAMS)
TIME_UNITS = ("s", "ms")

TIME_CONTROL_FORMS = "tc=[MOVES/]SECONDS[+SECONDS], movetime=MILLISECONDS, nodes=N or depth=N"
MOST = 10**12  # of any limit: thirty years of milliseconds, and less than any engine refuses
_TC = re.compile(r"(?:(?P<moves>\d+)/)?(?P<base>\d+(?:\.\d+)?)(?:\+(?P<increment>\d+(?:\.\d+)?))?")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long an engine may think: exactly one of a clock, a time for each move, a node count and a depth.

    :param base_ms: milliseconds on the clock at the start of the game.
    :param increment_ms: milliseconds added to the clock after each move.
    :param moves: after this many moves of its own an engine gets ``base_ms`` once more; ``None`` for never.
    :param movetime_ms: milliseconds for each move.
    :param nodes: nodes to search for each move.
    :param depth: plies to search for each move.
    :raises ConfigError: if not exactly one kind is given, or a number is out of bounds.
    """

    base_ms: int | None = None
    increment_ms: int = 0
    moves: int | None = None
    movetime_ms: int | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        kinds = [kind for kind in (self.base_ms, self.movetime_ms, self.nodes, self.depth) if kind is not None]
        if len(kinds) != 1:
            raise ConfigError(f"time control: {len(kinds)} limits given; exactly one of {TIME_CONTROL_FORMS} is needed")
        if self.base_ms is None and (self.increment_ms or self.moves is not None):
            raise ConfigError("time control: an increment or a number of moves needs a clock (tc=…)")
        numbers = [*kinds, self.moves or 1, self.increment_ms + 1]
        if min(numbers) < 1 or max(numbers) > MOST or self.moves == 0:
            raise ConfigError(f"time control: {self} is out of bounds; every limit is from 1 to {MOST}")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Return the time control that ``text`` spells, as :meth:`__str__` writes it.

        :raises ConfigError: if it spells none.
        """
        kind, _, value = text.partition("=")
        if kind == "tc" and (match := _TC.fullmatch(value)):
            moves = match["moves"]
            return cls(
                base_ms=round(float(match["base"]) * 1000),
                increment_ms=round(float(match["increment"] or 0) * 1000),
                moves=int(moves) if moves else None,
            )
        if value.isascii() and value.isdigit():
            if kind == "movetime":
                return cls(movetime_ms=int(value))
            if kind == "nodes":
                return cls(nodes=int(value))
            if kind == "depth":
                return cls(depth=int(value))
        raise ConfigError(f"time control: {text!r} is none; allowed: {TIME_CONTROL_FORMS}")

    def __str__(self) -> str:
        if self.base_ms is not None:
            moves = f"{self.moves}/" if self.moves is not None else ""
            return f"tc={moves}{self.base_ms / 1000:g}+{self.increment_ms / 1000:g}"
        if self.movetime_ms is not None:
            return f"movetime={self.movetime_ms}"
        return f"nodes={self.nodes}" if self.nodes is not None else f"depth={self.depth}"


DEFAULT_LIMIT = TimeControl(depth=6)  # every protocol can say it, and it gives the same game on every machine


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """An engine as a player: how it is started, spoken to and limited.

    :param name: what the engine is called in results.
    :param command: the program and its arguments; no shell reads it.
    :param protocol: ``uci`` (protocol.md) or ``project`` (the Othello project's line protocol).
    :param options: names and values to set before the first game, in this order; ``uci`` only.
    :param limit: how long it may think.
    :param coordinates: ``slide`` (1-8, row from the bottom) or ``zero`` (0-7, row from the top); ``project`` only.
    :param time_unit: the unit of the time limits in line one, ``s`` or ``ms``; ``project`` only.
    :param margin_ms: milliseconds by which an answer may be late without losing.
    :param start_timeout_ms: milliseconds that each step of the handshake may take.
    :param stall_timeout_ms: milliseconds after which an engine without a clock is taken to be stalled.
    :raises ConfigError: if the engine could not be played so.
    """

    name: str
    command: tuple[str, ...]
    protocol: str = "uci"
    options: tuple[tuple[str, str], ...] = ()
    limit: TimeControl = DEFAULT_LIMIT
    coordinates: str = "slide"
    time_unit: str = "s"
    margin_ms: int = 100
    start_timeout_ms: int = 10_000
    stall_timeout_ms: int = 60_000

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise ConfigError(f"engine: name {self.name!r} is empty or holds unprintable characters")
        if not self.command or not self.command[0]:
            raise ConfigError(f"engine {self.name}: there is no command to start it by")
        self._check_choice("protocol", self.protocol, PROTOCOLS)
        self._check_choice("coordinates", self.coordinates, COORDINATES)
        self._check_choice("time unit", self.time_unit, TIME_UNITS)
        if self.margin_ms < 0 or self.start_timeout_ms < 1 or self.stall_timeout_ms < 1:
            raise ConfigError(f"engine {self.name}: the margin is at least 0 ms, a deadline at least 1 ms")
        for name, value in self.options:
            if not name or not (name + value).isprintable():
                raise ConfigError(f"engine {self.name}: option {name!r}={value!r} cannot be sent as one line")
        if self.protocol == "project":
            self._check_project()

    def _check_choice(self, what: str, value: str, allowed: tuple[str, ...]) -> None:
        if value not in allowed:
            raise ConfigError(f"engine {self.name}: {what} {value!r}; allowed: {', '.join(allowed)}")

    def _check_project(self) -> None:
        """Refuse what line one of the project's protocol cannot say."""
        if self.options:
            raise ConfigError(f"engine {self.name}: protocol=project has no options; put them into the command")
        if self.limit.nodes is not None or self.limit.increment_ms or self.limit.moves is not None:
            raise ConfigError(
                f"engine {self.name}: protocol=project cannot say {self.limit}; "
                "allowed: depth=N, movetime=MILLISECONDS, tc=SECONDS"
            )
        time_ms = self.limit.movetime_ms or self.limit.base_ms or 0
        if self.time_unit == "s" and time_ms % 1000:
            raise ConfigError(
                f"engine {self.name}: {self.limit} is no whole number of seconds, which protocol=project sends; "
                "use unit=ms if the engine counts in milliseconds"
            )


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game to be played.

    :param game: a name that :func:`quietmove.engine.games.base.get_game` knows.
    :param opening: moves made before the engines begin, from the game's initial position, as the game writes them.
    :param keep_dialogue: keep every line to and from both engines with the record.
    :param seed: what the referee's dice and deals follow from, in games that have them.
    :raises ConfigError: if an engine's protocol cannot play this game from this opening.
    """

    game: str
    opening: tuple[str, ...]
    black: EngineConfig
    white: EngineConfig
    keep_dialogue: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for config in (self.black, self.white):
            if config.protocol == "project" and self.game != "othello":
                raise ConfigError(f"engine {config.name}: protocol=project plays othello, not {self.game}")
            if config.protocol == "project" and self.opening:
                raise ConfigError(
                    f"engine {config.name}: protocol=project plays from the initial position only; "
                    f"the opening {' '.join(self.opening)} cannot be set up"
                )

    def player(self, color: Color) -> EngineConfig:
        """Return the engine that plays ``color``."""
        return self.black if color == "black" else self.white


# The words that describe an engine on a command line, with what each of them takes.
ENGINE_WORDS = {
    "cmd": "the program and its arguments, quoted as for a shell",
    "name": "what the engine is called in the results; the program's name if it is not given",
    "protocol": "uci (the default) or project, the Othello project's line protocol",
    "option.NAME": "a value for the engine's option NAME",
    "tc": "a clock in seconds: [MOVES/]BASE[+INCREMENT], such as 10+0.1",
    "movetime": "milliseconds for each move",
    "nodes": "nodes for each move",
    "depth": f"plies for each move; without any limit depth={DEFAULT_LIMIT.depth}",
    "margin": "milliseconds by which an answer may be late (100)",
    "start": "milliseconds for each step of the handshake (10000)",
    "stall": "milliseconds of silence after which an engine without a clock has lost (60000)",
    "coordinates": "project only: slide (1-8, row from the bottom; the default) or zero (0-7, row from the top)",
    "unit": "project only: time limits are sent in s (the default) or ms",
}
LIMIT_WORDS = ("tc", "movetime", "nodes", "depth")
TEXT_WORDS = {"protocol": "protocol", "coordinates": "coordinates", "unit": "time_unit"}
MILLISECOND_WORDS = {"margin": "margin_ms", "start": "start_timeout_ms", "stall": "stall_timeout_ms"}


def parse_engine(words: Sequence[str], defaults: Sequence[str] = ()) -> EngineConfig:
    """Return the engine that ``key=value`` words describe; :data:`ENGINE_WORDS` says which there are.

    :param defaults: words that hold unless ``words`` say otherwise; any limit there replaces any limit here.
    :raises ConfigError: naming the word, what is allowed and what came.
    """
    values = _read_words(words)
    limit_is_given = any(key in values for key in LIMIT_WORDS)
    inherited = _read_words(defaults)
    values = {key: value for key, value in inherited.items() if not (limit_is_given and key in LIMIT_WORDS)} | values
    command = _command(values)
    fields: dict[str, Any] = {field: values[key] for key, field in TEXT_WORDS.items() if key in values}
    fields |= {field: _milliseconds(key, values[key]) for key, field in MILLISECOND_WORDS.items() if key in values}
    limits = [f"{key}={values[key]}" for key in LIMIT_WORDS if key in values]
    if len(limits) > 1:
        raise ConfigError(f"engine: {' and '.join(limits)} are given; one limit at most is allowed")
    if limits:
        fields["limit"] = TimeControl.parse(limits[0])
    options = tuple((key.removeprefix("option."), value) for key, value in values.items() if key.startswith("option."))
    return EngineConfig(values.get("name", PurePath(command[0]).name), command, options=options, **fields)


def _read_words(words: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ConfigError(f"engine: {word!r} is no KEY=VALUE")
        if key not in ENGINE_WORDS and not (key.startswith("option.") and key != "option."):
            close = difflib.get_close_matches(key, ENGINE_WORDS, 1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise ConfigError(f"engine: there is no key {key!r}; {hint}allowed: {', '.join(ENGINE_WORDS)}")
        if key in values:
            raise ConfigError(f"engine: {key} is given twice: {values[key]!r} and {value!r}")
        values[key] = value
    return values


def _command(values: dict[str, str]) -> tuple[str, ...]:
    try:
        command = tuple(shlex.split(values.get("cmd", "")))
    except ValueError as error:
        raise ConfigError(f"engine: cmd={values['cmd']!r} cannot be split into words: {error}") from None
    if not command:
        raise ConfigError("engine: cmd=COMMAND is missing; it is the program to start and its arguments")
    return command


def _milliseconds(key: str, value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise ConfigError(f"engine: {key}={value!r} is no number of milliseconds")
    return int(value)
