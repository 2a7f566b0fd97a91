"""The pages and what they ask for: HTTP and websockets in front of the games."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.rules import RULES
from quietmove.engine.levels import FULL_STRENGTH, level_elo, level_name
from quietmove.engine.printable import printable
from quietmove.engine.protocol.board_svg import example_svg
from quietmove.referee.errors import SetupError
from quietmove.referee.web.analysis import Analysis, analysts
from quietmove.referee.web.boards import Json, describe_game
from quietmove.referee.web.guard import Guard
from quietmove.referee.web.imports import imported, replayed
from quietmove.referee.web.kept import downloaded
from quietmove.referee.web.login import Password
from quietmove.referee.web.pages import AddedPages, page_routes
from quietmove.referee.web.requests import (
    AnalysisRequest,
    ChangeRequest,
    DownloadRequest,
    GameRequest,
    ListRequest,
    MoveRequest,
    PageRequest,
    RecordRequest,
    ReplayRequest,
)
from quietmove.referee.web.session import Watcher
from quietmove.referee.web.sessions import GameSessions, has_levels
from quietmove.referee.web.trees import TreeRequest, describe_trees, tree_of

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["MOST_QUESTION", "create_app"]

MOST_MESSAGE = 2000  # characters of a message with a move
MOST_QUESTION = 60_000  # characters of a message with a game that is to be analysed
GONE = 4404

Model = TypeVar("Model", bound=PageRequest)


def create_app(
    sessions: GameSessions,
    hosts: list[str],
    token: str,
    added: Sequence[AddedPages] = (),
    password: Password | None = None,
    code: str = "",
) -> Starlette:
    """Return the server of ``sessions``, reached under the names ``hosts`` by those who have the token.

    :param added: pages of other packages.
    :param password: that gives the token; without it the printed address does.
    :param code: that gives the token once.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await sessions.close_all()

    pages = Pages(sessions)
    return Starlette(
        routes=[
            *page_routes(added),
            Route("/api/server", pages.describe_server),
            Route("/api/game", pages.describe_game),
            Route("/api/rules/{name}.svg", pages.draw_rules),
            Route("/api/sessions", pages.open_session, methods=["POST"]),
            Route("/api/sessions/{name}", pages.close_session, methods=["DELETE"]),
            Route("/api/import", pages.import_games, methods=["POST"]),
            Route("/api/kept", pages.list_kept),
            Route("/api/kept/{name}", pages.show_kept),
            Route("/api/kept/{name}", pages.change_kept, methods=["PUT"]),
            Route("/api/kept/{name}", pages.delete_kept, methods=["DELETE"]),
            Route("/api/download", pages.answer_with(DownloadRequest, downloaded), methods=["POST"]),
            Route(
                "/api/opened",
                pages.answer_with(RecordRequest, lambda asked: sessions.kept.described(asked)),
                methods=["POST"],
            ),
            Route("/api/replay", pages.answer_with(ReplayRequest, replayed), methods=["POST"]),
            Route("/api/trees", pages.describe_trees),
            Route("/api/tree", pages.answer_with(TreeRequest, tree_of, asyncio.Lock()), methods=["POST"]),
            WebSocketRoute("/sessions/{name}", pages.watch),
            WebSocketRoute("/analysis", pages.analyse),
        ],
        middleware=[Middleware(Guard, hosts=hosts, token=token, password=password, code=code)],
        exception_handlers={QuietmoveError: refusal},
        lifespan=lifespan,
    )


