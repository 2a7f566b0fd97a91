"""The password of a server that other machines reach: who is let in, and how often it may be tried."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from quietmove.addons.web.app import create_app
from quietmove.addons.web.pages import STATIC, AddedPages
from quietmove.addons.web.passwords import MOST_ADDRESSES, MOST_TRIES, WINDOW_SECONDS, Password, Tries, read_password
from quietmove.addons.web.routes import Role, Row
from quietmove.addons.web.server import bind
from quietmove.addons.web.sessions import GameSessions
from quietmove.referee.errors import RefereeError, SetupError

SECRET = "correct horse & 8+ letters"
FORM = f"password={quote(SECRET)}".encode()


INSIDE = '{"inside":true}'


def inside(request: object) -> dict[str, object]:
    return {"inside": True}


class Server:
    """A server with a password, and with rows whose answer is ``inside``."""

    def __init__(self, password: str = SECRET) -> None:
        self.now = 0.0
        rows = [Row("GET", "/api/house", inside, Role.PLAYER), Row("POST", "/api/tables", inside, Role.PLAYER)]
        added = AddedPages("/added", "Added", "home", STATIC, rows)
        secret = Password(password, lambda: self.now)
        self.app = create_app(GameSessions([]), ["127.0.0.1:80"], "token", [added], secret)

    def ask(self, method: str, path: str, body: bytes = b"", address: str = "10.0.0.1", **headers: str) -> Any:
        """Return status, headers and text of the answer."""
        sent = self.sent(method, path, {"type": "http.request", "body": body, "more_body": False}, address, **headers)
        text = b"".join(each.get("body", b"") for each in sent[1:]).decode()
        return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}, text

    def sent(
        self, method: str, path: str, received: dict[str, Any], address: str = "10.0.0.1", **headers: str
    ) -> list[dict[str, Any]]:
        given = {"host": "club.example", "origin": "http://club.example", "accept": "text/html", **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "client": (address, 5000),
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return received

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        return sent

    def log_in(self, body: bytes = FORM, address: str = "10.0.0.1", **headers: str) -> Any:
        return self.ask("POST", "/login", body, address, **headers)


def test_who_gives_the_password_is_let_in_under_any_name() -> None:
    server = Server()
    status, headers, _ = server.ask("GET", "/")
    assert (status, headers["location"]) == (303, "/login")
    status, headers, text = server.ask("GET", "/login")
    assert (status, 'type="password"' in text) == (200, True)
    assert "form-action 'self'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "same-origin"
    status, headers, _ = server.log_in()
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert ("HttpOnly" in cookie, "SameSite=strict" in cookie, "Secure" in cookie) == (True, True, False)
    assert server.ask("GET", "/api/house", cookie=cookie.partition(";")[0])[2] == INSIDE
    assert server.ask("POST", "/api/tables", cookie=cookie.partition(";")[0])[2] == INSIDE
    assert "Secure" in server.log_in(origin="https://club.example")[1]["set-cookie"]


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/static/play.js", {"accept": "*/*"}),
        ("POST", "/api/tables", {}),
        ("GET", "/api/house", {"accept": "*/*", "cookie": "quietmove-=wrong"}),
        ("POST", "/login", {"origin": "http://evil.example"}),
        ("POST", "/login", {"content-length": "x"}),
        ("POST", "/api/tables", {"cookie": "quietmove-=token", "origin": "http://evil.example"}),
    ],
)
def test_a_stranger_is_refused(method: str, path: str, headers: dict[str, str]) -> None:
    status, sent, text = Server().ask(method, path, FORM, **headers)
    assert (status, "set-cookie" in sent) == (403, False)
    assert "inside" not in text


def test_a_form_that_is_cut_off_gets_no_answer_and_is_no_error() -> None:
    assert Server().sent("POST", "/login", {"type": "http.disconnect"}) == []


def test_the_page_that_asks_has_its_style() -> None:
    client = TestClient(Server().app, "http://club.example")
    assert client.get("/static/style.css", headers={"Accept": "text/css"}).status_code == 200


@pytest.mark.parametrize(
    "body", [b"", b"password=", b"password=%ff%fe", b"other=x", FORM[:-1], FORM + b"x", b"\xff" * 50]
)
def test_a_wrong_password_is_told(body: bytes) -> None:
    status, headers, text = Server().log_in(body)
    assert (status, "set-cookie" in headers) == (403, False)
    assert "Wrong password." in text


def test_an_address_has_few_tries_a_minute_and_no_other_one_loses_by_it() -> None:
    server = Server()
    for _ in range(MOST_TRIES):
        assert "Wrong password" in server.log_in(b"password=guess")[2]
    assert f"{MOST_TRIES} wrong passwords" in server.log_in()[2]
    assert server.log_in(address="10.0.0.2")[0] == 303
    server.now += WINDOW_SECONDS
    assert server.log_in()[0] == 303


def test_the_tries_of_many_addresses_take_no_more_room() -> None:
    password = Password(SECRET)
    for number in range(MOST_ADDRESSES + 10):
        password.refusal(b"", str(number))
    assert len(password._tries._wrong) == MOST_ADDRESSES


def test_the_password_is_the_first_line_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the file\nsecond line\n")
    assert read_password(tmp_path / "secret") == "of the file"
    with pytest.raises(SetupError, match=r"nowhere: No such file"):
        read_password(tmp_path / "nowhere")
    with pytest.raises(SetupError, match="the password: "):
        Password("short")


def test_a_host_that_is_not_here_is_one_error() -> None:
    with pytest.raises(RefereeError, match=r"--host 192\.0\.2\.1 --port 0: "):
        bind("192.0.2.1", 0)


def test_an_address_of_ipv6_counts_with_its_network() -> None:
    tries = Tries(1)
    tries.note("2001:db8:1:2::1")
    tries.note("::ffff:192.0.2.1")
    tries.note("fe80::1%eth0")
    for address in ("2001:db8:1:2:ffff::9", "2001:DB8:1:2::1", "192.0.2.1", "fe80::2%eth0"):
        assert tries.are_used_up(address), address
    for address in ("2001:db8:1:3::1", "192.0.2.2", "::ffff:192.0.2.2", "", "a proxy's name"):
        assert not tries.are_used_up(address), address


def test_no_answer_sends_a_browser_to_the_host_of_the_request() -> None:
    app = create_app(GameSessions([]), [], "token", password=Password(SECRET))
    client = TestClient(app, "http://evil.example:80", follow_redirects=False, cookies={"quietmove-80": "token"})
    assert client.get("/play", headers={"Host": "evil.example:80"}).status_code == 200
    for path in ("/play/", "/api/server/"):
        answer = client.get(path, headers={"Host": "evil.example:80"})
        assert (answer.status_code, answer.headers.get("location")) == (404, None)


def client(**headers: str | None) -> TestClient:
    """Return a browser of the person who started a server without a password, with other headers if given."""
    right = {"Origin": "http://testserver", "Cookie": "quietmove-testserver=token", **headers}
    app = create_app(GameSessions([]), ["testserver"], "token")
    sent = {name: value for name, value in right.items() if value is not None}
    return TestClient(app, headers=sent, follow_redirects=False)


def test_the_address_gives_a_cookie_and_the_pages_forbid_everything_else() -> None:
    answer = client(Cookie=None).get("/?token=token")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("quietmove-testserver=token;")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    cookies = 'other={"x": [1, 2]}; quietmove-1=another; "; quietmove-testserver=token'
    assert client(Cookie=cookies).get("/").status_code == 200
    answer = client().get("/")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "://" not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {"Cookie": "quietmove-testserver="}),
        ("GET", "/?token=wrong", {"Cookie": None}),
        ("GET", "/api/kept", {"Host": "evil.example"}),
        ("POST", "/api/sessions", {"Origin": "http://evil.example"}),
        ("POST", "/api/sessions", {"Origin": "null"}),
        ("POST", "/api/sessions", {"Origin": None, "Sec-Fetch-Site": "none"}),
    ],
)
def test_without_a_password_a_stranger_is_refused_too(method: str, path: str, headers: dict[str, str | None]) -> None:
    assert client(**headers).request(method, path).status_code == 403


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/nothing", "/static/"])
def test_no_other_file_is_given(path: str) -> None:
    server = Server()
    cookie = server.log_in()[1]["set-cookie"].partition(";")[0]
    assert server.ask("GET", path, cookie=cookie)[0] == 404


def test_the_code_of_a_browser_opens_once_and_the_token_always() -> None:
    app = create_app(GameSessions([]), ["testserver"], "token", code="code", home="/play")
    statuses = [
        TestClient(app, follow_redirects=False).get("/", params={"token": given}).status_code
        for given in ("wrong", "code", "code", "token", "token")
    ]
    assert statuses == [403, 303, 403, 303, 303]
