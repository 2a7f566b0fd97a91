"""How much worse a move is than the best one, and its mark. Scores are hundredths, from the side that moves."""

from __future__ import annotations

from quietmove.engine.games.base import DECISIVE

INACCURACY = 200  # hundredths of the game's point: a move that loses as much is marked ?!
MISTAKE = 400  # a move that loses as much is marked ?
BLUNDER = 1000  # a move that loses as much is marked ??
ACCURATE_BELOW = 100  # a move that loses less than this counts as accurate


def loss_of(value: int, best_value: int) -> int | None:
    """Return what a move gave away, never below 0; None where a proven win or loss, which has no points, is part of it.

    A slower win and a quicker loss give nothing away.

    :param value, best_value: of the move that was played, and of the best.
    """
    values = value, best_value
    if max(map(abs, values)) > DECISIVE:
        return 0 if min(values) > DECISIVE or max(values) < -DECISIVE else None
    return max(0, best_value - value)


def mark_of(value: int, best_value: int, *, exact: bool) -> str:
    """Return ``?!``, ``?`` or ``??`` for an inaccuracy, a mistake or a blunder, by its loss or by what it gives away.

    A win or a draw that is given away makes a mistake at least, a win that becomes a loss a blunder.

    :param exact: whether both values are those at the end of the game.
    """
    loss = loss_of(value, best_value) or 0
    given_away = _outcome(best_value, exact) - _outcome(value, exact)
    if loss >= BLUNDER or given_away == 2:
        return "??"
    if loss >= MISTAKE or given_away == 1:
        return "?"
    return "?!" if loss >= INACCURACY else ""


def _outcome(value: int, exact: bool) -> int:
    """Return 1, 0 or -1 for what is known to be a win, a draw or a loss; 0 where it is not known."""
    return (value > 0) - (value < 0) if exact or abs(value) > DECISIVE else 0
