"""Who is answered by the server, and what becomes of games that nobody watches; no browser is needed."""

from __future__ import annotations

import http.client
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from quietmove.addons.web.kept import KeptGames
from quietmove.referee.game.saved import read_game
from tests.addons.conftest import Server, serving

REQUEST = {"game": "othello", "black": {"person": True}, "white": {"engine": "quick"}}
WAIT = 240.0  # seconds; only a failing test waits this long
OPENED: list[str] = []


def ask(server: Server, method: str, path: str, body: object = None, **headers: str | None) -> tuple[int, Any, Any]:
    """Return status, headers and body; what is left out of ``headers`` is right."""
    right = {"Host": server.host, "Cookie": f"{server.cookie}={server.token}"}
    if method != "GET":
        right["Origin"] = f"http://{server.host}"
    given = {name.capitalize(): value for name, value in headers.items()}
    sent = {name: value for name, value in {**right, **given}.items() if value is not None}
    connection = http.client.HTTPConnection(server.host, timeout=WAIT)
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    connection.request(method, path, data, sent)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, json.loads(text) if text.startswith(("{", "[")) else text


def open_session(server: Server, **changes: object) -> str:
    status, _, answer = ask(server, "POST", "/api/sessions", {**REQUEST, **changes})
    assert status == 200, answer
    OPENED.append(answer["id"])
    return OPENED[-1]


@pytest.fixture(autouse=True)
def _ends_its_games(server: Server) -> Iterator[None]:
    """Leave no game to the other tests of this server, which has a most."""
    yield
    while OPENED:
        ask(server, "DELETE", f"/api/sessions/{OPENED.pop()}")


@contextmanager
def watching(server: Server, path: str, origin: str = "", cookie: str = "") -> Iterator[ClientConnection]:
    with connect(
        f"ws://{server.host}{path}",
        additional_headers={"Cookie": cookie or f"{server.cookie}={server.token}"},
        origin=origin or f"http://{server.host}",  # type: ignore[arg-type]
        open_timeout=WAIT,
    ) as socket:
        yield socket


def heard(socket: ClientConnection, kind: str) -> dict[str, Any]:
    while (message := json.loads(socket.recv(timeout=WAIT)))["type"] != kind:
        pass
    return dict(message)


def wait_for_turn(socket: ClientConnection) -> None:
    if heard(socket, "snapshot")["turn"] is None:
        heard(socket, "turn")


def test_the_address_gives_a_cookie_and_the_pages_forbid_everything_else(server: Server) -> None:
    status, headers, _ = ask(server, "GET", f"/?token={server.token}", cookie=None)
    assert (status, headers["location"]) == (303, "/")
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=strict" in headers["set-cookie"]
    assert headers["set-cookie"].startswith(f"{server.cookie}=")  # the cookie's name contains the port
    cookies = f'other={{"x": [1, 2]}}; quietmove-1=another; "; {server.cookie}={server.token}'
    assert ask(server, "GET", "/", cookie=cookies)[0] == 200
    status, headers, text = ask(server, "GET", "/")
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert "://" not in text


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {"cookie": None}),
        ("GET", "/", {"cookie": "{}=wrong"}),
        ("GET", "/", {"cookie": "{}="}),
        ("GET", "/?token=wrong", {"cookie": None}),
        ("GET", "/static/play.js", {"cookie": None}),
        ("GET", "/api/tournaments", {"host": "evil.example"}),
        ("POST", "/api/sessions", {"origin": "http://evil.example"}),
        ("POST", "/api/sessions", {"origin": None}),
        ("DELETE", "/api/sessions/x", {"origin": "null"}),
    ],
)
def test_strangers_are_refused(server: Server, method: str, path: str, headers: dict[str, str | None]) -> None:
    body = REQUEST if method == "POST" else None
    given = {name: value and value.format(server.cookie) for name, value in headers.items()}
    assert ask(server, method, path, body, **given)[0] == 403


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/nothing", "/static/"])
def test_no_other_file_is_given(server: Server, path: str) -> None:
    assert ask(server, "GET", path)[0] == 404


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"white": {"engine": "rm -rf"}}, "white: must be quick or level or mute or inside, not 'rm -rf'"),
        ({"white": 7}, "white: must be a table, not 7"),
        ({"white": {"engine": "quick", "limit": "soon"}}, "limit: must be one of"),
        ({"opening": "f5 a1"}, "'a1' is not legal"),
    ],
)
def test_a_wrong_request_is_one_error(server: Server, changes: dict[str, object], message: str) -> None:
    status, _, answer = ask(server, "POST", "/api/sessions", {**REQUEST, **changes})
    assert status == 400
    assert message.lower() in answer["error"].lower()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b"1" * 2_000_000])
