"""The answer from an opening book, with the interface of a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quietmove.engine.games.base import Book, BookMove, Position
from quietmove.engine.values import Info, Limits, Score, SearchResult

__all__ = ["BookAnswer", "answer_from_book", "choose", "expected_line"]

LONGEST_LINE = 8  # plies; each takes a look at the moves of a position


class BookAnswer:
    """One move of a book; there is nothing to stop.

    :param move: the move.
    :param known: how many moves the book knows in the position.
    :param line: the move and what is expected behind it.
    """

    def __init__(self, move: BookMove, known: int, line: Sequence[int]) -> None:
        self._move = move
        self._known = known
        self._line = tuple(line)

    def stop(self) -> None:
        """Do nothing: there is no search."""

    def ponderhit(self) -> None:
        """Do nothing: no clock runs."""

    def iterations(self) -> Iterator[Info]:
        """Yield the one report."""
        yield Info(
            depth=self._depth,
            seldepth=max(self._depth, len(self._line)),
            multipv=1,
            score=Score(self._move.value),
            nodes=0,
            time=0,
            hashfull=0,
            pv=self._line,
            book_moves=self._known,
        )

    def result(self) -> SearchResult:
        """Return the answer."""
        ponder = self._line[1] if len(self._line) > 1 else None
        return SearchResult(self._line[0], ponder, Score(self._move.value), self._depth, 0, 0)

    @property
    def _depth(self) -> int:
        """The depth of the search behind the move, counted from the position before it."""
        return self._move.depth + 1


def answer_from_book(book: Book, position: Position, limits: Limits, variety: int, seed: str) -> BookAnswer | None:
    """Return the move that the book plays; None if it knows none, or one that ``limits`` leave out.

    :param position: is restored.
    :param variety, seed: as :func:`choose`.
    """
    moves = book.moves(position)
    if not moves:
        return None
    chosen = choose(moves, variety, seed)
    if limits.searchmoves and chosen.move not in limits.searchmoves:
        return None
    return BookAnswer(chosen, len(moves), expected_line(book, position, chosen.move))


def choose(moves: Sequence[BookMove], variety: int, seed: str) -> BookMove:
    """Return one of the moves that give up at most ``variety``, each of them equally likely.

    :param moves: best first.
    :param variety: in hundredths of the game's point.
    :param seed: what the choice follows from.
    """
    good = [move for move in moves if move.value >= moves[0].value - variety]
    if len(good) == 1:
        return good[0]
    import random  # imported only where there is a choice, which keeps the start short

    return random.Random(seed).choice(good)


def expected_line(book: Book, position: Position, move: int) -> list[int]:
    """Return ``move`` and the best moves of the book behind it, with the moves between them that are forced."""
    start, line = position.ply, [move]
    position.play(move)
    while len(line) < LONGEST_LINE and (legal := position.legal_moves()):
        known = [each.move for each in book.moves(position)] if len(legal) > 1 else legal
        if not known:
            break
        line.append(known[0])
        position.play(known[0])
    while position.ply > start:
        position.undo()
    return line
