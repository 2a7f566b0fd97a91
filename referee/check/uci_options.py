"""The `option` lines of an engine: what they declare, and whether that is well-formed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quietmove.engine.protocol.lines import parse_integer

__all__ = ["OptionLine", "read_options"]

TYPES = ("check", "spin", "combo", "button", "string")
WORDS = re.compile(r"(?<=\S)\s+(type|default|min|max|var)(?=\s|$)")  # each ends what stands behind the one before it


@dataclass(frozen=True, slots=True)
class OptionLine:
    """What one line declares; texts as they stand there, empty where the line has none.

    :param choices: the values of `var`.
    """

    name: str
    type: str = ""
    default: str = ""
    min: str = ""
    max: str = ""
    choices: tuple[str, ...] = ()

    def allows(self, value: int) -> bool:
        """Tell whether a `spin` takes this number."""
        least, most = parse_integer(self.min), parse_integer(self.max)
        return self.type == "spin" and least is not None and most is not None and least <= value <= most

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the line."""
        if self.type not in TYPES:
            yield f"type of option {self.name!r}: must be one of {', '.join(TYPES)}, not {self.type!r}"
        allowed = ""
        if self.type == "spin" and not self.allows(parse_integer(self.default) or 0):
            allowed = f"from {self.min!r} to {self.max!r}"
        if self.type == "check" and self.default not in ("true", "false"):
            allowed = "true or false"
        if self.type == "combo" and self.default not in self.choices:
            allowed = f"one of {', '.join(self.choices)}"
        if allowed:
            yield f"default of option {self.name!r}: must be {allowed}, not {self.default!r}"


def read_options(lines: Sequence[str]) -> list[OptionLine]:
    """Return what the `option` lines among ``lines`` declare."""
    return [read_option(text) for text in lines if text.split()[:1] == ["option"]]


def read_option(line: str) -> OptionLine:
    """Return what a line declares; a name may have several words, none of them but the first one of WORDS."""
    name, *rest = WORDS.split(line.removeprefix("option").strip().removeprefix("name"))
    pairs = [(word, value.strip()) for word, value in zip(rest[::2], rest[1::2], strict=True)]
    found = {word: value for word, value in pairs if word != "var"}
    return OptionLine(name.strip(), **found, choices=tuple(value for word, value in pairs if word == "var"))
