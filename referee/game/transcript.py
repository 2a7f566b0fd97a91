"""The moves of a game, whether played by the referee or read from text."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import NATURE
from quietmove.engine.games.base import Position as SearchPosition
from quietmove.engine.games.registry import get_game, known_game
from quietmove.engine.protocol.notation import play_moves, written_moves
from quietmove.engine.protocol.pictures import board_html, board_svg, last_marks, slider_html
from quietmove.referee.config.model import COLORS
from quietmove.referee.errors import SetupError
from quietmove.referee.game.verdict import finished

if TYPE_CHECKING:
    from quietmove.engine.api import Position

Mover = Literal["black", "white", "opening", "chance"]
Points = Annotated[float, Field(ge=0, le=1, multiple_of=0.5)]
MarginPoints = Annotated[int, Field(ge=-(10**9), le=10**9)]
WholeNumber = Annotated[int, Field(ge=-(10**16), le=10**16)]  # the limit for numbers in engine output


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """One move of a game and the engine's claims about it.

    :param move: the move in the game's notation.
    :param by: the player who made it, ``opening`` or ``chance``.
    :param elapsed_ms: the time from the request to the arrival of the reply, in milliseconds; 0 in the opening.
    :param clock_ms: the time left on the mover's game clock after the move, in milliseconds, or None without one;
        negative while the margin covers overdrawn time.
    :param score: the engine's claim, in hundredths of a point, from the mover's point of view.
    :param depth, nodes: the engine's claims, which are never checked.
    """

    move: str
    by: Mover
    elapsed_ms: WholeNumber = 0
    clock_ms: WholeNumber | None = None
    score: WholeNumber | None = None
    depth: WholeNumber | None = None
    nodes: WholeNumber | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A game: its players, start position and moves, and its result if known.

    :param game: a name that :func:`quietmove.engine.games.registry.get_game` accepts.
    :param black, white: the players' names, or "" if unknown.
    :param start: the start position in the game's notation, or "" for the initial position.
    :param points_black: 1, 0.5 or 0, or None if the result is unknown.
    :param margin_black: the number of points by which Black won; negative if White won.
    """

    game: str
    moves: tuple[MoveRecord, ...] = ()
    black: str = ""
    white: str = ""
    start: str = ""
    points_black: float | None = None
    margin_black: int | None = None

    @property
    def result(self) -> str:
        """``1-0``, ``1/2-1/2`` or ``0-1``, Black's points first, or ``*`` if unknown."""
        return result_text(self.points_black)

    def position(self, plies: int | None = None) -> Position:
        """Return the position after the first ``plies`` moves, by default after all, with its moves.

        :raises GameError: if the game or start position does not exist, or a move is not legal; the message names it.
        """
        from quietmove.engine.api import Position  # it loads the search, which a referee does not need

        return Position(known_game(self.game).name, self.start or None, [record.move for record in self.moves[:plies]])

    def svg(self, plies: int | None = None) -> str | None:
        """Return an SVG picture of the board after the first ``plies`` moves, by default after all.

        The result is None if the game has neither squares nor its own picture.

        :raises GameError: as :meth:`position`.
        """
        game, (position, moves) = known_game(self.game), self._replay(plies)
        return board_svg(game, position, last_marks(game, position, moves))

    def _replay(self, plies: int | None) -> tuple[SearchPosition, tuple[int, ...]]:
        game = known_game(self.game)
        position = game.parse_position(self.start.split()) if self.start else game.initial()
        return position, play_moves(game, position, [record.move for record in self.moves[:plies]])

    def _repr_html_(self) -> str:
        game = known_game(self.game)
        names = zip((self.black, self.white), game.players, strict=True)
        title = printable(" - ".join(f"{name} ({side})" if name else side for name, side in names))
        margin = "" if self.margin_black is None else f" ({self.margin_black:+d})"
        moves = " ".join(record.move for record in self.moves)
        replays = map(self._replay, range(len(self.moves) + 1))
        boards = [board_html(game, position, last_marks(game, position, made)) for position, made in replays]
        return (
            f"<p>{escape(title)}: {self.result}{margin}</p>{slider_html(boards) if self.moves else boards[0]}"
            f"<details><summary>{len(self.moves)} moves</summary>{escape(moves)}</details>"
        )


def read_transcript(text: str, game: str = "othello", black: str = "", white: str = "") -> Transcript:
    """Parse a game from its moves: ``f5d6c3``, ``6 4 4 3 3 6`` or ``1. f5 d6 2. c3``.

    Forced passes can be left out. The result is known if the moves end the game.

    :raises SetupError: naming the first move that cannot be played.
    """
    rules = get_game(game)
    position = rules.initial()
    records = []
    try:
        for move in written_moves(rules, position, [text]):
            side = position.side_to_move
            records.append(MoveRecord(rules.format_move(move), "chance" if side == NATURE else COLORS[side]))
            position.play(move)
    except GameError as error:
        raise SetupError(f"transcript: {error}") from None
    points = margin = None
    if position.is_over():
        verdict = finished(position.result(), rules.players)
        points, margin = verdict.points_black, verdict.margin_black
    return Transcript(game, tuple(records), black, white, points_black=points, margin_black=margin)


def result_of(margin_black: float | None) -> str:
    """Return the conventional result for Black's margin, or ``*`` if it is unknown."""
    return result_text(None if margin_black is None else (margin_black > 0) + (margin_black == 0) / 2)


def result_text(points_black: float | None) -> str:
    """Return the conventional result for Black's points, or ``*`` if they are unknown."""
    return {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1", None: "*"}[points_black]
