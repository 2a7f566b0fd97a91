"""Opening training: openings selected by name, book replies, and a comment on each of the person's moves.

Replies are good book moves or popular moves; a popular move continues a named opening. In positions outside the book, a
search finds the replies.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from quietmove.addons.practice.problems import OPENING_PLIES
from quietmove.engine.common.text import did_you_mean
from quietmove.engine.errors import NotationError
from quietmove.engine.games.base import Book, BookMove, Game, Position
from quietmove.engine.games.othello.opening_names import opening_moves, opening_name
from quietmove.engine.games.othello.symmetry import Board, board_of
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import written_moves
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Settings

GOOD = 100  # hundredths of a disc; a good reply loses at most this much compared with the best
NOTICED = 50  # hundredths of a disc; a comment reports a person's move that loses more
LEAST_PLIES = 10  # minimum number of plies to train after the opening's own moves
MOST_NAMED = 3  # maximum number of moves that a comment names
SELECTIVITY = 5
NODES = 200_000  # nodes per search, about a tenth of a second
MEGABYTES = 4


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening to train.

    :param name: the opening's name, or "" if the moves have no name.
    :param moves: the moves from the initial position.
    """

    name: str
    moves: tuple[int, ...]

    @property
    def title(self) -> str:
        """The title of a training game for this opening."""
        return f"Opening: {self.name}" if self.name else "Opening"

    @property
    def last_ply(self) -> int:
        """The number of moves after which the opening counts as over."""
        return max(OPENING_PLIES, len(self.moves) + LEAST_PLIES)


def find_opening(text: str) -> Opening:
    """Return the opening with the given name (case-insensitive) or the given moves, such as ``f5d6c3``.

    :raises NotationError: if there is no such opening.
    :raises IllegalMoveError: if a move is illegal.
    """
    by_name = {name.lower(): name for name in opening_moves()}
    wanted = " ".join(text.lower().split())
    if wanted in by_name:
        return Opening(by_name[wanted], opening_moves()[by_name[wanted]])
    game = get_game("othello")
    position = game.initial()
    moves = []
    try:
        for move in written_moves(game, position, [text]):
            position.play(move)
            moves.append(move)
    except NotationError:  # the text is a name, unless it starts with a move
        if moves:
            raise
    if not moves:
        hint = did_you_mean(wanted, by_name) or "; 'quietmove book names' lists them"
        raise NotationError(f"opening: expected a name such as Tiger, or moves such as f5d6c3, not {text!r}{hint}")
    return Opening(opening_name(position), tuple(moves))


@cache
def named_boards() -> frozenset[Board]:
    """Return the positions after each move of the named openings."""

    def boards() -> Iterator[Board]:
        for moves in opening_moves().values():
            position = get_game("othello").initial()
            for move in moves:
                position.play(move)
                yield board_of(position)

    return frozenset(boards())


def moves_of(book: Book, position: Position) -> list[BookMove]:
    """Return the book moves, best first. If the book has none, return all legal moves with values from a search."""
    return book.moves(position) or search_moves(position)


def search_moves(position: Position) -> list[BookMove]:
    """Return all legal moves with their values from one search, best first."""
    settings = Settings(selectivity=SELECTIVITY, multipv=len(position.legal_moves()))
    lines: dict[int, Info[int]] = {}
    for info in Deepening(position.copy(), Table(MEGABYTES), settings, Limits(nodes=NODES)).iterations():
        if info.rank == 1:
            lines.clear()
        lines[info.rank] = info
    return [BookMove(each.pv[0], each.score.value, each.depth - 1, exact=False, below=0) for each in lines.values()]


def good_or_popular(book: Book, position: Position) -> list[BookMove]:
    """Return the good and the popular replies, best first."""
    moves = moves_of(book, position)
    return [each for each in moves if each.value >= moves[0].value - GOOD or is_popular(position, each.move)]


def is_popular(position: Position, move: int) -> bool:
    after = position.copy()
    after.play(move)
    return board_of(after) in named_boards()


def reply(book: Book, position: Position, seed: int | str) -> int:
    """Choose a random reply, with equal probability for each good or popular one.

    :param seed: for the choice; the same seed and position give the same reply.
    """
    return random.Random(f"{seed} {position.key}").choice(good_or_popular(book, position)).move


def comment(game: Game, book: Book, position: Position, move: int) -> str:
    """Return a comment on a move: whether it is in the book, and how much it loses."""
    moves = book.moves(position)
    where = "in the book"
    if move not in {each.move for each in moves}:
        moves = search_moves(position)
        where = "not in the book"
    played = next(each for each in moves if each.move == move)
    good = [each for each in moves if each.value >= moves[0].value - NOTICED and each.move != move]
    loss = moves[0].value - played.value
    if loss > NOTICED:
        return (
            f"{values(game, [played])} is {where}; it loses {loss / 100:.2f} {game.point}s against {values(game, good)}"
        )
    return f"{values(game, [played])} is {where}, and good{f'; so is {values(game, good)}' if good else ''}"


def values(game: Game, moves: list[BookMove]) -> str:
    """Format the first MOST_NAMED moves with their values: ``d6 (+0.65) or f6 (+0.40)``."""
    texts = [f"{game.format_move(each.move)} ({each.value / 100:+.2f})" for each in moves[:MOST_NAMED]]
    return " or ".join(texts).replace("-", "\N{MINUS SIGN}")
