"""A setting of a seat or of a tournament's format: one row that reads, checks and explains it."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["MOST", "Setting", "SettingValue", "suggestion"]

SettingValue = bool | int | float | str

MOST = 10**12  # the greatest number that is allowed: 30 years in milliseconds, and no engine refuses less
SWITCH = {"on": True, "off": False}
WHOLE = re.compile(r"-?[0-9]+")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Setting:
    """One row.

    :param name: the key in a TOML file and in a record.
    :param default: the value if none is given. It also says what the setting takes: true or false, a whole number, any
        number, or one of ``choices``.
    :param help: what it does, for a person.
    :param choices: the values that a text may have.
    :param least, most: the least and the greatest value of a number.
    :param word: the key on a command line, where it is shorter than ``name``.
    :param required: whether a value must be given; ``default`` then only says what the setting takes.
    """

    name: str
    default: SettingValue
    help: str
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float = MOST
    word: str = ""
    required: bool = False

    @property
    def type(self) -> Literal["switch", "whole", "number", "choice"]:
        """``switch`` (true or false), ``whole`` (a whole number), ``number`` (any number) or ``choice``."""
        if isinstance(self.default, bool):
            return "switch"
        if isinstance(self.default, int):
            return "whole"
        return "number" if isinstance(self.default, float) else "choice"

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
            case "whole":
                return f"a whole number from {self.least:.0f} to {self.most:.0f}"
            case "number":
                return f"a number from {self.least:g} to {self.most:.0f}"
            case _:
                return ", ".join(self.choices)

    @property
    def explanation(self) -> str:
        """What it does, and its default."""
        if self.required:
            return self.help
        default = {True: "on", False: "off"}.get(self.default) if isinstance(self.default, bool) else self.default
        return f"{self.help} ({default})"

    def parse(self, text: str) -> SettingValue:
        """Return the value that a word of a command line gives.

        :raises ValueError: saying what is allowed and what came.
        """
        match self.type:
            case "switch":
                return self.check(SWITCH.get(text, text))
            case "whole" if WHOLE.fullmatch(text):
                return self.check(int(text))
            case "number" if NUMBER.fullmatch(text):
                return self.check(float(text))
        return self.check(text)

    def check(self, value: object) -> SettingValue:
        """Return ``value``.

        :raises ValueError: if the setting does not take it; saying what is allowed and what came.
        """
        match self.type:
            case "switch":
                fits = isinstance(value, bool)
            case "whole":
                fits = isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most
            case "number":
                fits = (
                    isinstance(value, int | float) and not isinstance(value, bool) and self.least <= value <= self.most
                )
            case _:
                fits = value in self.choices
        if fits and isinstance(value, str | int | float):
            return value
        raise ValueError(f"{suggestion(value, self.choices)}allowed: {self.allowed}; got {value!r}")


def suggestion(came: object, allowed: tuple[str, ...] | list[str]) -> str:
    """Return ``did you mean …? `` for what is nearly one of ``allowed``, or nothing."""
    by_case = {each.lower(): each for each in allowed}
    close = difflib.get_close_matches(str(came).lower(), by_case, 1)
    return f"did you mean {by_case[close[0]]}? " if close else ""
