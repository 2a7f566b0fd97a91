"""The option table: one row an option. A row declares itself, parses a value, documents itself and applies itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quietmove.engine.errors import OptionError
from quietmove.engine.games.base import game_names, get_game
from quietmove.engine.protocol.coordinates import NOTATIONS
from quietmove.engine.protocol.hints import did_you_mean
from quietmove.engine.protocol.lines import parse_integer
from quietmove.engine.search.deepening import ALGORITHMS
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.session import Options, Session

__all__ = [
    "OPTIONS",
    "Button",
    "Check",
    "Combo",
    "EvaluatorChoice",
    "GameChoice",
    "Option",
    "Spin",
    "find_option",
    "read_setoption",
    "set_option",
]

SWITCH = {"true": True, "on": True, "false": False, "off": False}


@dataclass(frozen=True, slots=True)
class Option:
    """One row.

    :param name: as the wire writes it; it is read in any case.
    :param field: the field of :class:`quietmove.engine.session.Options`, or of its settings, that holds the value;
        empty for a button.
    :param help: one sentence without its full stop.
    """

    name: str
    field: str
    help: str

    @property
    def kind(self) -> str:
        """The type's name on the wire."""
        return type(self).__name__.lower()

    @property
    def default(self) -> str:
        """The value at the start, as the wire writes it."""
        value = Options().get(self.field)
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

    def document(self) -> str:
        """Return the row of the table in ``protocol.md``."""
        return f"| `{self.name}` | {self.kind} | `{self.default}` | {self.allowed} | {self.help} |"

    def apply(self, session: Session, text: str) -> None:
        """Parse ``text`` and make it the session's option.

        :raises OptionError, UnknownGameError: if the value is not allowed.
        :raises BusyError: while a search runs.
        """
        session.configure(session.options.changed(self.field, self.parse(text)))

    def refuse(self, text: str, hint: str = "") -> OptionError:
        """Return the error for a value that is not allowed."""
        came = f"{text!r} came" if text else "no value came"
        return OptionError(f"option {self.name}: {self.allowed} is allowed, {came}{hint}")


@dataclass(frozen=True, slots=True)
class Check(Option):
    """On or off; the wire writes ``true`` and ``false``."""

    @property
    def allowed(self) -> str:
        """The values it takes."""
        return "one of true, false, on, off"

    def parse(self, text: str) -> bool:
        """Return whether ``text`` says on."""
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
        """The values it takes."""
        return f"a whole number from {self.least} to {self.most}"

    def declare(self) -> str:
        """Return the ``option`` line with its bounds."""
        return f"{Option.declare(self)} min {self.least} max {self.most}"

    def parse(self, text: str) -> int:
        """Return the number."""
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
        """The values it takes."""
        return "one of " + ", ".join(self.choices)

    def declare(self) -> str:
        """Return the ``option`` line with its choices."""
        return Option.declare(self) + "".join(f" var {choice}" for choice in self.choices)

    def parse(self, text: str) -> str:
        """Return the word as the table writes it."""
        for choice in self.choices:
            if choice.lower() == text.lower():
                return choice
        raise self.refuse(text, did_you_mean(text, self.choices))


@dataclass(frozen=True, slots=True)
class GameChoice(Option):
    """A game by its name or ``path/file.py:Class``, after a blank its parameters; all are looked up when asked for."""

    @property
    def kind(self) -> str:
        """For a client it is a ``combo`` that takes parameters too."""
        return "combo"

    @property
    def allowed(self) -> str:
        """The values it takes."""
        return "a game or path/file.py:Class, after a blank its parameters"

    def declare(self) -> str:
        """Return the ``option`` line with the games that can be played."""
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

    @property
    def kind(self) -> str:
        """For a client it is text: each game has names of its own."""
        return "string"

    @property
    def default(self) -> str:
        """The word for the game's own choice."""
        return "default"

    @property
    def allowed(self) -> str:
        """The values it takes."""
        return "`default` or an evaluator of the game"

    def parse(self, text: str) -> str:
        """Return the name; whether the game has it is found out when it is chosen."""
        if not text:
            raise self.refuse(text)
        return "" if text.lower() == self.default else text.lower()


@dataclass(frozen=True, slots=True)
class Button(Option):
    """Something to do at once; it takes no value. The one there is empties the table."""

    @property
    def default(self) -> str:
        """A button has none."""
        return ""

    @property
    def allowed(self) -> str:
        """The values it takes."""
        return "no value"

    def declare(self) -> str:
        """Return the ``option`` line, which has no default."""
        return f"option name {self.name} type button"

    def document(self) -> str:
        """Return the row of the table in ``protocol.md``."""
        return f"| `{self.name}` | button | | no value | {self.help} |"

    def apply(self, session: Session, text: str) -> None:
        """Empty the table."""
        if text:
            raise self.refuse(text)
        session.clear_table()


OPTIONS: tuple[Option, ...] = (
    Combo("Algorithm", "algorithm", "how the tree is searched; all three find the same value", ALGORITHMS),
    Combo(
        "Ordering",
        "ordering",
        "how moves are ordered: `static` is the generator's order, `evaluation` by the static value after each move",
        ORDERINGS,
    ),
    EvaluatorChoice("Evaluation", "evaluation", "what judges a position at the horizon"),
    Check("Quiescence", "quiescence", "whether the search goes on through noisy moves at its horizon"),
    Spin("Hash", "hash", "megabytes of the transposition table, 0 for none; a change empties it", 0, 65536),
    Button("Clear Hash", "", "empties the transposition table"),
    Spin("MultiPV", "multipv", "how many of the best moves get an `info` line of their own", 1, 64),
    Combo("Notation", "notation", "how moves are written; every notation is always read", tuple(NOTATIONS)),
    GameChoice("Game", "game", "the game to play; a change sets up its start position"),
    Spin(
        "Deals", "deals", "with hidden cards: how many deals are searched, 0 for all that fit what is known", 0, 1000000
    ),
    Spin("Seed", "seed", "what the choice of these deals follows from", 0, 2147483647),
    Check("Trace", "trace", "whether a search tells each of its steps; small trees only"),
    Check("Ponder", "ponder", "whether the client means to use `go ponder`, which works either way"),
)


def find_option(name: str) -> Option:
    """Return the row called ``name``, in any case.

    :raises OptionError: if there is none.
    """
    for option in OPTIONS:
        if option.name.lower() == name.lower():
            return option
    names = [option.name for option in OPTIONS]
    hint = did_you_mean(name, names)
    raise OptionError(f"no option {name!r}{hint}" if hint else f"no option {name!r}; there is {', '.join(names)}")


def read_setoption(tokens: Sequence[str]) -> tuple[str, str]:
    """Return name and value, either of several words, of ``setoption name N [value V]``; ``tokens[0]`` is its first.

    :raises OptionError: if the line has no name.
    """
    words = list(tokens[tokens.index("name") + 1 :]) if "name" in tokens else []
    value_at = words.index("value") if "value" in words else len(words)
    if value_at == 0:
        raise OptionError("'name N', and except for a button 'value V', must follow")
    return " ".join(words[:value_at]), " ".join(words[value_at + 1 :])


def set_option(session: Session, tokens: Sequence[str]) -> None:
    """Do what a ``setoption`` line says; the session is unchanged if that is not allowed.

    :raises OptionError, UnknownGameError, BusyError: as :meth:`Option.apply` says.
    """
    name, value = read_setoption(tokens)
    find_option(name).apply(session, value)
