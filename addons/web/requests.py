"""Validated models of the pages' requests. An error names the invalid key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from quietmove.engine.common.untrusted import parse_number
from quietmove.engine.games.base import Game, Position
from quietmove.referee.config.validation import read_object
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import SavedGame, TreeLine

if TYPE_CHECKING:
    from starlette.requests import Request

    from quietmove.addons.web.boards import Json

Model = TypeVar("Model", bound="PageRequest")
MOST_LINES = 1000  # maximum number of lines in a tree of moves
MOST_MOVES = 64  # the maximum of the engine's MultiPV option
MOST_MEMORY = 4096  # megabytes of an analysis engine's table


class PageRequest(BaseModel):
    """A JSON object; unknown keys are ignored."""

    model_config = ConfigDict(strict=True, frozen=True)

    @classmethod
    def read(cls, text: str | bytes) -> Self:
        """Parse a request.

        :raises SetupError: naming the first invalid key.
        """
        return read_object(cls, text, "the request", SetupError)


def in_query(model: type[Model], work: Callable[[Model], Json]) -> Callable[[Request], Awaitable[Json]]:
    """Return a handler that parses query parameters as ``model`` and returns the result of ``work``."""

    async def answer(request: Request) -> Json:
        return await asyncio.to_thread(work, model.read(json.dumps(dict(request.query_params))))

    return answer


def in_thread(
    model: type[Model], work: Callable[[Model], Json], turn: asyncio.Lock | None = None
) -> Callable[[Request], Awaitable[Json]]:
    """Return a handler that parses a request as ``model`` and runs ``work`` in a thread.

    :param turn: a lock to hold while ``work`` runs, so that pages take turns.
    """

    async def answer(request: Request) -> Json:
        asked = model.read(await request.body())
        async with turn or nullcontext():
            return await asyncio.to_thread(work, asked)

    return answer


def path_number(request: Request) -> int:
    """Return the number in an address.

    :raises HTTPException: 404 if the address does not contain a number, or the number is too long.
    """
    try:
        return parse_number(request.path_params["number"])
    except ValueError:
        raise HTTPException(404) from None


class PlayerRequest(PageRequest):
    """A requested player: a person, or one of the server's engines."""

    person: bool = False
    away: bool = False  # whether this person plays on another machine, using the seat's address
    engine: str = ""
    limit: str = ""
    level: Annotated[int, Field(ge=0, le=20)] | None = None


class GameRequest(PageRequest):
    """A request to start a game from a position (the initial one if empty), possibly with moves already played."""

    game: str = "othello"
    instead: str = ""  # the session that this game replaces after taking moves back
    kept: str = ""  # the saved game that this game continues; data recorded with its moves is preserved
    position: str = ""
    opening: str = ""
    trains: str = ""  # the name or moves of the opening to train; without ``opening``, the game starts after its moves
    assisted: bool = False  # whether two people may ask an engine while they play
    black: PlayerRequest
    white: PlayerRequest


class RecordRequest(PageRequest):
    """A request that contains a game."""

    record: SavedGame

    @property
    def game(self) -> str:
        """The game's name, which the server validates."""
        return self.record.spec.game


class DownloadRequest(RecordRequest):
    """A request for a file with a game, or ``svg`` for a picture of its final position."""

    kind: Literal["ggf", "sgf", "pgn", "svg"]


class ListRequest(PageRequest):
    """A request for a sorted list of saved games."""

    search: str = ""  # words to find in title, game, players, opening, result or date; all must match
    game: str = ""  # a game's name without size or rules; "" for any
    sort: Literal["newest", "oldest", "longest", "title"] = "newest"


class ChangeRequest(PageRequest):
    """A change to a saved game's title or lines; None leaves them unchanged."""

    title: Annotated[str, Field(max_length=100)] | None = None
    lines: Annotated[tuple[TreeLine, ...], Field(max_length=MOST_LINES)] | None = None


Offer = Literal["draw", "takeback", "rematch"]


class MoveRequest(PageRequest):
    """A person's move (or ``resign``) or, without a move, a message to the other person."""

    ply: int = -1  # the number of moves before this one, so that late messages have no effect
    move: str = ""
    offer: Offer | None = None
    accept: bool | None = None  # true accepts the other person's offer, false declines it
    say: Annotated[str, Field(max_length=200)] = ""


class AnalysisRequest(PageRequest):
    """A request to analyse the position after ``moves`` from ``start`` ("" for the initial one), or to review them."""

    id: int | None = None  # the page's ID for this request
    engine: str = ""
    game: str = ""
    start: str = ""
    moves: str = ""
    limit: str = ""  # search limit per position, such as ``movetime=1000``; "" means until it is solved
    lines: Annotated[int, Field(ge=1, le=MOST_MOVES)] = MOST_MOVES  # number of best moves to analyse
    threads: Annotated[int, Field(ge=1)] | None = None  # at most one per processor of the server
    memory: Annotated[int, Field(ge=1, le=MOST_MEMORY)] | None = None  # megabytes
    review: bool = False  # whether to review all moves instead of analysing the position
    kept: str = ""  # the saved game to review; the review is saved with it
    stop: bool = False  # stop the engine; other fields are ignored


class ReplayRequest(PageRequest):
    """A request to show a game of any kind. The moves can be in any notation, with or without forced passes."""

    game: str = "othello"
    start: str = ""
    moves: str = ""


def parse_position(game: Game, text: str) -> Position:
    """Parse a position. An empty text means the game's initial position.

    :raises PositionError: if the position is invalid.
    """
    fields = text.split()
    return game.parse_position(fields) if fields else game.initial()
