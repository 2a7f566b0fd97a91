"""Verdicts: pure functions that choose the reason for ending a game and compute the score."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.engine.games.base import DECISIVE
from quietmove.referee.config.model import REASONS, Color, Reason

OTHELLO_DISCS = 64  # a forfeited game of Othello is scored as a loss by the whole board


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a game. The fields are as in :class:`quietmove.referee.game.record.GameRecord`."""

    reason: Reason
    loser: Color | None
    points_black: float
    margin_black: int
    detail: str


def judge(*, crashed: bool, late: bool, answered: bool, resigned: bool) -> Reason:
    """Return the first reason that applies to a turn that produced no legal move.

    :param crashed: whether the process exited or closed its output.
    :param late: whether the limit and the margin ran out before a reply arrived.
    :param answered: whether a line arrived that was meant as a reply.
    :param resigned: whether that line is a resignation; if not, it contains no legal move.
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
    """Return the verdict when ``loser`` forfeits: a loss by the largest margin the game allows.

    :param largest_score: the game's largest score, in hundredths of a point; in a game without points the margin is 1.
    """
    black_won = loser == "white"
    margin = 1 if largest_score > DECISIVE else largest_score // 100
    return Verdict(reason, loser, float(black_won), margin if black_won else -margin, detail)


def finished(result: int, players: tuple[str, str]) -> Verdict:
    """Return the verdict on a game played to its end; ``result`` is Black's score in hundredths of a point.

    In a game with only wins, losses and draws, a win has a margin of 1.

    :param players: the game's names for Black and White.
    """
    if result == 0:
        return Verdict("finished", None, 0.5, 0, "a draw")
    winner, points = (players[0], 1.0) if result > 0 else (players[1], 0.0)
    if abs(result) > DECISIVE:
        return Verdict("finished", None, points, 1 if result > 0 else -1, f"{winner} wins")
    margin = int(result / 100)
    return Verdict("finished", None, points, margin, f"{winner} wins by {abs(margin)}")
