"""Opening training: replies from the book, a comment on each of the person's moves, and a review at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quietmove.addons.practice.openings import Opening, comment, find_opening, reply
from quietmove.engine.common.addons import find_hook
from quietmove.engine.games.base import Book, Position
from quietmove.engine.games.othello.book import SHIPPED, book_of
from quietmove.engine.games.othello.notation import format_square
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import pluralize
from quietmove.engine.tools.analysis.report import GameAnalysis
from quietmove.engine.tools.analysis.review import MoveReview
from quietmove.engine.tools.analysis.reviews import Review
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import Setting
from quietmove.referee.process.loop import now
from quietmove.referee.seats import SEATS, Answer, Turn
from quietmove.referee.seats.uci import UciSeat

NODES = 200_000  # nodes per search of the final review, which takes a few seconds
PROTOCOL = "training"
LAST_PLY = "last_ply"


@dataclass(frozen=True)
class OpeningTraining:
    """Training for one opening; implements :class:`quietmove.referee.play.game.Training`.

    :param name: the name or the moves that the person entered.
    """

    name: str
    opening: Opening

    @property
    def title(self) -> str:
        return self.opening.title

    @property
    def moves(self) -> tuple[int, ...]:
        return self.opening.moves

    @property
    def last_ply(self) -> int:
        return self.opening.last_ply

    @property
    def book(self) -> Book:
        """The shipped book."""
        return book_of(SHIPPED)

    def describe(self) -> str:
        moves = "".join(map(format_square, self.moves))
        return f"{self.title} ({moves}); replies follow the book up to move {self.last_ply}."

    def reply(self, position: Position, seed: int | str) -> int:
        return reply(self.book, position, seed)

    def comment(self, position: Position, move: int) -> str:
        text = comment(get_game("othello"), self.book, position, move)
        own_note = find_hook("own_note")
        note = own_note(position, move) if own_note else ""
        return f"{text}. Your note: {note}" if note else text

    def seat_of(self, engine: EngineConfig) -> EngineConfig:
        SEATS[PROTOCOL] = TrainingSeat
        return replace(engine, protocol=PROTOCOL, settings=(*engine.settings, (LAST_PLY, self.last_ply)))

    def look_over(self, start: Position, moves: Sequence[int], humans: frozenset[int]) -> tuple[list[str], Review, int]:
        """Review the training game. Return a report, the review, and the number of positions to practise.

        The opening's own moves do not count as the person's mistakes.
        """
        from quietmove.addons.practice.problems import mistakes
        from quietmove.engine.session import DEFAULTS, make_table
        from quietmove.engine.tools.analysis.records import ReviewedGame
        from quietmove.engine.tools.analysis.review import ReviewEffort, exact_moves, review_of
        from quietmove.engine.values import Limits
        from quietmove.referee.play.analyze_command import analyze_games

        game = get_game("othello")
        effort = ReviewEffort(DEFAULTS, Limits(nodes=NODES), exact_moves(start))
        table = make_table(64)
        record = ReviewedGame("this opening", game, start, tuple(moves))
        (analysis,) = analyze_games([record], effort, table)
        review = review_of(record, analysis.reviews, str(effort))
        given = len(self.moves)
        own = [each for each in analysis.reviews[given:] if each.side in humans]
        costly = [each for each in own if each.mark]
        lines = [f"{pluralize(len(own), 'move')} of yours, {len(costly) or 'none'} of them a mistake"]
        lines += [line for each in costly for line in describe_mistake(analysis, each)]
        texts = [game.format_move(move) for move in moves]
        problems = list(mistakes(game, start, texts, review, humans, given=given))
        return lines, review, len(problems)


def training_of(text: str) -> OpeningTraining:
    """Return the training for an opening, which is specified by its name or its moves.

    :raises GameError: if there is no such opening.
    """
    return OpeningTraining(text, find_opening(text))


def describe_mistake(analysis: GameAnalysis, found: MoveReview) -> Iterator[str]:
    """Yield lines describing a mistake: its loss, the better move, and the main reason."""
    from quietmove.engine.tools.analysis.report import reasons_for

    game = analysis.record.game
    lost = f" loses {'' if found.exact else 'about '}{found.loss / 100:g} {game.point}s" if found.loss else ""
    better = game.format_move(found.best)
    yield f"  {found.number} {game.format_move(found.move)}{found.mark}{lost}: {better} was better"
    if reasons := reasons_for(analysis, found):
        yield f"    {reasons[0]}"


class TrainingSeat(UciSeat):
    """The seat of an engine that replies from the book until the opening is over, then by searching."""

    settings = (*UciSeat.settings, Setting(LAST_PLY, 0, "number of moves after which the opening is over"))

    async def think(self, turn: Turn) -> Answer:
        if len(turn.moves) >= int(self.setting(LAST_PLY)):
            return await super().think(turn)
        game = get_game(self.game)
        began = now()
        position = game.initial()
        for move in turn.moves:
            position.play(game.parse_move(position, move))
        seed = dict(self.config.options).get("Seed", "")
        move = game.format_move(await asyncio.to_thread(reply, book_of(SHIPPED), position, seed))
        return Answer(move, move, (now() - began) * 1000)
