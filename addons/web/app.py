"""The web application: HTTP and websocket handlers for games and pages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from quietmove.addons.web import requests
from quietmove.addons.web.access import REFUSED_WEBSOCKET, asker_of, create_application
from quietmove.addons.web.analysis import Analysis, analysts
from quietmove.addons.web.boards import Json, describe_game
from quietmove.addons.web.imports import imported_apart, replayed
from quietmove.addons.web.kept import downloaded
from quietmove.addons.web.pages import AddedPages, page_rows, tell
from quietmove.addons.web.passwords import Password
from quietmove.addons.web.rating import rating_in
from quietmove.addons.web.requests import Model
from quietmove.addons.web.routes import WEBSOCKET, Role, Row, json_text
from quietmove.addons.web.session import Watcher
from quietmove.addons.web.sessions import GameSessions, has_levels
from quietmove.addons.web.token_access import TokenAccess
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.engine.games.othello.opening_names import opening_moves
from quietmove.engine.games.registry import get_game
from quietmove.engine.levels import FULL_STRENGTH, level_elo, level_name
from quietmove.engine.protocol.pictures import example_svg
from quietmove.referee.errors import SetupError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

MOST_MESSAGE = 2000  # size limit of a message with a move, in characters
MOST_QUESTION = 60_000  # size limit of an analysis request, in characters
GONE = 4404  # websocket close code for a game that does not exist


def create_app(
    sessions: GameSessions,
    hosts: list[str],
    token: str,
    added: Sequence[AddedPages] = (),
    password: Password | None = None,
    code: str = "",
    home: str = "/",
) -> Starlette:
    """Return the application for ``sessions``, reachable under ``hosts`` with the token.

    :param added: pages of add-ons.
    :param password: browsers exchange it for the token; without a password, the printed address contains the token.
    :param code: a one-time code, exchanged for the token.
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
        Row("GET", "/api/rating", lambda request: asyncio.to_thread(rating_in, kept.folder), Role.PLAYER),
        Row("POST", "/api/kept", pages.in_thread(requests.RecordRequest, kept.add), Role.PLAYER),
        Row("GET", "/api/kept/{name}", by_name(kept.shown), Role.PLAYER),
        Row("PUT", "/api/kept/{name}", pages.change_kept, Role.PLAYER),
        Row("DELETE", "/api/kept/{name}", by_name(kept.delete), Role.PLAYER),
        Row("POST", "/api/download", pages.in_thread(requests.DownloadRequest, downloaded), Role.PLAYER),
        Row("POST", "/api/opened", pages.in_thread(requests.RecordRequest, kept.described), Role.PLAYER),
        Row("POST", "/api/replay", pages.in_thread(requests.ReplayRequest, replayed), Role.SEAT),
        Row(WEBSOCKET, "/sessions/{name}", pages.watch, Role.SEAT),
        Row(WEBSOCKET, "/analysis", pages.analyse, Role.SEAT),
    ]
    return create_application(rows, entrance, lifespan)


def by_name(work: Callable[[str], Json | None]) -> Callable[[Request], Awaitable[Json | None]]:
    """Return a handler that, in a thread, calls ``work`` with the name in the request's address."""
    return lambda request: asyncio.to_thread(work, request.path_params["name"])


def rules_of(games: Iterable[str]) -> Json:
    """Return the descriptions of the games that have one, by name."""
    found: Json = {}
    for name in games:
        with suppress(QuietmoveError):  # a game that cannot be created fails when it is chosen
            rules = get_game(name).rules
            found |= {name: asdict(rules)} if rules.title else {}
    return found


