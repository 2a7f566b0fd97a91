"""What is to be played: engines, their limits, and a game between two of them.

All values are frozen and check themselves, so that a game that cannot be played is refused before it is started.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.adjudication import Adjudication
from quietmove.referee.config.settings import MOST, Setting, SettingValue
from quietmove.referee.errors import SetupError

__all__ = [
    "COLORS",
    "COMMON_SETTINGS",
    "DEFAULT_PROTOCOL",
    "OWN_ENGINE",
    "SEED_PLACE",
    "TIME_CONTROL_FORMS",
    "Color",
    "EngineConfig",
    "GameSpec",
    "TimeControl",
    "split_opening",
]

Color = Literal["black", "white"]

COLORS: tuple[Color, Color] = ("black", "white")  # in the order in which they move
DEFAULT_PROTOCOL = "uci"
OWN_ENGINE = "quietmove"  # as the first word of a command: the engine of this installation, whatever PATH says
SEED_PLACE = "{seed}"  # in an option's value or a command's argument: the game's seed is put there

# What can be set whatever the protocol; the seats of :mod:`quietmove.referee.seats` declare the rest.
COMMON_SETTINGS = (
    Setting("margin_ms", 100, "milliseconds by which the answers of a game may be late in all", word="margin"),
    Setting("start_timeout_ms", 10_000, "milliseconds for each step of the handshake", least=1, word="start"),
    Setting(
        "stall_timeout_ms",
        60_000,
        "milliseconds of silence after which an engine without a clock has lost",
        least=1,
        word="stall",
    ),
    Setting("cwd", "", "the engine's working directory; by default that of the referee"),
    Setting("cpus", (), "the processors that the engine may run on, such as 0,1; by default all", items=int, most=4095),
    Setting("memory", 0, "MiB of memory that the engine and its children may hold; 0 for no cap"),
    Setting("cpu_seconds", 0, "seconds of processor time that they may use in a game; 0 for no cap"),
    Setting("sandbox", False, "whether the engine runs in bubblewrap, without network and with its own files alone"),
    Setting("sandbox_bind", (), "paths that an engine in a sandbox may read beside its own files"),
)

TIME_CONTROL_FORMS = "tc=[MOVES/]SECONDS[+SECONDS], movetime=MILLISECONDS, nodes=N or depth=N"
LONGEST = 60  # characters of a time control; no number of them is too large to be read
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
    :raises SetupError: if not exactly one kind is given, or a number is out of bounds.
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
            raise SetupError(f"time control: {len(kinds)} limits given; exactly one of {TIME_CONTROL_FORMS} is needed")
        if self.base_ms is None and (self.increment_ms or self.moves is not None):
            raise SetupError("time control: an increment or a number of moves needs a clock (tc=…)")
        numbers = [*kinds, self.moves or 1, self.increment_ms + 1]
        if min(numbers) < 1 or max(numbers) > MOST or self.moves == 0:
            raise SetupError(f"time control: {self} is out of bounds; every limit is from 1 to {MOST}")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Return the time control that ``text`` spells, as :meth:`__str__` writes it.

        :raises SetupError: if it spells none.
        """
        kind, _, value = text.partition("=")
        if len(text) > LONGEST:
            raise SetupError(f"time control: at most {LONGEST} characters are allowed; {len(text)} came")
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
        raise SetupError(f"time control: {text!r} is none; allowed: {TIME_CONTROL_FORMS}")

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
    """A player: which seat it takes, how it is started, set up and limited.

    :param name: what it is called in results.
    :param command: the program and its arguments, where the seat is a process; no shell reads it, and ``quietmove`` is
        the engine of this installation.
    :param protocol: the name of its seat in :mod:`quietmove.referee.seats`, such as ``uci`` (protocol.md).
    :param options: names and values of the engine's own options, set before the first game, in this order.
    :param limit: how long it may think.
    :param margin_ms: milliseconds by which the answers of a game may be late in all without losing.
    :param start_timeout_ms: milliseconds that each step of the handshake may take.
    :param stall_timeout_ms: milliseconds after which an engine without a clock is taken to be stalled.
    :param settings: names and values of what the seat itself declares; what is left out has its default.
    :param env: names and values of environment variables, beside those of the referee.
    :param cwd: the working directory; empty for that of the referee.
    :param cpus: the processors that the engine may run on; empty for all.
    :param memory: MiB that the engine and its children may hold; 0 for no cap. Going over it is a ``crash``.
    :param cpu_seconds: of processor time that they may use in a game; 0 for no cap. Going over it is a ``crash``.
    :param sandbox: whether the engine runs in a sandbox (:mod:`quietmove.referee.process.sandbox`), which caps what is
        not capped here.
    :param sandbox_bind: paths that it may read there beside its own files.
    :raises SetupError: with everything that no engine can have so; what its seat cannot do is for
        :func:`quietmove.referee.seats.check_config`.
    """

    name: str
    command: tuple[str, ...] = ()
    protocol: str = DEFAULT_PROTOCOL
    options: tuple[tuple[str, str], ...] = ()
    limit: TimeControl = DEFAULT_LIMIT
    margin_ms: int = 100
    start_timeout_ms: int = 10_000
    stall_timeout_ms: int = 60_000
    settings: tuple[tuple[str, SettingValue], ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: str = ""
    cpus: tuple[int, ...] = ()
    memory: int = 0
    cpu_seconds: int = 0
    sandbox: bool = False
    sandbox_bind: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        problems = [f"engine {self.name}: {text}" for text in self._problems()]
        if problems:
            raise SetupError(problems)

    @property
    def start(self) -> tuple[object, ...]:
        """How the engine is started; one that runs fits another configuration that says the same here."""
        caps = (self.cpus, self.memory, self.cpu_seconds, self.sandbox, self.sandbox_bind)
        return (self.command, self.protocol, self.settings, self.env, self.cwd, *caps)

    def _problems(self) -> Iterator[str]:
        if not self.name or not self.name.isprintable():
            yield f"name {self.name!r} is empty or holds unprintable characters"
        for row in COMMON_SETTINGS:
            yield from _objection(row, getattr(self, row.name))
        for name, value in self.options:
            if not name or not (name + value).isprintable():
                yield f"option {name!r}={value!r} cannot be sent as one line"
        for name, value in self.env:
            if not name or "=" in name or not (name + value).isprintable():
                yield f"env {name!r}={value!r} is no variable of printable characters"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> EngineConfig:
        """Return the value whose fields are ``data``, as :func:`dataclasses.asdict` or JSON gives them."""
        fields = dict(data)
        old = [("coordinates", fields.pop("coordinates", None)), ("unit", fields.pop("time_unit", None))]
        if fields.get("protocol") == "project":  # older records have the settings of this seat as fields of their own
            fields.setdefault("settings", [pair for pair in old if pair[1] is not None])
        for name in ("options", "settings", "env"):
            fields[name] = tuple((key, value) for key, value in fields.get(name, ()))
        for name in ("cpus", "sandbox_bind"):
            fields[name] = tuple(fields.get(name, ()))
        return cls(**{**fields, "command": tuple(fields["command"]), "limit": TimeControl(**fields["limit"])})


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game to be played.

    :param game: a name that :func:`quietmove.engine.games.registry.get_game` knows.
    :param opening: moves made before the engines begin, as the game writes them; where the game begins in another
        position than usual, that position comes before them (:mod:`quietmove.referee.config.openings`).
    :param keep_dialogue: keep every line to and from both engines with the record.
    :param seed: what the referee's dice and deals follow from, in games that have them.
    :param adjudication: when the referee ends the game before the board does.
    """

    game: str
    opening: tuple[str, ...]
    black: EngineConfig
    white: EngineConfig
    keep_dialogue: bool = False
    seed: int = 0
    adjudication: Adjudication = field(default_factory=Adjudication)

    @property
    def position(self) -> str:
        """The position that the game begins in, as the game writes it; empty for the game's usual beginning."""
        return split_opening(self.opening)[0]

    def begin(self) -> Position:
        """Return the position before the first move of the opening, new each time.

        :raises GameError: if there is no such game or position.
        """
        game = get_game(self.game)
        return game.parse_position(self.position.split()) if self.position else game.begin(self.seed)

    def player(self, color: Color) -> EngineConfig:
        """Return the engine that plays ``color``."""
        return self.black if color == "black" else self.white


def split_opening(opening: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the position that an opening begins in, empty for the game's usual beginning, and its moves."""
    if opening and " " in opening[0]:
        return opening[0], tuple(opening[1:])
    return "", tuple(opening)


def _objection(row: Setting, value: object) -> Iterator[str]:
    try:
        row.check(value)
    except ValueError as error:
        yield f"{row.name}: {error}"
