"""The configuration of games: engines, their limits, and a game between two of them.

The models validate command-line arguments, TOML files, records and stores, and provide the help texts and the JSON
schema. Each seat adds its own settings in :mod:`quietmove.referee.seats`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from quietmove.engine.common.text import milliseconds
from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.base import UNKNOWN_REMAINING, Position
from quietmove.engine.games.registry import known_game
from quietmove.engine.limit import MAX_LIMIT_LENGTH, parse_clock
from quietmove.referee.config.validation import GREATEST, Printable, model, names, printable_text, with_default
from quietmove.referee.errors import SetupError

Color = Literal["black", "white"]

COLORS: tuple[Color, Color] = ("black", "white")  # Black moves first
Reason = Literal["crash", "timeout", "illegal", "stall", "resign", "adjudicated", "finished"]
REASONS: tuple[Reason, ...] = get_args(Reason)  # the reasons for ending a game, in order of precedence
DEFAULT_PROTOCOL = "uci"
OWN_ENGINE = "quietmove"  # as the first word of a command: the engine of this installation, whatever PATH contains
SEED_PLACE = "{seed}"  # placeholder for the game's seed in option values and arguments
VARIED = (("Seed", SEED_PLACE), ("OwnBook", "true"), ("BookVariety", "50"))  # options that vary this engine's games
COLOR_PLACE = "{color}"  # placeholder for B or W in the arguments of a program that is not sent its colour

TIME_CONTROL_FORMS = "tc=[MOVES/]SECONDS[+SECONDS], movetime=MILLISECONDS (or 500ms, 2s), nodes=N or depth=N"
UNSEEN_PAUSE_MS = 300  # shorter pauses of the machine may go undetected and be charged to an engine
MAX_EMPTIES = 30  # maximum of solve_empties; with more moves left, the referee's node limit is too small
MAX_PLIES = 1000  # maximum and default of max_plies, because a user-written game may never end

# Programs that run another file, the first file among their arguments.
INTERPRETERS = re.compile(r"(python|pypy|node|ruby|perl|lua|java|sh|bash|dash|zsh|mono|dotnet)[\d.]*|env|wine")

Positive = Annotated[int, Field(ge=1, le=GREATEST)]
NotNegative = Annotated[int, Field(ge=0, le=GREATEST)]


@model
class TimeControl:
    """An engine's thinking limit: exactly one of a clock, a time per move, a node count and a depth.

    :param base_ms: the time on the clock at the start of the game, in milliseconds.
    :param increment_ms: the time added after each move, in milliseconds.
    :param moves: the number of its own moves after which an engine gets ``base_ms`` again, or None for never.
    :param movetime_ms: the time per move in milliseconds.
    :param nodes: nodes to search per move.
    :param depth: plies to search per move.
    :raises SetupError: unless exactly one kind is given, and all numbers are within their bounds.
    """

    base_ms: Positive | None = None
    increment_ms: NotNegative = 0
    moves: Positive | None = None
    movetime_ms: Positive | None = None
    nodes: Positive | None = None
    depth: Positive | None = None

    def __post_init__(self) -> None:
        kinds = [kind for kind in (self.base_ms, self.movetime_ms, self.nodes, self.depth) if kind is not None]
        if len(kinds) != 1 or (self.base_ms is None and (self.increment_ms or self.moves is not None)):
            raise ValueError(f"must be one of {TIME_CONTROL_FORMS}")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Parse a time control in the format of :meth:`__str__`.

        :raises SetupError: if the text is not a time control.
        """
        kind, _, value = text.partition("=")
        if len(text) <= MAX_LIMIT_LENGTH:
            if kind == "tc" and (clock := parse_clock(value)) is not None:
                return cls(*clock)
            if kind == "movetime" and (time := milliseconds(value, "ms")) is not None:
                return cls(movetime_ms=round(time))
            fields = {"nodes": "nodes", "depth": "depth"}
            if kind in fields and value.isascii() and value.isdigit():
                return cls(**{fields[kind]: int(value)})
        raise SetupError(f"limit: must be one of {TIME_CONTROL_FORMS}, not {text[:MAX_LIMIT_LENGTH]!r}")

    def scaled(self, factor: float) -> TimeControl:
        """Return this limit with all its times multiplied by ``factor``, in whole milliseconds."""
        times = ((name, getattr(self, name)) for name in ("base_ms", "increment_ms", "movetime_ms"))
        return replace(self, **{name: max(1, round(factor * time)) for name, time in times if time})

    def time_ms(self, moves: int) -> int | None:
        """Return the total time for ``moves`` moves in milliseconds, or None if time is unlimited."""
        if self.base_ms is not None:
            refills = (moves - 1) // self.moves if self.moves else 0
            return self.base_ms * (1 + refills) + self.increment_ms * moves
        return None if self.movetime_ms is None else self.movetime_ms * moves

    def __str__(self) -> str:
        if self.base_ms is not None:
            moves = f"{self.moves}/" if self.moves is not None else ""
            return f"tc={moves}{self.base_ms / 1000:g}+{self.increment_ms / 1000:g}"
        if self.movetime_ms is not None:
            return f"movetime={self.movetime_ms}"
        return f"nodes={self.nodes}" if self.nodes is not None else f"depth={self.depth}"


