"""A server in a process of its own, without a browser: its websockets, a kill, and a full disk."""

from __future__ import annotations

import http.client
import json
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
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
        assert message["type"] != "error", message
    return dict(message)


def wait_for_turn(socket: ClientConnection) -> None:
    if heard(socket, "snapshot")["turn"] is None:
        heard(socket, "turn")


# No test plays this game between two people, whose positions no engine may analyse.
QUESTION = {"engine": "quick", "game": "othello 4x4", "start": "", "moves": ""}


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
    def step(socket: ClientConnection) -> dict[str, Any]:
        """Return the next step; the later of the two moves may be refused first."""
        message: dict[str, Any] = {"type": ""}
        while message["type"] != "step":
            message = json.loads(socket.recv(timeout=WAIT))
        return message

    name = open_session(server)
    with watching(server, f"/sessions/{name}") as one, watching(server, f"/sessions/{name}") as other:
        wait_for_turn(one)
        for socket in (one, other):
            socket.send('{"ply": 0, "move": "f5"}')
        assert [step(socket)["step"]["project"] for socket in (one, other)] == ["6 4"] * 2
        answers = [step(socket) for socket in (one, other)]
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


def test_a_game_that_met_a_full_disk_is_kept_once_there_is_room(server: Server) -> None:
    def allow(size: int) -> None:  # maximum size of written files; 0 acts like a full disk
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def play(*moves: str) -> list[str]:
        """Play moves for both sides, those with a star on a full disk, and return the errors."""
        errors = []
        with watching(server, f"/sessions/{open_session(server, game='tictactoe', white={'person': True})}") as socket:
            wait_for_turn(socket)
            for ply, move in enumerate(moves):
                allow(0 if move[0] == "*" else resource.RLIM_INFINITY)
                socket.send(json.dumps({"ply": ply, "move": move.strip("*")}))
                while (message := json.loads(socket.recv(timeout=WAIT)))["type"] != "turn":
                    errors += [message["error"]] if message["type"] == "error" else []
        allow(resource.RLIM_INFINITY)
        return errors

    before = set(server.kept.iterdir())
    errors = play("a1", "*a2", "*a3", "b1")
    assert [each.startswith(f"the game is not saved: {server.kept}") for each in errors] == [True] * 2
    [file] = set(server.kept.iterdir()) - before
    assert [move.move for move in read_game(file).moves] == ["a1", "a2", "a3", "b1"]
