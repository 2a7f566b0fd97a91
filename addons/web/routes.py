"""The table of routes of an application: each row says who may ask it."""

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

WEBSOCKET = "WEBSOCKET"  # what stands for the method in the row of a websocket

Answer = Json | Response | None
Work = Callable[[Any], Answer | Awaitable[Answer]]


class Role(IntEnum):
    """Who asks. Each may also ask what those above may; no application has all of them."""

    PUBLIC = 0  # anybody
    SPECTATOR = 1  # who may see the board of a class
    SEAT = 2  # who has the address of a seat in one game
    PLAYER = 3  # a person who gave the password of `serve`
    STUDENT = 4
    TEACHER = 5
    OWNER = 6  # who started the server of games, at the same machine: may start programs


@dataclass(frozen=True, slots=True)
class Row:
    """A route.

    :param method: such as ``GET``, or :data:`WEBSOCKET`.
    :param path: with parameters such as ``{name}``.
    :param work: gets the request and returns what :func:`answer_with` sends; that of a websocket serves it.
    :param role: the least role that may ask.
    :param file: the most bytes of the file that the body is, or a function that returns them; 0 for any other body.
    :param status: of an answer in JSON.
    """

    method: str
    path: str
    work: Work
    role: Role
    file: int | Callable[[], int] = 0
    status: int = 200

    def route(self) -> Route | WebSocketRoute:
        """Return the route of Starlette, which asks nobody for a role: :class:`.access.Access` does."""
        if self.method == WEBSOCKET:
            return WebSocketRoute(self.path, self.work)
        return Route(self.path, answer_with(self.work, self.status), methods=[self.method])


def folder_row(path: str, folder: Path, role: Role) -> Row:
    """Return the row of the files of a folder."""
    files = StaticFiles(directory=folder)

    async def send_file(request: Request) -> Response:
        return await files.get_response(os.path.normpath(request.path_params["file"]), request.scope)

    return Row("GET", f"{path}/{{file:path}}", send_file, role)


def answer_with(work: Work, status: int = 200) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that sends what ``work`` returns: JSON, a response, or no content where that is None."""

    async def answer(request: Request) -> Response:
        try:
            found = work(request)
            if isinstance(found, Awaitable):
                found = await found
        except asyncio.CancelledError:  # the server ends
            return JSONResponse({"error": "the server was ended before it could answer"}, 503)
        if isinstance(found, Response):
            return found
        if found is None:
            return Response(status_code=204)
        return Response(json_text(found), status, media_type="application/json")

    return answer


def json_text(document: object) -> str:
    """Return JSON for a page; whatever a file or a store has in it, such as half a surrogate, can be sent."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False)
