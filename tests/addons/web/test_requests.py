"""What the page's server answers to requests that no page sends: one error each."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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
from tests.fakes.processes import WAIT

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


GAME = {"game": "othello", "black": {"person": True}, "white": {"engine": "own"}}
LONE = "\ud800"  # half a surrogate pair, possible in JSON but not in UTF-8


@pytest.mark.parametrize(
    ("method", "path", "body", "message"),
    [
        ("POST", "sessions", {**GAME, "white": {"engine": "rm -rf"}}, "white: must be own, not 'rm -rf'"),
        ("POST", "sessions", {**GAME, "white": 7}, "white: must be a table, not 7"),
        ("POST", "sessions", {**GAME, "white": {"engine": "own", "limit": "soon"}}, "limit: must be one of"),
        ("POST", "sessions", {**GAME, "opening": "f5 a1"}, "'a1' is not legal"),
        ("POST", "sessions", {**GAME, "game": "tree\0x.py:Y"}, "game"),
        ("GET", "game?name=tree%00x.py:Y", None, "game"),
        ("POST", "replay", {"game": "othello", "moves": "x" * 490_000}, "move 1"),
        ("POST", "replay", {"game": "x" * 490_000}, "game"),
        *((method, f"kept/{'x' * 5000}", {}, "game: there is no saved game ") for method in ("GET", "PUT", "DELETE")),
    ],
)
def test_a_wrong_request_is_one_short_error(
    owner: TestClient, method: str, path: str, body: object, message: str
) -> None:
    answer = owner.request(method, f"/api/{path}", json=body)
    assert (answer.status_code, list(answer.json())) == (400, ["error"])
    error = answer.json()["error"]
    assert message in error
    assert error.isprintable()
    assert len(error) < 3000


def test_hostile_messages_change_nothing(owner: TestClient) -> None:
    name = owner.post("/api/sessions", json=GAME).json()["id"]
    with owner.websocket_connect(f"/sessions/{name}") as socket:
        while (message := socket.receive_json())["type"] != "turn" and not message.get("turn"):
            pass
        for text, error in (
            ("{", "a JSON object"),
            ("[" * 1500, "a JSON object"),
            ('{"ply": 0}', "offers and messages need a person on another machine"),
            ('{"ply": 3, "move": "f5"}', "ply: expected 0, the number of moves so far, not 3"),
            ('{"ply": 0, "move": "a1"}', "'a1' is not legal here; legal: d3 c4 f5 e6"),
        ):
            socket.send_text(text)
            assert error in socket.receive_json()["error"]
        socket.send_json({"ply": 0, "move": "f5"})
        assert socket.receive_json()["step"]["move"] == "f5"


def test_hostile_questions_are_one_error_each(owner: TestClient) -> None:
    with owner.websocket_connect("/analysis") as socket:
        for text, error in (
            ("{", "a JSON object"),
            ("[" * 50_000, "a JSON object"),
            (f'{{"id": {DIGITS}}}', "a JSON object"),
            (json.dumps({"start": " " * 60_000}), "a JSON object of at most 60000 characters"),
            (json.dumps({"engine": LONE}), "a JSON object"),
            (json.dumps({"engine": "/bin/sh", "game": "othello"}), "engine: "),
        ):
            socket.send_text(text)
            said = socket.receive_json()["error"]
            assert error in said
            assert "\n" not in said


def test_no_python_file_is_run_that_was_not_named(owner: TestClient, tmp_path: Path) -> None:
    file, trace = tmp_path / "mine.py", tmp_path / "trace"
    file.write_text(f"open({str(trace)!r}, 'w')\n")
    refusal = "can only be played if the server was started with --game"
    for name in (f"{file}:Mine", f" {file}:Mine", f"\t{file}:Mine 8x8"):
        answers = [
            owner.post(path, json={**GAME, "game": name}) for path in ("/api/sessions", "/api/replay", "/api/tree")
        ]
        for answer in (*answers, owner.get("/api/game", params={"name": name})):
            assert (answer.status_code, refusal in answer.json()["error"]) == (400, True)
        with owner.websocket_connect("/analysis") as socket:
            socket.send_json({"engine": "own", "game": name, "moves": ""})
            assert refusal in socket.receive_json()["error"]
    assert not trace.exists()


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


def test_hostile_uploads_delay_no_other_request(owner: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads that take long wait for each other. They would fill the threads that answer other requests."""
    started = threading.Semaphore(0)
    released = threading.Event()

    def hang(*_: object) -> dict[str, object]:
        started.release()
        released.wait(WAIT)
        return {}

    monkeypatch.setattr("quietmove.addons.web.app.imported_apart", hang)
    with ThreadPoolExecutor(50) as uploads:
        sent = [uploads.submit(owner.post, "/api/import?name=x.sgf", content=b"()") for _ in range(50)]
        assert all(started.acquire(timeout=WAIT) for _ in range(2))
        assert owner.get("/api/kept").status_code == 200  # answered in a thread
        assert not started.acquire(blocking=False)
        released.set()
        assert {each.result(WAIT).status_code for each in sent} == {200}
