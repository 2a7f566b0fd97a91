"""Access to ``quietmove-referee serve`` with a token, a password or the address of a seat.

The printed address contains the token (``/?token=…``); the response stores it in a cookie that scripts cannot read and
that browsers do not send with requests from other sites. The address that opens a browser is visible to all users of
the machine, so it contains a one-time code instead. With a password, the login sets the cookie, and the server accepts
any host name, because requests from other sites lack the cookie, whatever the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import TYPE_CHECKING, ClassVar

from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from quietmove.addons.web.access import HEADERS, Asker, Authority, cookie_name, keep_cookie
from quietmove.addons.web.pages import STATIC, shell
from quietmove.addons.web.passwords import Password, is_same
from quietmove.addons.web.routes import Role, Row

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection, Request

# Files needed by the login page, visible to anyone.
PUBLIC = ("style.css", "board.css", "table.css", "icon.svg", "theme.js")
# Browsers omit the origin from a form on a page that sends no referrer.
LOGIN_HEADERS = {
    "Content-Security-Policy": HEADERS["Content-Security-Policy"].replace("form-action 'none'", "form-action 'self'"),
    "Referrer-Policy": "same-origin",
}
RESTARTED = """<main class="page">
  <section class="card stack">
    <h2>Open the address printed by the server</h2>
    <p>The server has been restarted, or this browser has never logged in. Open the address that
      <code>quietmove-referee serve</code> prints, including its token. After that, this address works too.</p>
  </section>
</main>
"""
OWNERS = "runs can be started only from this machine, since a command is code; serve without --host"


class TokenAccess(Authority):
    """Identifies clients by their cookies.

    :param hosts: accepted host names, with ports, if there is no password.
    :param code: a one-time code, exchanged for the token.
    :param home: the page that opens first.
    :param session_of_seat: returns the name of the game that a seat address belongs to.
    """

    elsewhere: ClassVar[Role] = Role.PLAYER

    def __init__(
        self,
        hosts: Iterable[str],
        token: str,
        password: Password | None = None,
        code: str = "",
        home: str = "/",
        session_of_seat: Callable[[str], str | None] = lambda seat: None,
    ) -> None:
        self.hosts = frozenset(hosts) if password is None else None
        self._token = token
        self._password = password
        self._code = code
        self._home = home
        self._session_of_seat = session_of_seat

    def rows(self) -> list[Row]:
        """Return the routes that log a browser in."""
        rows = [Row("GET", "/seat/{seat:path}", self._take_seat, Role.PUBLIC)]
        rows += [Row("GET", f"/static/{name}", _sending(name), Role.PUBLIC) for name in PUBLIC]
        if self._password is not None:
            rows += [
                Row("GET", "/login", lambda request: _login_page(), Role.PUBLIC),
                Row("POST", "/login", self._log_in, Role.PUBLIC),
            ]
        return rows

    def identify(self, connection: HTTPConnection) -> Asker:
        name = cookie_name(connection.headers)
        if is_same(connection.cookies.get(name, ""), self._token):
            return Asker(Role.OWNER if self._password is None else Role.PLAYER)
        seat = connection.cookies.get(f"{name}-seat", "")
        return Asker(Role.SEAT, seat) if seat and self._session_of_seat(seat) else Asker(Role.PUBLIC)

    def refuse(self, error: str, status: int) -> Response:
        return PlainTextResponse(f"{error}\n", 403)

    def deny(self, connection: HTTPConnection, asker: Asker, role: Role) -> Response:
        if asker.role >= Role.PLAYER:
            return JSONResponse({"error": OWNERS}, 403)
        is_read = connection.scope.get("method") == "GET"
        is_page = is_read and "text/html" in connection.headers.get("accept", "")
        if self._password is not None:
            if is_page:
                return RedirectResponse("/login", 303)
            return self.refuse("log in at /login", 403)
        given = connection.query_params.get("token", "")
        if is_read and connection.scope["path"] == "/" and (is_same(given, self._token) or self._takes_code(given)):
            return self._welcome(connection)
        if is_page:
            return HTMLResponse(shell("Open the new address", RESTARTED), 403)
        return self.refuse("open the address printed by quietmove-referee serve, including its token", 403)

    async def _log_in(self, request: Request) -> Response:
        """Handle the login form."""
        assert self._password is not None
        wrong = self._password.refusal(await request.body(), request.client.host if request.client else "")
        return _login_page(wrong) if wrong else self._welcome(request)

    def _take_seat(self, request: Request) -> Response:
        """Give a browser access to one seat of a game."""
        seat = request.path_params["seat"]
        session = self._session_of_seat(seat)
        if session is None:
            return PlainTextResponse("There is no such seat; the game may be over.\n", 404)
        answer = RedirectResponse(f"/play#session={session}&seat={seat}", 303)
        # The address is opened from another page, such as webmail; a strict cookie would not be sent then.
        answer.set_cookie(f"{cookie_name(request.headers)}-seat", seat, httponly=True, samesite="lax", path="/")
        return answer

    def _takes_code(self, text: str) -> bool:
        """Return whether a text is the one-time code, which is then used up."""
        if not self._code or not is_same(text, self._code):
            return False
        self._code = ""
        return True

    def _welcome(self, connection: HTTPConnection) -> Response:
        return keep_cookie(connection, RedirectResponse(self._home, 303), self._token)


def _login_page(wrong: str = "") -> Response:
    """Return the login page.

    :param wrong: the error of the previous attempt, or "".
    """
    error = f'<p id="error" role="alert">{escape(wrong)}</p>' if wrong else ""
    main = (STATIC / "login.html").read_text(encoding="utf-8").replace("<!--error-->", error)
    return HTMLResponse(shell("Log in", main), 403 if wrong else 200, LOGIN_HEADERS)


def _sending(name: str) -> Callable[[Request], Response]:
    return lambda request: FileResponse(STATIC / name)
