"""An application's table of routes; each row names the role it requires."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from quietmove.addons.web.boards import Json

WEBSOCKET = "WEBSOCKET"  # used as the method of a websocket's row

Answer = Json | Response | None
Work = Callable[[Any], Answer | Awaitable[Answer]]


class Role(IntEnum):
    """Client roles. Each role includes all lower ones; no application uses all of them."""

    PUBLIC = 0  # anyone
    SPECTATOR = 1  # can see the board of a class
    SEAT = 2  # has the address of a seat in one game
    PLAYER = 3  # has logged in to `serve` with the password
    STUDENT = 4
    ASSISTANT = 5
    TEACHER = 6
    OWNER = 7  # started the server on this machine, and can start programs


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: a route and the role it requires.

    :param method: the HTTP method, such as ``GET``, or :data:`WEBSOCKET`.
    :param path: the path, which may contain parameters such as ``{name}``.
    :param work: the request's handler, whose result is sent by :func:`answer_with`, or a websocket's handler.
    :param role: the minimum role.
    :param file: size limit in bytes if the body is a file, or a function that returns it; 0 for any other body.
    :param status: the status of a JSON response.
    """

    method: str
    path: str
    work: Work
    role: Role
    file: int | Callable[[], int] = 0
    status: int = 200

    def route(self) -> Route | WebSocketRoute:
        """Return the Starlette route. It does not check the role; :class:`.access.Access` does."""
        if self.method == WEBSOCKET:
            return WebSocketRoute(self.path, self.work)
        return Route(self.path, answer_with(self.work, self.status), methods=[self.method])


def folder_row(path: str, folder: Path, role: Role) -> Row:
    """Return a row that serves the files in a folder."""
    files = StaticFiles(directory=folder)

    async def send_file(request: Request) -> Response:
        return await files.get_response(os.path.normpath(request.path_params["file"]), request.scope)

    return Row("GET", f"{path}/{{file:path}}", send_file, role)


def answer_with(work: Work, status: int = 200) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that sends the result of ``work``: JSON, a response, or no content for None."""

    async def answer(request: Request) -> Response:
        try:
            found = work(request)
            if isinstance(found, Awaitable):
                found = await found
        except asyncio.CancelledError:  # the server is stopping
            return JSONResponse({"error": "the server stopped before it could answer"}, 503)
        if isinstance(found, Response):
            return found
        if found is None:
            return Response(status_code=204)
        return Response(json_text(found), status, media_type="application/json")

    return answer


def json_text(document: object) -> str:
    """Return JSON for a page. It is ASCII, so that even lone surrogates from a file or store can be sent."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False)
