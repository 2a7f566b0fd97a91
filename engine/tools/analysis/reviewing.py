"""What an analysis of a game found, as the review that is kept with the game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quietmove.engine.games.base import Game, Position
from quietmove.engine.protocol.describe import INACCURACY
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.tools.analysis.reasons import explained
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.review import MoveReview, ReviewEffort
from quietmove.engine.tools.analysis.reviews import Review, ReviewedMove, today
from quietmove.engine.values import Limits

MOST_LINE = 16  # a line is kept as far as that many moves


def review_of(record: ReviewedGame, found: Sequence[MoveReview], effort: ReviewEffort, table: Table | None) -> Review:
    """Return what an analysis found as it is kept; at each mistake the second best move is searched too.

    :param found: all moves, the first one first.
    """
    position, moves = record.start.copy(), []
    for each in found:
        move = _reviewed(record.game, position, each, effort, table)
        moves.append(explained(record.game, position, move))
        position.play(each.move)
    return Review(tuple(moves), str(effort), today())


def _reviewed(
    game: Game, position: Position, found: MoveReview, effort: ReviewEffort, table: Table | None
) -> ReviewedMove:
    if found.choices == 1:
        return ReviewedMove(found.side)
    second = None
    if (found.loss or 0) >= INACCURACY:
        others = tuple(move for move in position.legal_moves() if move != found.best)
        limits = Limits(depth=found.depth, searchmoves=others)
        second = list(Deepening(position.copy(), table, effort.settings, limits).iterations())[-1].score.value
        second = max(second, found.value)  # the move that was played is among them
    return ReviewedMove(
        found.side,
        found.depth,
        found.exact,
        found.value,
        found.best_value,
        second,
        _words(game, found.best_line),
        "" if found.move == found.best else _words(game, found.line),
    )


def _words(game: Game, line: Iterable[int]) -> str:
    return " ".join(map(game.format_move, tuple(line)[:MOST_LINE]))