DEFAULT_LIMIT = TimeControl(depth=6)  # every protocol accepts a depth, and games are the same on every machine


def _as_limit(value: object) -> object:
    if isinstance(value, TimeControl | dict):
        return value
    try:
        return TimeControl.parse(str(value))
    except SetupError as error:
        raise ValueError(str(error).removeprefix("limit: ")) from None


def _as_command(value: object) -> object:
    """Split a command given as one string, as a shell would."""
    try:
        if isinstance(value, str | list | tuple):
            return tuple(shlex.split(value) if isinstance(value, str) else value)
    except ValueError:
        pass
    raise ValueError("must be a program and its arguments, as one line or a list")


def _as_pairs(value: object) -> object:
    if isinstance(value, dict):
        return tuple(value.items())
    if not isinstance(value, list | tuple):
        raise ValueError("must be a table")
    return tuple(tuple(each) if isinstance(each, list) else each for each in value)


def _as_items(value: object) -> object:
    if isinstance(value, str):
        return tuple(value.split(",")) if value else ()
    return tuple(value) if isinstance(value, list) else value


def _option_value(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int):
        return str(value)
    raise ValueError("must be a string, an integer, true or false")


def _variable(name: str) -> str:
    if "=" in name:
        raise ValueError("must be a name without '='")
    return name


_WORDS: Any = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_COMMAND: Any = {"anyOf": [{"type": "string", "minLength": 1}, _WORDS]}
_LIMIT: Any = {"type": "string", "pattern": r"^(tc=[0-9./+ms]+|movetime=[0-9.]+(ms|s)?|nodes=[0-9]+|depth=[0-9]+)$"}
_OPTIONS: Any = {"type": "object", "additionalProperties": {"type": ["string", "integer", "boolean"]}}
_ENV: Any = {"type": "object", "additionalProperties": {"type": "string"}}

Command = Annotated[tuple[str, ...], BeforeValidator(_as_command), WithJsonSchema(_COMMAND)]
Limit = Annotated[TimeControl, BeforeValidator(_as_limit), WithJsonSchema(_LIMIT)]
Name = Annotated[str, Field(min_length=1), AfterValidator(printable_text)]
OptionValue = Annotated[Printable, BeforeValidator(_option_value)]
Options = Annotated[tuple[tuple[Name, OptionValue], ...], BeforeValidator(_as_pairs), WithJsonSchema(_OPTIONS)]
Variable = Annotated[Name, AfterValidator(_variable)]
Environment = Annotated[tuple[tuple[Variable, Printable], ...], BeforeValidator(_as_pairs), WithJsonSchema(_ENV)]
Settings = Annotated[tuple[tuple[str, bool | int | float | str], ...], BeforeValidator(_as_pairs)]
Processors = Annotated[tuple[Annotated[int, Field(ge=0, le=4095)], ...], BeforeValidator(_as_items)]
Paths = Annotated[tuple[Name, ...], BeforeValidator(_as_items)]


