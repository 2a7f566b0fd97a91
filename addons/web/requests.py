"""What a page asks for, checked: each request is a model, and what is wrong with one is an error that names the key."""

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
MOST_LINES = 1000  # the most lines of a tree of moves


class PageRequest(BaseModel):
    """A JSON object; keys that are not known are ignored."""

    model_config = ConfigDict(strict=True, frozen=True)

    @classmethod
    def read(cls, text: str | bytes) -> Self:
        """Return the request that ``text`` spells.

        :raises SetupError: if it spells none, for the first key that is wrong.
        """
        return read_object(cls, text, "the request", SetupError)


def in_query(model: type[Model], work: Callable[[Model], Json]) -> Callable[[Request], Awaitable[Json]]:
    """Return a handler that reads the parameters of an address as ``model``, and answers what ``work`` returns."""

    async def answer(request: Request) -> Json:
        return await asyncio.to_thread(work, model.read(json.dumps(dict(request.query_params))))

    return answer


def in_thread(
    model: type[Model], work: Callable[[Model], Json], turn: asyncio.Lock | None = None
) -> Callable[[Request], Awaitable[Json]]:
    """Return a handler that reads a request as ``model``, and answers what ``work`` returns for it, in a thread.

    :param turn: a lock that is held while ``work`` runs, so that pages wait for each other.
    """

    async def answer(request: Request) -> Json:
        asked = model.read(await request.body())
        async with turn or nullcontext():
            return await asyncio.to_thread(work, asked)

    return answer


def path_number(request: Request) -> int:
    """Return the number in an address.

    :raises HTTPException: 404, if it is not a number, or too long for one.
    """
    try:
        return parse_number(request.path_params["number"])
    except ValueError:
        raise HTTPException(404) from None


class PlayerRequest(PageRequest):
    """A player: a person, or one of the server's engines."""

    person: bool = False
    away: bool = False  # whether this person plays at another machine, by the address of the seat
    engine: str = ""
    limit: str = ""
    level: Annotated[int, Field(ge=0, le=20)] | None = None


class GameRequest(PageRequest):
    """A game that is to be played, from a position (empty for the usual one) and moves from there on."""

    game: str = "othello"
    instead: str = ""  # the session whose game goes on in this one, with moves taken back; it is ended
    kept: str = ""  # the kept game whose moves are played on: what its file says of them stays
    position: str = ""
    opening: str = ""
    trains: str = ""  # the opening that is trained, by its name or its moves; the game begins after it, or later
    black: PlayerRequest
    white: PlayerRequest


class RecordRequest(PageRequest):
    """A game that is to be shown."""

    record: SavedGame

    @property
    def game(self) -> str:
        """The game's name, which the server checks."""
        return self.record.spec.game


class DownloadRequest(RecordRequest):
    """A file with a game: ``ggf``, or ``svg``, the picture of its last position."""

    kind: Literal["ggf", "svg"]


class ListRequest(PageRequest):
    """Which of the games that are kept are listed, and in which order."""

    search: str = ""  # words; each must be a part of title, game, players, opening, result or date
    game: str = ""  # the name of a game without its size or rules; empty for any
    sort: Literal["newest", "oldest", "longest", "title"] = "newest"


class ChangeRequest(PageRequest):
    """Another title for a game that is kept, or other lines beside it; None leaves them as they are."""

    title: Annotated[str, Field(max_length=100)] | None = None
    lines: Annotated[tuple[TreeLine, ...], Field(max_length=MOST_LINES)] | None = None


class MoveRequest(PageRequest):
    """A person's move, or ``resign``."""

    ply: int  # the number of moves before this one: a message that comes late plays nothing
    move: str


class AnalysisRequest(PageRequest):
    """A position that an engine is to look at: the one after ``moves`` from ``start`` on (empty for the usual one)."""

    id: int | None = None  # the page's number for this question
    engine: str = ""
    game: str = ""
    start: str = ""
    moves: str = ""
    limit: str = ""  # such as ``movetime=1000`` a position; empty: as long as the page asks
    review: bool = False  # whether all the moves are reviewed, and not the position
    kept: str = ""  # the kept game whose moves are reviewed: the review is kept with it
    stop: bool = False  # whether the engine is to end; nothing else is asked then


class ReplayRequest(PageRequest):
    """A game of any kind that is to be shown; ``moves`` in any notation, and forced passes may be left out."""

    game: str = "othello"
    start: str = ""
    moves: str = ""


def parse_position(game: Game, text: str) -> Position:
    """Return the position that ``text`` spells, the game's first one where it is empty.

    :raises PositionError: if it spells none.
    """
    fields = text.split()
    return game.parse_position(fields) if fields else game.initial()