def test_a_body_that_is_no_document_is_refused(server: Server, body: bytes) -> None:
    try:
        status = ask(server, "POST", "/api/sessions", body)[0]
    except (BrokenPipeError, ConnectionResetError):  # the server stops reading a body that is too long
        return
    assert status in (400, 403)


def test_a_websocket_of_a_stranger_is_refused(server: Server) -> None:
    for path in (f"/sessions/{open_session(server)}", "/analysis"):
        for origin, cookie in (("http://evil.example", ""), ("null", ""), ("", f"{server.cookie}=wrong"), ("", "x=y")):
            with pytest.raises(InvalidStatus), watching(server, path, origin, cookie):
                pass


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("{", "a JSON object"),
        ("[" * 1500, "a JSON object"),
        ('{"ply": 0}', "offers and messages need a person on another machine"),
        ('{"ply": 3, "move": "f5"}', "ply: expected 0, the number of moves so far, not 3"),
        ('{"ply": 0, "move": "a1"}', "'a1' is not legal here; legal: d3 c4 f5 e6"),
    ],
)
def test_hostile_messages_change_nothing(server: Server, message: str, error: str) -> None:
    with watching(server, f"/sessions/{open_session(server)}") as socket:
        wait_for_turn(socket)
        socket.send(message)
        assert error in heard(socket, "error")["error"]
        socket.send('{"ply": 0, "move": "f5"}')
        assert heard(socket, "step")["step"]["move"] == "f5"


QUESTION = {"engine": "quick", "game": "tictactoe", "start": "", "moves": ""}
LONE = "\ud800"  # half a surrogate pair, possible in JSON but not in UTF-8
HOSTILE: list[tuple[str | dict[str, object], str]] = [
    ("{", "a JSON object"),
    ("[" * 50_000, "a JSON object"),
    (f'{{"id": {"9" * 5000}}}', "a JSON object"),
    (json.dumps({**QUESTION, "start": " " * 60_000}), "a JSON object of at most 60000 characters"),
    ({"engine": LONE}, "a JSON object"),
    ({**QUESTION, "engine": "/bin/sh"}, "engine: must be quick or level or mute, not '/bin/sh'"),
]


def test_hostile_questions_are_one_error_each_and_the_next_is_answered(server: Server) -> None:
    with watching(server, "/analysis") as socket:
        for message, error in HOSTILE:
            socket.send(message if isinstance(message, str) else json.dumps(message))
            said = heard(socket, "error")["error"]
            assert error in said
            assert "\n" not in said
        socket.send(json.dumps({**QUESTION, "moves": "b2", "id": 7}))
        assert heard(socket, "analysis")["id"] == 7


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/game?name=tree%00x.py:Y", None),
        ("POST", "/api/sessions", {**REQUEST, "game": "tree\0x.py:Y"}),
        ("POST", "/api/replay", {"game": "othello", "moves": "x" * 490_000}),
        ("POST", "/api/replay", {"game": "x" * 490_000}),
    ],
)
def test_a_hostile_name_is_a_short_error(server: Server, method: str, path: str, body: object) -> None:
    status, _, answer = ask(server, method, path, body)
    assert (status, list(answer)) == (400, ["error"])
    assert answer["error"].isprintable()
    assert len(answer["error"]) < 3000


def test_a_message_that_is_too_large_leaves_the_server_as_it_was(server: Server) -> None:
    for message in ("x" * 1_000_000, b"\x00"):
        with watching(server, "/analysis") as socket:
            socket.send(message)
            with pytest.raises(ConnectionClosed):
                socket.recv(timeout=WAIT)
    with watching(server, "/analysis") as socket:
        socket.send(json.dumps({**QUESTION, "id": 1}))
        assert heard(socket, "analysis")["lines"]


def test_a_move_is_played_once_and_all_who_watch_see_it(server: Server) -> None:
    name = open_session(server)
    with watching(server, f"/sessions/{name}") as one, watching(server, f"/sessions/{name}") as other:
        wait_for_turn(one)
        for socket in (one, other):
            socket.send('{"ply": 0, "move": "f5"}')
        assert [heard(socket, "step")["step"]["project"] for socket in (one, other)] == ["6 4"] * 2
        answers = [heard(socket, "step") for socket in (one, other)]
        assert answers[0] == answers[1]
        assert answers[0]["ply"] == 2


