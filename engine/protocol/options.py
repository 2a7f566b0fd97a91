"""Options: each is one row with its name, its values and its help, and the table of ``setoption`` lists them.

A row declares itself to a client, parses a value, documents itself, and says which field of which frozen values holds
the value. The settings of a dialect's command line are such rows too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from quietmove.engine.common.text import did_you_mean, milliseconds
from quietmove.engine.errors import OptionError
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.levels import FULL_ELO, FULL_STRENGTH, LEVELS
from quietmove.engine.protocol.lines import parse_integer
from quietmove.engine.protocol.notation import NOTATIONS
from quietmove.engine.search.node import ALGORITHMS
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.session import Options, Session
from quietmove.engine.values import MCTS

if TYPE_CHECKING:
    from quietmove.engine.protocol.dialect import Dialect

SWITCH = {"true": True, "on": True, "false": False, "off": False}


@dataclass(frozen=True, slots=True)
class DialectSettings:
    """What is chosen for one dialect alone; a dialect with settings has a subclass with a field for each row."""

    def get(self, field: str) -> object:
        return getattr(self, field)

    def changed(self, field: str, value: object) -> Self:
        changes: dict[str, Any] = {field: value}
        return replace(self, **changes)

    def check(self) -> None:
        """Check that the settings fit together.

        :raises OptionError: if they do not.
        """


@dataclass(frozen=True, slots=True)
class Option:
    """One row.

    :param name: as the wire or the command line writes it; on the wire it is read in any case.
    :param field: the field of ``holder`` that has the value; empty for a button.
    :param help: one sentence without its full stop.
    :param holder: the class of the values, the session's options or the settings of a dialect.
    """

    name: str
    field: str
    help: str
    _: KW_ONLY
    holder: type[Options] | type[DialectSettings] = Options

    @property
    def kind(self) -> str:
        return type(self).__name__.lower()

    @property
    def default(self) -> str:
        """The value at the start, as the wire writes it; empty if there is none."""
        value = self.holder().get(self.field)
        if value is None:
            return ""
        return str(value).lower() if isinstance(value, bool) else str(value)

    @property
    def allowed(self) -> str:
        """The values it takes, for a person."""
        raise NotImplementedError

    def declare(self) -> str:
        """Return the ``option`` line that answers ``uci``."""
        return f"option name {self.name} type {self.kind} default {self.default}"

    def parse(self, text: str) -> object:
        """Return the value that ``text`` writes.

        :raises OptionError: if it is not allowed.
        """
        raise NotImplementedError

    def refuse(self, text: str, hint: str = "") -> OptionError:
        """Return the error for a value that is not allowed."""
        came = repr(text) if text else "without a value"
        return OptionError(f"option {self.name}: must be {self.allowed}, not {came}{hint}")


@dataclass(frozen=True, slots=True)
class Check(Option):
    """On or off; the wire writes ``true`` and ``false``."""

    allowed = "one of true, false, on, off"

    def parse(self, text: str) -> bool:
        if text.lower() not in SWITCH:
            raise self.refuse(text)
        return SWITCH[text.lower()]


@dataclass(frozen=True, slots=True)
class Spin(Option):
    """A whole number from ``least`` to ``most``."""

    least: int
    most: int

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def declare(self) -> str:
        return f"{Option.declare(self)} min {self.least} max {self.most}"

    def parse(self, text: str) -> int:
        number = parse_integer(text)
        if number is None or not self.least <= number <= self.most:
            raise self.refuse(text)
        return number


@dataclass(frozen=True, slots=True)
class Combo(Option):
    """One of several words, read in any case."""

    choices: tuple[str, ...]

    @property
    def allowed(self) -> str:
        return "one of " + ", ".join(self.choices)

    def declare(self) -> str:
        return Option.declare(self) + "".join(f" var {choice}" for choice in self.choices)

    def parse(self, text: str) -> str:
        for choice in self.choices:
            if choice.lower() == text.lower():
                return choice
        raise self.refuse(text, did_you_mean(text, self.choices))


@dataclass(frozen=True, slots=True)
class Time(Option):
    """A time such as ``500ms`` or ``2s``, kept as it was written: its holder knows the unit of a bare number."""

    allowed = "a time such as 500ms or 2s, or a number of at least 0"

    def parse(self, text: str) -> str:
        if milliseconds(text, "s") is None:
            raise self.refuse(text)
        return text


def parse_decimal(text: str) -> float | None:
    """Return the number that ``text`` writes in at most 12 ASCII digits and a point, or None if it writes none."""
    whole, _, fraction = text.partition(".")
    digits = whole + fraction
    return float(text) if len(text) <= 12 and digits.isascii() and digits.isdecimal() else None


@dataclass(frozen=True, slots=True)
class UciSettings(DialectSettings):
    """What ``setoption`` chooses beside the session's options.

    :param notation: how moves are written, a name from :data:`quietmove.engine.protocol.notation.NOTATIONS`.
    """

    notation: str = "project"


@dataclass(frozen=True, slots=True)
class GameChoice(Option):
    """A game by its name or ``path/file.py:Class``, after a blank its parameters; all are looked up when asked for."""

    kind = "combo"
    allowed = "a game or path/file.py:Class, after a blank its parameters"

    def declare(self) -> str:
        return Option.declare(self) + "".join(f" var {name}" for name in game_names())

    def parse(self, text: str) -> str:
        """Return the game's full name.

        :raises UnknownGameError: if the game does not take these parameters.
        """
        if ".py:" in text:
            return get_game(text).name
        word, _, parameters = text.lower().partition(" ")
        names = {name.lower(): name for name in (Options().game, *game_names())}
        if word not in names:
            raise self.refuse(text, did_you_mean(word, tuple(names)) or f"; there is {', '.join(sorted(names))}")
        return get_game(f"{names[word]} {parameters}").name


@dataclass(frozen=True, slots=True)
class EvaluatorChoice(Option):
    """An evaluator of the game that is played; ``default`` stands for the first that the game declares."""

    kind = "string"
    default = "default"
    allowed = "`default` or an evaluator of the game"

    def parse(self, text: str) -> str:
        if not text:
            raise self.refuse(text)
        return "" if text.lower() == self.default else text.lower()


@dataclass(frozen=True, slots=True)
class FileChoice(EvaluatorChoice):
    """A file, by its path; ``default`` stands for what the game brings."""

    allowed = "`default` or the path of a file"

    def parse(self, text: str) -> str:
        if not text or "\0" in text:
            raise self.refuse(text)
        return "" if text.lower() == self.default else text


@dataclass(frozen=True, slots=True)
class Button(Option):
    """Something to do at once; it takes no value. The one there is empties the table."""

    default = ""
    allowed = "no value"

    def declare(self) -> str:
        return f"option name {self.name} type button"

    def parse(self, text: str) -> object:
        if text:
            raise self.refuse(text)
        return None


OPTIONS: tuple[Option, ...] = (
    Combo(
        "Algorithm",
        "algorithm",
        "how the tree is searched; `mcts` samples games, the others agree",
        (*ALGORITHMS, MCTS),
    ),
    Combo("Ordering", "ordering", "how moves are ordered; `static` is the generator's order", ORDERINGS),
    EvaluatorChoice("Evaluation", "evaluation", "what judges a position at the horizon"),
    FileChoice(
        "EvalFile",
        "evaluation_file",
        "weights of `network` or of `learnt`, which becomes the default; a note says which",
    ),
    Check("Quiescence", "quiescence", "whether the search goes on through noisy moves at its horizon"),
    Spin("Selectivity", "selectivity", "how much is left out that very likely does not matter; 0 for nothing", 0, 5),
    Spin("Hash", "hash", "megabytes of the transposition table, 0 for none; a change empties it", 0, 65536),
    Spin("Threads", "threads", "how many threads search; only with 1 the answers can be repeated", 1, 256),
    Button("Clear Hash", "", "empties the transposition table"),
    Spin("MultiPV", "multipv", "how many of the best moves get an `info` line of their own", 1, 64),
    Combo("Notation", "notation", "how moves are written; all are read", tuple(NOTATIONS), holder=UciSettings),
    GameChoice("Game", "game", "the game to play; a change sets up its start position"),
    Spin("Deals", "deals", "with hidden cards: how many deals are searched, 0 for all that are possible", 0, 1000000),
    Spin("Seed", "seed", "what all chance follows from: deals, a level's mistakes, games of `mcts`", 0, 2147483647),
    Spin("Level", "level", f'how strong to play, see "Levels"; {FULL_STRENGTH} is the strongest', 0, FULL_STRENGTH),
    Check("UCI_LimitStrength", "limit_strength", "whether `UCI_Elo` says how strong, and not `Level`"),
    Spin("UCI_Elo", "elo", "the rating to play at, on the scale of the levels", LEVELS[0].elo, FULL_ELO),
    Spin("Move Overhead", "move_overhead", "milliseconds kept back once a move for what lies on the way", 0, 5000),
    Spin("Exploration", "exploration", "hundredths; the higher, the more `mcts` tries what looks worse", 0, 1000),
    Check("OwnBook", "own_book", "whether a move that the opening book knows is played at once, without a search"),
    FileChoice("BookFile", "book_file", "an opening book instead of the game's own; the last four files are kept"),
    Spin("BookVariety", "book_variety", "hundredths of a disc that a move of the book may be worse", 0, 1000),
    Check("Trace", "trace", "whether a search tells each of its steps; small trees only"),
    Check("Ponder", "ponder", "whether the client means to use `go ponder`, which works either way"),
)


def find_option(name: str, options: Sequence[Option] = OPTIONS) -> Option:
    """Return the row of ``options`` called ``name``, in any case.

    :raises OptionError: if there is none.
    """
    for option in options:
        if option.name.lower() == name.lower():
            return option
    names = [option.name for option in options]
    hint = did_you_mean(name, names)
    raise OptionError(f"no option {name!r}{hint}" if hint else f"no option {name!r}; there is {', '.join(names)}")


def read_setoption(tokens: Sequence[str]) -> tuple[str, str]:
    """Return name and value, either of several words, of ``setoption name N [value V]``; ``tokens[0]`` is its first.

    :raises OptionError: if the line has no name.
    """
    words = list(tokens[tokens.index("name") + 1 :]) if "name" in tokens else []
    value_at = words.index("value") if "value" in words else len(words)
    if value_at == 0:
        raise OptionError("must be followed by 'name N', and except for a button by 'value V'")
    return " ".join(words[:value_at]), " ".join(words[value_at + 1 :])


def set_option(dialect: Dialect, tokens: Sequence[str], options: Sequence[Option] = OPTIONS) -> None:
    """Do what a ``setoption`` line says; nothing is changed if that is not allowed.

    :raises OptionError, UnknownGameError: if there is no such option, or it does not take the value.
    :raises BusyError: while a search runs.
    """
    name, text = read_setoption(tokens)
    option = find_option(name, options)
    if option.holder is Options:
        apply_option(dialect.session, option, text)
    else:
        dialect.session.require_idle()
        dialect.settings = dialect.settings.changed(option.field, option.parse(text))


def apply_option(session: Session, option: Option, text: str) -> None:
    """Parse ``text`` and make it the session's value of ``option``, or press the button.

    :raises OptionError: if the value is not allowed, or the option is not the session's but the protocol's.
    :raises UnknownGameError: if there is no such game.
    :raises BusyError: while a search runs.
    """
    session.require_idle()
    if option.holder is not Options:
        raise OptionError(f"option {option.name}: only the line protocol has it")
    value = option.parse(text)
    if isinstance(option, Button):
        session.clear_table()
    else:
        session.configure(session.options.changed(option.field, value))