@model
class EngineConfig:
    """The configuration of a player: its protocol, its command, its options and its limits.

    :ivar settings: names and values of settings declared by the protocol's seat; missing ones have their defaults.
    :raises SetupError: listing everything that is invalid for any engine. Limitations of the seat are checked by
        :func:`quietmove.referee.seats.check_config`.
    """

    name: Annotated[Name, Field(description="its name in the results; on a command line by default the program's name")]
    command: Annotated[
        Command,
        Field(
            description="the program and its arguments, quoted as for a shell or, in a file, as a list; relative paths "
            f"in a file start at its folder; {SEED_PLACE} becomes the game's seed; {OWN_ENGINE}, the default in a "
            "file, is the engine of this installation"
        ),
    ] = ()
    protocol: Annotated[
        str, Field(description=f"the engine's protocol; by default the one its command names, else {DEFAULT_PROTOCOL}")
    ] = DEFAULT_PROTOCOL
    options: Annotated[
        Options,
        Field(
            description="values of the engine's options by name, set in this order; "
            f"{SEED_PLACE} becomes the game's seed"
        ),
    ] = ()
    limit: Annotated[Limit, Field(description=f"its thinking limit: {TIME_CONTROL_FORMS}")] = DEFAULT_LIMIT
    margin_ms: Annotated[
        NotNegative, Field(description="milliseconds by which its replies can be late, in total per game")
    ] = UNSEEN_PAUSE_MS
    start_timeout_ms: Annotated[
        Positive, Field(description="time limit for each step of the handshake, in milliseconds")
    ] = 10_000
    stall_timeout_ms: Annotated[
        Positive, Field(description="milliseconds of silence after which an engine without a clock loses")
    ] = 60_000
    settings: Settings = ()
    env: Annotated[Environment, Field(description="environment variables by name, in addition to the referee's")] = ()
    cwd: Annotated[Printable, Field(description="the working directory; by default the referee's")] = ""
    cpus: Annotated[Processors, Field(description="the processors it can use, such as 0,1; by default all")] = ()
    memory: Annotated[
        NotNegative, Field(description="memory limit of the engine and its children, in MiB; 0 for none")
    ] = 0
    cpu_seconds: Annotated[
        NotNegative, Field(description="CPU time limit of the engine and its children per game, in seconds; 0 for none")
    ] = 0
    clock: Annotated[
        Literal["wall", "processor"],
        Field(
            description="what its clock counts: wall time, or the processor time of the engine and its children, so "
            "that a busy machine costs it nothing; wall time is then limited to ten times as much"
        ),
    ] = "wall"
    sandbox: Annotated[
        bool,
        Field(description="whether to run it in bubblewrap, without network and with access only to its own files"),
    ] = False
    sandbox_bind: Annotated[
        Paths, Field(description="more folders and files that an engine in a sandbox can read")
    ] = ()

    @property
    def reuse_key(self) -> EngineConfig:
        """A key that is equal for engines that can share a process: only name, limits and option values may differ."""
        return replace(
            self,
            name="any",
            options=tuple((name, "") for name, _ in self.options),
            limit=DEFAULT_LIMIT,
            margin_ms=0,
            start_timeout_ms=1,
            stall_timeout_ms=1,
        )


# The fields in PROCESS_KEYS apply only to engines that have their own process.
_OF_ANY = ("name", "command", "protocol", "options", "limit", "margin_ms", "start_timeout_ms", "stall_timeout_ms")
PROCESS_KEYS = tuple(name for name in names(EngineConfig) if name not in (*_OF_ANY, "settings"))


