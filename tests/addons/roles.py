"""Asks every row of an application's table of routes, as everybody who may ask."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anyio.from_thread import start_blocking_portal
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from quietmove.addons.web.access import FORM_BYTES, REFUSED_WEBSOCKET, SAFE
from quietmove.addons.web.routes import WEBSOCKET, Role, Row
from tests.fakes.addons import is_deleted


@dataclass(frozen=True)
class Visitor:
    """Somebody who asks.

    :ivar changing: the role for a request that may change something, if it is another.
    """

    name: str
    headers: Mapping[str, str]
    role: Role
    changing: Role | None = None

    def may_ask(self, row: Row) -> bool:
        role = self.role if row.method in SAFE or self.changing is None else self.changing
        return role >= row.role


def roles_of(app: Starlette) -> set[str]:
    """Return a line for each row of an application, in the format of the files ``routes.txt``."""
    return {f"{row.method} {row.path} {row.role.name.lower()}" for row in app.state.rows}


def promised_roles(*addons: str) -> set[str]:
    """Return the lines of these add-ons' lists. A role that is lowered there needs a reason."""
    files = [Path(__file__).parent / name / "routes.txt" for name in addons if not is_deleted(f"addons/{name}")]
    return {line for file in files for line in file.read_text().splitlines()}


def walk(
    app: Starlette, host: str, visitors: Sequence[Visitor], status_of: Callable[[Visitor, Row], int], most_bytes: int
) -> None:
    """Check that each row lets in those whose role may ask it, and refuses all others.

    The middleware and the router are the real ones; only what stands behind the routes is replaced.

    :param status_of: returns the status of the answer to who is refused.
    :param most_bytes: of a body that is no file.
    """
    rows: list[Row] = app.state.rows
    assert len(rows) == len(app.routes)
    for number, route in enumerate(app.routes):
        assert isinstance(route, Route | WebSocketRoute)
        route.app = _inside(number)
    client = TestClient(app, f"http://{host}", follow_redirects=False)
    with start_blocking_portal() as client.portal:  # otherwise each request starts a thread
        _walk(client, rows, visitors, status_of, most_bytes)


def _walk(
    client: TestClient,
    rows: Sequence[Row],
    visitors: Sequence[Visitor],
    status_of: Callable[[Visitor, Row], int],
    most_bytes: int,
) -> None:
    for number, row in enumerate(rows):
        path = re.sub(r"\{[^}]*\}", "x1", row.path)
        for visitor in visitors:
            expected = f"inside {number}" if visitor.may_ask(row) else str(status_of(visitor, row))
            answer = _ask(client, row.method, path, visitor)
            assert answer == expected, (visitor.name, row.method, row.path)
        highest = max(visitors, key=lambda each: each.changing or each.role)
        if row.method not in (*SAFE, WEBSOCKET) and highest.may_ask(row):
            file = row.file if isinstance(row.file, int) else row.file()
            most = (file or most_bytes) + FORM_BYTES
            assert _ask(client, row.method, path, highest, most) == f"inside {number}", row.path
            assert _ask(client, row.method, path, highest, most + 1) in ("403", "413"), row.path


def _inside(number: int) -> Callable[[Scope, Receive, Send], object]:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await PlainTextResponse(f"inside {number}")(scope, receive, send)
            return
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        await socket.send_text(f"inside {number}")
        await socket.close()

    return answer


def _ask(client: TestClient, method: str, path: str, visitor: Visitor, length: int = 0) -> str:
    """Return what is inside, or else the status of the answer."""
    headers = {"Origin": str(client.base_url), **visitor.headers}
    if method == WEBSOCKET:
        try:
            with client.websocket_connect(path, headers=headers) as socket:
                return socket.receive_text()
        except WebSocketDisconnect as error:
            return str(error.code)
    answer = client.request(method, path, headers={**headers, "Content-Length": str(length)})
    return answer.text if answer.status_code == 200 else str(answer.status_code)


def refused_websocket(row: Row) -> int | None:
    """Return the code that refuses a websocket; None for other rows."""
    return REFUSED_WEBSOCKET if row.method == WEBSOCKET else None
