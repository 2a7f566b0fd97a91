"""An opening that is trained on the page: replies of the book, and a word about each of a person's moves."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.book import SHIPPED, book_of
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.settings import Setting
from quietmove.referee.process.loop import now
from quietmove.referee.seats import SEATS, Answer, Turn
from quietmove.referee.seats.uci import UciSeat

__all__ = ["LAST_PLY", "TRAINING", "Training", "TrainingSeat", "comment_of", "training_of"]

TRAINING = "training"  # the protocol of the seat that replies by the book
LAST_PLY = "last_ply"  # the setting that says how many moves a game has when its opening is over


@dataclass(frozen=True, slots=True)
class Training:
    """What is trained; the fields are those of :class:`~quietmove.engine.tools.practice.openings.Opening`.

    :param name: what the page has asked for: the name of the opening, or its moves.
    :param moves: as the game writes them.
    """

    name: str
    title: str
    moves: tuple[str, ...]
    last_ply: int

    def concerns(self, ply: int) -> bool:
        """Tell whether a move is one of the opening, and not one that it began with."""
        return len(self.moves) < ply <= self.last_ply


class TrainingSeat(UciSeat):
    """The seat of this engine; it replies by the book as long as the opening lasts."""

    settings = (*UciSeat.settings, Setting(LAST_PLY, 0, "how many moves a game has when its opening is over"))

    async def think(self, turn: Turn) -> Answer:
        """Answer by the book, later by a search."""
        if len(turn.moves) >= int(self.setting(LAST_PLY)):
            return await super().think(turn)
        game, began = get_game(self.game), now()
        position = game.initial()
        for move in turn.moves:
            position.play(game.parse_move(position, move))
        seed = dict(self.config.options).get("Seed", "")
        move = game.format_move(await asyncio.to_thread(reply_of, position, seed))
        return Answer(move, move, (now() - began) * 1000)


SEATS.setdefault(TRAINING, TrainingSeat)


# The book is read, and positions are searched, only where an opening is trained.


def training_of(text: str) -> Training:
    """Return what is trained, by the name of an opening or by moves.

    :raises GameError: if there is no such opening.
    """
    from quietmove.engine.tools.practice.openings import find_opening

    opening = find_opening(text)
    moves = tuple(map(get_game("othello").format_move, opening.moves))
    return Training(text, opening.title, moves, opening.last_ply)


def reply_of(position: Position, seed: str) -> int:
    from quietmove.engine.tools.practice.openings import reply

    return reply(book_of(SHIPPED), position, seed)


def comment_of(position: Position, move: str) -> str:
    """Return what is said of a person's move in a position, a sentence."""
    from quietmove.engine.tools.practice.openings import comment

    game = get_game("othello")
    return f"{comment(game, book_of(SHIPPED), position, game.parse_move(position, move))}."
