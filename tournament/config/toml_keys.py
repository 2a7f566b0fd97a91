"""The keys of a tournament's configuration: which there are, what they mean and what they take."""

from __future__ import annotations

from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, create_model

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.adjudication import ADJUDICATION_SETTINGS
from quietmove.referee.config.openings import OPENING_SETTINGS
from quietmove.referee.config.toml_keys import EngineTable, Keys, setting_key
from quietmove.tournament.config.definition import DEFAULT_FORMAT
from quietmove.tournament.errors import UnknownFormatError
from quietmove.tournament.formats import FORMATS, get_format

__all__ = ["DEFAULT_GAME", "Document", "FixedDocument", "describe_keys", "document_model"]

DEFAULT_GAME = "othello"
MOST_AT_ONCE = 10_000  # games
_FILE_OR_NONE: dict[str, Any] = {"anyOf": [{"type": "string"}, {"const": False}]}  # what editors are told of a file


def _game(value: object) -> object:
    try:
        get_game(str(value))
    except UnknownGameError as error:
        raise ValueError(str(error).removeprefix("game: ")) from None
    return value


def _format(value: object) -> object:
    try:
        get_format(str(value))
    except UnknownFormatError as error:
        raise ValueError(str(error).removeprefix("format: ")) from None
    return value


def _opening_source(value: object) -> object:
    if (isinstance(value, str) and value.isprintable()) or value is False:
        return value
    raise ValueError("should be the name of a file, or false to begin every game at the initial position")


class FixedDocument(Keys):
    """What stands at the top of the file, beside what the referee and the format declare."""

    name: str = Field(min_length=1, description="of the tournament; part of what openings and seeds follow from")
    game: Annotated[str, BeforeValidator(_game)] = Field(DEFAULT_GAME, description=f"default {DEFAULT_GAME}")
    format: Annotated[str, BeforeValidator(_format), WithJsonSchema({"enum": list(FORMATS)})] = Field(
        DEFAULT_FORMAT, description=f"who meets whom; default {DEFAULT_FORMAT}; its own keys are below"
    )
    seed: int = Field(1, description="another one gives other openings and seeds; default 1")
    openings: Annotated[Any, BeforeValidator(_opening_source), WithJsonSchema(_FILE_OR_NONE)] = Field(
        None,
        description="a file with one opening per line, of positions (.obf) or of games (.ggf, .wtb, .jsonl), or false "
        f"for none; default the built-in list, which is of {DEFAULT_GAME}; other games begin at their initial position",
    )
    concurrency: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] | None = Field(
        None,
        description="games at once unless the command line says otherwise; default one per processor, or per thread of "
        "a cluster's workers",
    )
    keep_dialogue: bool = Field(False, description="store every line to and from the engines; default false")
    defaults: Any = Field(None, description="a table of what holds for all engines; see below")
    engine: list[Any] = Field(min_length=2, description="a table for each engine: [[engine]]; see below")


# What stands at the top whatever the format; :func:`document_model` adds the format's own keys.
_OF_GAMES = {row.name: setting_key(row) for row in (*OPENING_SETTINGS, *ADJUDICATION_SETTINGS)}
Document: type[FixedDocument] = create_model("Document", __base__=FixedDocument, **cast("dict[str, Any]", _OF_GAMES))


def document_model(format_name: object) -> type[FixedDocument]:
    """Return what may stand at the top of a file of this format; of an unknown one, the keys of all formats.

    :param format_name: as it stands in the file, of any type.
    """
    if isinstance(format_name, str) and format_name in FORMATS:
        return _with_settings({row.name: setting_key(row) for row in get_format(format_name).settings})
    return _with_settings({row.name: (Any, None) for name in FORMATS for row in get_format(name).settings})


def _with_settings(fields: dict[str, Any]) -> type[FixedDocument]:
    return create_model("Document", __base__=Document, **fields)


def describe_keys() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return every key and what it means, by the table in which it may stand."""
    tables: list[tuple[str, type[BaseModel]]] = [
        ("At the top", Document),
        *((f'At the top with format = "{name}"', _own_keys(name)) for name in FORMATS),
        ("In [[engine]], and all but the name in [defaults]", EngineTable),
    ]
    return [
        (title, [(key, field.description or "") for key, field in model.model_fields.items()])
        for title, model in tables
    ]


def _own_keys(format_name: str) -> type[BaseModel]:
    fields: dict[str, Any] = {row.name: setting_key(row) for row in get_format(format_name).settings}
    return create_model("Settings", **fields)
