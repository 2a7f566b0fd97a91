"""A tournament as one frozen value: what a store keeps of it, and what the top of a configuration file says."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from quietmove.referee.config.model import Adjudication, EngineConfig, Settings
from quietmove.referee.config.validation import adapter, model

DEFAULT_FORMAT = "round-robin"
DEFAULT_GAME = "othello"
MOST_AT_ONCE = 10_000  # games


@model
class RosterChange:
    """An engine that takes part from a round on, in a format whose engines arrive while it is played.

    :ivar engine: its name; empty where an engine leaves and none comes in its place.
    :ivar replaces: the engine that takes part no more from this round on; empty if there is none.
    """

    engine: str
    round: Annotated[int, Field(ge=1)]
    replaces: str = ""


@model
class Tournament:
    """What is to be played; all of it, so that a store that holds this value needs no other file.

    :ivar openings: the openings as :mod:`quietmove.referee.config.openings` returns them, which has checked them.
    :ivar settings: names and values of the format's own settings.
    :ivar adjudication: the rules by which the referee ends a game that is not over on the board.
    :ivar arrivals: what has changed in who takes part, in the order of the rounds; all other engines take part always.
    """

    name: Annotated[
        str, Field(min_length=1, description="of the tournament; part of what openings and seeds follow from")
    ]
    game: Annotated[str, Field(description=f"default {DEFAULT_GAME}")]
    seed: Annotated[int, Field(description="another one gives other openings and seeds; default 1")]
    openings: tuple[tuple[str, ...], ...]
    engines: tuple[EngineConfig, ...]
    format: Annotated[str, Field(description="who meets whom; its own keys are below")] = DEFAULT_FORMAT
    settings: Settings = ()
    concurrency: Annotated[
        Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] | None,
        Field(
            description="games at once unless the command line says otherwise; default one per processor, or per "
            "thread of a cluster's workers"
        ),
    ] = None
    keep_dialogue: Annotated[bool, Field(description="whether every line to and from the engines is stored")] = False
    adjudication: Adjudication = field(default_factory=Adjudication)
    openings_order: Annotated[
        Literal["random", "sequential"],
        Field(
            description="random: shuffled by the seed, for each pair of engines anew; sequential: as they stand in the "
            "file"
        ),
    ] = "random"
    arrivals: tuple[RosterChange, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(engine.name for engine in self.engines)

    def in_sandboxes(self) -> Tournament:
        return replace(self, engines=tuple(replace(engine, sandbox=True) for engine in self.engines))

    def to_json(self) -> str:
        """Return the value as one line of JSON."""
        return adapter(Tournament).dump_json(self).decode()


def _source(value: object) -> object:
    if value in (None, False) or (isinstance(value, str) and value.isprintable()):
        return value
    raise ValueError("must be the name of a file, or false for the initial position")


@model
class OpeningsKeys:
    """The keys of a configuration that say where the openings come from."""

    openings: Annotated[
        str | Literal[False] | None,
        BeforeValidator(_source),
        Field(
            description="a file with one opening per line, of positions (.obf) or of games (.ggf, .wtb, .jsonl); "
            f"built-in, the default, for the list of this installation, which is of {DEFAULT_GAME}; random; or false "
            "for none; other games begin at their initial position"
        ),
    ] = None
    openings_plies: Annotated[
        int,
        Field(
            ge=0,
            le=1000,
            description="how many moves of each opening or game of the file are taken; 0 all, which only lines of "
            "moves allow",
        ),
    ] = 0
    openings_random: Annotated[
        int,
        Field(
            ge=0,
            le=100_000,
            description="so many random openings of openings_plies moves, chosen by the seed, instead of a file; by "
            "default none, or 5000 with openings = random",
        ),
    ] = 0
