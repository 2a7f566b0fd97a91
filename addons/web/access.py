"""Who may ask what: one middleware before the table of routes of every application.

The middleware checks host, origin, length of the body and role, and adds the headers of every answer. The application's
:class:`Authority` finds out who asks: by a token, a password or a seat (``token_access``), or by the key of a person of
a class (``addons/hall/key_access``).
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

# A name or an address, with or without a port; addresses and cookies are made of it. HTTP/1.0 needs none.
HOST = re.compile(r"(([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?)?", re.ASCII)
LENGTH = re.compile(r"[0-9]{1,20}")
REFUSED_WEBSOCKET = 4403
FORM_BYTES = 10_000  # a form may have so many bytes beside its file
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
    """Who asks.

    :ivar who: the person of a class, or the seat of a game.
    :ivar by_browser: whether a browser says who asks by itself, and so for the pages of other sites too.
    :ivar headers: what every answer to this request has.
    :ivar refusal: the answer where the request claims to come from somebody whom nobody knows.
    """

    role: Role
    who: Any = None
    by_browser: bool = True
    headers: Mapping[str, str] = NO_HEADERS
    refusal: Response | None = None


class Authority(ABC):
    """Knows who asks, and how an application refuses."""

    hosts: frozenset[str] | None = None  # the names, with their ports, under which it is reached; None for all
    most_bytes: ClassVar[int] = 1_000_000  # the longest body that is no file
    elsewhere: ClassVar[Role] = Role.PUBLIC  # who is told that an address has nothing

    @abstractmethod
    def identify(self, connection: HTTPConnection) -> Asker:
        """Return who asks."""

    @abstractmethod
    def refuse(self, error: str, status: int) -> Response:
        """Return the answer to a request that nobody may send."""

    @abstractmethod
    def deny(self, connection: HTTPConnection, asker: Asker, role: Role) -> Response:
        """Return the answer to who asks for something that needs a higher role."""


class Access:
    """ASGI middleware that lets a request through to its route, or refuses it.

    :param table: the rows and their routes.
    """

    def __init__(self, app: ASGIApp, authority: Authority, table: Sequence[tuple[Row, BaseRoute]]) -> None:
        self._app = app
        self._authority = authority
        self._table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on with who asks."""
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
        with suppress(ClientDisconnect):  # the request was cut off: nobody waits for an answer
            await (refusal or self._app)(scope, receive, adding_headers(send, asker.headers))

    def _refusal(self, connection: HTTPConnection, asker: Asker) -> Response | None:
        """Return why a request is not passed on, or None."""
        authority, headers = self._authority, connection.headers
        host = headers.get("host", "")
        if authority.hosts is not None and host not in authority.hosts:
            return authority.refuse(f"Host: this server is {' or '.join(sorted(authority.hosts))}", 403)
        if not HOST.fullmatch(host):
            return authority.refuse("Host: must be a name or an address, with or without a port", 400)
        row = next((row for row, route in self._table if route.matches(connection.scope)[0] is Match.FULL), None)
        if is_changing(connection):
            origin = headers.get("origin")
            own = (f"http://{host}", f"https://{host}")  # a proxy may stand before it
            if (origin is not None or asker.by_browser) and origin not in own:
                return authority.refuse(f"Origin: only pages of {' or '.join(own)} may ask this", 403)
            if refusal := self._wrong_body(headers, row):
                return refusal
        role = row.role if row else authority.elsewhere
        return authority.deny(connection, asker, role) if asker.role < role else None

    def _wrong_body(self, headers: Headers, row: Row | None) -> Response | None:
        """Return why a body is not read, or None."""
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not LENGTH.fullmatch(length):
            return self._authority.refuse(
                "Content-Length: must be given; a body that comes in chunks is not taken", 411
            )
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
    """Return the application of a table of routes.

    :param handlers: answers to errors, besides those of this module.
    :raises TypeError: if a row has no role.
    """
    for row in rows:
        if not isinstance(getattr(row, "role", None), Role):
            raise TypeError(f"{getattr(row, 'path', row)}: must be a Row with a Role, which says who may ask it")
    table = [(row, row.route()) for row in rows]
    app = Starlette(
        routes=[route for _, route in table],
        middleware=[Middleware(Access, authority=authority, table=table)],
        exception_handlers={QuietmoveError: refusal, OSError: unusable, **handlers, Exception: fault},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # it would lead to whatever host a request names
    app.state.rows = rows
    return app


def asker_of(connection: HTTPConnection) -> Asker:
    """Return who sent a request that was let through."""
    asker: Asker = connection.scope["state"]["asker"]
    return asker


def is_changing(connection: HTTPConnection) -> bool:
    """Return whether a request may change something."""
    return connection.scope["type"] == "websocket" or connection.scope["method"] not in SAFE


def cookie_name(headers: Headers) -> str:
    """Return a name with the port: a browser has the cookies of one host for all its ports."""
    return f"quietmove-{headers.get('host', '').rpartition(':')[2].rstrip(']')}"


def keep_cookie(connection: HTTPConnection, answer: Response, text: str, seconds: int | None = None) -> Response:
    """Let the browser keep a text in a cookie that no script reads and no other site sends.

    :param seconds: how long; None for as long as the browser is open, 0 to forget it.
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
    """Return ``send`` such that each answer has :data:`HEADERS` and ``more``, unless it has others of these names."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in (*HEADERS.items(), *more.items()):
                headers.setdefault(name, value)
        await send(message)

    return with_headers


def refusal(request: Request, error: Exception) -> Response:
    """Return the answer to what is not allowed."""
    text = "; ".join(map(printable, getattr(error, "problems", [str(error)])))
    return JSONResponse({"error": text}, getattr(error, "http_status", 400), getattr(error, "headers", None))


def unusable(request: Request, error: Exception) -> Response:
    """Return the answer when a file cannot be read or written, as on a full disk; paths are not shown."""
    assert isinstance(error, OSError)
    return JSONResponse({"error": f"the server cannot read or write a file: {error.strerror}"}, 507)


def fault(request: Request, error: Exception) -> Response:
    """Return the answer to a request that met a mistake of this program; no middleware adds its headers."""
    return JSONResponse({"error": "the server has a fault, which its log describes"}, 500, HEADERS)
