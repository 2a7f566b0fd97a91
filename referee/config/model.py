"""What is to be played: engines, their limits, and a game between two of them.

Each value is a model: words of a command line, files of TOML, records and stores are read as it says, and the help and
the JSON schema are made of it. What a seat adds is in :mod:`quietmove.referee.seats`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from quietmove.engine.common.text import milliseconds
from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.base import UNKNOWN_REMAINING, Position
from quietmove.engine.games.registry import known_game
from quietmove.referee.config.validation import GREATEST, Printable, model, names, printable_text, with_default
from quietmove.referee.errors import SetupError

Color = Literal["black", "white"]

COLORS: tuple[Color, Color] = ("black", "white")  # Black moves first
DEFAULT_PROTOCOL = "uci"
OWN_ENGINE = "quietmove"  # this first word of a command is the engine of this installation, whatever PATH says
SEED_PLACE = "{seed}"  # the game's seed replaces it in values of options and in arguments
VARIED = (("Seed", SEED_PLACE), ("OwnBook", "true"), ("BookVariety", "50"))  # this engine plays each game anew
COLOR_PLACE = "{color}"  # B or W replaces it in arguments of a program that is told no line one

TIME_CONTROL_FORMS = "tc=[MOVES/]SECONDS[+SECONDS], movetime=MILLISECONDS (or 500ms, 2s), nodes=N or depth=N"
UNSEEN_PAUSE_MS = 300  # the referee may not see a shorter pause of the machine, and may charge it to an engine
LONGEST_LIMIT = 60  # characters of a time control; no number of them is too large to be read
MOST_EMPTIES = 30  # more cannot be solved in any game within the nodes that the referee spends
MOST_PLIES = 1000  # a longer game is a draw: a user's game may have no end

# Programs that run a script, which their command names first.
INTERPRETERS = re.compile(r"(python|pypy|node|ruby|perl|lua|java|sh|bash|dash|zsh|mono|dotnet)[\d.]*|env|wine")

_TC = re.compile(r"(?:(?P<moves>\d+)/)?(?P<base>[\d.]+(?:ms|s)?)(?:\+(?P<increment>[\d.]+(?:ms|s)?))?")

Positive = Annotated[int, Field(ge=1, le=GREATEST)]
NotNegative = Annotated[int, Field(ge=0, le=GREATEST)]


@model
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
        """Return the time control that ``text`` spells, as :meth:`__str__` writes it.

        :raises SetupError: if it spells none.
        """
        kind, _, value = text.partition("=")
        if len(text) <= LONGEST_LIMIT:
            if kind == "tc" and (match := _TC.fullmatch(value)):
                moves = int(match["moves"]) if match["moves"] else None
                base = milliseconds(match["base"], "s")
                increment = milliseconds(match["increment"] or "0", "s")
                if base is not None and increment is not None:
                    return cls(base_ms=round(base), increment_ms=round(increment), moves=moves)
            if kind == "movetime" and (time := milliseconds(value, "ms")) is not None:
                return cls(movetime_ms=round(time))
            fields = {"nodes": "nodes", "depth": "depth"}
            if kind in fields and value.isascii() and value.isdigit():
                return cls(**{fields[kind]: int(value)})
        raise SetupError(f"limit: must be one of {TIME_CONTROL_FORMS}, not {text[:LONGEST_LIMIT]!r}")

    def time_ms(self, moves: int) -> int | None:
        """Return how many milliseconds an engine may use for ``moves`` moves; ``None`` where no time is limited."""
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


DEFAULT_LIMIT = TimeControl(depth=6)  # every protocol can say it, and it gives the same game on every machine


def _as_limit(value: object) -> object:
    if isinstance(value, TimeControl | dict):
        return value
    try:
        return TimeControl.parse(str(value))
    except SetupError as error:
        raise ValueError(str(error).removeprefix("limit: ")) from None


def _as_command(value: object) -> object:
    """Split a command that is given as one line as a shell would."""
    try:
        if isinstance(value, str | list | tuple):
            return tuple(shlex.split(value) if isinstance(value, str) else value)
    except ValueError:
        pass
    raise ValueError("must be a program and its arguments, as one line or a list")


def _as_pairs(value: object) -> object:
    """Return the names and values of a table."""
    if isinstance(value, dict):
        return tuple(value.items())
    if not isinstance(value, list | tuple):
        raise ValueError("must be a table")
    return tuple(tuple(each) if isinstance(each, list) else each for each in value)


def _as_items(value: object) -> object:
    """Split a list that is given as words with commas between them."""
    if isinstance(value, str):
        return tuple(value.split(",")) if value else ()
    return tuple(value) if isinstance(value, list) else value


def _option_value(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int):
        return str(value)
    raise ValueError("must be a text, a whole number, true or false")


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
    """A player: which seat it takes, how it is started, set up and limited.

    :ivar settings: names and values of what the seat itself declares; what is left out has its default.
    :raises SetupError: with everything that no engine can have so; what its seat cannot do is for
        :func:`quietmove.referee.seats.check_config`.
    """

    name: Annotated[
        Name, Field(description="what it is called in the results; on a command line by default the program")
    ]
    command: Annotated[
        Command,
        Field(
            description="the program and its arguments, quoted as for a shell, or in a file a list; a relative path "
            f"in a file begins at its folder; {SEED_PLACE} becomes the game's seed; {OWN_ENGINE}, in a file the "
            "default, is the engine of this installation"
        ),
    ] = ()
    protocol: Annotated[
        str, Field(description=f"the kind of engine; by default what the command names, else {DEFAULT_PROTOCOL}")
    ] = DEFAULT_PROTOCOL
    options: Annotated[
        Options,
        Field(
            description="values of the engine's options by name, set in this order; "
            f"{SEED_PLACE} becomes the game's seed"
        ),
    ] = ()
    limit: Annotated[Limit, Field(description=f"how long it may think: {TIME_CONTROL_FORMS}")] = DEFAULT_LIMIT
    margin_ms: Annotated[
        NotNegative, Field(description="milliseconds by which the answers of a game may be late in all")
    ] = UNSEEN_PAUSE_MS
    start_timeout_ms: Annotated[Positive, Field(description="milliseconds for each step of the handshake")] = 10_000
    stall_timeout_ms: Annotated[
        Positive, Field(description="milliseconds of silence after which an engine without a clock has lost")
    ] = 60_000
    settings: Settings = ()
    env: Annotated[
        Environment, Field(description="values of environment variables by name, beside those of the referee")
    ] = ()
    cwd: Annotated[Printable, Field(description="the working directory; by default that of the referee")] = ""
    cpus: Annotated[
        Processors, Field(description="the processors that the engine may run on, such as 0,1; by default all")
    ] = ()
    memory: Annotated[
        NotNegative, Field(description="MiB of memory that the engine and its children may hold; 0 for no cap")
    ] = 0
    cpu_seconds: Annotated[
        NotNegative, Field(description="seconds of processor time that they may use in a game; 0 for no cap")
    ] = 0
    sandbox: Annotated[
        bool,
        Field(description="whether the engine runs in bubblewrap, without network and with its own files alone"),
    ] = False
    sandbox_bind: Annotated[
        Paths, Field(description="folders and files that an engine in a sandbox may read beside its own")
    ] = ()

    @property
    def reuse_key(self) -> EngineConfig:
        """Equal for two engines that one process can serve: all but name, limits and the options' values is alike."""
        return replace(
            self,
            name="any",
            options=tuple((name, "") for name, _ in self.options),
            limit=DEFAULT_LIMIT,
            margin_ms=0,
            start_timeout_ms=1,
            stall_timeout_ms=1,
        )


