"""The pages and what they ask for: HTTP and websockets in front of the games."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from quietmove.addons.web import requests
from quietmove.addons.web.access import REFUSED_WEBSOCKET, asker_of, create_application
from quietmove.addons.web.analysis import Analysis, analysts
from quietmove.addons.web.boards import Json, describe_game
from quietmove.addons.web.imports import imported, replayed
from quietmove.addons.web.kept import downloaded
from quietmove.addons.web.pages import AddedPages, page_rows, tell
from quietmove.addons.web.passwords import Password
from quietmove.addons.web.requests import Model
from quietmove.addons.web.routes import WEBSOCKET, Role, Row, json_text
from quietmove.addons.web.session import Watcher
from quietmove.addons.web.sessions import GameSessions, has_levels
from quietmove.addons.web.token_access import TokenAccess
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.engine.games.othello.opening_names import opening_moves
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.rules import RULES
from quietmove.engine.levels import FULL_STRENGTH, level_elo, level_name
from quietmove.engine.protocol.pictures import example_svg
from quietmove.referee.errors import SetupError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

MOST_MESSAGE = 2000  # characters of a message with a move
MOST_QUESTION = 60_000  # characters of a message with a game that is to be analysed
GONE = 4404  # the code that closes the websocket of a game that the server does not have


def create_app(
    sessions: GameSessions,
    hosts: list[str],
    token: str,
    added: Sequence[AddedPages] = (),
    password: Password | None = None,
    code: str = "",
    home: str = "/",
) -> Starlette:
    """Return the server of ``sessions``, reached under the names ``hosts`` by those who have the token.

    :param added: pages of other packages.
    :param password: who gives it gets the token; without a password the printed address has the token.
    :param code: the first who gives it gets the token.
    :param home: the page that opens first.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        beside = [asyncio.create_task(each.beside()) for each in added if each.beside]
        yield
        for task in beside:
            task.cancel()
        await sessions.close_all()

    pages = Pages(sessions)
    kept = sessions.kept
    entrance = TokenAccess(hosts, token, password, code, home, sessions.session_of_seat)
    rows = [
        *entrance.rows(),
        *page_rows(added),
        Row("GET", "/api/rules/{name}.svg", pages.draw_rules, Role.SEAT),
        Row("GET", "/api/server", pages.describe_server, Role.SEAT),
        Row("GET", "/api/game", pages.describe_game, Role.SEAT),
        Row("GET", "/api/sessions", pages.list_sessions, Role.PLAYER),
        Row("POST", "/api/sessions", pages.open_session, Role.PLAYER),
        Row("DELETE", "/api/sessions/{name}", pages.close_session, Role.PLAYER),
        Row("POST", "/api/import", pages.import_games, Role.PLAYER),
        Row("GET", "/api/kept", pages.list_kept, Role.PLAYER),
        Row("GET", "/api/kept/{name}", by_name(kept.shown), Role.PLAYER),
        Row("PUT", "/api/kept/{name}", pages.change_kept, Role.PLAYER),
        Row("DELETE", "/api/kept/{name}", by_name(kept.delete), Role.PLAYER),
        Row("POST", "/api/download", pages.in_thread(requests.DownloadRequest, downloaded), Role.PLAYER),
        Row("POST", "/api/opened", pages.in_thread(requests.RecordRequest, kept.described), Role.PLAYER),
        Row("POST", "/api/replay", pages.in_thread(requests.ReplayRequest, replayed), Role.PLAYER),
        Row(WEBSOCKET, "/sessions/{name}", pages.watch, Role.SEAT),
        Row(WEBSOCKET, "/analysis", pages.analyse, Role.PLAYER),
    ]
    return create_application(rows, entrance, lifespan)


def by_name(work: Callable[[str], Json | None]) -> Callable[[Request], Awaitable[Json | None]]:
    """Return a handler that calls ``work`` in a thread, with the name in the address of a request."""
    return lambda request: asyncio.to_thread(work, request.path_params["name"])


