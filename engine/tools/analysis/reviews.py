"""The review saved with a game: for each move its value, the best move's value, and the better line.

It is stored under the key ``review`` of a saved game, an object with ``moves`` (an object per move, see
:class:`ReviewedMove`), ``limit`` (the limit for each search) and ``date``. Only a deeper review replaces a saved one:
its search depths have a greater sum or, for equal sums, it has more exact values.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from quietmove.engine.protocol.describe import ACCURATE_BELOW, loss_of, mark_of

ReasonKind = Literal["corner", "pass", "wedge", "region", "stable", "mobility", "quiet", "edge", "parity"]


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why one move is worse than another.

    :param text: a clause that begins with a move or with "after", without a full stop.
    :param line: the moves from the position that demonstrate the reason.
    :param discs: the squares of the stable discs in a reason about them, as a 64-bit set; 0 for other kinds of reason.
    """

    kind: ReasonKind
    text: str
    line: tuple[int, ...]
    discs: int = 0


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """The saved review of one move. Values are in hundredths of a point, from the mover's point of view.

    :param side: 0 for the first player, 1 for the second.
    :param depth: depth of the search in plies.
    :param exact: whether the values are exact results at the end of the game.
    :param value, best_value: the values of the move played and of the best move, or None if there was no choice.
    :param second: the value of the second-best move, or None if it was not searched.
    :param line: the best move and its continuation in the game's notation; "" if there was no choice.
    :param played: the move played and its continuation; "" if it was the best.
    :param why: the reason why the best move was better than a marked move, or "" if no reason was found.
    :param reason: the kind of reason, or "".
    """

    side: int
    depth: int = 0
    exact: bool = False
    value: int | None = None
    best_value: int | None = None
    second: int | None = None
    line: str = ""
    played: str = ""
    why: str = ""
    reason: str = ""

    @property
    def loss(self) -> int | None:
        """The move's loss in hundredths, or None if a proven win or loss makes the difference meaningless."""
        if self.value is None or self.best_value is None:
            return 0
        return loss_of(self.value, self.best_value)

    @property
    def mark(self) -> str:
        """``?!``, ``?`` or ``??``, or "" if the move is not marked."""
        if self.value is None or self.best_value is None:
            return ""
        return mark_of(self.value, max(self.value, self.best_value), exact=self.exact)


@dataclass(frozen=True, slots=True)
class Review:
    """The review of all moves of a game.

    :param limit: the limit for the search of each position, such as ``movetime=1000``.
    :param date: the time of the review, such as ``2026-11-23 09:30:00``.
    """

    moves: tuple[ReviewedMove, ...]
    limit: str = ""
    date: str = ""

    @property
    def effort(self) -> tuple[int, int]:
        """The review's depth: the sum of all search depths, and the number of exact values."""
        return sum(each.depth for each in self.moves), sum(each.exact for each in self.moves)


def accuracy(review: Review, side: int) -> int | None:
    """Return the percentage of a side's non-forced moves that lost less than a point, or None if all were forced."""
    losses = [each.loss for each in review.moves if each.side == side and each.line]
    accurate = sum(loss is not None and loss < ACCURATE_BELOW for loss in losses)
    return round(100 * accurate / len(losses)) if losses else None


def today() -> str:
    """Return the current time in the format of a review's date."""
    return time.strftime("%Y-%m-%d %H:%M:%S")