# The fields that only an engine in a process of its own can have.
_OF_ANY = ("name", "command", "protocol", "options", "limit", "margin_ms", "start_timeout_ms", "stall_timeout_ms")
PROCESS_KEYS = tuple(name for name in names(EngineConfig) if name not in (*_OF_ANY, "settings"))


def explanations(kind: Any) -> dict[str, str]:
    """Return what each field of a model is, with its default."""
    found = {}
    for name, info in kind.__pydantic_fields__.items():
        if info.description:
            says_it = info.is_required() or "default" in info.description
            found[name] = info.description if says_it else with_default(info.description, info.default)
    return found


@model
class Adjudication:
    """When the referee ends a game itself: by default only one that has not ended after very many plies."""

    solve_empties: Annotated[
        int,
        Field(
            ge=0,
            le=MOST_EMPTIES,
            description="the referee solves the game itself once at most so many moves are left (in Othello: empty "
            "squares) and ends it with the true result; 0 never",
        ),
    ] = 0
    resign_score: Annotated[
        float,
        Field(
            ge=0,
            le=10_000,
            description="points by which both engines must say that one of them loses, for the game to end so; 0 never",
        ),
    ] = 0.0
    resign_moves: Annotated[
        int,
        Field(ge=1, le=MOST_PLIES, description="for how many of its moves in a row each engine must say so"),
    ] = 3
    max_plies: Annotated[
        int,
        Field(ge=1, le=MOST_PLIES, description="a game is a draw after so many plies, the opening's included"),
    ] = MOST_PLIES

    def problems(self, game_name: str, opening: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the field that asks for what is not possible in this game from ``opening``, and what it must be."""
        if self.solve_empties and (text := _unsolvable(game_name)):
            yield "solve_empties", text
        plies = sum(" " not in text for text in opening)  # a position has a blank
        if plies >= self.max_plies:
            yield "max_plies", f"must be more than the {plies} plies of an opening, not {self.max_plies}"


def _unsolvable(game_name: str) -> str:
    try:
        game = known_game(game_name)
    except UnknownGameError:  # a record of a user's game may be read where that is not installed
        return ""
    if game.kind != "perfect":
        return f"must be 0 in a game with chance or hidden cards, such as {game.name}"
    if game.initial().moves_left() >= UNKNOWN_REMAINING:
        return f"must be 0, since {game.name} does not say how many moves are left (remaining)"
    return ""


@model
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
        game = known_game(self.game)
        return game.parse_position(self.position.split()) if self.position else game.begin(self.seed)

    def player(self, color: Color) -> EngineConfig:
        """Return the engine that plays ``color``."""
        return self.black if color == "black" else self.white


def split_opening(opening: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the position that an opening begins in, empty for the game's usual beginning, and its moves."""
    if opening and " " in opening[0]:
        return opening[0], tuple(opening[1:])
    return "", tuple(opening)
