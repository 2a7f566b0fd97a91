"""A game's description for people: title, parameters, and the rules in a paragraph."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """The description of a game.

    :param title: the game's usual name; "" means :attr:`Game.name`.
    :param text: the rules in one paragraph, or "" if unknown.
    :param parameters: the parameters that can follow the name, default first; "" if there are none.
    :param also: other names that people look for, in lower case and without spaces.
    :param moves: the moves that lead to the position in the picture.
    """

    title: str = ""
    text: str = ""
    parameters: str = ""
    also: tuple[str, ...] = ()
    moves: str = ""
