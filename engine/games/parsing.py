"""Helpers for parsing positions, shared by several games: fields, sides and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.errors import PositionError


def require_fields(fields: Sequence[str], count: int, names: str) -> None:
    """Check the number of fields of a position.

    :param names: a description of the fields, for the error message.
    :raises PositionError: if the number is wrong.
    """
    if len(fields) != count:
        raise PositionError(f"position: must have {count} fields ({names}), not {len(fields)}")


def read_side(sides: tuple[str, str], text: str) -> int:
    """Parse the letter of a side and return 0 or 1.

    :raises PositionError: if ``text`` is not one of the two letters.
    """
    if text not in sides:
        raise PositionError(f"side to move: must be {' or '.join(sides)}, not {text!r}")
    return sides.index(text)


def read_count(name: str, text: str, least: int, most: int) -> int:
    """Parse an integer in a range.

    :param name: a name for the number, for the error message.
    :raises PositionError: if ``text`` is not an integer from ``least`` to ``most``.
    """
    if len(text) <= 9 and text.isascii() and text.isdecimal() and least <= int(text) <= most:
        return int(text)
    raise PositionError(f"{name}: must be a whole number from {least} to {most}, not {text!r}")
