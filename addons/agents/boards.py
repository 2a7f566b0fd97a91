"""Batches of Othello boards as arrays, for learning programs that search."""

from __future__ import annotations

from typing import Any

import numpy as np

from quietmove.addons.agents.teacher import check_discs
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.errors import IllegalMoveError
from quietmove.engine.games.othello.many_boards import ILLEGAL, ManyBoards
from quietmove.engine.games.othello.shape import SIZES

__all__ = ["Boards"]


class Boards:
    """A batch of ``count`` Othello boards; each method handles all of them in one call of compiled code.

    Moves are numbered as the environments' actions: the squares row by row, then a pass.

    >>> boards = Boards(1000, size=6)
    >>> boards.push(boards.legal_masks().argmax(axis=1))
    >>> boards.random_playouts(seed=1).shape
    (1000,)

    :param size: the board's size: 8, 6 or 4.
    """

    def __init__(self, count: int, size: int = 8) -> None:
        if size not in SIZES:
            raise ArgumentError(f"size: must be one of {', '.join(map(str, SIZES))}, not {size!r}")
        if not isinstance(count, int | np.integer) or count < 1:
            raise ArgumentError(f"count: must be a positive integer, not {count!r}")
        self._boards: Any = ManyBoards(count, size)
        self._words = np.asarray(self._boards.games).reshape(count, 3)

    @classmethod
    def from_discs(cls, own: Any, opponent: Any, size: int = 8) -> Boards:
        """Return the boards with these discs, with Black to move.

        :param own: the discs of the side to move: a ``uint64`` array of shape (count,), as from
            :func:`quietmove.environments.to_bitboards`.
        :param opponent: the opponent's discs, of the same shape.
        :raises ArgumentError: if the arrays have a different type or shape, or a square is in both sets.
        """
        own, opponent = check_discs(own, opponent)
        boards = cls(own.size, size)
        boards._words[:] = np.stack([own, opponent, np.zeros_like(own)], axis=1)
        return boards

    def __setitem__(self, rows: Any, boards: Boards) -> None:
        """Replace the boards at the indices ``rows`` by copies of other ones."""
        self._words[rows] = boards._words

    def __len__(self) -> int:
        return len(self._words)

    @property
    def discs(self) -> Any:
        """The discs of the side to move and of its opponent: a ``uint64`` array of shape (count, 2) of 64-bit sets."""
        return self._words[:, :2].copy()

    @property
    def turns(self) -> Any:
        """The sides to move, 0 for Black: an ``int64`` array of shape (count,). After the end, they still alternate."""
        return self._words[:, 2].astype(np.int64)

    def planes(self) -> Any:
        """Return the discs as an ``int8`` array of shape (count, size, size, 2), first those of the side to move."""
        return self._observe()[0]

    def legal_masks(self) -> Any:
        """Return the legal moves: a boolean array of shape (count, squares + 1), all False for a finished game."""
        return self._observe()[1].astype(bool)

    def _observe(self) -> tuple[Any, Any]:
        count, size = len(self), self._boards.size
        planes, masks = np.zeros((count, size, size, 2), np.int8), np.zeros((count, size * size + 1), np.int8)
        self._boards.observe(planes, masks)
        return planes, masks

    def push(self, moves: Any) -> None:
        """Make a move on each board. Moves on boards whose game is over are ignored.

        :param moves: integers of shape (count,).
        :raises ArgumentError: if ``moves`` is anything else; no board is changed.
        :raises IllegalMoveError: if a move is not legal; no board is changed.
        """
        array = np.asarray(moves)
        if array.shape != (len(self),) or array.dtype.kind not in "iu":
            raise ArgumentError(
                f"moves: must be integers of the shape ({len(self)},), not {array.dtype} of {array.shape}"
            )
        before, going = self._words.copy(), self.legal_masks().any(axis=1).astype(np.uint8)
        ended = np.zeros(len(self), np.uint8)
        self._boards.play(np.ascontiguousarray(array, np.int64), going, ended)
        if (ended == ILLEGAL).any():
            self._words[:] = before
            row = int(np.argmax(ended == ILLEGAL))
            legal = np.flatnonzero(self.legal_masks()[row]).tolist()
            raise IllegalMoveError(f"moves: board {row}: must be one of {legal}, not {array[row]}")

    def copy(self, rows: Any = None) -> Boards:
        """Return independent boards.

        :param rows: the indices of the boards to copy, in any order and any number of times; by default all.
        """
        words = self._words if rows is None else self._words[np.asarray(rows)]
        other = Boards(len(words), self._boards.size)
        other._words[:] = words
        return other

    def results(self) -> Any:
        """Return the final discs from the side to move's point of view, the empty squares given to the winner.

        :return: ``int64`` of shape (count,); meaningless for games that are not over.
        """
        return np.array([self._boards.score(game) for game in range(len(self))])

    def random_playouts(self, rows: Any = None, seed: int = 0) -> Any:
        """Play random games from copies of the boards, and return their results.

        :param rows: as for :meth:`copy`: ``[3] * 100`` plays a hundred games from board 3.
        :param seed: an integer, from which the games follow.
        :return: ``int64`` of shape (len(rows),): the discs by which the board's side to move wins.
        """
        boards = self.copy(rows)
        begun = boards.turns
        boards._boards.seed(seed)
        boards._boards.finish()
        return np.where(boards.turns == begun, 1, -1) * boards.results()
