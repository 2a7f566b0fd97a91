"""Access control: one middleware before the routes of every application.

The middleware checks the host, the origin, the length of the body and the role, and adds headers to every response. The
application's :class:`Authority` identifies the client: by a token, a password or a seat (``token_access``), or by the
key of a person in a class (``addons/hall/key_access``).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.routing import Match

from quietmove.addons.web.routes import Role, Row
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# A valid Host header: a name or an address, optionally with a port, or nothing, as HTTP/1.0 clients may send.
# Addresses and cookie names are built from it.
HOST = re.compile(r"(([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?)?", re.ASCII)
LENGTH = re.compile(r"[0-9]{1,20}")
REFUSED_WEBSOCKET = 4403
FORM_BYTES = 10_000  # size limit of a form without its file, in bytes
SAFE = ("GET", "HEAD")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
Handlers = Mapping[Any, Callable[["Request", Exception], Any]]


class Asker(NamedTuple):
    """The client that sent a request.

    :ivar who: the person in a class, or the seat in a game.
    :ivar by_browser: whether a browser sends the credentials automatically, even from other sites' pages.
    :ivar headers: headers to add to the response.
    :ivar refusal: the response if the request has invalid credentials, else None.
    """

    role: Role
    who: Any = None
    by_browser: bool = True
    headers: Mapping[str, str] = NO_HEADERS
    refusal: Response | None = None


class Authority(ABC):
    """Identifies an application's clients, and builds its responses to rejected requests."""

    hosts: frozenset[str] | None = None  # accepted host names, with ports; None for all
    most_bytes: ClassVar[int] = 1_000_000  # size limit of a body that is not a file
    elsewhere: ClassVar[Role] = Role.PUBLIC  # the role required to learn that an address does not exist

    @abstractmethod
    def identify(self, connection: HTTPConnection) -> Asker:
        """Return the client that sent a request."""

    @abstractmethod
    def refuse(self, error: str, status: int) -> Response:
        """Return the response to an invalid request."""

    @abstractmethod
    def deny(self, connection: HTTPConnection, asker: Asker, role: Role) -> Response:
        """Return the response to a client whose role is too low."""


class Access:
    """ASGI middleware that passes a request on to its route, or rejects it.

    :param table: the rows with their routes.
    """

    def __init__(self, app: ASGIApp, authority: Authority, table: Sequence[tuple[Row, BaseRoute]]) -> None:
        self._app = app
        self._authority = authority
        self._table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request, or pass it on with its :class:`Asker`."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        asker = self._authority.identify(connection)
        refusal = asker.refusal or self._refusal(connection, asker)
        scope.setdefault("state", {})["asker"] = asker
        if scope["type"] == "websocket":
            if refusal:
                await send({"type": "websocket.close", "code": REFUSED_WEBSOCKET})
            else:
                await self._app(scope, receive, send)
            return
        with suppress(ClientDisconnect):  # the client disconnected: no one is waiting for a response
            await (refusal or self._app)(scope, receive, adding_headers(send, asker.headers))

    def _refusal(self, connection: HTTPConnection, asker: Asker) -> Response | None:
        """Return a response that rejects the request, or None if the request is allowed."""
        authority, headers = self._authority, connection.headers
        host = headers.get("host", "")
        if authority.hosts is not None and host not in authority.hosts:
            return authority.refuse(f"Host: must be {' or '.join(sorted(authority.hosts))}", 403)
        if not HOST.fullmatch(host):
            return authority.refuse("Host: expected a name or an address, with or without a port", 400)
        row = next((row for row, route in self._table if route.matches(connection.scope)[0] is Match.FULL), None)
        if is_changing(connection):
            origin = headers.get("origin")
            own = (f"http://{host}", f"https://{host}")  # a proxy in front of the server may use TLS
            if (origin is not None or asker.by_browser) and origin not in own:
                return authority.refuse(f"Origin: only pages of {' or '.join(own)} may send this request", 403)
            if refusal := self._wrong_body(headers, row):
                return refusal
        role = row.role if row else authority.elsewhere
        return authority.deny(connection, asker, role) if asker.role < role else None

    def _wrong_body(self, headers: Headers, row: Row | None) -> Response | None:
        """Return a response that rejects the body, or None if the body is acceptable."""
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not LENGTH.fullmatch(length):
            return self._authority.refuse("Content-Length is required; chunked bodies are not accepted", 411)
        thing, most = "the request", self._authority.most_bytes
        if row and row.file:
            thing = "file"
            most = row.file if isinstance(row.file, int) else row.file()
        if int(length) <= most + FORM_BYTES:
            return None
        return self._authority.refuse(f"{thing}: must have at most {most:,} bytes, not {int(length):,}", 413)


