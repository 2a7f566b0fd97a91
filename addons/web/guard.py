"""Who may talk to the server: the browser of the person who started it, and no page of another site.

A server that other machines can reach asks for a password, which may be tried a few times a minute.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from html import escape
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from quietmove.addons.web.pages import PAGE, STATIC
from quietmove.engine.common.text import explain
from quietmove.referee.errors import SetupError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1_000_000  # the longest body of a request
MOST_FILE_BYTES = 100_000_000  # the longest file of games for the database
GAMES = "/api/explorer/games"
# A name or an address, with or without a port; addresses and cookies are made of it. HTTP/1.0 needs none.
HOST = re.compile(r"(([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?)?", re.ASCII)
WRONG_HOST = "Host: must be a name or an address, with or without a port"
REFUSED_WEBSOCKET = 4403
LEAST_LETTERS = 8  # a password has at least eight characters
MOST_TRIES = 5  # wrong passwords from one address within WINDOW_SECONDS
WINDOW_SECONDS = 60.0
MOST_ADDRESSES = 1000  # wrong passwords are remembered for the last 1,000 addresses
OWNER = "quietmove.owner"  # a key of the scope of a request
SEAT = "quietmove.seat"  # the same, for the seat of a game whose address alone has let the browser in
SEAT_PATH = "/seat/"  # the address of a seat begins with this
# The page of a seat asks for these paths.
SEAT_PAGES = re.compile(r"/play|/static/[\w.]+|/api/(server|game|rules/\w+\.svg)")
# Files that the page for the password needs, and anybody may see.
PUBLIC = ("/static/style.css", "/static/board.css", "/static/table.css", "/static/icon.svg")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# A browser leaves the origin out of a form whose page sends no referrer.
LOGIN_HEADERS = {
    "Content-Security-Policy": HEADERS["Content-Security-Policy"].replace("form-action 'none'", "form-action 'self'"),
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
        self,
        app: ASGIApp,
        hosts: Iterable[str],
        token: str,
        password: Password | None = None,
        code: str = "",
        home: str = "/",
        session_of_seat: Callable[[str], str | None] = lambda seat: None,
    ) -> None:
        """Protect ``app``; ``hosts`` are the names with their ports under which it is reached.

        :param session_of_seat: returns the name of the game in which a seat has this address.
        """
        self._session_of_seat = session_of_seat
        self._app = app
        self._hosts = set(hosts)
        self._token = token
        self._password = password
        self._code = code
        self._home = home

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        headers = connection.headers
        refusal = self._refusal(scope, headers)
        known = not refusal and scope["path"] != "/login" and not scope["path"].startswith(SEAT_PATH)
        known = known and _is_same(connection.cookies.get(cookie_name(headers), ""), self._token)
        scope[OWNER] = known and self._password is None
        if not known and not refusal:
            known = self._has_seat(scope, connection)
        if scope["type"] == "websocket":
            if known:
                await self._app(scope, receive, send)
            else:
                reason = refusal or self._advice()
                await send({"type": "websocket.close", "code": REFUSED_WEBSOCKET, "reason": reason})
            return
        with suppress(ClientDisconnect):  # the request was cut off: nobody waits for an answer
            inner = self._app if known else await self._door(scope, headers, receive, refusal)
            await inner(scope, receive, adding_headers(send))

    async def _door(self, scope: Scope, headers: Headers, receive: Receive, refusal: str) -> ASGIApp:
        """Return the application that answers a browser without the cookie.

        :param refusal: why the request is not answered whoever asks it; else an empty text.
        """
        path = scope["path"]
        if refusal:
            return PlainTextResponse(f"{refusal}\n", 403)
        if path.startswith(SEAT_PATH) and scope["method"] == "GET":
            return self._seated(path.removeprefix(SEAT_PATH), headers)
        if self._password is None:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if path == "/" and scope["method"] == "GET" and (_is_same(given, self._token) or self._takes_code(given)):
                return self._welcome(headers)
        elif path == "/login":
            return await self._login(self._password, Request(scope, receive))
        elif scope["method"] == "GET" and path in PUBLIC:
            return self._app
        elif scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            return RedirectResponse("/login", 303)
        return PlainTextResponse(f"{self._advice()}\n", 403)

    async def _login(self, password: Password, request: Request) -> Response:
        """Return the page that asks for the password, or what answers its form."""
        wrong = ""
        if request.method == "POST":
            wrong = password.refusal(await request.body(), request.client.host if request.client else "")
            if not wrong:
                return self._welcome(request.headers)
        error = f'<p id="error" role="alert">{escape(wrong)}</p>' if wrong else ""
        main = (STATIC / "login.html").read_text(encoding="utf-8").replace("<!--error-->", error)
        page = PAGE.format(title="Log in", files="", links="", main=main)
        return HTMLResponse(page, 403 if wrong else 200, LOGIN_HEADERS)

    def _refusal(self, scope: Scope, headers: Headers) -> str:
        """Return why a request is not answered whoever asks it, or an empty text."""
        host = headers.get("host", "")
        if self._password is None and host not in self._hosts:
            return f"Host: this server is {' or '.join(sorted(self._hosts))}"
        if not HOST.fullmatch(host):
            return WRONG_HOST
        if scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD"):
            schemes = ("http",) if self._password is None else ("http", "https")  # a proxy may stand before it
            if headers.get("origin") not in [f"{scheme}://{host}" for scheme in schemes]:
                return f"Origin: only pages of {' or '.join(schemes)}://{host} may ask this"
            length = headers.get("content-length", "0")
            most = MOST_FILE_BYTES if scope["path"] == GAMES else MOST_BYTES
            if "transfer-encoding" in headers or not length.isdecimal() or int(length) > most:
                return f"file: must be at most {most:,} bytes, not {length[:20]}"
        return ""

    def _advice(self) -> str:
        """Return what a person does whose browser has no cookie."""
        if self._password is not None:
            return "log in at /login"
        return "open the address that quietmove-referee serve has printed, with its token"

    def _has_seat(self, scope: Scope, connection: HTTPConnection) -> bool:
        """Tell whether a browser that has the seat of a game alone may ask this, and note the seat in the scope."""
        seat = connection.cookies.get(f"{cookie_name(connection.headers)}-seat", "")
        session = self._session_of_seat(seat) if seat else None
        path = scope["path"]
        if scope["type"] == "websocket":
            is_allowed = path == f"/sessions/{session}"
        else:
            is_allowed = scope["method"] == "GET" and SEAT_PAGES.fullmatch(path) is not None
        if session is None or not is_allowed:
            return False
        scope[SEAT] = seat
        return True

    def _seated(self, seat: str, headers: Headers) -> Response:
        """Return what lets a browser play the seat of one game."""
        session = self._session_of_seat(seat)
        if session is None:
            return PlainTextResponse("There is no such seat; its game may be over.\n", 404)
        answer = RedirectResponse(f"/play#session={session}&seat={seat}", 303)
        # The address is sent by another page, such as that of a mail; a strict cookie would not be sent then.
        answer.set_cookie(f"{cookie_name(headers)}-seat", seat, httponly=True, samesite="lax", path="/")
        return answer

    def _takes_code(self, text: str) -> bool:
        """Tell whether a text is the code that opens once, and let the code open nothing from now on."""
        if not self._code or not _is_same(text, self._code):
            return False
        self._code = ""
        return True

    def _welcome(self, headers: Headers) -> Response:
        answer = RedirectResponse(self._home, 303)
        secure = headers.get("origin", "").startswith("https:")
        answer.set_cookie(cookie_name(headers), self._token, httponly=True, samesite="strict", secure=secure, path="/")
        return answer


def is_owner(connection: HTTPConnection) -> bool:
    """Tell whether a request comes from who started the server, at this machine: one with a password has no owner."""
    return bool(connection.scope.get(OWNER))


class Tries:
    """The wrong tries that came from each address within the last minute; one of IPv6 counts with its /64.

    :param most: an address may have so many.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        # Each address has the times of its wrong tries; the address with the latest one stands at the end.
        self._wrong: dict[str, list[float]] = {}

    def are_used_up(self, address: str) -> bool:
        """Tell whether no further try of an address counts now."""
        address, now = _network(address), self._clock()
        if tries := [at for at in self._wrong.pop(address, []) if now - at < WINDOW_SECONDS]:
            self._wrong[address] = tries
        return len(tries) >= self.most

    def note(self, address: str) -> None:
        """Note a wrong try."""
        address = _network(address)
        self._wrong[address] = [*self._wrong.pop(address, []), self._clock()]
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.pop(next(iter(self._wrong)))


