"""What a page asks for, in a JSON object: its texts, checked, and the position that they describe."""

from __future__ import annotations

from collections.abc import Mapping

from quietmove.engine.games.base import Game, Position
from quietmove.referee.errors import SetupError

__all__ = ["MOST_TEXT", "position_in", "text_in"]

MOST_TEXT = 500_000  # characters


def text_in(wish: Mapping[str, object], key: str, default: str = "", most: int = MOST_TEXT) -> str:
    """Return a text of ``wish``, ``default`` where it has none.

    :raises SetupError: if it is no text, or has more than ``most`` characters.
    """
    value = wish.get(key, default)
    if not isinstance(value, str):
        raise SetupError(f"{key}: a text is allowed; {value!r:.60} came")
    if len(value) > most:
        raise SetupError(f"{key}: a text of at most {most} characters is allowed; {len(value)} came")
    return value


def position_in(wish: Mapping[str, object], key: str, game: Game) -> Position:
    """Return the position that a text of ``wish`` gives, the game's first one where it gives none.

    :raises SetupError, PositionError: if it is no text, or no position.
    """
    fields = text_in(wish, key).split()
    return game.parse_position(fields) if fields else game.initial()