class Pages:
    """What the pages ask for."""

    def __init__(self, sessions: GameSessions) -> None:
        self._sessions = sessions

    def answer_with(
        self, model: type[Model], work: Callable[[Model], Json], turn: asyncio.Lock | None = None
    ) -> Callable[[Request], Any]:
        """Return what answers a request with what ``work`` makes of it, in a thread.

        :param turn: of what is done for one page at a time; the others wait for it.
        """

        async def answer(request: Request) -> Response:
            asked = await self._read(request, model)
            try:
                async with turn or nullcontext():
                    return JSONResponse(await asyncio.to_thread(work, asked))
            except asyncio.CancelledError:  # the server ends
                return JSONResponse({"error": "the server was ended before it could answer"}, 503)

        return answer

    async def describe_server(self, request: Request) -> Response:
        """Answer which engines and games there are."""
        engines = self._sessions.engines.values()
        return JSONResponse(
            {
                "engines": [
                    {"name": each.name, "limit": str(each.limit), "levels": has_levels(each)} for each in engines
                ],
                "analysts": analysts(engines),
                "games": self._sessions.games,
                "rules": {name: asdict(RULES[name]) for name in self._sessions.games if name in RULES},
                "levels": [{"name": level_name(each), "elo": level_elo(each)} for each in range(FULL_STRENGTH + 1)],
                "keeps": self._sessions.kept.folder is not None,
            }
        )

    async def describe_game(self, request: Request) -> Response:
        """Answer what a game is called and how large its board is."""
        name = request.query_params.get("name", "othello")
        self._sessions.check_game(name)
        return JSONResponse(describe_game(get_game(name)))

    async def draw_rules(self, request: Request) -> Response:
        """Answer the picture that stands beside the rules of a game, empty if there is none."""
        name = request.path_params["name"]
        self._sessions.check_game(name)
        return Response(example_svg(get_game(name)) or "", media_type="image/svg+xml")

    async def describe_trees(self, request: Request) -> Response:
        """Answer which search trees can be asked for."""
        return JSONResponse(await asyncio.to_thread(describe_trees, self._sessions.games))

    async def import_games(self, request: Request) -> Response:
        """Answer which games a file holds, which is the body of the request."""
        name, data = request.query_params.get("name", ""), await request.body()
        return JSONResponse(await asyncio.to_thread(imported, name, data))

    async def open_session(self, request: Request) -> Response:
        """Begin a game; the answer has its name."""
        session = self._sessions.open(await self._read(request, GameRequest))
        return JSONResponse({"id": session.name}, 201)

    async def close_session(self, request: Request) -> Response:
        """End a game."""
        self._sessions.close(request.path_params["name"])
        return Response(status_code=204)

    async def list_kept(self, request: Request) -> Response:
        """Answer which games are kept, as far as they are asked for."""
        wishes, running = ListRequest.read(json.dumps(dict(request.query_params))), self._sessions.running_files()
        return JSONResponse(await asyncio.to_thread(self._sessions.kept.listed, running, wishes))

    async def show_kept(self, request: Request) -> Response:
        """Answer what a game that is kept was."""
        return JSONResponse(await asyncio.to_thread(self._sessions.kept.shown, request.path_params["name"]))

    async def change_kept(self, request: Request) -> Response:
        """Change the title of a game that is kept, or the lines beside it."""
        asked = await self._read(request, ChangeRequest)
        await asyncio.to_thread(self._sessions.kept.change, request.path_params["name"], asked)
        return Response(status_code=204)

    async def delete_kept(self, request: Request) -> Response:
        """Delete a game that is kept."""
        await asyncio.to_thread(self._sessions.kept.delete, request.path_params["name"])
        return Response(status_code=204)

    async def watch(self, socket: WebSocket) -> None:
        """Tell a page all that happens in a game, and take its person's moves."""
        await socket.accept()
        session = self._sessions.sessions.get(socket.path_params["name"])
        if session is None:
            await socket.close(GONE, "there is no such game; it may have ended because nobody watched")
            return

        async def take(text: str) -> None:
            session.answer(MoveRequest.read(text))

        watcher = session.watch()
        try:
            await talk(socket, watcher, take, MOST_MESSAGE)
        finally:
            session.leave(watcher)

    async def analyse(self, socket: WebSocket) -> None:
        """Tell a page what an engine says of the positions that it asks about."""
        await socket.accept()
        messages: Watcher = asyncio.Queue()
        analysis = Analysis(self._sessions.engines, self._sessions.analyses, messages.put_nowait)

        async def take(text: str) -> None:
            request = AnalysisRequest.read(text)
            try:
                self._sessions.check_game(request.game)
                await analysis.take(request)
            except QuietmoveError as error:
                messages.put_nowait({"type": "error", "error": printable(str(error)), "id": request.id})

        try:
            await talk(socket, messages, take, MOST_QUESTION)
        finally:
            await analysis.close()

    async def _read(self, request: Request, model: type[Model]) -> Model:
        """Return what a page asks for.

        :raises SetupError: if the request is wrong, or has a game that the page may not have.
        """
        asked = model.read(await request.body())
        self._sessions.check_game(getattr(asked, "game", ""))
        return asked


async def talk(socket: WebSocket, messages: Watcher, take: Callable[[str], Awaitable[None]], most: int) -> None:
    """Send ``messages`` to a page, and give its own to ``take``, until the page has gone.

    :param take: raises a ``QuietmoveError`` for what it does not take; the page is told.
    :param most: characters of one message of the page.
    """
    telling = asyncio.create_task(tell(socket, messages))
    try:
        while True:
            text = await socket.receive_text()
            try:
                if len(text) > most:
                    raise SetupError(f"the request: must be a JSON object of at most {most} characters")
                await take(text)
            except QuietmoveError as error:
                messages.put_nowait({"type": "error", "error": printable(str(error)), "id": None})
    except (WebSocketDisconnect, KeyError):  # a KeyError: bytes came where a text is read
        pass
    finally:
        telling.cancel()


async def tell(socket: WebSocket, messages: Watcher) -> None:
    """Send messages to a page until it has gone, or until None comes."""
    with suppress(WebSocketDisconnect, RuntimeError):  # the page has gone
        while (message := await messages.get()) is not None:
            await socket.send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
        await socket.close()


def refusal(request: Request, error: Exception) -> Response:
    """Return the answer to what is not allowed."""
    return JSONResponse({"error": printable(str(error))}, 400)
