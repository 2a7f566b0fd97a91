"""The tables of engine options, with their types, defaults, bounds and help texts, and ``setoption``.

An option declares itself to the client, parses values, and names the field that holds its value. The settings on a
dialect's command line are options of the same kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

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

DEFAULT = "default"  # the value of an evaluator or a file that stands for the game's own
SWITCH = {"true": True, "false": False, "on": True, "off": False}


@dataclass(frozen=True, slots=True)
class DialectSettings:
    """Settings of one dialect. A dialect with settings has a subclass with one field per option."""

    def get(self, field: str) -> object:
        return getattr(self, field)

    def changed(self, field: str, value: object) -> Self:
        changes: dict[str, Any] = {field: value}
        return replace(self, **changes)

    def check(self) -> None:
        """Check that the settings are consistent.

        :raises OptionError: if they are not.
        """


@dataclass(frozen=True, slots=True)
class Option:
    """An option: a row of :data:`OPTIONS` or of a dialect's own table.

    :param name: the name in the protocol (case-insensitive) or on the command line.
    :param field: the field of ``holder`` with the value, or "" for a button.
    :param help: one sentence without the full stop.
    :param holder: the class that holds the value: the session's options or a dialect's settings.
    :cvar kind: the type that :meth:`declare` gives.
    """

    kind: ClassVar[str] = "string"

    name: str
    field: str
    help: str
    _: KW_ONLY
    holder: type[Options] | type[DialectSettings] = Options

    @property
    def default(self) -> str:
        """The default value as protocol text, or "" if there is none."""
        value = self.holder().get(self.field) if self.field else None
        if value is None:
            return ""
        return str(value).lower() if isinstance(value, bool) else str(value)

    def declare(self) -> str:
        """Return the ``option`` line in the reply to ``uci``."""
        return f"option name {self.name} type {self.kind} default {self.default}"

    def parse(self, text: str) -> object:
        """Parse a value.

        :raises OptionError: if it is not allowed.
        """
        raise NotImplementedError

    def refuse(self, text: str, allowed: str, hint: str = "") -> OptionError:
        """Return the error for a value other than those ``allowed``, which is a phrase."""
        came = repr(text) if text else "without a value"
        return OptionError(f"option {self.name}: must be {allowed}, not {came}{hint}")


@dataclass(frozen=True, slots=True)
class Check(Option):
    """A boolean, declared as ``true`` or ``false``."""

    kind = "check"

    def parse(self, text: str) -> bool:
        if text.lower() not in SWITCH:
            raise self.refuse(text, f"one of {', '.join(SWITCH)}")
        return SWITCH[text.lower()]


@dataclass(frozen=True, slots=True)
class Spin(Option):
    """An integer from ``least`` to ``most``."""

    kind = "spin"
    least: int
    most: int

    def declare(self) -> str:
        return f"{Option.declare(self)} min {self.least} max {self.most}"

    def parse(self, text: str) -> int:
        number = parse_integer(text)
        if number is None or not self.least <= number <= self.most:
            raise self.refuse(text, f"a whole number from {self.least} to {self.most}")
        return number


@dataclass(frozen=True, slots=True)
class Combo(Option):
    """One of several words, case-insensitive."""

    kind = "combo"
    choices: tuple[str, ...]

    def declare(self) -> str:
        return Option.declare(self) + "".join(f" var {choice}" for choice in self.choices)

    def parse(self, text: str) -> str:
        for choice in self.choices:
            if choice.lower() == text.lower():
                return choice
        raise self.refuse(text, f"one of {', '.join(self.choices)}", did_you_mean(text, self.choices))


@dataclass(frozen=True, slots=True)
class Time(Option):
    """A duration such as ``500ms`` or ``2s``, stored as text. The code that uses it decides a bare number's unit."""

    def parse(self, text: str) -> str:
        if milliseconds(text, "s") is None:
            raise self.refuse(text, "a time such as 500ms or 2s, or a number of at least 0")
        return text


def parse_decimal(text: str) -> float | None:
    """Parse a non-negative decimal number of at most 12 characters; return None if ``text`` is not one."""
    whole, _, fraction = text.partition(".")
    digits = whole + fraction
    return float(text) if len(text) <= 12 and digits.isascii() and digits.isdecimal() else None


@dataclass(frozen=True, slots=True)
class UciSettings(DialectSettings):
    """Settings set by ``setoption`` in addition to the session's options.

    :param notation: the notation for moves, a name from :data:`quietmove.engine.protocol.notation.NOTATIONS`.
    """

    notation: str = "project"


@dataclass(frozen=True, slots=True)
class GameChoice(Option):
    """A game by name or ``path/file.py:Class``, optionally followed by parameters. Names are looked up on demand."""

    kind = "combo"

    def declare(self) -> str:
        return Option.declare(self) + "".join(f" var {name}" for name in game_names())

    def parse(self, text: str) -> str:
        """Return the game's full name, or raise UnknownGameError if the game rejects the parameters."""
        if ".py:" in text:
            return get_game(text).name
        word, _, parameters = text.lower().partition(" ")
        names = {name.lower(): name for name in (Options().game, *game_names())}
        if word not in names:
            hint = did_you_mean(word, tuple(names)) or f"; the games are {', '.join(sorted(names))}"
            raise self.refuse(text, "a game or path/file.py:Class, optionally followed by parameters", hint)
        return get_game(f"{names[word]} {parameters}").name


