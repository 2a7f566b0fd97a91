"""The contract of opening training: what the game by hand needs to know of the opening that a person trains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from quietmove.engine.games.base import Position
from quietmove.engine.tools.analysis.reviews import Review
from quietmove.referee.config.model import EngineConfig


class Training(Protocol):
    """An opening of Othello to train. The hook ``training`` of an add-on returns one for a name or for moves."""

    @property
    def name(self) -> str:
        """The name or the moves that the person asked for."""

    @property
    def title(self) -> str:
        """The title of a game in which it is trained."""

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves from the start of the game with which training begins."""

    @property
    def last_ply(self) -> int:
        """The number of moves after which the opening is over."""

    def describe(self) -> str:
        """Return one sentence about the opening."""

    def reply(self, position: Position, seed: int | str) -> int:
        """Return the opponent's move."""

    def comment(self, position: Position, move: int) -> str:
        """Return a comment on the person's move, to be shown before it is made."""

    def seat_of(self, engine: EngineConfig) -> EngineConfig:
        """Return the configuration of an engine that replies by the book until the opening is over."""

    def look_over(self, start: Position, moves: Sequence[int], humans: frozenset[int]) -> tuple[list[str], Review, int]:
        """Search the moves of the opening; return lines to print, the review, and the number of positions to practise.

        :param start: the position before the first move.
        :param humans: the sides whose mistakes count.
        """