def _network(address: str) -> str:
    """Return what a machine cannot change of its address: of IPv6 the first 64 bits, of IPv4 all."""
    try:
        found = ip_address(address)
    except ValueError:  # the server's socket is none of the internet, or a proxy names no address
        return address
    if not isinstance(found, IPv6Address):
        return address
    return str(found.ipv4_mapped or ip_network((int(found), 64), strict=False))


class Password:
    """The password of a server, with the wrong ones that came from each address."""

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the password.

        :raises SetupError: if it is too short.
        """
        if len(text) < LEAST_LETTERS:
            raise SetupError(f"the password: must be at least {LEAST_LETTERS} characters, not {len(text)}")
        self._digest = _digest(text)
        self._tries = Tries(MOST_TRIES, clock)

    def refusal(self, body: bytes, address: str) -> str:
        """Return why a form that came from ``address`` does not open the door, or an empty text."""
        if self._tries.are_used_up(address):
            return f"{MOST_TRIES} wrong passwords came from this address within a minute; wait a minute."
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        if hmac.compare_digest(_digest(given), self._digest):
            return ""
        self._tries.note(address)
        return "That is not the password."


def read_password(path: Path) -> str:
    """Return the first line of a file.

    :raises SetupError: if it cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline(10_000).rstrip("\n")
    except OSError as error:
        raise SetupError(f"the password: {explain(error)}") from None
    except UnicodeDecodeError:
        raise SetupError(f"the password: {path}: not UTF-8") from None


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(18)


def _digest(text: str) -> bytes:
    """Return a digest, which is equally long for every password."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _is_same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())


def cookie_name(headers: Headers) -> str:
    """Return a name with the port: a browser has the cookies of one host for all its ports."""
    return f"quietmove-{headers.get('host', '').rpartition(':')[2].rstrip(']')}"


def adding_headers(send: Send, more: Mapping[str, str] = MappingProxyType({})) -> Send:
    """Return ``send`` such that each answer has :data:`HEADERS` and ``more``, unless it has others of these names."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in (*HEADERS.items(), *more.items()):
                headers.setdefault(name, value)
        await send(message)

    return with_headers
