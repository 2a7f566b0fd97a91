"""The web server of a class: its pages, and a JSON API for scripts. Every error is ``{"error": text}``."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

from quietmove.addons.hall import documents, entry_requests, final_requests, handout, mark_requests, person_requests
from quietmove.addons.hall.api import Work, assignment_of, read
from quietmove.addons.hall.finals import newest_final
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.key_access import COOKIE_SECONDS, KeyAccess, error_response, person_of, wrong_key
from quietmove.addons.hall.player import LADDER, STARTERS
from quietmove.addons.web.access import SAFE, Handlers, create_application, keep_cookie, refusal
from quietmove.addons.web.app import Pages
from quietmove.addons.web.boards import Json
from quietmove.addons.web.follow import Repeated
from quietmove.addons.web.pages import STATIC as SHARED
from quietmove.addons.web.requests import PageRequest
from quietmove.addons.web.routes import WEBSOCKET, Answer, Role, Row, folder_row, json_text
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.tournament.errors import StoreError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

OWN = Path(__file__).parent / "static"
PAGES = {"/": "board", "/game": "game", "/me": "me", "/teacher": "teacher", "/board": "projector"}
LOOK_SECONDS = 0.5  # seconds between updates of the final
API = (*person_requests.ROWS, *entry_requests.ROWS, *final_requests.ROWS, *mark_requests.ROWS)


class LoginRequest(PageRequest):
    """A person's key."""

    key: str


class Table:
    """The public data as JSON: the ladder, rendered at most once a second for all requests, and the final.

    :ivar final: the projector's current content.
    """

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._standings: dict[str, Repeated] = {}
        self.final = json_text({"final": None})
        self._shown: object = None

    def standings(self, request: Request) -> str:
        """Return the ladder of the assignment named in the query, by default the one shown on the board."""
        hall, name = self._hall, assignment_of(self._hall, request).name

        def text() -> str:
            return json_text(documents.standings(hall, hall.settings.of(name) or hall.settings.current_ladder))

        return self._standings.setdefault(name, Repeated(text)).text()

    async def follow_final(self) -> None:
        """Update the projector's content, and start finals when they are due, until the server stops."""
        hall = self._hall
        while True:
            try:
                await hall.turn.come()
                found = hall.presenter.look(hall.settings.final_seconds, hall.shown_names())
                hall.begin_when_due(found["final"] if found.get("over") else "")
                if found["final"] is None:
                    found = documents.before_the_final(hall)
            except (QuietmoveError, sqlite3.Error) as error:  # for example because the disk is full: retry
                found = {"final": None, "error": printable(str(error))}
            if found is not self._shown:
                self._shown, self.final = found, json_text(found)
            await asyncio.sleep(LOOK_SECONDS)


def tagged(request: Request, text: str) -> Response:
    """Return a document, or 304 if the browser has it cached."""
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(text, media_type="application/json", headers=headers)


def create_app(hall: Hall) -> Starlette:
    """Return the ASGI application of a class."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if not hall.refusal:
            hall.examiners.start()
            last = newest_final(hall.folder)
            if last and last.name not in hall.runs.requested():  # the server was killed while starting the final
                hall.runs.want(last.name, "running", first=True)
            if any(each.ladder for each in hall.settings.ladders) and LADDER not in hall.runs.requested():
                hall.runs.want(LADDER, "running")
        tasks = [asyncio.create_task(hall.runs.keep_going()), asyncio.create_task(table.follow_final())]
        yield
        for task in tasks:
            task.cancel()
        await hall.sessions.close_all()
        await hall.reviews.close()
        await hall.examiners.stop()

    async def log_in(request: Request) -> Response:
        key = (await read(LoginRequest, request)).key
        person = hall.people.by_key(key)
        if person is None:
            return wrong_key(hall.tries, request)
        return keep_cookie(request, JSONResponse({"name": person.member, "role": person.role}), key, COOKIE_SECONDS)

    def whoami(request: Request) -> Json:
        person = person_of(request)
        return {"name": person and person.member, "role": person and person.role}

    def log_out(request: Request) -> Response:
        return keep_cookie(request, Response(status_code=204), "", 0)

    table = Table(hall)
    rows = [
        *(Row("GET", path, partial(documents.page, hall, name), Role.PUBLIC) for path, name in PAGES.items()),
        folder_row("/static", SHARED, Role.PUBLIC),
        folder_row("/class/static", OWN, Role.PUBLIC),
        Row("GET", "/handout", partial(handout.page, hall), Role.SPECTATOR),
        folder_row("/starters", STARTERS, Role.PUBLIC),
        Row("GET", "/api/login", whoami, Role.PUBLIC),
        Row("POST", "/api/login", log_in, Role.PUBLIC),
        Row("POST", "/api/logout", log_out, Role.PUBLIC),
        Row("GET", "/api/standings", lambda request: tagged(request, table.standings(request)), Role.SPECTATOR),
        Row("GET", "/api/final", lambda request: tagged(request, table.final), Role.SPECTATOR),
        Row(WEBSOCKET, "/sessions/{name}", Pages(hall.sessions).watch, Role.PUBLIC),  # the session name is a secret
        Row("POST", "/api/entries", _bound(hall, Hall.hand_in), Role.STUDENT, hall.most_bytes, 202),
        Row("POST", "/api/papers", _bound(hall, Hall.hand_in_paper), Role.STUDENT, hall.most_paper_bytes, 201),
        *(Row(each.method, each.path, _bound(hall, each.work), each.role, status=each.status) for each in API),
    ]
    handlers: Handlers = {
        **dict.fromkeys((404, 405), _not_found),
        **dict.fromkeys((OSError, sqlite3.OperationalError, StoreError), _no_room),
    }
    authority = KeyAccess(hall.people, hall.tries, lambda: hall.settings.board != "keys")
    return create_application(rows, authority, lifespan, handlers)


def _bound(hall: Hall, work: Work) -> Callable[[Request], Awaitable[Answer]]:
    """Return a request handler that passes the person to ``work``."""

    async def answer(request: Request) -> Answer:
        person = person_of(request)
        assert person is not None
        if request.method not in SAFE:
            await hall.turn.come()
        found = work(hall, request, person)
        return await found if isinstance(found, Awaitable) else found

    return answer


def _no_room(request: Request, error: Exception) -> Response:
    """Report that the server cannot write, without revealing paths. Other ``StoreError``s are the client's fault."""
    cause = error.__context__ if isinstance(error, StoreError) else error
    if not isinstance(cause, OSError | sqlite3.OperationalError):
        return refusal(request, error)
    reason = cause.strerror if isinstance(cause, OSError) else cause
    return error_response(f"the server cannot save it: {reason}", 507)


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return error_response(
        "there is nothing at this address" if status == 404 else "this method is not allowed here", status
    )
