"""The registry of the engine's dialects, one row each. A dialect's module is imported on first use.

The referee talks to the engines of a dialect through a seat from :mod:`quietmove.referee.seats`, and the add-on
``check`` has its own registry of the protocols it can test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quietmove.engine.common.addons import added, load_added
from quietmove.engine.common.text import one_of
from quietmove.engine.errors import OptionError

if TYPE_CHECKING:
    from quietmove.engine.protocol.dialect import Dialect


@dataclass(frozen=True, slots=True)
class DialectEntry:
    """A row of the registry.

    :param name: the value for ``--protocol``.
    :param target: the class, as ``module:Class``.
    :param first_words: words at the start of the first line that select this dialect if no protocol is specified.
    :param help: a one-sentence description.
    :param by_hand: the class for a person at a terminal, if it differs from ``target``.
    """

    name: str
    target: str
    first_words: tuple[str, ...]
    help: str
    by_hand: str = ""

    def load(self, by_hand: bool = False) -> type[Dialect]:
        """Import the module and return the class."""
        dialect: type[Dialect] = load_added((by_hand and self.by_hand) or self.target)
        return dialect


DIALECTS = (
    DialectEntry(
        "uci",
        "quietmove.engine.protocol.uci:Uci",
        ("uci",),
        "The UCI-style protocol described in protocol.md.",
        by_hand="quietmove.engine.protocol.interactive:Interactive",
    ),
    DialectEntry(
        "project",
        "quietmove.engine.protocol.project:Project",
        ("game",),
        "One game as an Othello-project program, for a course's referee.",
    ),
    DialectEntry(
        "ugi", "quietmove.engine.protocol.ugi:Ugi", ("ugi",), "UGI, a UCI-style protocol for any two-player game."
    ),
)
DEFAULT = DIALECTS[0]


def all_dialects() -> Iterator[DialectEntry]:
    """Yield the built-in dialects first, then those of add-ons."""
    yield from DIALECTS
    rows: dict[str, tuple[str, str]] = added("dialects", core=dict.fromkeys(entry.name for entry in DIALECTS))
    for name, (location, text) in rows.items():
        yield DialectEntry(name, location, (), text)


def find_dialect(name: str) -> DialectEntry:
    """Return the dialect with this name.

    :raises OptionError: if there is none.
    """
    if entry := next((entry for entry in all_dialects() if entry.name == name), None):
        return entry
    raise OptionError(one_of("--protocol", [entry.name for entry in all_dialects()], name))


def detect(line: str) -> DialectEntry:
    """Return the dialect selected by the first word of a conversation, or the default.

    An add-on's dialect is selected by its name if its conversations can begin with this word.
    """
    word = line.split(maxsplit=1)[0] if line.strip() else ""
    if entry := next((entry for entry in DIALECTS if word in entry.first_words), None):
        return entry
    if not word or DEFAULT.load().knows(word):  # without listing the add-ons
        return DEFAULT
    return next((entry for entry in all_dialects() if entry.name == word and entry.load().knows(word)), DEFAULT)
