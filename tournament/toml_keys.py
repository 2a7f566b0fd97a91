"""The keys of a configuration: which there are, what they mean, what they take, and what is wrong with a value."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.base import get_game
from quietmove.referee.adjudication import ADJUDICATION_SETTINGS
from quietmove.referee.config import COMMON_SETTINGS, DEFAULT_PROTOCOL, TIME_CONTROL_FORMS, TimeControl
from quietmove.referee.errors import RefereeError
from quietmove.referee.openings import OPENING_SETTINGS
from quietmove.referee.programs import OWN_ENGINE
from quietmove.referee.seats import SEATS, get_seat, seat_settings
from quietmove.referee.settings import Setting
from quietmove.tournament.errors import UnknownFormatError
from quietmove.tournament.formats import DEFAULT_FORMAT, FORMATS, get_format
from quietmove.tournament.programs import SEED_PLACE

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = [
    "DEFAULT_GAME",
    "Document",
    "EngineKeys",
    "EngineTable",
    "FixedDocument",
    "FixedEngineKeys",
    "Keys",
    "Model",
    "describe_keys",
    "document_model",
    "explain",
]

DEFAULT_GAME = "othello"
MOST_AT_ONCE = 10_000  # games


def _words(value: object) -> object:
    """Read a command, given as a list of words or as one line that is split as a shell would."""
    if isinstance(value, str):
        value = shlex.split(value)
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
        raise ValueError("should be a program and its arguments, as one string or as a list of strings")
    return tuple(value)


def _protocol(value: object) -> object:
    try:
        get_seat(str(value))
    except RefereeError as error:
        raise ValueError(str(error).removeprefix("protocol ")) from None
    return value


def _limit(value: object) -> object:
    try:
        return TimeControl.parse(str(value))
    except RefereeError as error:
        raise ValueError(str(error)) from None


def _option_value(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        return str(value)
    raise ValueError("should be a string, a whole number, true or false")


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


# What editors are told of keys that are checked here by functions.
_TEXT_OR_TEXTS: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
    ]
}
_LIMIT: dict[str, Any] = {"type": "string", "pattern": r"^(tc=[0-9./+]+|movetime=[0-9]+|nodes=[0-9]+|depth=[0-9]+)$"}
_OPTION: dict[str, Any] = {"type": ["string", "integer", "boolean"]}
_FILE_OR_NONE: dict[str, Any] = {"anyOf": [{"type": "string"}, {"const": False}]}


class Keys(BaseModel):
    """One table of a configuration: no other keys, no conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True)


class FixedEngineKeys(Keys):
    """What ``[defaults]`` may say for all engines and each ``[[engine]]`` for itself, beside their settings."""

    command: Annotated[tuple[str, ...] | None, BeforeValidator(_words), WithJsonSchema(_TEXT_OR_TEXTS)] = Field(
        None,
        description="the program and its arguments, as one string or a list; a relative path begins at this file's "
        f"folder; {SEED_PLACE} becomes the game's seed; {OWN_ENGINE}, the default, is the engine of this installation",
    )
    protocol: Annotated[Any, BeforeValidator(_protocol), WithJsonSchema({"enum": list(SEATS)})] = Field(
        None, description=f"the kind of engine: {', '.join(SEATS)} (what the command names, else {DEFAULT_PROTOCOL})"
    )
    limit: Annotated[TimeControl | None, BeforeValidator(_limit), WithJsonSchema(_LIMIT)] = Field(
        None, description=f"how long it may think: {TIME_CONTROL_FORMS}"
    )
    options: dict[str, Annotated[str, BeforeValidator(_option_value), WithJsonSchema(_OPTION)]] = Field(
        {}, description=f"a table of option names and values; {SEED_PLACE} becomes the game's seed"
    )
    env: dict[str, str] = Field({}, description="a table of environment variables, beside those of the referee")


