"""The order in which the reasons to end a game are checked, and the score of each. Pure: it knows no process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from quietmove.engine.games.base import DECISIVE
from quietmove.referee.config.model import Color

Reason = Literal["crash", "timeout", "illegal", "stall", "resign", "adjudicated", "finished"]
REASONS: tuple[Reason, ...] = get_args(Reason)  # the first reason that applies is taken
OTHELLO_DISCS = 64  # a forfeited game of Othello counts as the whole board


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game ended; the fields are those of :class:`quietmove.referee.game.record.GameRecord`."""

    reason: Reason
    loser: Color | None
    points_black: float
    margin_black: int
    detail: str


def judge(*, crashed: bool, late: bool, answered: bool, resigned: bool) -> Reason:
    """Return the first reason that ends the game, after a turn without a legal move.

    :param crashed: the process ended or closed its output.
    :param late: the clock passed its limit and margin before an answer arrived.
    :param answered: a line arrived that was meant as the answer.
    :param resigned: the line resigns; if not, it names no legal move.
    """
    applies: dict[Reason, bool] = {
        "crash": crashed,
        "timeout": late,
        "illegal": answered and not resigned,
        "stall": not answered,
        "resign": resigned,
    }
    return next(reason for reason in REASONS if applies.get(reason))


def forfeited(reason: Reason, loser: Color, detail: str, largest_score: int = 100 * OTHELLO_DISCS) -> Verdict:
    """Return the verdict that charges ``loser``, who loses by as much as the game allows.

    :param largest_score: the largest score of the game, in hundredths; in a game that is only won, drawn or lost the
        margin is 1.
    """
    black_won = loser == "white"
    margin = 1 if largest_score > DECISIVE else largest_score // 100
    return Verdict(reason, loser, float(black_won), margin if black_won else -margin, detail)


def finished(result: int, players: tuple[str, str]) -> Verdict:
    """Return the verdict on a game played to its end; ``result`` is its score from Black's view in hundredths.

    In a game that is only won, drawn or lost, a win counts as a difference of one.

    :param players: the game's names for Black and White.
    """
    if result == 0:
        return Verdict("finished", None, 0.5, 0, "a draw")
    winner, points = (players[0], 1.0) if result > 0 else (players[1], 0.0)
    if abs(result) > DECISIVE:
        return Verdict("finished", None, points, 1 if result > 0 else -1, f"{winner} wins")
    margin = int(result / 100)
    return Verdict("finished", None, points, margin, f"{winner} wins by {abs(margin)}")
