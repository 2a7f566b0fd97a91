"""An opening that is trained at the terminal: replies of the book, and at its end a look at one's own moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quietmove.engine.games.base import Book
from quietmove.engine.games.othello.book import SHIPPED, book_of
from quietmove.engine.games.othello.notation import format_square
from quietmove.engine.protocol.describe import counted
from quietmove.engine.session import DEFAULTS, make_table
from quietmove.engine.tools.analysis.command import EXACT_BY_SOLVER, analysed
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.report import GameAnalysis, reasons_for
from quietmove.engine.tools.analysis.review import MoveReview, ReviewEffort
from quietmove.engine.tools.practice.openings import Opening, comment, reply
from quietmove.engine.tools.practice.problems import mistakes
from quietmove.engine.tools.practice.reviewing import review_of
from quietmove.engine.tools.practice.reviews import Review
from quietmove.engine.values import Limits
from quietmove.referee.play.game import GameInProgress

__all__ = ["OpeningTraining"]

LIMITS = Limits(nodes=200_000)  # limits of a search of the look at the end; it takes some seconds


@dataclass(frozen=True)
class OpeningTraining:
    """What is trained.

    :param opening: where it begins.
    """

    opening: Opening

    @property
    def book(self) -> Book:
        """The book of the package."""
        return book_of(SHIPPED)

    def describe(self) -> str:
        """Return what is trained, in a sentence."""
        moves = "".join(map(format_square, self.opening.moves))
        return f"{self.opening.title} ({moves}); the replies are the book's as far as {self.opening.last_ply} moves."

    def begin(self, game: GameInProgress) -> None:
        """Make the moves of the opening, and give the game its title."""
        for move in self.opening.moves:
            game.play(move)
        game.opened = game.opened.model_copy(update={"event": self.opening.title, "given": len(self.opening.moves)})

    def is_over(self, game: GameInProgress) -> bool:
        """Tell whether the game has left the opening."""
        return game.is_over or len(game.moves) >= self.opening.last_ply

    def reply(self, game: GameInProgress) -> int:
        """Return the move of the opponent."""
        return reply(self.book, game.position, game.seed)

    def comment(self, game: GameInProgress, move: int) -> str:
        """Return what is said of one's own move, before it is made."""
        return comment(game.game, self.book, game.position, move)

    def look_over(self, game: GameInProgress, humans: frozenset[int]) -> tuple[list[str], Review, int]:
        """Search the moves of the opening; return what is said of them, the review, and how many are to be practised.

        The moves that the opening began with are nobody's mistakes.
        """
        effort, table = ReviewEffort(DEFAULTS, LIMITS, EXACT_BY_SOLVER), make_table(64)
        record = ReviewedGame("this opening", game.game, game.begin(), tuple(game.moves))
        (found,) = analysed([record], effort, table)
        given = len(self.opening.moves)
        review = review_of(record, found.reviews, effort, table)
        own = [each for each in found.reviews[given:] if each.side in humans]
        costly = [each for each in own if each.mark]
        said = [f"{counted(len(own), 'move')} of yours, {len(costly) or 'none'} of them a mistake"]
        said += [line for each in costly for line in describe(found, each)]
        asked = list(mistakes(game.game, game.begin(), game.texts(), review, humans, given=given))
        return said, review, len(asked)


def describe(found: GameAnalysis, each: MoveReview) -> Iterator[str]:
    """Yield what a mistake lost, the better move, and why that was better."""
    game = found.record.game
    lost = f" loses {each.loss / 100:.2f} {game.point}s" if each.loss else ""
    yield f"  {each.number} {game.format_move(each.move)}{each.mark}{lost}: {game.format_move(each.best)} was better"
    if why := reasons_for(found, each):
        yield f"    {why[0]}"
