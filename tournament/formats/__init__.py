"""The registry of formats: a new one is a file in this folder and a row here."""

from __future__ import annotations

import difflib
import importlib

from quietmove.tournament.errors import UnknownFormatError
from quietmove.tournament.formats.base import Column, Format, Summary

__all__ = ["DEFAULT_FORMAT", "FORMATS", "Column", "Format", "Summary", "get_format"]

DEFAULT_FORMAT = "round-robin"
FORMATS = {
    "gauntlet": "quietmove.tournament.formats.gauntlet:Gauntlet",
    "knockout": "quietmove.tournament.formats.knockout:Knockout",
    "neighbours": "quietmove.tournament.formats.neighbours:Neighbours",
    "round-robin": "quietmove.tournament.formats.round_robin:RoundRobin",
    "sprt": "quietmove.tournament.formats.sprt:SprtMatch",
    "spsa": "quietmove.tournament.formats.spsa:Tuning",
    "swiss": "quietmove.tournament.formats.swiss:Swiss",
}


def get_format(name: str) -> type[Format]:
    """Return the format of this name; its module is imported now.

    :raises UnknownFormatError: if there is none.
    """
    if name not in FORMATS:
        close = difflib.get_close_matches(name.lower(), FORMATS, 1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise UnknownFormatError(f"format: no format {name!r}; {hint}there is {', '.join(sorted(FORMATS))}")
    module, _, class_name = FORMATS[name].partition(":")
    found: type[Format] = getattr(importlib.import_module(module), class_name)
    return found