def _schema_of(row: Setting) -> dict[str, Any]:
    """Return what a setting takes, in the words of JSON Schema."""
    bounds = {"minimum": row.least, "maximum": row.most}
    match row.type:
        case "switch":
            return {"type": "boolean"}
        case "whole":
            return {"type": "integer", **bounds}
        case "number":
            return {"type": "number", **bounds}
        case "list":
            items = {"type": "integer", **bounds} if row.items is int else {"type": "string", "minLength": 1}
            return {"type": "array", "items": items}
        case "text":
            return {"type": "string"}
    return {"enum": list(row.choices)}


def _setting(row: Setting, owners: Sequence[str] = ()) -> tuple[Any, Any]:
    """Return the key of a setting as pydantic has it: its type, and its default with the description."""
    only = f"{' and '.join(owners)} only: " if owners else ""
    default = ... if row.required else row.default
    checked = Annotated[Any, BeforeValidator(row.check), WithJsonSchema(_schema_of(row))]
    return checked, Field(default, description=only + row.explanation)


# What can be set of any engine, and what the seats of the referee declare for themselves.
_COMMON = {row.name: _setting(row) for row in COMMON_SETTINGS}
_OF_SEATS = {row.name: _setting(row, owners) for row, owners in seat_settings()}
EngineKeys: type[FixedEngineKeys] = create_model(
    "EngineKeys", __base__=FixedEngineKeys, **cast("dict[str, Any]", _COMMON | _OF_SEATS)
)


_NAME = {"name": (str, Field(min_length=1, description="what it is called in the results"))}
EngineTable: type[FixedEngineKeys] = create_model("EngineTable", __base__=EngineKeys, **cast("dict[str, Any]", _NAME))


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
        None, description="games at once unless the command line says otherwise; default one per processor"
    )
    keep_dialogue: bool = Field(False, description="store every line to and from the engines; default false")
    defaults: Any = Field(None, description="a table of what holds for all engines; see below")
    engine: list[Any] = Field(min_length=2, description="a table for each engine: [[engine]]; see below")


# What stands at the top whatever the format; :func:`document_model` adds the format's own keys.
_OF_GAMES = {row.name: _setting(row) for row in (*OPENING_SETTINGS, *ADJUDICATION_SETTINGS)}
Document: type[FixedDocument] = create_model("Document", __base__=FixedDocument, **cast("dict[str, Any]", _OF_GAMES))


Model = TypeVar("Model", bound=Keys)


def document_model(format_name: object) -> type[FixedDocument]:
    """Return what may stand at the top of a file of this format; of an unknown one, the keys of all formats.

    :param format_name: as it stands in the file, of any type.
    """
    if isinstance(format_name, str) and format_name in FORMATS:
        return _with_settings({row.name: _setting(row) for row in get_format(format_name).settings})
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
    fields: dict[str, Any] = {row.name: _setting(row) for row in get_format(format_name).settings}
    return create_model("Settings", **fields)


def explain(details: ErrorDetails, model: type[Keys]) -> str:
    """Return one problem in words: what is allowed and what came."""
    allowed = list(model.model_fields)
    match details["type"]:
        case "extra_forbidden":
            key = str(details["loc"][-1])
            guess = difflib.get_close_matches(key.lower(), allowed, n=1)
            hint = f"did you mean {guess[0]!r}? " if guess else ""
            return f"no such key; {hint}allowed: {', '.join(allowed)}"
        case "missing":
            return "missing"
        case "value_error":
            text, came = str(details["ctx"]["error"]), repr(details["input"])
            return text if came in text else f"{text}; got {came}"
        case "too_short":
            return f"at least {details['ctx']['min_length']} are needed; got {details['ctx']['actual_length']}"
        case "list_type":
            return f"should be an array; got {details['input']!r}"
        case "model_type" | "dict_type":
            return f"should be a table; got {details['input']!r}"
        case _:
            message = details["msg"].removeprefix("Input ")
            return f"{message}; got {details['input']!r}"
