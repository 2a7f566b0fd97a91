"""Optional protocols of a game, beside :class:`quietmove.engine.games.base.Game`. A game with the methods has it.

A game of chance or with hidden cards also needs a search: see :class:`quietmove.engine.search.root_search.OwnSearch`.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from quietmove.engine.games.base import Book, OwnPosition, Position
from quietmove.engine.games.picture import Picture


@runtime_checkable
class Pictured(Protocol):
    """A game without a board of squares that draws pictures of its positions."""

    def picture(self, position: OwnPosition, viewer: int | None = None) -> Picture:
        """Return a picture of the position with the last move marked.

        :param viewer: the player from whom hidden information is concealed, or None to show everything.
        """


@runtime_checkable
class Theory(Protocol):
    """A game with a mathematical theory."""

    def theory(self, position: OwnPosition) -> list[str]:
        """Return mathematical facts about a position, one per line."""

    def known(self) -> Book | None:
        """Return a book of all positions if the game is played by theory instead of search, else None."""


@runtime_checkable
class HiddenCards(Protocol):
    """A game in which a player sees a view of the position. Its :attr:`Game.kind` is ``hidden``."""

    name: str

    def view(self, position: OwnPosition, side: int) -> str:
        """Return the position as known to the player ``side``, as text for :meth:`Game.parse_position`."""

    def deals(self, position: OwnPosition) -> list[tuple[Position, int]]:
        """Return every complete position that is consistent with the view ``position``, each with its weight.

        Weights are integers from 1, proportional to the probability of the deal given the view.

        :raises PositionError: if no deal is consistent with the view.
        """
