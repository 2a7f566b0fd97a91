"""The review of a game as it is kept with the game: for each move its value, the best one's, and the better line.

It is the key ``review`` of a saved game, an object with ``moves`` (an object for each move, see :class:`ReviewedMove`),
``limit`` (how each position was searched) and ``date``. A review is deeper than another if its searches of all moves
together reach more plies; of two that reach as many, the one with more exact values. A deeper review replaces the kept
one, any other leaves it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from quietmove.engine.common.folders import data_folder
from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.errors import GameFileError
from quietmove.engine.files import read_bytes, write_whole
from quietmove.engine.protocol.describe import ACCURATE_BELOW, loss_of, mark_of

ReasonKind = Literal["corner", "pass", "stable", "mobility", "parity"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why a move is worse than another.

    :param text: a clause that begins with a move or with "after", without a full stop.
    :param line: the moves from the position on that show it.
    :param discs: the squares of the stable discs that it speaks of, as a 64-bit set; 0 for another kind.
    """

    kind: ReasonKind
    text: str
    line: tuple[int, ...]
    discs: int = 0


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """One move of a game. Values are hundredths of the game's point, from the side that moves.

    :param side: 0 for the first player, 1 for the second.
    :param depth: plies of the search.
    :param exact: whether the values are those at the end of the game.
    :param value, best_value: of the move that was played and of the best; None where there was no choice.
    :param second: of the best of all moves but the best one; None where it was not searched.
    :param line: the best move and what follows it, as the game writes moves; empty where there was no choice.
    :param played: the move that was played and what follows it; empty where it was the best.
    :param why: of a marked move, why the best one was better; empty where no reason was found. ``reason`` is its kind.
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
        """What the move gave away, in hundredths; None where a proven win or loss is part of it."""
        if self.value is None or self.best_value is None:
            return 0
        return loss_of(self.value, self.best_value)

    @property
    def mark(self) -> str:
        """``?!``, ``?`` or ``??``, or nothing."""
        if self.value is None or self.best_value is None:
            return ""
        return mark_of(self.value, max(self.value, self.best_value), exact=self.exact)


@dataclass(frozen=True, slots=True)
class Review:
    """What was found about all moves of a game.

    :param limit: how each position was searched, such as ``movetime=1000``.
    :param date: when, as ``2026-11-23 09:30:00``.
    """

    moves: tuple[ReviewedMove, ...]
    limit: str = ""
    date: str = ""

    @property
    def effort(self) -> tuple[int, int]:
        """How deep it is: the plies of all searches, and how many values are exact."""
        return sum(each.depth for each in self.moves), sum(each.exact for each in self.moves)


def accuracy(review: Review, side: int) -> int | None:
    """Return the accuracy of a side in percent: the share of its moves with a choice that lost less than a point.

    None where it had no choice.
    """
    losses = [each.loss for each in review.moves if each.side == side and each.line]
    accurate = sum(loss is not None and loss < ACCURATE_BELOW for loss in losses)
    return round(100 * accurate / len(losses)) if losses else None


def today() -> str:
    """Return the time as reviews are dated."""
    return time.strftime("%Y-%m-%d %H:%M:%S")


def kept_game(text: str) -> Path | None:
    """Return the file of a kept game that ``text`` names; None for any other text, and for other files."""
    try:
        path = Path(text).resolve()
        return path if path.parent == (data_folder() / "games").resolve() and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a transcript is no path
        return None


def keep_review(path: Path, moves: Sequence[str], review: Review) -> bool:
    """Write a review into the file of its game, in one step, unless the one that is there is as deep.

    :param moves: the moves that were reviewed, as the game writes them.
    :return: whether it was written.
    :raises GameFileError: if the file is no game of these moves, or cannot be read or written.
    """
    try:
        data = parse_json(read_bytes(path))
        if [each["move"] for each in data["moves"]] != list(moves):
            raise GameFileError("the review is not kept: the game has other moves than those that were reviewed")
        if "review" in data and read_review(data["review"]).effort >= review.effort:
            return False
        write_whole(path, f"{json.dumps({**data, 'review': _object(review)}, separators=(',', ':'))}\n".encode())
    except (OSError, ValueError, KeyError, TypeError, GameFileError) as error:
        is_known = isinstance(error, (OSError, GameFileError))
        wrong = getattr(error, "strerror", None) or error if is_known else "must be a saved game, one line of JSON"
        raise GameFileError(f"{path}: {wrong}") from None
    return True


def read_review(data: dict[str, Any]) -> Review:
    """Return a review that was kept.

    :raises TypeError, KeyError: if it is none.
    """
    return Review(tuple(ReviewedMove(**each) for each in data["moves"]), data.get("limit", ""), data.get("date", ""))


def _object(review: Review) -> dict[str, Any]:
    """Return a review as it is written; what is as usual is left out."""
    usual = asdict(ReviewedMove(-1))
    moves = [{key: value for key, value in asdict(each).items() if value != usual[key]} for each in review.moves]
    return {"moves": moves, "limit": review.limit, "date": review.date}
