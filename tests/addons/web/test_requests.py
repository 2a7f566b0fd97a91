"""What the page's server answers to requests that no page sends: one error each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from quietmove.addons.web.access import HEADERS
from quietmove.addons.web.app import create_app
from quietmove.addons.web.pages import PageServer, installed_pages
from quietmove.addons.web.passwords import Password
from quietmove.addons.web.sessions import GameSessions
from quietmove.referee.config.model import EngineConfig
from tests.fakes.bad_requests import BODIES, DIGITS, HOSTS, bodies_like, paths_of

pytestmark = pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning")  # issued when the server exits
HOST = "testserver"
PLAYER = {"person": True, "engine": "", "limit": "", "level": 1}
MOVE = {"move": "d3", "by": "black"}
RECORD = {"spec": {"game": "othello", "seed": 1}, "start": "", "moves": [MOVE], "margin_black": 1.0, "given": 0}
ENGINE = {"table": {"name": "own", "command": "/nowhere", "protocol": "uci"}, "more": "a = 1", "replaces": ""}
RUN = {"file": "", "text": "", "keys": {"name": "run"}, "engines": ["own"], "plays": False}
# The request bodies, by the end of the address.
OBJECTS: dict[str, dict[str, object]] = {
    "/sessions": {"game": "othello", "position": "", "opening": "", "trains": "", "black": PLAYER, "white": PLAYER},
    "/kept/{name}": {"title": "x", "lines": [{"moves": "d3", "comment": "c"}]},
    "/practice/answer": {"key": "x", "move": "d3", "hints": 0},
    "/download": {"record": RECORD, "kind": "svg"},
    "/opened": {"record": RECORD},
    "/replay": {"game": "othello", "start": "", "moves": "f5"},
    "/tree": {"game": "othello", "start": "", "moves": "", "depth": 1},
    "/engines": ENGINE,
    "/engines/offered": ENGINE,
    "/runs": RUN,
    "/runs/preview": RUN,
    "/runs/{store}": {"wanted": "stopped", "first": False, "now": False, "rounds": 1},
}
GOOD = '{"moves": [{"move": "d3", "by": "black"}]}\n'
# Games in files from other programs.
KEPT = {
    "infinite": '{"moves": [], "margin_black": 1e999}',
    "none": '{"moves": [], "margin_black": NaN}',
    "deep": '{"moves": [], "x": ' + "[" * 100_000,
    "digits": f'{{"moves": [], "given": {DIGITS}}}',
    "half": '{"moves": [], "event": "\\ud800"}',
}


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Starlette:
    """A server that keeps games and starts tournaments."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "kept").mkdir()
    for name, text in {"good": GOOD, **KEPT}.items():
        (tmp_path / "kept" / f"{name}.jsonl").write_text(text)
    sessions = GameSessions([EngineConfig("own", protocol="in-process")])
    sessions.keep_in(tmp_path / "kept")
    return create_app(sessions, [HOST], "token", installed_pages(PageServer(sessions, [tmp_path])))


@pytest.fixture
def owner(app: Starlette) -> Iterator[TestClient]:
    """The browser of who started it; a fault of the server is an answer."""
    headers = {"Origin": f"http://{HOST}", "Cookie": f"quietmove-{HOST}=token"}
    with TestClient(app, raise_server_exceptions=False, headers=headers) as client:
        yield client


def test_no_request_is_a_fault_of_the_server(app: Starlette, owner: TestClient) -> None:
    for route in app.routes:
        if not isinstance(route, Route):
            continue
        like = next((each for end, each in OBJECTS.items() if route.path == f"/api{end}"), {})
        for method in sorted(route.methods or ()):
            paths = list(paths_of(route.path))
            requests = [(path, b"{}") for path in (paths if method == "GET" else paths[:1])]
            if method in ("POST", "PUT"):
                requests += [(paths[0], body) for body in (*BODIES, *bodies_like(like))]
            for path, body in requests:
                answer = owner.request(method, path, content=body)
                assert answer.status_code < 500, (method, path[:80], body[:80], answer.text)
                assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_damaged_game_keeps_no_other_from_the_list(owner: TestClient) -> None:
    games = owner.get("/api/kept").json()["games"]
    assert {game["name"]: game.get("error") for game in games} == {
        "good": None,
        **dict.fromkeys(KEPT, "this file contains no game"),
    }
    for name in KEPT:
        assert owner.get(f"/api/kept/{name}").status_code == 400


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_that_is_none_is_refused_before_the_password_is_asked(host: str) -> None:
    app = create_app(GameSessions([]), [], "token", password=Password("long enough"))
    client = TestClient(app, raise_server_exceptions=False, headers={"Host": host, "Origin": f"http://{host}"})
    answer = client.post("/login", data={"password": "long enough"})
    assert (answer.status_code, answer.text[:6]) == (403, "Host: ")
    assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]


def test_a_fault_of_the_server_has_the_headers_of_every_answer(app: Starlette, owner: TestClient) -> None:
    def broken(request: object) -> None:
        raise AssertionError

    app.add_route("/broken", broken)
    answer = owner.get("/broken")
    assert (answer.status_code, list(answer.json())) == (500, ["error"])
    assert [answer.headers[name] for name in HEADERS] == list(HEADERS.values())
