"""The answer from an opening book, in the place of a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quietmove.engine.games.base import Book, BookMove, Position
from quietmove.engine.search.root_search import AnySearch
from quietmove.engine.values import Info, Limits, Score, SearchResult

LONGEST_LINE = 8  # plies; each takes a look at the moves of a position


class BookAnswer(AnySearch):
    """Moves of a book, the one to play first.

    :param lines: each move with the moves that are expected after it.
    :param known: how many moves the book knows in the position; 0 for a theory, which knows all of them.
    """

    def __init__(self, lines: Sequence[tuple[BookMove, Sequence[int]]], known: int) -> None:
        self._lines = lines
        self._known = known

    def iterations(self) -> Iterator[Info]:
        for rank, (move, line) in enumerate(self._lines, 1):
            yield Info(
                depth=move.depth + 1,  # the depth is that of the search after the move
                seldepth=max(move.depth + 1, len(line)),
                multipv=rank,
                score=Score(move.value, move.bound),
                nodes=0,
                time=0,
                hashfull=0,
                pv=tuple(line),
                book_moves=self._known,
            )

    def result(self) -> SearchResult:
        move, line = self._lines[0]
        ponder = line[1] if len(line) > 1 else None
        return SearchResult(line[0], ponder, Score(move.value, move.bound), move.depth + 1, 0, 0)


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
    return BookAnswer([(chosen, expected_line(book, position, chosen.move))], len(moves))


def answer_by_theory(theory: Book, position: Position, limits: Limits, lines: int) -> BookAnswer | None:
    """Return the best moves of a book that knows all; None where the game is over.

    :param position: is restored.
    :param lines: how many moves.
    """
    moves = [move for move in theory.moves(position) if not limits.searchmoves or move.move in limits.searchmoves]
    chosen = [(move, expected_line(theory, position, move.move)) for move in moves[:lines]]
    return BookAnswer(chosen, 0) if chosen else None


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
    """Return ``move`` and the best moves of the book after it, with the forced moves between them."""
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
