"""The registry of formats. To add one, add a file to this folder and a row here.

An add-on registers the formats of its own tournaments, which cannot be chosen in a file.
"""

from __future__ import annotations

from typing import cast

from quietmove.engine.common.addons import added, load_added
from quietmove.referee.config.validation import requirement_text, suggestion
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import UnknownFormatError
from quietmove.tournament.formats.base import Column, Format, Summary
from quietmove.tournament.formats.knockout import Knockout
from quietmove.tournament.formats.round_robin import Gauntlet, Neighbours, RoundRobin
from quietmove.tournament.formats.sprt import SprtMatch
from quietmove.tournament.formats.spsa import Tuning
from quietmove.tournament.formats.swiss import Swiss

__all__ = ["FORMATS", "Column", "Format", "Summary", "get_format", "plan_of"]

FORMATS: dict[str, type[Format]] = {
    "gauntlet": Gauntlet,
    "knockout": Knockout,
    "neighbours": Neighbours,
    "round-robin": RoundRobin,
    "sprt": SprtMatch,
    "spsa": Tuning,
    "swiss": Swiss,
}


def get_format(name: str) -> type[Format]:
    """Return the format class with this name.

    :raises UnknownFormatError: if it does not exist.
    """
    if kind := FORMATS.get(name):
        return kind
    if location := added("formats").get(name):
        return cast("type[Format]", load_added(location))
    raise UnknownFormatError(f"format: {requirement_of(name)}")


def requirement_of(name: str) -> str:
    """Return what the key ``format`` of a file must be, and that ``name`` is not."""
    return requirement_text(f"must be one of {', '.join(FORMATS)}", name, suggestion(name, FORMATS))


def plan_of(tournament: Tournament) -> Format:
    """Return a tournament's plan, which determines the games to play.

    :raises UnknownFormatError: if the format does not exist.
    """
    return get_format(tournament.format)(tournament)
