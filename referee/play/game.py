"""A game in progress: its moves, undo and redo, and chance events."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Protocol

from quietmove.engine.errors import IllegalMoveError
from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.protocol.notation import forced_pass, play_moves
from quietmove.engine.tools.analysis.reviews import Review
from quietmove.referee.config.model import COLORS, EngineConfig
from quietmove.referee.game.judged_game import nature_move
from quietmove.referee.game.saved import SavedGame, SavedPlayer, Spec, Strength
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.game.verdict import Verdict, finished, forfeited


class Training(Protocol):
    """An Othello opening to train. The ``training`` hook of an add-on creates one from a name or from moves."""

    @property
    def name(self) -> str:
        """The name or moves that the person entered."""

    @property
    def title(self) -> str:
        """The title of games that train the opening."""

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves from the start of the game to the position in which training starts."""

    @property
    def last_ply(self) -> int:
        """The number of moves after which the opening is over."""

    def describe(self) -> str:
        """Return one sentence about the opening."""

    def reply(self, position: Position, seed: int | str) -> int:
        """Return the opponent's move."""

    def comment(self, position: Position, move: int) -> str:
        """Return a comment on a move that the person chose in ``position``."""

    def seat_of(self, engine: EngineConfig) -> EngineConfig:
        """Return the configuration of an engine that replies from the book until the opening is over."""

    def look_over(self, start: Position, moves: Sequence[int], humans: frozenset[int]) -> tuple[list[str], Review, int]:
        """Search the moves of the opening; return lines to print, the review, and the number of positions to practise.

        :param start: the position before the first move.
        :param humans: the sides whose mistakes count.
        """