def explanations(kind: Any) -> dict[str, str]:
    """Return the description of each field of a model, with its default."""
    descriptions = {}
    for name, info in kind.__pydantic_fields__.items():
        if info.description:
            says_it = info.is_required() or "default" in info.description
            descriptions[name] = info.description if says_it else with_default(info.description, info.default)
    return descriptions


@model
class Adjudication:
    """The rules by which the referee ends a game early. By default, the referee ends only extremely long games."""

    solve_empties: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_EMPTIES,
            description="with at most N moves left (in Othello: empty squares), the referee solves the game and ends "
            "it with the true result; 0 disables this",
        ),
    ] = 0
    resign_score: Annotated[
        float,
        Field(
            ge=0,
            le=10_000,
            description="end the game when both engines report that one of them is losing by N points; 0 disables this",
        ),
    ] = 0.0
    resign_moves: Annotated[
        int,
        Field(ge=1, le=MAX_PLIES, description="consecutive moves for which each engine must report such a score"),
    ] = 3
    draw_moves: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_PLIES,
            description="consecutive moves for which each engine must report a draw before the game ends as one; "
            "0 disables this",
        ),
    ] = 0
    draw_score: Annotated[
        float, Field(ge=0, le=10_000, description="reported lead, in points, up to which a score counts as a draw")
    ] = 0.0
    draw_after: Annotated[
        int, Field(ge=0, le=MAX_PLIES, description="number of plies before which draw_moves has no effect")
    ] = 0
    max_plies: Annotated[
        int,
        Field(ge=1, le=MAX_PLIES, description="a game is a draw after N plies, including the opening"),
    ] = MAX_PLIES

    def problems(self, game_name: str, opening: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the name of each field whose value is impossible in this game from ``opening``, and what it must be."""
        if self.solve_empties and (text := _unsolvable(game_name)):
            yield "solve_empties", text
        plies = sum(" " not in text for text in opening)  # positions contain a blank; moves do not
        if plies >= self.max_plies:
            yield "max_plies", f"must be more than the {plies} plies of an opening, not {self.max_plies}"


def _unsolvable(game_name: str) -> str:
    try:
        game = known_game(game_name)
    except UnknownGameError:  # e.g. a record of a user's game that is not installed here
        return ""
    if game.kind != "perfect":
        return f"must be 0 in a game with chance or hidden cards, such as {game.name}"
    if game.initial().moves_left() >= UNKNOWN_REMAINING:
        return f"must be 0, because {game.name} does not report how many moves are left (remaining)"
    return ""


@model
class GameSpec:
    """One game to play: the rules, the opening, the engines and the conditions for ending it early.

    :param game: a name that :func:`quietmove.engine.games.registry.get_game` accepts.
    :param opening: moves made before the engines start, in the game's notation. If the game does not start at the
        initial position, the start position precedes them (:mod:`quietmove.referee.config.openings`).
    :param keep_dialogue: whether to store every line to and from both engines in the record.
    :param seed: the seed of the referee's dice and deals, in games that have them.
    :param adjudication: the rules for ending the game early.
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
        """The start position in the game's notation, or "" for the initial position."""
        return split_opening(self.opening)[0]

    def begin(self) -> Position:
        """Return a new copy of the position before the opening.

        :raises GameError: if the game or the position does not exist.
        """
        game = known_game(self.game)
        return game.parse_position(self.position.split()) if self.position else game.begin(self.seed)

    def player(self, color: Color) -> EngineConfig:
        """Return the engine that plays ``color``."""
        return self.black if color == "black" else self.white


def split_opening(opening: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Split an opening into its start position ("" for the initial position) and its moves."""
    if opening and " " in opening[0]:
        return opening[0], tuple(opening[1:])
    return "", tuple(opening)
