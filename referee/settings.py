"""A setting of a seat: one row that reads it, checks it and explains it, on a command line and in a TOML file."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

__all__ = ["MOST", "Setting", "SettingValue", "suggestion"]

SettingValue = str | int | bool

MOST = 10**12  # of any number: thirty years of milliseconds, and less than any engine refuses
SWITCH = {"on": True, "off": False}


@dataclass(frozen=True, slots=True)
class Setting:
    """One row.

    :param name: the key in a TOML file and in a record.
    :param default: what holds where nothing is said; its type is the setting's.
    :param help: what it does, for a person.
    :param choices: the values that a text may have.
    :param least: the least value of a number.
    :param word: the key on a command line, where it is shorter than ``name``.
    """

    name: str
    default: SettingValue
    help: str
    choices: tuple[str, ...] = ()
    least: int = 0
    word: str = ""

    @property
    def type(self) -> Literal["switch", "number", "choice"]:
        """``switch`` (true or false), ``number`` (a whole one) or ``choice``."""
        if isinstance(self.default, bool):
            return "switch"
        return "number" if isinstance(self.default, int) else "choice"

    @property
    def key(self) -> str:
        """The key on a command line."""
        return self.word or self.name

    @property
    def allowed(self) -> str:
        """The values it takes on a command line, in words."""
        match self.type:
            case "switch":
                return "on, off"
            case "number":
                return f"a whole number from {self.least} to {MOST}"
            case _:
                return ", ".join(self.choices)

    @property
    def explanation(self) -> str:
        """What it does and what holds where nothing is said."""
        default = {True: "on", False: "off"}.get(self.default) if isinstance(self.default, bool) else self.default
        return f"{self.help} ({default})"

    def parse(self, text: str) -> SettingValue:
        """Return the value that a word of a command line gives.

        :raises ValueError: saying what is allowed and what came.
        """
        if self.type == "switch":
            return self.check(SWITCH.get(text, text))
        return self.check(int(text) if self.type == "number" and text.isascii() and text.isdigit() else text)

    def check(self, value: object) -> SettingValue:
        """Return ``value``.

        :raises ValueError: if the setting does not take it; saying what is allowed and what came.
        """
        match self.type:
            case "switch":
                fits = isinstance(value, bool)
            case "number":
                fits = isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= MOST
            case _:
                fits = value in self.choices
        if fits and isinstance(value, str | int):
            return value
        raise ValueError(f"{suggestion(value, self.choices)}allowed: {self.allowed}; got {value!r}")


def suggestion(came: object, allowed: tuple[str, ...] | list[str]) -> str:
    """Return ``did you mean …? `` for what is nearly one of ``allowed``, or nothing."""
    by_case = {each.lower(): each for each in allowed}
    close = difflib.get_close_matches(str(came).lower(), by_case, 1)
    return f"did you mean {by_case[close[0]]}? " if close else ""
