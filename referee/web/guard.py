"""Who may talk to the server: the browser of the person who started it, and no page of another site."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse

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


class Guard:
    """ASGI middleware. A request needs a known host, and the token of this server in a cookie.

    The token comes once in the address that is printed at the start (``/?token=…``); the answer puts it into a cookie
    that no script can read and no other site can send. What changes something, and every websocket, must also come from
    a page of this server (``Origin``).
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], token: str) -> None:
        """Protect ``app``; ``hosts`` are the names with their ports under which it is reached."""
        self._app = app
        self._hosts = set(hosts)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal:
                await send({"type": "websocket.close", "code": REFUSED_WEBSOCKET, "reason": refusal})
            else:
                await self._app(scope, receive, send)
            return
        with_headers = _adding(send)
        if refusal and self._brings_token(scope, headers):
            await self._welcome(headers)(scope, receive, with_headers)
        elif refusal:
            await PlainTextResponse(f"{refusal}\n", 403)(scope, receive, with_headers)
        else:
            await self._app(scope, _limited(receive), with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> str:
        """Return why a request is not answered, or an empty text."""
        host = headers.get("host", "")
        if host not in self._hosts:
            return f"Host: this server is {' or '.join(sorted(self._hosts))}"
        if scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD"):
            if headers.get("origin") != f"http://{host}":
                return f"Origin: only pages of http://{host} may ask this"
            if int(headers.get("content-length") or 0) > MOST_BYTES:
                return f"at most {MOST_BYTES} bytes are read"
        if not self._is_token(_cookie(headers)):
            return "open the address that quietmove-referee serve has printed, with its token"
        return ""

    def _brings_token(self, scope: Scope, headers: Headers) -> bool:
        """Tell whether this is the first visit, by the address that was printed."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        return headers.get("host", "") in self._hosts and scope["path"] == "/" and self._is_token(given[0])

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())

    def _welcome(self, headers: Headers) -> RedirectResponse:
        answer = RedirectResponse("/", 303)
        answer.set_cookie(_cookie_name(headers), self._token, httponly=True, samesite="strict", path="/")
        return answer


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(18)


def _cookie_name(headers: Headers) -> str:
    return COOKIE.format(port=headers.get("host", "").rpartition(":")[2])


def _cookie(headers: Headers) -> str:
    return cookie_parser(headers.get("cookie", "")).get(_cookie_name(headers), "")


def _adding(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return with_headers


def _limited(receive: Receive) -> Receive:
    """Return a channel that ends a body which is longer than it said."""
    count = 0

    async def limited() -> Message:
        nonlocal count
        message = await receive()
        count += len(message.get("body", b""))
        return {"type": "http.disconnect"} if count > MOST_BYTES else message

    return limited