class GameInProgress:
    """A game in progress: its moves, and the undone moves that can be redone.

    :ivar position: the current position.
    :ivar moves: the moves made so far.
    :ivar undone: the moves to redo, the next one last.
    :ivar resigned: the side that resigned, or None.
    :ivar opened: the saved game that was loaded; for a new game, it contains only the date.
    :ivar review: the last review; it is saved as long as the game still has the reviewed moves.
    :param seed: the seed of the deal, nature's moves and random moves. Undo does not change the chance events of a ply.
    :param start: the start position in the game's notation, or "" for the initial position.
    """

    def __init__(self, game: Game, seed: int, start: str = "") -> None:
        self.game = game
        self.seed = seed
        self.start = start
        self.position = self.begin()
        self.moves: list[MoveRecord] = []
        self.undone: list[MoveRecord] = []
        self.resigned: int | None = None
        self.opened = SavedGame(moves=(), date=time.strftime("%Y-%m-%d %H:%M:%S"))
        self.review: Review | None = None
        self._reviewed: list[str] = []

    @classmethod
    def of(cls, saved: SavedGame) -> GameInProgress:
        """Create a game in progress from a saved game.

        :raises QuietmoveError: if the game does not exist, or a move is not legal.
        """
        game = cls(saved.rules, saved.spec.seed, saved.start)
        for record in saved.moves:
            game.make(record)
        game.resigned, game.opened = saved.resigned, saved
        if saved.review:
            game.keep_review(saved.review)
        return game

    def train(self, training: Training) -> None:
        """Make the moves of an opening, and name the game after it."""
        for move in training.moves:
            self.play(move)
        self.opened = self.opened.model_copy(update={"event": training.title, "given": len(training.moves)})

    def note_help(self) -> None:
        """Record that a person used a hint or took moves back."""
        self.opened = self.opened.model_copy(update={"was_helped": True})

    def disown_moves(self) -> None:
        """Record that nobody chose the moves so far, because the players have changed sides."""
        self.opened = self.opened.model_copy(update={"given": len(self.moves)})

    def has_left(self, training: Training) -> bool:
        """Return whether the opening is over."""
        return self.is_over or len(self.moves) >= training.last_ply

    def saved(self, players: Sequence[str], humans: frozenset[int], opponent: Strength | None) -> SavedGame:
        """Return the game to save. A finished game that is unchanged since it was loaded keeps its saved data.

        :param players: the names of both players.
        :param humans: the sides that people play.
        """
        verdict, opened = self.verdict, self.opened
        review = self.review if self.texts() == self._reviewed else None
        if verdict and self.resigned == opened.resigned and tuple(self.moves) == opened.moves:
            return opened.model_copy(update={"review": review})
        black, white = (SavedPlayer(name=name) for name in players)
        played = {
            "spec": Spec(game=self.game.name, seed=self.seed, black=black, white=white),
            "start": self.start,
            "moves": tuple(self.moves),
            "reason": verdict.reason if verdict else "",
            "detail": verdict.detail if verdict else "",
            "margin_black": verdict.margin_black if verdict else None,
            "people": tuple(COLORS[side] for side in sorted(humans)),
            "opponent": opponent,
            "review": review,
        }
        return self.opened.model_copy(update=played)

    def keep_review(self, review: Review) -> bool:
        """Store a review of the current moves unless the old one is at least as deep; return whether it was stored."""
        if self.review and self._reviewed == self.texts() and self.review.effort >= review.effort:
            return False
        self.review, self._reviewed = review, self.texts()
        return True

    def begin(self) -> Position:
        """Return a new copy of the position before the first move."""
        return self.game.parse_position(self.start.split()) if self.start else self.game.begin(self.seed)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, or None while the game is in progress."""
        if self.resigned is not None:
            detail = f"{self.game.players[self.resigned]} resigns"
            return forfeited("resign", COLORS[self.resigned], detail, self.position.largest_score)
        return finished(self.position.result(), self.game.players) if self.position.is_over() else None

    @property
    def side(self) -> int:
        """The side to move: 0, 1 or :data:`NATURE`."""
        return self.position.side_to_move

    @property
    def is_over(self) -> bool:
        """Whether the position is final, or a side has resigned."""
        return self.resigned is not None or self.position.is_over()

    @property
    def is_fresh(self) -> bool:
        """Whether no player has moved yet, although nature may have."""
        return not any(each.by in COLORS for each in self.moves)

    @property
    def must_pass(self) -> bool:
        return forced_pass(self.game, self.position) is not None

    @property
    def is_choice(self) -> bool:
        """Whether a player has a decision to make."""
        return not (self.is_over or self.side == NATURE or self.must_pass)

    def play(self, move: int) -> None:
        """Make a move and clear the redo list.

        :raises IllegalMoveError: if the move is not legal, or the game is over.
        """
        if self.resigned is not None:
            raise IllegalMoveError(f"the game is over: {self.game.players[self.resigned]} has resigned")
        self.make(MoveRecord(self.game.format_move(move), "chance" if self.side == NATURE else COLORS[self.side]))
        self.undone.clear()

    def make(self, record: MoveRecord) -> None:
        """Make a recorded move, and keep its record."""
        self.position.play(self.game.parse_move(self.position, record.move))
        self.moves.append(record)

    def undo(self, humans: frozenset[int]) -> int:
        """Go back to the last position in which one of ``humans`` had a choice; return the number of undone moves.

        If a person has just resigned on their own turn, only the resignation is undone.

        :raises IllegalMoveError: if there is no such position.
        """
        count = 0
        resigned, self.resigned = self.resigned, None
        if resigned in humans and self.side == resigned:
            return count
        while self.moves:
            self.position.undo()
            self.undone.append(self.moves.pop())
            count += 1
            if self.is_choice and self.side in humans:
                return count
        for _ in range(count):
            self.make(self.undone.pop())
        self.resigned = resigned
        raise IllegalMoveError("undo: you have made no move yet")

    def redo(self, humans: frozenset[int]) -> int:
        """Redo moves up to the next position in which one of ``humans`` has a choice; return their number.

        :raises IllegalMoveError: if there are none.
        """
        if not self.undone:
            raise IllegalMoveError("redo: there is nothing to redo")
        count = 0
        while self.undone:
            self.make(self.undone.pop())
            count += 1
            if self.is_choice and self.side in humans:
                break
        return count

    def roll(self) -> int:
        """Return nature's next move, drawn according to the probabilities."""
        return nature_move(self.position, self.seed, len(self.moves))

    def any_move(self) -> int:
        return random.Random(f"{self.seed} {len(self.moves)}").choice(sorted(self.position.legal_moves()))

    def seen_by(self, side: int) -> Position:
        """Return a copy of the position as known to the player ``side``."""
        if not isinstance(self.game, HiddenCards):
            return self.position.copy()
        return self.game.parse_position(self.game.view(self.position, side).split())

    def texts(self) -> list[str]:
        """Return the moves in the game's notation."""
        return [each.move for each in self.moves]

    def numbers(self) -> tuple[int, ...]:
        """Return the moves as integers of the game."""
        return play_moves(self.game, self.begin(), self.texts())
