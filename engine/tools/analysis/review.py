"""Analysis of a game's moves: the best move in each position, and the value of the move played.

Both values come from searches with the same depth and confidence, so that they can be compared; the second search
considers only the move played. If it finds a higher value than the first search, the move played counts as the best
move and loses nothing.

Positions are searched from the end of the game backwards, so that the table already knows the continuation of the move
played. If both values are exact, the value of the position after the move is the value of the move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from quietmove.engine.errors import GameFileError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.protocol.describe import ACCURATE_BELOW, INACCURACY, loss_of, mark_of
from quietmove.engine.search.deepening import Deepening, proven
from quietmove.engine.search.node import CONFIDENCES, score_from_child
from quietmove.engine.search.table import Table
from quietmove.engine.tools.analysis.reasons import with_reason
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.reviews import Review, ReviewedMove, today
from quietmove.engine.values import Info, Limits, Score, Settings

MAX_WORST = 3  # number of worst moves to list


@dataclass(frozen=True, slots=True)
class ReviewEffort:
    """The search effort for each position.

    :param limits: limits of the search for the best move. The move played is searched to the same depth.
    :param exact: maximum number of remaining moves for a search to the end of the game.
    """

    settings: Settings
    limits: Limits
    exact: int

    def __str__(self) -> str:
        limits = self.limits
        words = [f"depth {limits.depth}"] if limits.depth else []
        words += [f"{limits.nodes:,} nodes"] if limits.nodes else []
        words += [f"{limits.movetime / 1000:g} s"] if limits.movetime else []
        return f"{', '.join(words)} a position, exact with {self.exact} or fewer moves to come"


@dataclass(frozen=True, slots=True)
class MoveReview:
    """The review of one move. Values are in hundredths of a point, from the mover's point of view.

    :param number: the number of the move in the game, from 1, including passes.
    :param side: 0 for the first player, 1 for the second.
    :param best: the best move found, which is the move played if none is better.
    :param value, best_value: the values of the move played and of the best move.
    :param choices: number of legal moves.
    :param depth: depth of both searches in plies.
    :param confidence: percent; a value below 100 means that the searches pruned moves very unlikely to matter.
    :param exact: whether both values are exact results at the end of the game.
    :param nodes: nodes of both searches together.
    :param line, best_line: the move played and the best move, each with its continuation.
    """

    number: int
    side: int
    move: int
    best: int
    value: int
    best_value: int
    choices: int
    depth: int
    confidence: int
    exact: bool
    nodes: int
    line: tuple[int, ...] = ()
    best_line: tuple[int, ...] = ()

    @property
    def loss(self) -> int | None:
        """The move's loss, at least 0, or None if a proven win or loss makes the difference meaningless.

        A slower win and a quicker loss lose nothing.
        """
        return loss_of(self.value, self.best_value)

    @property
    def mark(self) -> str:
        """``?!``, ``?`` or ``??`` for the loss, or for losing a win or a draw; else ""."""
        return mark_of(self.value, self.best_value, exact=self.exact)


@dataclass(frozen=True, slots=True)
class Totals:
    """One side's totals over its non-forced moves.

    :param best, accurate: number of best moves, and of moves that lost less than a point.
    :param loss: the total loss, in hundredths.
    :param inaccuracies, mistakes, blunders: number of moves marked ``?!``, ``?`` and ``??``.
    :param worst: the moves with the largest losses, worst first; lost wins and draws come before lost points.
    """

    moves: int
    best: int
    accurate: int
    loss: int
    inaccuracies: int
    mistakes: int
    blunders: int
    worst: tuple[MoveReview, ...]

    @property
    def accuracy(self) -> int | None:
        """The share of accurate moves in percent, or None if all moves were forced."""
        return round(100 * self.accurate / self.moves) if self.moves else None


def review(record: ReviewedGame, effort: ReviewEffort, table: Table | None) -> Iterator[MoveReview]:
    """Yield the review of each move of a game, last move first.

    :raises LimitsError: if the game cannot be searched within these limits.
    :raises GameFileError: if the game has chance moves or hidden cards.
    """
    if record.game.kind != "perfect":
        raise GameFileError(f"games with chance or hidden cards, such as {record.game.name}, cannot be analysed")
    position = record.start.copy()
    for move in record.moves:
        position.play(move)
    following = end_of_game(position)
    for number in range(len(record.moves), 0, -1):
        position.undo()
        move = record.moves[number - 1]
        following = review_move(record.game, position.copy(), number, move, following, effort, table)
        yield following


def end_of_game(position: Position) -> MoveReview | None:
    """Return a review of the end of the game: its result, or None if the game is not over."""
    if not position.is_over():
        return None
    value = position.result() * (-1 if position.next_player else 1)
    return MoveReview(0, position.side_to_move, 0, 0, value, value, 0, 0, 100, True, 0)


def review_move(
    game: Game,
    position: Position,
    number: int,
    move: int,
    following: MoveReview | None,
    effort: ReviewEffort,
    table: Table | None,
) -> MoveReview:
    """Return the review of one move.

    :param following: the review of the next move or of the end of the game; None if the game is unfinished.
    """
    choices = len(position.legal_moves())
    after = None if following is None else report_from_next(move, following)
    certain = following is not None and following.exact
    if choices == 1 and after is not None:
        found, exact = after, certain
    else:
        found = search_best(position, effort, table)
        exact = is_exact(found, position)
        if found.pv[0] != move and image_after(game, position, found.pv[0]) == image_after(game, position, move):
            found = replace(found, pv=(move, *(following.best_line if following else ())))
    played = found
    if found.pv[0] != move:
        if exact and certain and after is not None:
            played = after
        else:
            played = search_played(position, move, found, effort, table)
            exact = exact and is_exact(played, position)
    best = found if found.score.value > played.score.value else played
    return MoveReview(
        number=number,
        side=position.side_to_move,
        move=move,
        best=best.pv[0],
        value=played.score.value,
        best_value=best.score.value,
        choices=choices,
        depth=found.depth,
        confidence=found.confidence,
        exact=exact,
        nodes=(found.nodes or 0) + ((played.nodes or 0) if played is not found else 0),
        line=played.pv,
        best_line=best.pv,
    )


def image_after(game: Game, position: Position, move: int) -> str:
    """Return a text for the position after ``move``, equal for symmetric positions, so that moves can be compared."""
    position.play(move)
    text = game.canonical(position)
    position.undo()
    return text


def search_best(position: Position, effort: ReviewEffort, table: Table | None) -> Info[int]:
    solve = position.moves_left() <= effort.exact
    limits = Limits(goal="solve") if solve else effort.limits
    reports = Deepening(position, table, effort.settings, limits).iterations()
    # Only completed iterations report exact scores.
    exact_reports = [each for each in reports if each.score.bound == "exact"]
    if not exact_reports:  # the limit was reached within the first iteration
        exact_reports = list(Deepening(position, table, effort.settings, Limits(depth=1)).iterations())
    return exact_reports[-1]


def search_played(
    position: Position, move: int, found: Info[int], effort: ReviewEffort, table: Table | None
) -> Info[int]:
    """Search only ``move``, to the depth and selectivity of the search for the best move, and return the last report.

    The search may stop earlier at a proven win or loss, which is valid at every depth.
    """
    settings = effort.settings
    if found.depth == position.moves_left():  # a search to the end runs at several confidences
        settings = replace(settings, selectivity=CONFIDENCES.index(found.confidence))
    limits = Limits(depth=found.depth, searchmoves=(move,))
    last = found
    for last in Deepening(position, table, settings, limits).iterations():
        if (last.depth, last.confidence) == (found.depth, found.confidence):
            break
    return last


def report_from_next(move: int, following: MoveReview) -> Info[int]:
    """Return the report for ``move``, derived from the review of the next move without a search."""
    value = score_from_child(-following.best_value)
    depth = following.depth + 1
    return Info(Score(value), depth, depth, pv=(move, *following.best_line), confidence=following.confidence)


def is_exact(info: Info[int], position: Position) -> bool:
    is_exact = info.depth >= position.moves_left() or proven(info.score.value, info.depth)
    return is_exact and info.confidence == 100


def totals(reviews: Sequence[MoveReview], side: int) -> Totals:
    """Return the totals of one side."""
    chosen = [each for each in reviews if each.side == side and each.choices > 1]
    costly = [each for each in chosen if each.loss != 0]
    costly.sort(key=lambda each: (each.loss is None, each.loss or 0), reverse=True)
    return Totals(
        moves=len(chosen),
        best=sum(each.move == each.best for each in chosen),
        accurate=sum(each.loss is not None and each.loss < ACCURATE_BELOW for each in chosen),
        loss=sum(each.loss or 0 for each in chosen),
        inaccuracies=sum(each.mark == "?!" for each in chosen),
        mistakes=sum(each.mark == "?" for each in chosen),
        blunders=sum(each.mark == "??" for each in chosen),
        worst=tuple(costly[:MAX_WORST]),
    )


MAX_LINE_MOVES = 16  # maximum number of moves in a saved line


def review_of(record: ReviewedGame, found: Sequence[MoveReview], effort: ReviewEffort, table: Table | None) -> Review:
    """Convert an analysis to the form saved with the game, and search for the second-best move at each mistake.

    :param found: the reviews of all moves, first move first.
    """
    position = record.start.copy()
    moves = []
    for each in found:
        move = _review_move(record.game, position, each, effort, table)
        moves.append(with_reason(record.game, position, move))
        position.play(each.move)
    return Review(tuple(moves), str(effort), today())


def _review_move(
    game: Game, position: Position, found: MoveReview, effort: ReviewEffort, table: Table | None
) -> ReviewedMove:
    if found.choices == 1:
        return ReviewedMove(found.side)
    second = None
    if (found.loss or 0) >= INACCURACY:
        others = tuple(move for move in position.legal_moves() if move != found.best)
        limits = Limits(depth=found.depth, searchmoves=others)
        second = list(Deepening(position.copy(), table, effort.settings, limits).iterations())[-1].score.value
        second = max(second, found.value)  # the move played is one of the others
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
    return " ".join(map(game.format_move, tuple(line)[:MAX_LINE_MOVES]))
