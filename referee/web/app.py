"""The pages and what they ask for: HTTP and websockets in front of the house."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.registry import get_game
from quietmove.referee.errors import SetupError
from quietmove.referee.web.analyst import Analyst, analysts
from quietmove.referee.web.boards import Json, describe_game
from quietmove.referee.web.guard import Guard
from quietmove.referee.web.house import MOST_TABLES, House, has_levels
from quietmove.referee.web.imports import imported, replayed
from quietmove.referee.web.login import Password
from quietmove.referee.web.pages import AddedPages, page_routes
from quietmove.referee.web.sockets import take_move, talk
from quietmove.referee.web.table import Watcher
from quietmove.referee.web.trees import describe_trees, tree_of

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

__all__ = ["MOST_QUESTION", "create_app"]

MOST_MESSAGE = 2000  # characters of a message with a move
MOST_QUESTION = 60_000  # and of one with a game that is to be analysed
GONE = 4404


def create_app(
    house: House, hosts: list[str], token: str, added: Sequence[AddedPages] = (), password: Password | None = None
) -> Starlette:
    """Return the server of ``house``, reached under the names ``hosts`` by those who have the token.

    :param added: pages of other packages.
    :param password: that gives the token; without it the printed address does.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(house.sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            await house.close_all()

    pages = Pages(house)
    return Starlette(
        routes=[
            *page_routes(added),
            Route("/api/house", pages.describe_house),
            Route("/api/game", pages.describe_game),
            Route("/api/tables", pages.open_table, methods=["POST"]),
            Route("/api/tables/{number}", pages.close_table, methods=["DELETE"]),
            Route("/api/games", pages.answer_with(imported), methods=["POST"]),
            Route("/api/replay", pages.answer_with(replayed), methods=["POST"]),
            Route("/api/trees", pages.describe_trees),
            Route("/api/tree", pages.answer_with(tree_of, asyncio.Lock()), methods=["POST"]),
            WebSocketRoute("/tables/{number}", pages.watch),
            WebSocketRoute("/analysis", pages.analyse),
        ],
        middleware=[Middleware(Guard, hosts=hosts, token=token, password=password)],
        lifespan=lifespan,
    )


class Pages:
    """What the pages ask for."""

    def __init__(self, house: House) -> None:
        self._house = house

    def answer_with(self, work: Callable[[Json], Json], turn: asyncio.Lock | None = None) -> Callable[[Request], Any]:
        """Return what answers a request with what ``work`` makes of its document.

        :param turn: of what is done for one page at a time; the others wait for it.
        """

        async def answer(request: Request) -> Response:
            try:
                wish = await self._wish(request)
                async with turn or nullcontext():
                    return JSONResponse(await asyncio.to_thread(work, wish))
            except QuietmoveError as error:
                return refusal(error)
            except asyncio.CancelledError:  # the server ends
                return JSONResponse({"error": "the server was ended before it could answer"}, 503)

        return answer

    async def describe_house(self, request: Request) -> Response:
        """Answer which engines and games there are."""
        engines = [
            {
                "name": engine.name,
                "limit": str(engine.limit),
                "levels": has_levels(engine),
            }
            for engine in self._house.engines.values()
        ]
        return JSONResponse(
            {
                "engines": engines,
                "analysts": analysts(self._house.engines.values()),
                "games": self._house.games,
                "tables": MOST_TABLES,
            }
        )

    async def describe_game(self, request: Request) -> Response:
        """Answer what a game is called and how large its board is."""
        name = request.query_params.get("name", "othello")
        try:
            self._house.check_game(name)
            return JSONResponse(describe_game(get_game(name)))
        except QuietmoveError as error:
            return refusal(error)

    async def describe_trees(self, request: Request) -> Response:
        """Answer which search trees can be asked for."""
        return JSONResponse(await asyncio.to_thread(describe_trees, self._house.games))

    async def open_table(self, request: Request) -> Response:
        """Begin a game; the answer has its number."""
        try:
            table = self._house.open(await self._wish(request))
        except QuietmoveError as error:
            return refusal(error)
        return JSONResponse({"id": table.number}, 201)

    async def close_table(self, request: Request) -> Response:
        """End a game."""
        self._house.close(request.path_params["number"])
        return Response(status_code=204)

    async def watch(self, socket: WebSocket) -> None:
        """Tell a page all that happens at a table, and take its person's moves."""
        await socket.accept()
        table = self._house.tables.get(socket.path_params["number"])
        if table is None:
            await socket.close(GONE, "there is no such game; it may have ended because nobody watched")
            return
        watcher = table.watch()
        try:
            await talk(socket, watcher, partial(take_move, table), MOST_MESSAGE)
        finally:
            table.leave(watcher)

    async def analyse(self, socket: WebSocket) -> None:
        """Tell a page what an engine says of the positions that it asks about."""
        await socket.accept()
        messages: Watcher = asyncio.Queue()
        analyst = Analyst(self._house, messages.put_nowait)
        try:
            await talk(socket, messages, analyst.take, MOST_QUESTION)
        finally:
            await analyst.close()

    async def _wish(self, request: Request) -> Json:
        """Return what a page asks for.

        :raises SetupError: if that is no JSON object, or has a game that it may not have.
        """
        wish = await document(request)
        self._house.check_game(wish.get("game"))
        return wish


async def document(request: Request) -> Json:
    """Return the JSON object of a request.

    :raises SetupError: if it is none.
    """
    try:
        found = json.loads(await request.body())
    except (ValueError, RecursionError, ClientDisconnect):
        found = None
    if not isinstance(found, dict):
        raise SetupError("a JSON object is allowed as the body of this request")
    return found


def refusal(error: QuietmoveError) -> Response:
    """Return the answer to what is not allowed."""
    return JSONResponse({"error": str(error)}, 400)
