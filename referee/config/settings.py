"""A setting of a seat or of a tournament's format: one row that reads, checks and explains it."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["MOST", "SWITCH", "Setting", "SettingValue", "suggestion"]

SettingValue = bool | int | float | str  # of seats and formats; a list is a tuple

MOST = 10**12  # the greatest number that is allowed: 30 years in milliseconds, and no engine refuses less
SWITCH = {"on": True, "off": False}
WHOLE = re.compile(r"-?[0-9]+")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Setting:
    """One row.

    :param name: the key in a TOML file and in a record.
    :param default: the value if none is given. It also says what the setting takes: true or false, a whole number, any
        number, a list, or a text, which is one of ``choices`` if there are any.
    :param help: what it does, for a person.
    :param choices: the values that a text may have.
    :param least, most: the least and the greatest value of a number, or of each number in a list.
    :param items: what a list consists of: ``int`` for whole numbers, or ``str``.
    :param word: the key on a command line, where it is shorter than ``name``.
    :param required: whether a value must be given; ``default`` then only says what the setting takes.
    """

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float = MOST
    word: str = ""
    required: bool = False
    items: type[int] | type[str] = str

    @property
    def type(self) -> Literal["switch", "whole", "number", "choice", "text", "list"]:
        """``switch`` (true or false), ``whole`` (number), ``number`` (any number), ``choice``, ``text`` or ``list``."""
        if isinstance(self.default, bool):
            return "switch"
        if isinstance(self.default, tuple):
            return "list"
        if isinstance(self.default, int):
            return "whole"
        if isinstance(self.default, float):
            return "number"
        return "choice" if self.choices else "text"

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
                return f"a number from {self.least:g} to {self.most:.15g}"
            case "list" if self.items is int:
                return f"whole numbers from {self.least:.0f} to {self.most:.0f}, with commas between them"
            case "list":
                return "texts of printable characters, with commas between them"
            case "text":
                return "printable characters"
            case _:
                return ", ".join(self.choices)

    @property
    def explanation(self) -> str:
        """What it does, and its default."""
        if self.required:
            return self.help
        default = {True: "on", False: "off"}.get(self.default) if isinstance(self.default, bool) else self.default
        return self.help if default in ("", ()) else f"{self.help} ({default})"

    def parse(self, text: str) -> Any:
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
            case "list":
                words = text.split(",") if text else []
                return self.check(
                    [int(word) if WHOLE.fullmatch(word) and self.items is int else word for word in words]
                )
        return self.check(text)

    def check(self, value: object) -> Any:
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
            case "list":
                fits = isinstance(value, list | tuple) and all(map(self._is_item, value))
            case "text":
                fits = isinstance(value, str) and value.isprintable()
            case _:
                fits = value in self.choices
        if fits and isinstance(value, list):
            return tuple(value)
        if fits and isinstance(value, str | int | float | tuple):
            return value
        raise ValueError(f"{suggestion(value, self.choices)}allowed: {self.allowed}; got {value!r}")

    def _is_item(self, value: object) -> bool:
        """Tell whether ``value`` may stand in a list of this setting."""
        if isinstance(value, int) and not isinstance(value, bool):
            return self.items is int and self.least <= value <= self.most
        return self.items is str and isinstance(value, str) and value != "" and value.isprintable()


def suggestion(came: object, allowed: tuple[str, ...] | list[str]) -> str:
    """Return ``did you mean …? `` for what is nearly one of ``allowed``, or nothing."""
    by_case = {each.lower(): each for each in allowed}
    close = difflib.get_close_matches(str(came).lower(), by_case, 1)
    return f"did you mean {by_case[close[0]]}? " if close else ""
