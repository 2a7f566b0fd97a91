"""A tournament as one frozen value, for stores and configuration files."""

from __future__ import annotations

import json
from dataclasses import field, replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from quietmove.engine.common.text import printable
from quietmove.referee.config.model import Adjudication, EngineConfig, Settings
from quietmove.referee.config.validation import adapter, model

DEFAULT_FORMAT = "round-robin"
DEFAULT_GAME = "othello"
MAX_SHOWN = 80  # maximum length of a value that an error quotes
MAX_CONCURRENCY = 10_000  # maximum number of concurrent games
REFERENCE_SPEED = 6_000_000  # nodes a second of `quietmove bench` on the reference machine, a desktop computer of 2024


@model
class RosterChange:
    """A change in the engines that take part, from a given round on, in a format that allows such changes.

    :ivar engine: the engine that joins, or "" if one leaves without a replacement.
    :ivar replaces: the engine that stops playing from this round on, or "".
    """

    engine: str
    round: Annotated[int, Field(ge=1)]
    replaces: str = ""


@model
class Tournament:
    """The complete definition of a tournament. A store that contains it needs no other file.

    :ivar openings: validated openings, as returned by :mod:`quietmove.referee.config.openings`.
    :ivar settings: names and values of the format's own settings.
    :ivar adjudication: the rules by which the referee ends a game early.
    :ivar time_scale: the factor by which ``--scale bench`` has already multiplied the times of the engines' limits.
    :ivar arrivals: the engines that join or leave, in the order of the rounds; all other engines always take part.
    """

    name: Annotated[str, Field(min_length=1, description="the tournament's name; openings and seeds depend on it")]
    game: Annotated[str, Field(description=f"the game to play; by default {DEFAULT_GAME}")]
    seed: Annotated[int, Field(description="changes the order of openings and the engines' seeds; by default 1")]
    openings: tuple[tuple[str, ...], ...]
    engines: tuple[EngineConfig, ...]
    format: Annotated[str, Field(description="determines who plays whom; its own keys are below")] = DEFAULT_FORMAT
    settings: Settings = ()
    concurrency: Annotated[
        Annotated[int, Field(ge=1, le=MAX_CONCURRENCY)] | None,
        Field(
            description="number of concurrent games, unless the command line overrides it; by default one per "
            "processor, or one per thread of a cluster's workers"
        ),
    ] = None
    keep_dialogue: Annotated[bool, Field(description="whether to store every line to and from the engines")] = False
    adjudication: Adjudication = field(default_factory=Adjudication)
    openings_order: Annotated[
        Literal["random", "sequential"],
        Field(
            description="random: shuffled by the seed, differently for each pair of engines; sequential: in file order"
        ),
    ] = "random"
    reference_speed: Annotated[
        int,
        Field(
            ge=1,
            description="the machine for which the limits are meant, in nodes a second of `quietmove bench`; with "
            "--scale bench, times are multiplied by this speed divided by that of the machine",
        ),
    ] = REFERENCE_SPEED
    notation: Annotated[
        Literal["algebraic", "project"],
        Field(
            description="the notation of moves in transcripts, exports and the report: d3, or the numbers of the "
            "Othello project; moves are always stored as d3"
        ),
    ] = "algebraic"
    time_scale: float = 1.0
    arrivals: tuple[RosterChange, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(engine.name for engine in self.engines)

    def in_sandboxes(self) -> Tournament:
        return replace(self, engines=tuple(replace(engine, sandbox=True) for engine in self.engines))

    def to_json(self) -> str:
        """Return the tournament as one line of JSON."""
        return adapter(Tournament).dump_json(self).decode()


def first_difference(one: Tournament, other: Tournament) -> tuple[str, str, str]:
    """Return the first key in which two different tournaments differ, and both values as text."""
    return _difference("", _as_table(one), _as_table(other))


def _as_table(tournament: Tournament) -> dict[str, Any]:
    """Return a tournament as nested dictionaries. Openings come last because they also depend on other keys."""
    table = json.loads(tournament.to_json())
    engines = [{**engine, "options": dict(engine["options"])} for engine in table.pop("engines")]
    openings = [" ".join(moves) for moves in table.pop("openings")]
    settings = dict(table.pop("settings"))
    return {**table, **settings, "engine": engines, "openings": openings}


def _difference(key: str, one: Any, other: Any) -> tuple[str, str, str]:
    if isinstance(one, list) and isinstance(other, list):
        one, other = dict(enumerate(one)), dict(enumerate(other))
    if isinstance(one, dict) and isinstance(other, dict):
        name = next(name for name in (*one, *other) if one.get(name) != other.get(name))
        return _difference(f"{key}.{name}".lstrip("."), one.get(name), other.get(name))
    return key, printable(str(one), MAX_SHOWN), printable(str(other), MAX_SHOWN)


def _source(value: object) -> object:
    if value in (None, False) or (isinstance(value, str) and value.isprintable()):
        return value
    raise ValueError("must be the name of a file, or false for the initial position")


@model
class OpeningsKeys:
    """The keys of a configuration that specify the openings."""

    openings: Annotated[
        str | Literal[False] | None,
        BeforeValidator(_source),
        Field(
            description="a file with one opening per line, of positions (.obf) or of games (.ggf, .wtb, .jsonl, .pgn, "
            ".sgf); "
            f"built-in, the default, for the built-in list of {DEFAULT_GAME} openings; random; or false for none; "
            "other games start at their initial position"
        ),
    ] = None
    openings_plies: Annotated[
        int,
        Field(
            ge=0,
            le=1000,
            description="the number of moves to take from each opening or game of the file; 0 means all, for files of "
            "move lines only",
        ),
    ] = 0
    openings_random: Annotated[
        int,
        Field(
            ge=0,
            le=100_000,
            description="use N random openings of openings_plies moves, chosen by the seed, instead of a file; by "
            "default none, or 5000 with openings = random",
        ),
    ] = 0