class Pages:
    """The handlers of what the pages ask for; one that returns None answers without content."""

    def __init__(self, sessions: GameSessions) -> None:
        self._sessions = sessions

    def in_thread(
        self, model: type[Model], work: Callable[[Model], Json], turn: asyncio.Lock | None = None
    ) -> Callable[[Request], Awaitable[Json]]:
        """Return a handler as :func:`.requests.in_thread` makes it, for a game that the page may have."""
        return requests.in_thread(model, self._sessions.checked(work), turn)

    async def describe_server(self, request: Request) -> Json:
        """Return which engines and games there are."""
        has_seat = asker_of(request).role is Role.SEAT  # a browser with nothing but a seat chooses no engine
        engines = () if has_seat else self._sessions.engines.values()
        games = self._sessions.games
        return {
            "engines": [{"name": each.name, "limit": str(each.limit), "levels": has_levels(each)} for each in engines],
            "analysts": analysts(engines),
            "games": games,
            "rules": {name: asdict(RULES[name]) for name in games if name in RULES},
            "levels": [{"name": level_name(each), "elo": level_elo(each)} for each in range(FULL_STRENGTH + 1)],
            "openings": list(opening_moves()),
            "keeps": self._sessions.kept.folder is not None and not has_seat,
        }

    async def describe_game(self, request: Request) -> Json:
        """Return what a game is called and how large its board is."""
        name = request.query_params.get("name", "othello")
        self._sessions.check_game(name)
        return describe_game(get_game(name))

    async def draw_rules(self, request: Request) -> Response:
        """Answer the picture that stands beside the rules of a game, empty if there is none."""
        name = request.path_params["name"]
        self._sessions.check_game(name)
        return Response(example_svg(get_game(name)) or "", media_type="image/svg+xml")

    async def import_games(self, request: Request) -> Json:
        """Return which games a file holds, which is the body of the request."""
        return await asyncio.to_thread(imported, request.query_params.get("name", ""), await request.body())

    async def open_session(self, request: Request) -> Json:
        """Begin a game, and return its name."""
        return {"id": self._sessions.open(await self._read(request, requests.GameRequest)).name}

    async def list_sessions(self, request: Request) -> Json:
        """Return the games that a person plays now, the latest first."""
        played = [each for each in self._sessions.sessions.values() if each.verdict is None and each.has_person]
        return {"running": [each.summary() for each in reversed(played)]}

    async def close_session(self, request: Request) -> None:
        """End a game."""
        self._sessions.close(request.path_params["name"])

    async def list_kept(self, request: Request) -> Json:
        """Return the kept games that are asked for."""
        asked = requests.ListRequest.read(json.dumps(dict(request.query_params)))
        running = self._sessions.running_files()
        return await asyncio.to_thread(self._sessions.kept.listed, running, asked)

    async def change_kept(self, request: Request) -> None:
        """Change the title of a kept game, or the lines beside it."""
        asked = await self._read(request, requests.ChangeRequest)
        await asyncio.to_thread(self._sessions.kept.change, request.path_params["name"], asked)

    async def watch(self, socket: WebSocket) -> None:
        """Tell a page all that happens in a game, and take its person's moves."""
        session = self._sessions.sessions.get(socket.path_params["name"])
        asker = asker_of(socket)
        seat = asker.who if asker.role is Role.SEAT else socket.query_params.get("seat", "")
        viewer = session.side_of(seat) if session and seat else None
        if asker.role is Role.SEAT and viewer is None:  # a seat opens its own game alone
            await socket.close(REFUSED_WEBSOCKET)
            return
        await socket.accept()
        if session is None or (seat and viewer is None):
            await socket.close(GONE, "there is no such game; it may have ended because nobody watched")
            return

        async def take(text: str) -> None:
            session.answer(requests.MoveRequest.read(text), viewer)

        watcher = session.watch(viewer)
        try:
            await talk(socket, watcher, take, MOST_MESSAGE)
        finally:
            session.leave(watcher)

    async def analyse(self, socket: WebSocket) -> None:
        """Tell a page what an engine says of the positions that it asks about."""
        await socket.accept()
        messages: Watcher = asyncio.Queue()
        analysis = Analysis(
            self._sessions.engines, self._sessions.analyses, messages.put_nowait, self._sessions.kept.keep_review
        )

        async def take(text: str) -> None:
            asked = requests.AnalysisRequest.read(text)
            try:
                self._sessions.check_game(asked.game)
                await analysis.take(asked)
            except QuietmoveError as error:
                messages.put_nowait({"type": "error", "error": printable(str(error)), "id": asked.id})

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

    async def texts() -> AsyncIterator[str]:
        while (message := await messages.get()) is not None:
            yield json_text(message)

    telling = asyncio.create_task(tell(socket, texts()))
    try:
        while (text := await received(socket)) is not None:
            try:
                if len(text) > most:
                    raise SetupError(f"the request: must be a JSON object of at most {most} characters")
                await take(text)
            except QuietmoveError as error:
                messages.put_nowait({"type": "error", "error": printable(str(error)), "id": None})
    finally:
        telling.cancel()


async def received(socket: WebSocket) -> str | None:
    """Return the next text of a page; None if it has gone, which a message to it may have found out first."""
    with suppress(WebSocketDisconnect, RuntimeError, KeyError):  # a KeyError: bytes came where a text is read
        return await socket.receive_text()
    return None
