"""Rows that each declare one setting: its name, its values and its help.

A row declares itself to a client, parses a value, documents itself, and says which field of which frozen values holds
the value. The options of ``setoption`` are such rows, and so are the settings of a dialect's command line.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

from quietmove.engine.common.text import did_you_mean, milliseconds
from quietmove.engine.errors import OptionError
from quietmove.engine.protocol.lines import parse_integer
from quietmove.engine.session import Options

SWITCH = {"true": True, "on": True, "false": False, "off": False}


@dataclass(frozen=True, slots=True)
class DialectSettings:
    """What is chosen for one dialect alone; a dialect with settings has a subclass with a field for each row."""

    def get(self, field: str) -> object:
        """Return the value of a field."""
        return getattr(self, field)

    def changed(self, field: str, value: object) -> Self:
        """Return the settings with another value of a field."""
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
        """The type's name on the wire."""
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
