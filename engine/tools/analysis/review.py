"""The search of a game's moves: each position's best move, and what the move that was played is worth beside it.

Both values come from searches of one depth and one confidence, so that their difference means something; the second
search considers the played move alone. Where the second finds the played move better than the first found any, the
played move is taken for the best: nothing is lost.

Positions are searched from the end of the game to its start. The table then knows what follows the played move, and
where both are exact, the value of the position after the move is the value of the move.
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
from quietmove.engine.tools.analysis.reasons import explained
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.reviews import Review, ReviewedMove, today
from quietmove.engine.values import Info, Limits, Score, Settings

MOST_WORST = 3  # costly moves that are listed


@dataclass(frozen=True, slots=True)
class ReviewEffort:
    """How each position is searched.

    :param limits: of the search for the best move; the other goes as deep.
    :param exact: positions with at most so many moves to come are searched to the end of the game.
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
    """One move of a game. Values are hundredths of the game's point, from the side that moves.

    :param number: from 1; a pass counts.
    :param side: 0 for the first player, 1 for the second.
    :param best: the best move found; the played one, if none is better.
    :param value, best_value: of the move that was played, and of the best.
    :param choices: how many legal moves there were.
    :param depth: plies of both searches.
    :param confidence: percent; 100 unless the searches left out what very likely does not matter.
    :param exact: whether both values are those at the end of the game.
    :param nodes: of both searches.
    :param line, best_line: the move that was played and the best one, each with what follows it.
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
        """What the move gave away, never below 0; None where a proven win or loss, which has no points, is part of it.

        A slower win and a quicker loss give nothing away.
        """
        return loss_of(self.value, self.best_value)

    @property
    def mark(self) -> str:
        """``?!``, ``?`` or ``??``: by what the move lost, or by a win or a draw that it gave away."""
        return mark_of(self.value, self.best_value, exact=self.exact)


@dataclass(frozen=True, slots=True)
class Totals:
    """The moves of one side for which there was a choice.

    :param best, accurate: how many were best, and how many lost less than a point.
    :param loss: the sum of what they gave away, in hundredths.
    :param inaccuracies, mistakes, blunders: how many are marked ``?!``, ``?`` and ``??``.
    :param worst: those that gave away most, the worst first; wins and draws given away before points.
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
        """The share of the moves that were accurate, in percent; None without a move."""
        return round(100 * self.accurate / self.moves) if self.moves else None


def review(record: ReviewedGame, effort: ReviewEffort, table: Table | None) -> Iterator[MoveReview]:
    """Yield the moves of a game, the last one first.

    :raises LimitsError: if the game cannot be searched so.
    :raises GameFileError: if nature or hidden cards have a part in it.
    """
    if record.game.kind != "perfect":
        raise GameFileError(f"no game with chance or hidden cards is analysed; {record.game.name} is one")
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
    """Return what is known of the position after the last move: its value, if the game is over there."""
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
    """Return what the searches find about one move.

    :param following: the move after it, or the end of the game; None where the record ends before.
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
        nodes=found.nodes + (played.nodes if played is not found else 0),
        line=played.pv,
        best_line=best.pv,
    )


def image_after(game: Game, position: Position, move: int) -> str:
    """Return one text for all images of the position after a move: moves that lead to them are worth the same."""
    position.play(move)
    text = game.canonical(position)
    position.undo()
    return text


def search_best(position: Position, effort: ReviewEffort, table: Table | None) -> Info:
    solve = position.moves_left() <= effort.exact
    limits = Limits(goal="solve") if solve else effort.limits
    reports = Deepening(position, table, effort.settings, limits).iterations()
    found = [each for each in reports if each.score.bound == "exact"]  # a report of a whole iteration is exact
    if not found:  # the nodes did not suffice for one iteration
        found = list(Deepening(position, table, effort.settings, Limits(depth=1)).iterations())
    return found[-1]


def search_played(position: Position, move: int, found: Info, effort: ReviewEffort, table: Table | None) -> Info:
    """Return the report of a search of ``move`` alone, as deep and as selective as the search for the best move.

    A win or a loss may be proven before; it is one at every depth.
    """
    settings = effort.settings
    if found.depth == position.moves_left():  # a search to the end comes at several confidences
        settings = replace(settings, selectivity=CONFIDENCES.index(found.confidence))
    limits = Limits(depth=found.depth, searchmoves=(move,))
    last = found
    for last in Deepening(position, table, settings, limits).iterations():
        if (last.depth, last.confidence) == (found.depth, found.confidence):
            break
    return last


def report_from_next(move: int, following: MoveReview) -> Info:
    """Return the report of ``move`` that follows from the review of the next move; no node was searched for it."""
    value, depth = score_from_child(-following.best_value), following.depth + 1
    return Info(depth, depth, 1, Score(value), 0, 0, 0, (move, *following.best_line), confidence=following.confidence)


def is_exact(info: Info, position: Position) -> bool:
    whole = info.depth >= position.moves_left() or proven(info.score.value, info.depth)
    return whole and info.confidence == 100


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
        worst=tuple(costly[:MOST_WORST]),
    )


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
