"""The registry of dialects that this engine speaks: one row per dialect, whose module is loaded when it is used.

The referee plays with an engine of a dialect through a seat of :mod:`quietmove.referee.seats`, and the add-on ``check``
has a registry of protocols whose engines it can examine.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quietmove.engine.common.text import one_of
from quietmove.engine.errors import OptionError

if TYPE_CHECKING:
    from quietmove.engine.protocol.dialect import Dialect


@dataclass(frozen=True, slots=True)
class DialectEntry:
    """One row.

    :param name: what ``--protocol`` takes.
    :param target: the class, as ``module:Class``.
    :param first_words: if the command line names no protocol, a first line that begins with one of them chooses this.
    :param help: one sentence.
    :param by_hand: the class for a person at a terminal, where it is not ``target``.
    """

    name: str
    target: str
    first_words: tuple[str, ...]
    help: str
    by_hand: str = ""

    def load(self, by_hand: bool = False) -> type[Dialect]:
        """Import the module and return the class."""
        module, _, name = ((by_hand and self.by_hand) or self.target).partition(":")
        dialect: type[Dialect] = getattr(importlib.import_module(module), name)
        return dialect


DIALECTS = (
    DialectEntry(
        "uci",
        "quietmove.engine.protocol.uci:Uci",
        ("uci",),
        "The UCI-style protocol of protocol.md.",
        by_hand="quietmove.engine.protocol.interactive:Interactive",
    ),
    DialectEntry(
        "project",
        "quietmove.engine.protocol.project:Project",
        ("game",),
        "One game as an Othello-project program, for a course's referee.",
    ),
    DialectEntry(
        "ugi", "quietmove.engine.protocol.ugi:Ugi", ("ugi",), "UGI, the UCI-style protocol for any game of two."
    ),
    DialectEntry(
        "nboard", "quietmove.engine.protocol.nboard:NBoard", ("nboard",), "The protocol of the program NBoard."
    ),
    DialectEntry("gtp", "quietmove.engine.protocol.gtp:Gtp", (), "GTP 2 with GoGui's rules extension."),
)
DEFAULT = DIALECTS[0]


def find_dialect(name: str) -> DialectEntry:
    """Return the row of that name.

    :raises OptionError: if there is none.
    """
    for entry in DIALECTS:
        if entry.name == name:
            return entry
    names = [entry.name for entry in DIALECTS]
    raise OptionError(one_of("--protocol", names, name))


def detect(line: str) -> DialectEntry:
    """Return the dialect that the first line of a conversation is in: the default, unless another declares its word."""
    word = line.split(maxsplit=1)[0] if line.strip() else ""
    return next((entry for entry in DIALECTS if word in entry.first_words), DEFAULT)