@dataclass(frozen=True, slots=True)
class EvaluatorChoice(Option):
    """An evaluator of the current game. ``default`` means the game's first evaluator."""

    @property
    def default(self) -> str:
        return DEFAULT

    def parse(self, text: str) -> str:
        if not text:
            raise self.refuse(text, f"`{DEFAULT}` or an evaluator of the game")
        return "" if text.lower() == DEFAULT else text.lower()


@dataclass(frozen=True, slots=True)
class FileChoice(EvaluatorChoice):
    """The path of a file. ``default`` means the file shipped with the game."""

    def parse(self, text: str) -> str:
        if not text or "\0" in text:
            raise self.refuse(text, f"`{DEFAULT}` or the path of a file")
        return "" if text.lower() == DEFAULT else text


@dataclass(frozen=True, slots=True)
class Button(Option):
    """An action without a value, such as clearing the table."""

    kind = "button"

    def declare(self) -> str:
        return f"option name {self.name} type button"

    def parse(self, text: str) -> object:
        if text:
            raise self.refuse(text, "no value")
        return None


OPTIONS: tuple[Option, ...] = (
    Combo(
        "Algorithm",
        "algorithm",
        "the search algorithm; `mcts` samples games, all others find the same value",
        (*ALGORITHMS, MCTS),
    ),
    Combo("Ordering", "ordering", "the move ordering; `static` is the generator's order", ORDERINGS),
    EvaluatorChoice("Evaluation", "evaluation", "the evaluator for positions at the horizon"),
    FileChoice(
        "EvalFile",
        "evaluation_file",
        "a weights file for `network`",
    ),
    Check("Quiescence", "quiescence", "whether to search noisy moves beyond the horizon"),
    Spin("Selectivity", "selectivity", "how readily to prune moves that hardly matter; 0 prunes none", 0, 5),
    Check("Aspiration", "aspiration", "whether iterations start with a narrow window around the last value"),
    Spin("Hash", "hash", "size of the transposition table in megabytes, 0 for none; a change clears it", 0, 65536),
    Spin("Threads", "threads", "number of search threads; results are reproducible only with 1", 1, 256),
    Button("Clear Hash", "", "clears the transposition table"),
    Spin("MultiPV", "multipv", "number of best moves to report, with an `info` line each", 1, 64),
    Combo(
        "Notation",
        "notation",
        "the notation for moves in output; all are accepted as input",
        tuple(NOTATIONS),
        holder=UciSettings,
    ),
    GameChoice("Game", "game", "the game to play; a change sets up its initial position"),
    Spin("Deals", "deals", "number of deals to search in games with hidden cards, 0 for all deals", 0, 1000000),
    Spin("Seed", "seed", "seed for all random choices: deals, a level's mistakes, games of `mcts`", 0, 2147483647),
    Spin("Level", "level", f'the playing strength (see "Levels"); {FULL_STRENGTH} is the strongest', 0, FULL_STRENGTH),
    Check("UCI_LimitStrength", "limit_strength", "whether `UCI_Elo` sets the playing strength instead of `Level`"),
    Spin("UCI_Elo", "elo", "the target rating, on the scale of the levels", LEVELS[0].elo, FULL_ELO),
    Spin("Move Overhead", "move_overhead", "milliseconds reserved per move for communication delays", 0, 5000),
    Spin(
        "Exploration",
        "exploration",
        "in hundredths; higher values make `mcts` explore moves that look worse more often",
        0,
        1000,
    ),
    Check("OwnBook", "own_book", "whether to play book moves immediately, without a search"),
    FileChoice("BookFile", "book_file", "an opening book to use instead of the game's own; the last four stay loaded"),
    Spin(
        "BookVariety",
        "book_variety",
        "the most that a book move may lose compared to the best one, in hundredths of a disc",
        0,
        1000,
    ),
    Check("Trace", "trace", "whether to report every step of a search; small trees only"),
    Check("Ponder", "ponder", "whether the client intends to use `go ponder`, which works either way"),
)


def find_option(name: str, options: Sequence[Option] = OPTIONS) -> Option:
    """Return the option called ``name``, ignoring case.

    :raises OptionError: if there is none.
    """
    for option in options:
        if option.name.lower() == name.lower():
            return option
    names = [option.name for option in options]
    hint = did_you_mean(name, names)
    raise OptionError(f"no option {name!r}" + (hint or f"; the options are {', '.join(names)}"))


def read_setoption(tokens: Sequence[str]) -> tuple[str, str]:
    """Parse ``setoption name N [value V]``, starting at ``setoption``. Name and value can have several words.

    :raises OptionError: if the line has no name.
    """
    words = list(tokens[tokens.index("name") + 1 :]) if "name" in tokens else []
    value_at = words.index("value") if "value" in words else len(words)
    if value_at == 0:
        raise OptionError("expected 'name N value V', or 'name N' for a button")
    return " ".join(words[:value_at]), " ".join(words[value_at + 1 :])


def apply_option(session: Session, option: Option, text: str) -> None:
    """Parse ``text`` and set a session option, or press a button.

    :raises OptionError: if the value is not allowed, or the option belongs to the protocol, not to the session.
    :raises UnknownGameError: if there is no such game.
    :raises BusyError: if a search is running.
    """
    session.require_idle()
    if option.holder is not Options:
        raise OptionError(f"option {option.name}: only available in the UCI-style protocol")
    value = option.parse(text)
    if isinstance(option, Button):
        session.clear_table()
    else:
        session.configure(session.options.changed(option.field, value))