class Pages:
    """The pages' request handlers. A handler that returns None sends no content."""

    def __init__(self, sessions: GameSessions) -> None:
        self._sessions = sessions
        # A separate pool, so that slow uploads wait for each other and delay no other request.
        self._importing = ThreadPoolExecutor(2, "importing")

    def in_thread(
        self, model: type[Model], work: Callable[[Model], Json], turn: asyncio.Lock | None = None
    ) -> Callable[[Request], Awaitable[Json]]:
        """Return a handler like :func:`.requests.in_thread`, after checking that the page may use the game."""
        return requests.in_thread(model, self._sessions.checked(work), turn)

    async def describe_server(self, request: Request) -> Json:
        """Return the available engines, games with their rules, levels and openings, and whether games are saved."""
        has_seat = asker_of(request).role is Role.SEAT  # a browser with only a seat cannot choose engines
        engines = () if has_seat else self._sessions.engines.values()
        games = self._sessions.games
        return {
            "engines": [{"name": each.name, "limit": str(each.limit), "levels": has_levels(each)} for each in engines],
            "analysts": analysts(self._sessions.engines.values())[: 1 if has_seat else None],
            "games": games,
            "rules": await asyncio.to_thread(rules_of, games),
            "levels": [{"name": level_name(each), "elo": level_elo(each)} for each in range(FULL_STRENGTH + 1)],
            "openings": list(opening_moves()),
            "processors": len(usable_processors()),
            "keeps": self._sessions.kept.folder is not None and not has_seat,
        }

    async def describe_game(self, request: Request) -> Json:
        """Return a game's constant data, such as its board size."""
        name = request.query_params.get("name", "othello")
        self._sessions.check_game(name)
        return describe_game(get_game(name))

    async def draw_rules(self, request: Request) -> Response:
        """Return the picture shown next to a game's rules, or an empty response if there is none."""
        name = request.path_params["name"]
        self._sessions.check_game(name)
        return Response(example_svg(get_game(name)) or "", media_type="image/svg+xml")

    async def import_games(self, request: Request) -> Json:
        """List the games in the uploaded file."""
        query = request.query_params
        name, data, sizes = query.get("name", ""), await request.body(), query.get("sizes", "")
        return await asyncio.get_running_loop().run_in_executor(self._importing, imported_apart, name, data, sizes)

    async def open_session(self, request: Request) -> Json:
        """Start a game, and return its name."""
        return {"id": self._sessions.open(await self._read(request, requests.GameRequest)).name}

    async def list_sessions(self, request: Request) -> Json:
        """Return the running games with human players, latest first."""
        played = [each for each in self._sessions.sessions.values() if each.verdict is None and each.has_person]
        return {"running": [each.summary() for each in reversed(played)]}

    async def close_session(self, request: Request) -> Json:
        """End a game, and return the name under which it is saved, or null if it is not saved."""
        session = self._sessions.sessions.get(request.path_params["name"])
        self._sessions.close(request.path_params["name"])
        return {"kept": session.kept_as if session else None}

    async def list_kept(self, request: Request) -> Json:
        """Return the requested saved games."""
        asked = requests.ListRequest.read(json.dumps(dict(request.query_params)))
        running = self._sessions.running_files()
        return await asyncio.to_thread(self._sessions.kept.listed, running, asked)

    async def change_kept(self, request: Request) -> None:
        """Change the title of a saved game, or the lines saved with it."""
        asked = await self._read(request, requests.ChangeRequest)
        await asyncio.to_thread(self._sessions.kept.change, request.path_params["name"], asked)

    async def watch(self, socket: WebSocket) -> None:
        """Send a page all events of a game, and handle the page's moves and messages."""
        session = self._sessions.sessions.get(socket.path_params["name"])
        asker = asker_of(socket)
        seat = asker.who if asker.role is Role.SEAT else socket.query_params.get("seat", "")
        viewer = session.side_of(seat) if session and seat else None
        if asker.role is Role.SEAT and viewer is None:  # a seat gives access only to its own game
            await socket.close(REFUSED_WEBSOCKET)
            return
        await socket.accept()
        if session is None or (seat and viewer is None):
            await socket.close(GONE, "there is no such game; it may have ended because no one was watching")
            return

        async def take(text: str) -> None:
            asked = requests.MoveRequest.read(text)
            (session.answer if asked.move else session.hear)(asked, viewer)

        watcher = session.watch(viewer)
        try:
            await talk(socket, watcher, take, MOST_MESSAGE)
        finally:
            session.leave(watcher)

    async def analyse(self, socket: WebSocket) -> None:
        """Send a page an engine's analysis of the positions it requests."""
        asker = asker_of(socket)
        seat = asker.who if asker.role is Role.SEAT else ""
        await socket.accept()
        messages: Watcher = asyncio.Queue()
        analysis = Analysis(
            self._sessions.engines, self._sessions.analyses, messages.put_nowait, self._sessions.kept.keep_review
        )

        async def take(text: str) -> None:
            asked = requests.AnalysisRequest.read(text)
            try:
                self._sessions.check_game(asked.game)
                if not asked.stop:
                    self._sessions.check_analysis(asked, seat)
                if seat:
                    asked = asked.model_copy(update={"kept": ""})
                await analysis.take(asked)
            except QuietmoveError as error:
                messages.put_nowait({"type": "error", "error": printable(str(error)), "id": asked.id})

        try:
            await talk(socket, messages, take, MOST_QUESTION)
        finally:
            await analysis.close()

    async def _read(self, request: Request, model: type[Model]) -> Model:
        """Parse a page's request.

        :raises SetupError: if the request is invalid, or names a game the page may not use.
        """
        asked = model.read(await request.body())
        self._sessions.check_game(getattr(asked, "game", ""))
        return asked


async def talk(socket: WebSocket, messages: Watcher, take: Callable[[str], Awaitable[None]], most: int) -> None:
    """Send ``messages`` to a page, and pass the page's own messages to ``take``, until the page disconnects.

    :param take: raises a ``QuietmoveError`` for invalid messages, which is reported to the page.
    :param most: size limit of each message from the page, in characters.
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
    """Return the next message from a page, or None if the page has disconnected."""
    with suppress(WebSocketDisconnect, RuntimeError, KeyError):  # KeyError: the message was binary
        return await socket.receive_text()
    return None
