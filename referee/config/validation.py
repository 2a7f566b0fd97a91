"""Data classes that validate themselves, and functions that read user input and report every mistake with its key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, dataclass_transform

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import nearest
from quietmove.engine.common.untrusted import parse_json
from quietmove.referee.errors import SetupError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T")
Object = TypeVar("Object", bound=BaseModel)

KeyPath = tuple[str | int, ...]  # the keys that lead to a value, such as ("engine", 2, "options", "Hash")
Mistake = tuple[KeyPath, str]  # the key of an invalid value, and the requirement on the value

GREATEST = 10**12  # upper bound of all numbers: 10**12 milliseconds are 30 years
MAX_VALUE_LENGTH = 100  # maximum length of an invalid value in a message, in characters
# The adapter that validates a type's values and converts them to and from Python and JSON.
adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)

SUBJECT = re.compile(r"^(Value error, )?((JSON input|Input|Value|String|List|Tuple|Dictionary) should )?")
TABLE_ERRORS = ("dataclass_type", "dict_type", "model_type")
ARRAY_ERRORS = ("tuple_type", "list_type")


@dataclass_transform(frozen_default=True)
def model(cls: type[T]) -> type[T]:
    """Turn a class into a frozen dataclass that validates its fields on construction.

    Types and bounds are annotations in pydantic's form. The constructor raises :class:`SetupError`.
    """
    made: Any = checked_dataclass(cls, frozen=True, slots=True, config=ConfigDict(extra="forbid"))
    check: Callable[..., None] = made.__init__

    def make(self: object, *arguments: object, **fields: object) -> None:
        try:
            check(self, *arguments, **fields)
        except ValidationError as error:
            raise SetupError([spell_problem(path, text) for path, text in _mistakes(error, fields, made)]) from None

    made.__init__ = make
    found: type[T] = made
    return found


def names(kind: Any) -> list[str]:
    return list(kind.__dataclass_fields__)


def read(kind: type[T], data: object, *, words: bool = False) -> tuple[T | None, list[Mistake]]:
    """Return the model built from ``data``, or None if anything is invalid, and a list of all mistakes.

    :param data: values of TOML or JSON types, which are not converted.
    :param words: whether values are command-line strings, to be converted to numbers and booleans.
    """
    try:
        if words:
            return adapter(kind).validate_python(data), []
        return adapter(kind).validate_json(json.dumps(data, default=str), strict=True), []
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":  # undecodable bytes; only Python validation names their key
            return read(kind, data, words=True)
        return None, _mistakes(error, data, kind)


def spell_problem(path: KeyPath, text: str) -> str:
    """Format a mistake as a message: ``engine.2.options.Hash: must be …``."""
    return ": ".join(filter(None, (".".join(map(str, path)), text)))


def _mistakes(error: ValidationError, data: object, kind: Any) -> list[Mistake]:
    return [(_path(details["loc"], data), explain(details, names(kind))) for details in error.errors()]


def _path(place: KeyPath, data: object) -> KeyPath:
    """Map a location in a value to the path in ``data``, which may contain a table instead of a list of pairs."""
    if len(place) > 1 and isinstance(data, dict) and isinstance(table := data.get(str(place[0])), dict):
        return (place[0], list(table)[int(place[1])]) if isinstance(place[1], int) else place[:2]
    return place


def explain(details: ErrorDetails, allowed: Sequence[str]) -> str:
    """Convert a pydantic error to a message: what is required, and the value given.

    :param allowed: the keys of the table that contains the error.
    """
    kind, came = details["type"], details["input"]
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        return unknown_key(str(details["loc"][-1]), allowed)
    if kind in ("missing", "missing_argument"):
        return "must be given"
    if kind in TABLE_ERRORS:
        text = "must be a table"
    elif kind in ARRAY_ERRORS:
        text = "must be an array"
    elif kind == "string_unicode":
        text = "must be text in UTF-8"
    elif kind == "json_invalid":
        text = "must be a JSON object"
    else:
        text = SUBJECT.sub("", details["msg"])
        text = text if text.startswith("must ") else f"must {text}"
    hint = ""
    if kind == "value_error" and not isinstance(came, str | int | float | list):  # the error concerns the whole table
        return text
    if kind == "literal_error":
        hint = suggestion(came, re.findall(r"'([^']+)'", details["msg"]))
    return requirement_text(text, came, hint)


def read_object(kind: type[Object], text: str | bytes, whole: str, error: type[QuietmoveError]) -> Object:
    """Build a model from an untrusted JSON object.

    :param whole: the object's name in messages.
    :raises QuietmoveError: of the class ``error``, for the first mistake.
    """
    try:
        parse_json(text)
        return kind.model_validate_json(text)
    except ValidationError as found:
        details = found.errors()[0]
        if details["type"] == "json_invalid":  # a truncated character
            raise error(f"{whole}: must be a JSON object") from None
        raise error(spell_problem(details["loc"] or (whole,), explain(details, list(kind.model_fields)))) from None
    except ValueError as found:
        raise error(f"{whole}: must be a JSON object: {found}") from None


def requirement_text(text: str, came: object, hint: str = "") -> str:
    """Return a requirement followed by the given value (unless ``text`` already contains it) and ``hint``."""
    shown = repr(came)
    shown = shown if len(shown) <= MAX_VALUE_LENGTH else f"{shown[:MAX_VALUE_LENGTH]}…"
    return f"{text}{'' if ', not ' in text else f', not {shown}'}{f'; {hint.strip()}' if hint else ''}"


def unknown_key(key: str, allowed: Iterable[str]) -> str:
    allowed = list(allowed)
    return requirement_text(f"must be one of the keys {', '.join(allowed)}", key, suggestion(key, allowed))


def suggestion(came: object, allowed: Iterable[str]) -> str:
    """Return ``did you mean …? `` if a name in ``allowed`` is similar, else ""."""
    name = nearest(str(came), allowed)
    return f"did you mean {name}? " if name else ""


def printable_text(text: str) -> str:
    """Return ``text`` unchanged if it is printable.

    :raises ValueError: if it contains characters that a terminal cannot print.
    """
    if not text.isprintable():
        raise ValueError("must contain only printable characters")
    return text


def with_default(text: str, default: object) -> str:
    """Return a key's description with its default, unless the default is empty."""
    shown = ("off", "on")[default] if isinstance(default, bool) else default
    return text if shown in ("", (), None) else f"{text} ({shown})"