def test_a_server_that_is_killed_loses_no_move(tmp_path: Path) -> None:
    folder = tmp_path / "quietmove" / "games"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "pipe.jsonl")  # opening it blocks forever
    with suppress(KeyboardInterrupt), serving(XDG_DATA_HOME=str(tmp_path)) as (process, address):
        server = Server(address, process, tmp_path)
        with watching(server, f"/sessions/{open_session(server, white={'person': True})}") as socket:
            wait_for_turn(socket)
            for ply, move in enumerate(("f5", "d6")):
                socket.send(json.dumps({"ply": ply, "move": move}))
                heard(socket, "turn")
            assert ask(server, "GET", "/api/kept")[2]["games"] == []  # a running game, and a pipe without a game
            assert ask(server, "GET", "/api/kept/pipe")[0] == 400
        OPENED.clear()
        raise KeyboardInterrupt  # kills the server
    kept = KeptGames(folder)
    [game] = kept.listed()["games"]
    shown = kept.shown(game["name"])
    assert (game["result"], [step["move"] for step in shown["steps"][1:]]) == ("*", ["f5", "d6"])
    # People can continue as either player.
    assert [seat["request"] for seat in shown["seats"]] == 2 * [{"person": True}]


def test_a_game_that_met_a_full_disk_is_kept_once_there_is_room(tmp_path: Path) -> None:
    def allow(size: int) -> None:  # maximum size of written files; 0 acts like a full disk
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def play(server: Server, *moves: str) -> list[str]:
        """Play moves for both sides, and return what is said to be wrong."""
        wrong = []
        with watching(server, f"/sessions/{open_session(server, game='tictactoe', white={'person': True})}") as socket:
            wait_for_turn(socket)
            for ply, move in enumerate(moves):
                allow(0 if move[0] == "*" else resource.RLIM_INFINITY)
                socket.send(json.dumps({"ply": ply, "move": move.strip("*")}))
                while (message := json.loads(socket.recv(timeout=WAIT)))["type"] != "turn":
                    wrong += [message["error"]] if message["type"] == "error" else []
        return wrong

    folder = tmp_path / "quietmove" / "games"
    with serving(XDG_DATA_HOME=str(tmp_path)) as (process, address):
        server = Server(address, process, tmp_path)
        assert [each.startswith(f"the game is not saved: {folder}") for each in play(server, "*a1", "*a2")] == [
            True
        ] * 2
        assert list(folder.iterdir()) == []
        assert len(play(server, "a1", "*a2", "*a3", "b1")) == 2
        [file] = folder.iterdir()
        assert [move.move for move in read_game(file).moves] == ["a1", "a2", "a3", "b1"]
    OPENED.clear()


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("name", ["x" * 5000, "%00"])
def test_a_name_of_no_game_is_one_error(server: Server, method: str, name: str) -> None:
    status, _, answer = ask(server, method, f"/api/kept/{name}", {} if method == "PUT" else None)
    assert status == 400
    assert answer["error"].startswith("game: there is no saved game ")


def test_no_python_file_is_run_that_was_not_named(server: Server, tmp_path: Path) -> None:
    file, trace = tmp_path / "mine.py", tmp_path / "trace"
    file.write_text(f"open({str(trace)!r}, 'w')\n")
    for name in (f"{file}:Mine", f" {file}:Mine", f"\t{file}:Mine 8x8"):
        body = {**REQUEST, "game": name, "moves": ""}
        answers = [ask(server, "POST", path, body) for path in ("/api/sessions", "/api/replay", "/api/tree")]
        for status, _, answer in (*answers, ask(server, "GET", f"/api/game?name={quote(name)}")):
            assert (status, "can only be played if the server was started with --game" in answer["error"]) == (
                400,
                True,
            )
        with watching(server, "/analysis") as socket:
            socket.send(json.dumps({"engine": "quick", "game": name, "moves": ""}))
            assert "can only be played if the server was started with --game" in heard(socket, "error")["error"]
    assert not trace.exists()


@pytest.mark.parametrize(
    ("words", "output", "message"),
    [
        (
            ["--engine", "cmd=./nowhere", "name=mine"],
            subprocess.DEVNULL,
            "engine mine: there is no program './nowhere'",
        ),
        ([], "/dev/full", "standard output: No space left on device"),
    ],
)
def test_what_keeps_it_from_starting_is_one_line(words: list[str], output: str | int, message: str) -> None:
    with Path(output).open("w") if isinstance(output, str) else nullcontext(output) as sink:
        command = [sys.executable, "-m", "quietmove.referee", "serve", *words]
        ended = subprocess.run(command, stdout=sink, stderr=subprocess.PIPE, text=True, timeout=WAIT)
    assert ended.returncode in (1, 2)
    assert ended.stderr.startswith(f"error: {message}")
    assert ended.stderr.count("\n") == 1
