"""The keys of a configuration's tables of engines, and of settings: what they mean and take, and what is wrong.

A tournament's configuration and that of the page have the same tables ``[defaults]`` and ``[[engine]]``.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from quietmove.referee.config.config import (
    COMMON_SETTINGS,
    DEFAULT_PROTOCOL,
    OWN_ENGINE,
    SEED_PLACE,
    TIME_CONTROL_FORMS,
    TimeControl,
)
from quietmove.referee.config.settings import Setting
from quietmove.referee.errors import RefereeError
from quietmove.referee.seats import SEATS, get_seat, seat_settings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["EngineKeys", "EngineTable", "FixedEngineKeys", "Keys", "Model", "explain", "setting_key"]


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


# What editors are told of keys that are checked here by functions.
_TEXT_OR_TEXTS: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
    ]
}
_LIMIT: dict[str, Any] = {"type": "string", "pattern": r"^(tc=[0-9./+]+|movetime=[0-9]+|nodes=[0-9]+|depth=[0-9]+)$"}
_OPTION: dict[str, Any] = {"type": ["string", "integer", "boolean"]}


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


def setting_key(row: Setting, owners: Sequence[str] = ()) -> tuple[Any, Any]:
    """Return the key of a setting as pydantic has it: its type, and its default with the description."""
    only = f"{' and '.join(owners)} only: " if owners else ""
    default = ... if row.required else row.default
    checked = Annotated[Any, BeforeValidator(row.check), WithJsonSchema(_schema_of(row))]
    return checked, Field(default, description=only + row.explanation)


# What can be set of any engine, and what the seats of the referee declare for themselves.
_COMMON = {row.name: setting_key(row) for row in COMMON_SETTINGS}
_OF_SEATS = {row.name: setting_key(row, owners) for row, owners in seat_settings()}
EngineKeys: type[FixedEngineKeys] = create_model(
    "EngineKeys", __base__=FixedEngineKeys, **cast("dict[str, Any]", _COMMON | _OF_SEATS)
)


_NAME = {"name": (str, Field(min_length=1, description="what it is called in the results"))}
EngineTable: type[FixedEngineKeys] = create_model("EngineTable", __base__=EngineKeys, **cast("dict[str, Any]", _NAME))


Model = TypeVar("Model", bound=Keys)


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
