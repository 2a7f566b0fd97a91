"""Values that check themselves, and how they are read from what a user wrote: every mistake at once, with its key."""

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
Mistake = tuple[KeyPath, str]  # where, and what must be there

GREATEST = 10**12  # no number may be greater: 10**12 milliseconds are 30 years
LONGEST_VALUE = 100  # characters of a wrong value in a message
# What reads values of a type from Python's and JSON's values, and writes them as such.
adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)

SUBJECT = re.compile(r"^(Value error, )?((JSON input|Input|Value|String|List|Tuple|Dictionary) should )?")
TABLE_ERRORS = ("dataclass_type", "dict_type", "model_type")
ARRAY_ERRORS = ("tuple_type", "list_type")


@dataclass_transform(frozen_default=True)
def model(cls: type[T]) -> type[T]:
    """Make a frozen dataclass that checks its fields whenever it is made.

    A field's type with its bounds is an annotation that pydantic knows. The constructor raises :class:`SetupError`.
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
    """Return the value of a model that ``data`` describes, and everything that is wrong; None if anything is.

    :param data: values of the types of TOML or JSON, which are not converted.
    :param words: whether values are texts of a command line, of which numbers and switches are made.
    """
    try:
        if words:
            return adapter(kind).validate_python(data), []
        return adapter(kind).validate_json(json.dumps(data, default=str), strict=True), []
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":  # bytes that are no text; only Python's values name their key
            return read(kind, data, words=True)
        return None, _mistakes(error, data, kind)


def spell_problem(path: KeyPath, text: str) -> str:
    """Return a mistake as a message: ``engine.2.options.Hash: must be …``."""
    return ": ".join(filter(None, (".".join(map(str, path)), text)))


def _mistakes(error: ValidationError, data: object, kind: Any) -> list[Mistake]:
    return [(_path(details["loc"], data), explain(details, names(kind))) for details in error.errors()]


def _path(place: KeyPath, data: object) -> KeyPath:
    """Return a place in a value as the path in ``data``, where a table may stand for a list of names and values."""
    if len(place) > 1 and isinstance(data, dict) and isinstance(table := data.get(str(place[0])), dict):
        return (place[0], list(table)[int(place[1])]) if isinstance(place[1], int) else place[:2]
    return place


def explain(details: ErrorDetails, allowed: Sequence[str]) -> str:
    """Return one of pydantic's findings in words: what must be there, and what came.

    :param allowed: the keys of the table in which it was found.
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
    if kind == "value_error" and not isinstance(came, str | int | float | list):  # the whole table
        return text
    if kind == "literal_error":
        hint = suggestion(came, re.findall(r"'([^']+)'", details["msg"]))
    return requirement_text(text, came, hint)


def read_object(kind: type[Object], text: str | bytes, whole: str, error: type[QuietmoveError]) -> Object:
    """Return the value that a JSON object from outside describes.

    :param whole: what the object is called in messages.
    :raises QuietmoveError: of the class ``error``, for the first thing that is wrong.
    """
    try:
        parse_json(text)
        return kind.model_validate_json(text)
    except ValidationError as found:
        details = found.errors()[0]
        if details["type"] == "json_invalid":  # half a letter
            raise error(f"{whole}: must be a JSON object") from None
        raise error(spell_problem(details["loc"] or (whole,), explain(details, list(kind.model_fields)))) from None
    except ValueError as found:
        raise error(f"{whole}: must be a JSON object: {found}") from None


def requirement_text(text: str, came: object, hint: str = "") -> str:
    """Return what must be with what came, unless that is said already."""
    shown = repr(came)
    shown = shown if len(shown) <= LONGEST_VALUE else f"{shown[:LONGEST_VALUE]}…"
    return f"{text}{'' if ', not ' in text else f', not {shown}'}{f'; {hint.strip()}' if hint else ''}"


def unknown_key(key: str, allowed: Iterable[str]) -> str:
    allowed = list(allowed)
    return requirement_text(f"must be one of the keys {', '.join(allowed)}", key, suggestion(key, allowed))


def suggestion(came: object, allowed: Iterable[str]) -> str:
    """Return ``did you mean …? `` for what is nearly one of ``allowed``, or nothing."""
    name = nearest(str(came), allowed)
    return f"did you mean {name}? " if name else ""


def printable_text(text: str) -> str:
    """Return ``text``.

    :raises ValueError: if a terminal could not print it as it is.
    """
    if not text.isprintable():
        raise ValueError("must be printable characters")
    return text


def with_default(text: str, default: object) -> str:
    """Return what a key means with its default, unless that is empty."""
    shown = ("off", "on")[default] if isinstance(default, bool) else default
    return text if shown in ("", (), None) else f"{text} ({shown})"


Printable = Annotated[str, AfterValidator(printable_text)]


SettingValue = bool | int | float | str


@dataclass(frozen=True)
class Setting:
    """One row.

    :param name: the key, in a file and on a command line.
    :param default: the value if none is given. Its type says what the setting takes: true or false, a whole number, any
        number, or a text, which is one of ``choices`` if there are any.
    :param help: what it does, for a person.
    :param least, most: the least and the greatest value of a number.
    :param required: whether a value must be given; ``default`` then only says what the setting takes.
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
        """What it does, and its default."""
        return self.help if self.required else with_default(self.help, self.default)

    @cached_property
    def adapter(self) -> TypeAdapter[Any]:
        """What reads a value."""
        kind: Any = type(self.default)
        if self.choices:
            kind = Literal[self.choices]
        elif kind is str:
            kind = Printable
        elif kind is not bool:
            kind = Annotated[kind, Field(ge=self.least, le=self.most)]
        return TypeAdapter(kind)

    def schema(self) -> dict[str, Any]:
        """Return what the setting takes in the words of JSON Schema."""
        default = {} if self.required else {"default": self.default}
        return {**self.adapter.json_schema(), "description": self.explanation, **default}

    def check(self, value: object, *, words: bool = False) -> SettingValue:
        """Return ``value``.

        :param words: whether it is a text of a command line, which may stand for a number or a switch.
        :raises ValueError: if the setting does not take it; saying what must be there and what came.
        """
        try:
            found: SettingValue = self.adapter.validate_python(value, strict=not words)
        except ValidationError as error:
            raise ValueError(explain(error.errors()[0], ())) from None
        return found