Printable = Annotated[str, AfterValidator(printable_text)]


SettingValue = bool | int | float | str


@dataclass(frozen=True)
class Setting:
    """One setting of a seat, a format or another extension.

    :param name: the key in files and on the command line.
    :param default: the default value. Its type is the setting's type: boolean, integer, number or string; a string is
        one of ``choices`` if there are any.
    :param help: a description for users.
    :param least, most: the bounds of a number.
    :param required: whether a value must be given; if so, ``default`` determines only the type.
    """

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float = GREATEST
    required: bool = False

    @property
    def explanation(self) -> str:
        """The help text, including the default if there is one."""
        return self.help if self.required else with_default(self.help, self.default)

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """The adapter that validates values."""
        kind: Any = type(self.default)
        if self.choices:
            kind = Literal[self.choices]
        elif kind is str:
            kind = Printable
        elif kind is not bool:
            kind = Annotated[kind, Field(ge=self.least, le=self.most)]
        return TypeAdapter(kind)

    def schema(self) -> dict[str, Any]:
        """Return the setting as a JSON Schema."""
        default = {} if self.required else {"default": self.default}
        return {**self.adapter.json_schema(), "description": self.explanation, **default}

    def check(self, value: object, *, words: bool = False) -> SettingValue:
        """Return ``value`` converted to the setting's type.

        :param words: whether it is a command-line string, to be converted to a number or boolean.
        :raises ValueError: if the value is invalid; the message contains the requirement and the value.
        """
        try:
            checked: SettingValue = self.adapter.validate_python(value, strict=not words)
        except ValidationError as error:
            raise ValueError(explain(error.errors()[0], ())) from None
        return checked
