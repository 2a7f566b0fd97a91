"""Answers from an opening book or a game's theory, without a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quietmove.engine.games.base import Book, BookMove, Position
from quietmove.engine.search.root_search import AnySearch
from quietmove.engine.values import Info, Limits, Score, SearchResult

MAX_LINE_LENGTH = 8  # plies; each requires a lookup of the position's moves


class BookAnswer(AnySearch):
    """An answer without a search, from an opening book or a game's theory.

    :param lines: each move with the expected continuation, the move to play first.
    :param known: number of book moves in the position, or 0 for a theory, which knows all of them.
    """

    def __init__(self, lines: Sequence[tuple[BookMove, Sequence[int]]], known: int) -> None:
        self._lines = lines
        self._known = known

    def iterations(self) -> Iterator[Info[int]]:
        for rank, (move, line) in enumerate(self._lines, 1):
            yield Info(
                depth=move.depth + 1,  # the book's depth refers to the search after the move
                seldepth=max(move.depth + 1, len(line)),
                rank=rank,
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
    """Return the book's move, or None if the book has none or ``limits`` excludes it.

    :param position: restored on return.
    :param variety, seed: see :func:`choose`.
    """
    moves = book.moves(position)
    if not moves:
        return None
    chosen = choose(moves, variety, seed)
    if limits.searchmoves and chosen.move not in limits.searchmoves:
        return None
    return BookAnswer([(chosen, expected_line(book, position, chosen.move))], len(moves))


def answer_by_theory(theory: Book, position: Position, limits: Limits, lines: int) -> BookAnswer | None:
    """Return the best moves from a complete theory, or None if there are none.

    :param position: restored on return.
    :param lines: the maximum number of moves.
    """
    moves = [move for move in theory.moves(position) if not limits.searchmoves or move.move in limits.searchmoves]
    chosen = [(move, expected_line(theory, position, move.move)) for move in moves[:lines]]
    return BookAnswer(chosen, 0) if chosen else None


def choose(moves: Sequence[BookMove], variety: int, seed: str) -> BookMove:
    """Choose a move at random, with equal probability, among those that lose at most ``variety``.

    :param moves: the book moves, best first.
    :param variety: the maximum loss against the best move, in hundredths of a point.
    :param seed: seed for the choice.
    """
    good = [move for move in moves if move.value >= moves[0].value - variety]
    if len(good) == 1:
        return good[0]
    import random  # imported on demand to keep the start fast

    return random.Random(seed).choice(good)


def expected_line(book: Book, position: Position, move: int) -> list[int]:
    """Return ``move`` followed by the best book moves and any forced moves between them."""
    start, line = position.ply, [move]
    position.play(move)
    while len(line) < MAX_LINE_LENGTH and (legal := position.legal_moves()):
        known = [each.move for each in book.moves(position)] if len(legal) > 1 else legal
        if not known:
            break
        line.append(known[0])
        position.play(known[0])
    while position.ply > start:
        position.undo()
    return line
