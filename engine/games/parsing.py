"""What several games read alike in a position's text: its fields, a side to move, a number."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.errors import PositionError


def require_fields(fields: Sequence[str], count: int, names: str) -> None:
    """Check that a position has so many fields.

    :param names: what they are, for the error.
    :raises PositionError: if it has not.
    """
    if len(fields) != count:
        raise PositionError(f"position: must be {count} fields, {names}, not {len(fields)}")


def read_side(sides: tuple[str, str], text: str) -> int:
    """Return 0 or 1 for the letter of a side.

    :raises PositionError: if it is none of them.
    """
    if text not in sides:
        raise PositionError(f"side to move: must be {' or '.join(sides)}, not {text!r}")
    return sides.index(text)


def read_count(name: str, text: str, least: int, most: int) -> int:
    """Return the whole number that ``text`` writes.

    :param name: what is counted, for the error.
    :raises PositionError: if it is none from ``least`` to ``most``.
    """
    if len(text) <= 9 and text.isascii() and text.isdecimal() and least <= int(text) <= most:
        return int(text)
    raise PositionError(f"{name}: must be a whole number from {least} to {most}, not {text!r}")