def create_application(
    rows: Sequence[Row],
    authority: Authority,
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]],
    handlers: Handlers = MappingProxyType({}),
) -> Starlette:
    """Build an application from a table of routes.

    :param handlers: additional exception handlers.
    :raises TypeError: if a row has no role.
    """
    for row in rows:
        if not isinstance(getattr(row, "role", None), Role):
            raise TypeError(f"{getattr(row, 'path', row)}: must be a Row with a Role")
    table = [(row, row.route()) for row in rows]
    app = Starlette(
        routes=[route for _, route in table],
        middleware=[Middleware(Access, authority=authority, table=table)],
        exception_handlers={QuietmoveError: refusal, OSError: unusable, **handlers, Exception: fault},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # redirects would go to the host named in the request
    app.state.rows = rows
    return app


def asker_of(connection: HTTPConnection) -> Asker:
    """Return the client of an accepted request."""
    asker: Asker = connection.scope["state"]["asker"]
    return asker


def is_changing(connection: HTTPConnection) -> bool:
    """Return whether a request may change something."""
    return connection.scope["type"] == "websocket" or connection.scope["method"] not in SAFE


def cookie_name(headers: Headers) -> str:
    """Return a cookie name that contains the port, since browsers share a host's cookies among all ports."""
    return f"quietmove-{headers.get('host', '').rpartition(':')[2].rstrip(']')}"


def keep_cookie(connection: HTTPConnection, answer: Response, text: str, seconds: int | None = None) -> Response:
    """Set a cookie that scripts cannot read and that browsers do not send with requests from other sites.

    :param seconds: the cookie's lifetime; 0 deletes the cookie, and None keeps it until the browser closes.
    :return: ``answer``, with the cookie.
    """
    origin = connection.headers.get("origin", "")
    answer.set_cookie(
        cookie_name(connection.headers),
        text,
        max_age=seconds,
        httponly=True,
        samesite="strict",
        secure=connection.scope.get("scheme") == "https" or origin.startswith("https:"),
        path="/",
    )
    return answer


def adding_headers(send: Send, more: Mapping[str, str]) -> Send:
    """Wrap ``send`` to add :data:`HEADERS` and ``more`` to each response. Headers that are already set are kept."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in (*HEADERS.items(), *more.items()):
                headers.setdefault(name, value)
        await send(message)

    return with_headers


def refusal(request: Request, error: Exception) -> Response:
    """Convert an exception into a JSON response with its message and HTTP status."""
    text = "; ".join(map(printable, getattr(error, "problems", [str(error)])))
    return JSONResponse({"error": text}, getattr(error, "http_status", 400), getattr(error, "headers", None))


def unusable(request: Request, error: Exception) -> Response:
    """Convert an OSError into a JSON response. The message contains no path."""
    assert isinstance(error, OSError)
    return JSONResponse({"error": f"the server cannot read or write a file: {error.strerror}"}, 507)


def fault(request: Request, error: Exception) -> Response:
    """Return the response to an internal error. It includes the headers, because it bypasses the middleware."""
    return JSONResponse({"error": "internal server error; see the server's log"}, 500, HEADERS)
