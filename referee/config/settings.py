"""What a seat or a format adds to the keys of an engine or of a tournament: one row that reads, checks and explains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from quietmove.referee.config.validation import GREATEST, Printable, explain, with_default

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
