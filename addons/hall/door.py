"""Who asks: everybody sees the board, a person with a key sees the own things, a teacher sees all.

A script gives the key with each request (``Authorization: Bearer KEY``), a browser in a cookie, which it gets for the
key. A key that is right is let in whatever came from its address before, since a class may share one address.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from quietmove.addons.hall.people import People, Person
from quietmove.addons.web.guard import HOST, WRONG_HOST, Tries, adding_headers, cookie_name

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Receive, Scope, Send

REFUSED_WEBSOCKET = 4403
MOST_TRIES = 60  # wrong keys from one address within a minute
WAIT_SECONDS = "60"
TOO_MANY = 429  # the status of an answer to too many wrong keys
MOST_BYTES = 20_000  # a request that hands nothing in may have so many bytes
FORM_BYTES = 10_000  # a form may have so many bytes beside its file
COOKIE_SECONDS = 7 * 86400
HAND_IN = "/api/entries"
SAFE = ("GET", "HEAD")


class Door:
    """ASGI middleware: finds out who asks, and lets nothing else of a request be wrong.

    :param tries: the wrong keys that came.
    :param most_upload: returns the most bytes that a file may have.
    """

    def __init__(self, app: ASGIApp, people: People, tries: Tries, most_upload: Callable[[], int]) -> None:
        self._app = app
        self._people = people
        self._tries = tries
        self._most_upload = most_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on with the person who asks."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        person, refusal = self._person(connection)
        name = cookie_name(connection.headers)
        is_stale = person is None and "authorization" not in connection.headers and name in connection.cookies
        forgetting = {"Set-Cookie": f"{name}=; Max-Age=0; Path=/; HttpOnly; SameSite=strict"} if is_stale else {}
        refusal = refusal or self._refusal(scope, connection.headers, person)
        scope.setdefault("state", {})["person"] = person
        if scope["type"] == "websocket":
            if refusal:
                await send({"type": "websocket.close", "code": REFUSED_WEBSOCKET, "reason": "it comes from elsewhere"})
            else:
                await self._app(scope, receive, send)
            return
        with suppress(ClientDisconnect):
            await (refusal or self._app)(scope, receive, adding_headers(send, forgetting))

    def _person(self, connection: HTTPConnection) -> tuple[Person | None, Response | None]:
        """Return who asks, and the answer to a wrong key. With a header the cookie is not looked at.

        A browser may have an old key in its cookie. It forgets that and sees what everybody sees.
        """
        given = connection.headers.get("authorization")
        cookie = connection.cookies.get(cookie_name(connection.headers), "")
        kind, _, key = ("bearer", "", cookie) if given is None else given.partition(" ")
        if given is None and not cookie:
            return None, None
        if kind.lower() == "bearer" and (person := self._people.by_key(key)):
            return person, None
        answer = wrong_key(self._tries, connection)
        return None, None if given is None and answer.status_code != TOO_MANY else answer

    def _refusal(self, scope: Scope, headers: Headers, person: Person | None) -> Response | None:
        """Return why a request is not answered whoever asks it, or None."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not HOST.fullmatch(host):
            return refused(WRONG_HOST, 400)
        is_changing = scope["type"] == "websocket" or scope["method"] not in SAFE
        if not is_changing:
            return None
        by_cookie = person is not None and "authorization" not in headers
        if (origin is not None or by_cookie) and origin not in (f"http://{host}", f"https://{host}"):
            return refused(f"Origin: only pages of http://{host} or https://{host} may ask this", 403)
        if scope["type"] == "websocket" or scope["method"] == "DELETE":
            return None
        length = headers.get("content-length", "")
        if "transfer-encoding" in headers or not length.isdecimal():
            return refused("Content-Length: must be given; a body that comes in chunks is not taken", 411)
        thing, most = ("file", self._most_upload()) if scope["path"] == HAND_IN else ("the request", MOST_BYTES)
        if int(length) > most + FORM_BYTES:
            return refused(f"{thing}: must have at most {most:,} bytes, not {int(length):,}", 413)
        return None


def wrong_key(tries: Tries, connection: HTTPConnection) -> Response:
    """Note a wrong key, and return the answer to it."""
    address = connection.client.host if connection.client else ""
    if tries.are_used_up(address):
        wrong = f"{tries.most} wrong keys came from this address within a minute; wait a minute"
        return JSONResponse({"error": wrong}, TOO_MANY, {"Retry-After": WAIT_SECONDS})
    tries.note(address)
    return refused("the key: it is none of this class; ask the teacher for a new one", 401)


def person_of(request: HTTPConnection) -> Person | None:
    """Return who asks; None for one without a key."""
    found: Person | None = request.scope["state"]["person"]
    return found


def keep_key(request: Request, answer: Response, key: str) -> Response:
    """Let the browser keep a key in a cookie that no script reads and no other site sends; forget it where empty."""
    answer.set_cookie(
        cookie_name(request.headers),
        key,
        max_age=COOKIE_SECONDS if key else 0,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:"),
        path="/",
    )
    return answer


def refused(error: str, status: int) -> JSONResponse:
    """Return an answer that says what is wrong."""
    return JSONResponse({"error": error}, status)
