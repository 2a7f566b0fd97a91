"""Analysis of a game's moves: the best move in each position, and the value of the move played.

Both values come from searches with the same depth and confidence, so that they can be compared; the second search
considers only the move played. If it finds a higher value than the first search, the move played counts as the best
move and loses nothing.

Positions are searched from the end of the game backwards, so that the table already knows the continuation of the move
played. If both values are exact, the value of the position after the move is the value of the move. Near the end of the
game, the values of the two best moves are exact too.
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

EXACT_BY_SOLVER = 22  # a game's solver nearly always takes less than a second with at most so many moves left
EXACT_BY_SEARCH = 12  # the same in a game without a solver
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
    :param second: the value of the second-best move, or None if it was not searched: far from the end of the game, it
        is searched only if the move played is marked.
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
    second: int | None = None

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


def exact_moves(position: Position) -> int:
    """Return the default of :attr:`ReviewEffort.exact` in a position's game."""
    return EXACT_BY_SOLVER if position.exact_reach else EXACT_BY_SEARCH


class Searches:
    """The searches of a review, run one after another. Another thread can stop them."""

    def __init__(self) -> None:
        self.is_stopped = False
        self._search: Deepening | None = None

    def run(self, position: Position, table: Table | None, settings: Settings, limits: Limits) -> list[Info[int]]:
        """Search, and return the reports of all completed iterations."""
        search = self._search = Deepening(position, table, settings, limits)
        if self.is_stopped:
            search.stop()
        return [each for each in search.iterations() if each.score.bound == "exact"]

    def stop(self) -> None:
        """End the running search and all later ones as soon as possible."""
        self.is_stopped = True
        if self._search is not None:
            self._search.stop()


def review(
    record: ReviewedGame, effort: ReviewEffort, table: Table | None, searches: Searches | None = None
) -> Iterator[MoveReview]:
    """Yield the review of each move of a game, last move first.

    :param searches: stops the review from another thread.
    :raises LimitsError: if the game cannot be searched within these limits.
    :raises GameFileError: if the game has chance moves or hidden cards.
    """
    if record.game.kind != "perfect":
        raise GameFileError(f"games with chance or hidden cards, such as {record.game.name}, cannot be analysed")
    searches = searches or Searches()
    position = record.start.copy()
    for move in record.moves:
        position.play(move)
    following = end_of_game(position)
    for number in range(len(record.moves), 0, -1):
        position.undo()
        move = record.moves[number - 1]
        following = review_move(record.game, position.copy(), number, move, following, effort, table, searches)
        if searches.is_stopped:
            return
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
    searches: Searches,
) -> MoveReview:
    """Return the review of one move.

    :param following: the review of the next move or of the end of the game; None if the game is unfinished.
    """
    moves = position.legal_moves()
    after = None if following is None else report_from_next(move, following)
    certain = following is not None and following.exact
    if len(moves) == 1 and after is not None:
        lines, exact = [after], certain
    else:
        lines = search_best(position, effort, table, searches)
        exact = all(is_exact(each, position) for each in lines)
        is_known = any(each.pv[0] == move for each in lines)
        if not is_known and image_after(game, position, lines[0].pv[0]) == image_after(game, position, move):
            lines[0] = replace(lines[0], pv=(move, *(following.best_line if following else ())))
    found = lines[0]
    nodes = found.nodes or 0
    played = next((each for each in lines if each.pv[0] == move), None)
    if played is None and exact and certain:
        played = after
    if played is None:
        played = search_moves(position, (move,), found, effort, table, searches)
        nodes += played.nodes or 0
        exact = exact and is_exact(played, position)
    best = found if found.score.value > played.score.value else played
    if len(lines) == 1 and len(moves) > 1 and (loss_of(played.score.value, best.score.value) or 0) >= INACCURACY:
        others = tuple(each for each in moves if each != best.pv[0])
        lines.append(search_moves(position, others, found, effort, table, searches))
    rest = [each.score.value for each in (*lines, played) if each.pv[0] != best.pv[0]]
    return MoveReview(
        number=number,
        side=position.side_to_move,
        move=move,
        best=best.pv[0],
        value=played.score.value,
        best_value=best.score.value,
        choices=len(moves),
        depth=found.depth,
        confidence=found.confidence,
        exact=exact,
        nodes=nodes,
        line=played.pv,
        best_line=best.pv,
        second=max(rest, default=None) if len(lines) > 1 else None,
    )


def image_after(game: Game, position: Position, move: int) -> str:
    """Return a text for the position after ``move``, equal for symmetric positions, so that moves can be compared."""
    position.play(move)
    text = game.canonical(position)
    position.undo()
    return text


def search_best(position: Position, effort: ReviewEffort, table: Table | None, searches: Searches) -> list[Info[int]]:
    """Return the reports on the two best moves near the end of the game, else on the best move."""
    if position.moves_left() <= effort.exact:
        reports = searches.run(position, table, replace(effort.settings, multipv=2), Limits(goal="solve"))
        return reports[-reports[-1].rank :]
    reports = searches.run(position, table, effort.settings, effort.limits)
    if not reports:  # the limit was reached within the first iteration
        reports = searches.run(position, table, effort.settings, Limits(depth=1))
    return reports[-1:]


def search_moves(
    position: Position,
    moves: tuple[int, ...],
    found: Info[int],
    effort: ReviewEffort,
    table: Table | None,
    searches: Searches,
) -> Info[int]:
    """Search only ``moves``, to the depth and selectivity of the search for the best move; return the last report.

    The search may stop earlier at a proven win or loss, which is valid at every depth.
    """
    settings = effort.settings
    if found.depth == position.moves_left():  # a search to the end runs at several confidences
        settings = replace(settings, selectivity=CONFIDENCES.index(found.confidence))
    reports = searches.run(position, table, settings, Limits(depth=found.depth, searchmoves=moves))
    same = (each for each in reports if (each.depth, each.confidence) == (found.depth, found.confidence))
    return next(same, reports[-1])


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


def review_of(record: ReviewedGame, found: Sequence[MoveReview], limit: str) -> Review:
    """Convert an analysis to the form saved with the game, with the reason why each marked move was worse.

    :param found: the reviews of all moves, first move first.
    :param limit: the limit for the search of each position.
    """
    position = record.start.copy()
    moves = []
    for each in found:
        moves.append(reviewed_move(record.game, position, each))
        position.play(each.move)
    return Review(tuple(moves), limit, today())


def reviewed_move(game: Game, position: Position, found: MoveReview) -> ReviewedMove:
    """Convert the review of a move in ``position`` to the form saved with the game. This takes up to 0.1 s."""
    if found.choices == 1:
        return ReviewedMove(found.side)
    move = ReviewedMove(
        found.side,
        found.depth,
        found.exact,
        found.value,
        found.best_value,
        found.second,
        _words(game, found.best_line),
        "" if found.move == found.best else _words(game, found.line),
    )
    return with_reason(game, position, move)


def _words(game: Game, line: Iterable[int]) -> str:
    return " ".join(map(game.format_move, tuple(line)[:MAX_LINE_MOVES]))
