"""Who may talk to the server: the browser of the person who started it, and no page of another site."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from quietmove.referee.web.login import PUBLIC, Password, login_page

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "new_token"]

COOKIE = "quietmove-{port}"  # a browser has the cookies of one host for all its ports
MOST_BYTES = 1_000_000  # of the body of a request
REFUSED_WEBSOCKET = 4403
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


# A browser leaves the origin out of a form whose page sends no referrer.
LOGIN_HEADERS = {
    "Content-Security-Policy": POLICY.replace("form-action 'none'", "form-action 'self'"),
    "Referrer-Policy": "same-origin",
}


class Guard:
    """ASGI middleware. A request needs a known host, and the token of this server in a cookie.

    The token comes once in the address that is printed at the start (``/?token=…``); the answer puts it into a cookie
    that no script can read and no other site can send. The address that a browser is started with can be seen by all
    users of the machine: it has a code instead, which opens once. What changes something, and every websocket, must
    also come from a page of this server (``Origin``). With a password the cookie is given for that instead, and the
    server may be reached under any name: no other site can send the cookie, whatever name it has.
    """

    def __init__(
        self, app: ASGIApp, hosts: Iterable[str], token: str, password: Password | None = None, code: str = ""
    ) -> None:
        """Protect ``app``; ``hosts`` are the names with their ports under which it is reached."""
        self._app = app
        self._hosts = set(hosts)
        self._token = token
        self._password = password
        self._code = code

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        headers = connection.headers
        refusal = self._strange(scope, headers)
        given = connection.cookies.get(_cookie_name(headers), "")
        known = not refusal and self._is_token(given) and scope["path"] != "/login"
        if scope["type"] == "websocket":
            if known:
                await self._app(scope, receive, send)
            else:
                await send(
                    {"type": "websocket.close", "code": REFUSED_WEBSOCKET, "reason": refusal or self._stranger()}
                )
            return
        with suppress(ClientDisconnect):  # what was being sent was cut off: nobody waits for an answer
            inner = self._app if known else await self._door(scope, headers, receive, refusal)
            await inner(scope, receive, _adding(send))

    async def _door(self, scope: Scope, headers: Headers, receive: Receive, refusal: str) -> ASGIApp:
        """Return what answers those who are not known yet.

        :param refusal: why the request is not answered whoever asks it; else an empty text.
        """
        path, password = scope["path"], self._password
        if refusal:
            return PlainTextResponse(f"{refusal}\n", 403)
        if password is None:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
            if path == "/" and scope["method"] == "GET" and (self._is_token(given[0]) or self._takes_code(given[0])):
                return self._welcome(headers)
        elif path == "/login":
            return await self._login(password, Request(scope, receive))
        elif scope["method"] == "GET" and path in PUBLIC:
            return self._app
        elif scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            return RedirectResponse("/login", 303)
        return PlainTextResponse(f"{self._stranger()}\n", 403)

    async def _login(self, password: Password, request: Request) -> Response:
        """Return the page that asks for the password, or what answers its form."""
        if request.method != "POST":
            return HTMLResponse(login_page(), headers=LOGIN_HEADERS)
        wrong = password.refusal(await request.body(), request.client.host if request.client else "")
        return HTMLResponse(login_page(wrong), 403, LOGIN_HEADERS) if wrong else self._welcome(request.headers)

    def _strange(self, scope: Scope, headers: Headers) -> str:
        """Return why a request is not answered whoever asks it, or an empty text."""
        host = headers.get("host", "")
        if self._password is None and host not in self._hosts:
            return f"Host: this server is {' or '.join(sorted(self._hosts))}"
        if scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD"):
            schemes = ("http",) if self._password is None else ("http", "https")  # a proxy may stand before it
            if headers.get("origin") not in [f"{scheme}://{host}" for scheme in schemes]:
                return f"Origin: only pages of {' or '.join(schemes)}://{host} may ask this"
            length = headers.get("content-length", "0")
            if "transfer-encoding" in headers or not length.isdecimal() or int(length) > MOST_BYTES:
                return f"file: must be at most {MOST_BYTES:,} bytes, not {length[:20]}"
        return ""

    def _stranger(self) -> str:
        """Return what a person does who is not known."""
        if self._password is not None:
            return "log in at /login"
        return "open the address that quietmove-referee serve has printed, with its token"

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())

    def _takes_code(self, text: str) -> bool:
        """Tell whether a text is the code that opens once, and let the code open nothing from now on."""
        if not self._code or not hmac.compare_digest(text.encode(), self._code.encode()):
            return False
        self._code = ""
        return True

    def _welcome(self, headers: Headers) -> Response:
        answer = RedirectResponse("/", 303)
        secure = headers.get("origin", "").startswith("https:")
        name = _cookie_name(headers)
        answer.set_cookie(name, self._token, httponly=True, samesite="strict", secure=secure, path="/")
        return answer


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(18)


def _cookie_name(headers: Headers) -> str:
    return COOKIE.format(port=headers.get("host", "").rpartition(":")[2])


def _adding(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return with_headers
