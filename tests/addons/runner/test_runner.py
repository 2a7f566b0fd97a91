"""Runs that are started by the server of a folder: real processes, whatever ends them and the server."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from quietmove.engine.common.processes import Process
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.playing.snapshot import player_of
from quietmove.tournament.store.store import Store
from tests.fakes.addons import needs_dialects, needs_web, present_protocols
from tests.fakes.processes import WAIT, marked, wait_until

pytestmark = needs_web

ENGINES = """[[engine]]
name = "full"
protocol = "in-process"
options = { Hash = 1 }
[[engine]]
name = "mobility"
protocol = "in-process"
options = { Hash = 1, Ordering = "mobility" }
[[engine]]
name = "level 2"
protocol = "in-process"
options = { Level = 2, Seed = "{seed}" }
[[engine]]
name = "slow"
command = ["PYTHON", "bot.py"]
protocol = "json"
[[engine]]
name = "slow too"
command = ["PYTHON", "bot.py"]
protocol = "json"
"""
BOT = """import json, sys, time
for line in sys.stdin:
    time.sleep(0.02)  # a game takes about a second, and hardly any processor time
    print(json.dumps({"move": json.loads(line)["legal_moves"][0]}), flush=True)
"""
SLOW = ("slow", "slow too")
KEYS = {"format": "round-robin", "rounds": 8, "openings_random": 20, "concurrency": 2}
LIMIT = {"limit": "nodes=1000"}
LONG = {"limit": "movetime=60000"}
MARK = "QUIETMOVE_TEST_RUNNER"


@dataclass
class Hall:
    """A server of a folder that can be killed and begun anew."""

    folder: Path
    process: subprocess.Popen[str] | None = None
    address: str = ""

    def begin(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "quietmove.tournament", "serve", self.folder],
            env={**os.environ, MARK: str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + self.process.stdout.read()
        self.address = found[0]

    def end(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=WAIT)
        assert "Traceback" not in out
        self.process = None

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        host, token = urlsplit(self.address).netloc, self.address.partition("token=")[2]
        sent = {"Cookie": f"quietmove-{host.partition(':')[2]}={token}", "Origin": f"http://{host}", **headers}
        connection = http.client.HTTPConnection(host, timeout=WAIT)
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        is_json = answer.headers["Content-Type"] == "application/json"
        return answer.status, json.loads(text) if is_json else text

    def told(self, method: str, path: str, body: object = None) -> Any:
        status, answer = self.ask(method, path, body)
        assert status == 200, answer
        return answer

    def start(self, name: str, *engines: str, plays: bool = True, **keys: object) -> Any:
        whole = {"name": name, **KEYS, "defaults": LIMIT, **keys}
        names = engines or ("full", "mobility")
        return self.told("POST", "/api/runs", {"keys": whole, "engines": names, "plays": plays})

    def run(self, name: str) -> dict[str, Any]:
        runs: list[dict[str, Any]] = self.told("GET", "/api/runs")["runs"]
        nothing = {"state": "", "games": 0}
        return next((each for each in runs if each["store"] == f"{name}.sqlite"), nothing)

    def wait_for(self, name: str, state: str, games: int = 0) -> dict[str, Any]:
        found: list[dict[str, Any]] = []

        def is_so() -> bool:
            found.append(self.run(name))
            return found[-1]["state"] == state and found[-1]["games"] >= games

        wait_until(is_so)
        return found[-1]

    def player(self, name: str) -> Process:
        found = player_of(self.folder / f"{name}.sqlite")
        assert found is not None
        return found


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with begun(tmp_path / "folder") as found:
        yield found


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """A server of a folder that no test changes."""
    with begun(tmp_path_factory.mktemp("shared") / "folder") as found:
        yield found


@contextmanager
def begun(folder: Path) -> Iterator[Hall]:
    found = Hall(folder)
    found.folder.mkdir()
    (found.folder / "engines.toml").write_text(ENGINES.replace("PYTHON", sys.executable))
    (found.folder / "bot.py").write_text(BOT)
    found.begin()
    try:
        yield found
    finally:
        if found.process is not None:
            found.end(signal.SIGTERM)
        for path in found.folder.glob("*.sqlite"):
            if player := player_of(path):
                player.signal(signal.SIGTERM)
        wait_until(lambda: not marked(f"{MARK}={found.folder}"))


def games_of(store: Path) -> list[tuple[Any, ...]]:
    """All of a store's games but their times."""
    with Store.open_to_read(store) as opened:
        return [(result.id, result.moves, result.margin_black, result.reason) for result in opened.results()]


def undisturbed(folder: Path, name: str, rounds: int) -> list[tuple[Any, ...]]:
    """The games of a definition's first rounds that a terminal plays, with another number of games at once."""
    words = f"run {name}.toml --store again.sqlite --concurrency 4 --force-concurrency --set rounds={rounds}"
    with chdir(folder), redirect_stdout(StringIO()):
        assert run_command_line(words.split()) == 0
    return games_of(folder / "again.sqlite")


def test_server_and_run_are_killed_and_the_games_are_those_of_an_undisturbed_run(hall: Hall) -> None:
    hall.start("cup", *SLOW, rounds=100, defaults=LONG)  # the run must not end before it is killed
    hall.wait_for("cup", "runs", games=2)
    first = hall.player("cup")
    hall.end(signal.SIGKILL)
    wait_until(lambda: len(games_of(hall.folder / "cup.sqlite")) >= 4)
    hall.begin()
    hall.wait_for("cup", "runs", games=4)
    assert hall.player("cup") == first, "a server that died finds its runs again"
    first.signal(signal.SIGKILL)
    wait_until(lambda: player_of(hall.folder / "cup.sqlite") not in (None, first))
    second = hall.player("cup")
    hall.end(signal.SIGKILL)
    second.signal(signal.SIGKILL)
    wait_until(lambda: not second.is_alive())
    hall.begin()  # nothing is running and the run is requested, so it continues
    hall.wait_for("cup", "runs", games=10)
    hall.told("PUT", "/api/runs/cup", {"wanted": "stopped", "now": True})
    hall.wait_for("cup", "stopped")
    assert set(undisturbed(hall.folder, "cup", 4)) <= set(games_of(hall.folder / "cup.sqlite"))
    assert run_command_line(["verify", str(hall.folder / "cup.sqlite")]) == 0


def queue(hall: Hall, *arguments: str) -> str:
    with chdir(hall.folder), redirect_stdout(StringIO()) as output:
        assert run_command_line(["queue", *arguments]) == 0
    return output.getvalue()


def test_a_queue_plays_one_run_at_a_time_and_none_while_it_is_paused(hall: Hall) -> None:
    hall.start("one", *SLOW, rounds=100, defaults=LONG)
    for name in ("two", "three"):
        hall.start(name, rounds=1, defaults={"limit": "nodes=100"})
    hall.wait_for("one", "runs", games=1)
    assert [hall.run(name)["state"] for name in ("two", "three")] == ["waits", "waits"]
    hall.told("PUT", "/api/runs/three.sqlite", {"wanted": "running", "first": True})
    order = [run["store"] for run in hall.told("GET", "/api/runs")["runs"]]
    assert order.index("three.sqlite") < order.index("two.sqlite")
    hall.wait_for("three", "over")
    before = hall.run("one")
    assert (before["reason"], before["games"] < 200) == ("", True)
    hall.wait_for("one", "runs", games=before["games"] + 1)
    assert queue(hall, "--pause").endswith("The queue is paused; --continue resumes it.\n")
    hall.wait_for("one", "waits")
    assert player_of(hall.folder / "one.sqlite") is None
    hall.end(signal.SIGTERM)
    hall.begin()
    assert hall.told("GET", "/api/runs")["paused"] is True
    assert [hall.run(name)["state"] for name in ("one", "two")] == ["waits", "waits"]
    assert re.search(r"two.*\n.*one\.sqlite: one, \d+ of 200 games", queue(hall, "--first", "two"))
    queue(hall, "--stop", "one")
    assert hall.told("PUT", "/api/runs", {"paused": False})["paused"] is False
    hall.wait_for("two", "over")
    assert hall.run("one")["state"] == "stopped"


@pytest.mark.soak
def test_a_run_is_stopped_resumed_and_given_further_rounds(hall: Hall) -> None:
    hall.start("cup", *SLOW, rounds=20, defaults=LONG)
    hall.wait_for("cup", "runs", games=2)
    hall.told("PUT", "/api/runs/cup", {"wanted": "stopped"})
    stopped = hall.wait_for("cup", "stopped")
    assert 2 <= stopped["games"] < 40
    hall.end(signal.SIGINT)
    hall.begin()
    assert hall.run("cup")["state"] == "stopped", "what the owner has stopped stays so"
    status, answer = hall.ask("PUT", "/api/runs/cup", {"rounds": 3, "wanted": "running"})
    assert (status, "rounds of 20 or more" in answer["error"]) == (400, True)
    hall.told("PUT", "/api/runs/cup", {"wanted": "running"})
    hall.wait_for("cup", "runs", games=stopped["games"] + 1)
    status, answer = hall.ask("PUT", "/api/runs/cup", {"rounds": 30})
    assert (status, "stop it before adding rounds" in answer["error"]) == (409, True)
    hall.told("PUT", "/api/runs/cup", {"wanted": "stopped", "now": True})
    hall.wait_for("cup", "stopped")
    hall.start("short", rounds=1)
    hall.wait_for("short", "over", games=2)
    hall.told("PUT", "/api/runs/short", {"wanted": "running", "rounds": 3})
    assert hall.wait_for("short", "over", games=6)["planned"] == 6
    assert run_command_line(["verify", str(hall.folder / "short.sqlite")]) == 0


def test_ctrl_c_at_the_server_ends_no_run_and_a_run_of_a_terminal_is_shown_and_stopped_too(hall: Hall) -> None:
    hall.start("cup", *SLOW, plays=False, defaults=LONG)
    assert not (hall.folder / "cup.sqlite").exists()
    assert hall.told("GET", "/api/runs")["files"] == ["cup.toml"]
    terminal = subprocess.Popen(
        [sys.executable, "-m", "quietmove.tournament", "run", "cup.toml"], cwd=hall.folder, stderr=subprocess.DEVNULL
    )
    hall.wait_for("cup", "runs", games=1)
    hall.start("next", *SLOW, rounds=4, defaults=LONG)
    assert hall.run("next")["state"] == "waits", "a run of a terminal has the processors"
    hall.told("PUT", "/api/runs/cup", {"wanted": "stopped"})
    assert terminal.wait(WAIT) == 130
    hall.wait_for("next", "runs", games=1)
    player = hall.player("next")
    hall.end(signal.SIGINT)
    assert player.is_alive()
    wait_until(lambda: not player.is_alive())
    assert len(games_of(hall.folder / "next.sqlite")) == 8, "it was played to its end without a server"


@pytest.mark.soak
def test_the_definition_is_the_file_that_is_shown_and_each_format_plays(hall: Hall) -> None:
    three = ("full", "mobility", "level 2")
    keys = {"openings_random": 20, "concurrency": 2, "seed": 7}
    formats: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
        "sprt": (three[:2], {"elo1": 200, "most_games": 8}),
        "round-robin": (three, {"rounds": 1}),
        "gauntlet": (three, {"rounds": 1}),
        "swiss": (three, {"rounds": 2}),
        "knockout": (three, {"replays": 1}),
    }
    assert list(hall.told("GET", "/api/runs")["kinds"]) == list(formats)
    for name, (engines, more) in formats.items():
        whole = {"name": name, "format": name, **keys, **more, "defaults": {"limit": "nodes=100"}}
        shown = hall.told("POST", "/api/runs/preview", {"keys": whole, "engines": engines})
        assert shown["problems"] == []
        hall.told("POST", "/api/runs", {"keys": whole, "engines": engines})
        assert (hall.folder / f"{name}.toml").read_text() == shown["toml"]
        said = tomllib.loads(shown["toml"])
        assert [each["name"] for each in said["engine"]] == list(engines)
        assert {key: said[key] for key in (*keys, *more)} == {**keys, **more}
    for name in formats:
        hall.wait_for(name, "over")
        assert games_of(hall.folder / f"{name}.sqlite")
        assert run_command_line(["verify", str(hall.folder / f"{name}.sqlite")]) == 0
    assert hall.run("sprt")["lines"]


def test_options_come_from_the_engine(shared: Hall) -> None:
    found = shared.told("POST", "/api/engines/offered", {"table": {"command": "quietmove"}})
    assert found["protocol"] == "uci"
    assert {"name": "Quiescence", "kind": "check", "default": "false", "least": "", "most": "", "choices": []} in found[
        "options"
    ]
    project = shared.told("POST", "/api/engines/offered", {"table": {"command": "quietmove --project"}})
    assert (project["protocol"], project["options"]) == ("project", [])
    status, answer = shared.ask("POST", "/api/engines/offered", {"table": {"command": "true"}})
    assert status == 400
    tried = ", ".join(present_protocols("uci", "ugi", "gtp", "nboard", "project", "json"))
    assert f"tried {tried}; choose the engine's protocol" in answer["error"]


@pytest.mark.parametrize(
    ("command", "protocol"),
    [
        ("quietmove --protocol ugi", "ugi"),
        # each protocol that gets no answer takes four seconds
        pytest.param("quietmove --protocol nboard", "nboard", marks=(pytest.mark.soak, needs_dialects)),
        pytest.param("quietmove --protocol project", "project", marks=pytest.mark.soak),
        pytest.param("bot.py", "json", marks=pytest.mark.soak),
    ],
)
def test_the_protocol_of_an_engine_is_found(shared: Hall, command: str, protocol: str) -> None:
    program = f"-m {command}" if command.startswith("quietmove") else f"{shared.folder}/{command}"
    table = {"command": f"sh -c 'exec {sys.executable} {program}'"}  # hides the engine's name, which implies a protocol
    assert shared.told("POST", "/api/engines/offered", {"table": table})["protocol"] == protocol


def test_defaults_that_some_protocols_reject_do_not_prevent_the_detection(hall: Hall) -> None:
    (hall.folder / "engines.toml").write_text('[defaults]\nlimit = "movetime=20"\n')
    for protocol in present_protocols("uci", "gtp"):
        table = {"command": f"sh -c 'exec {sys.executable} -m quietmove --protocol {protocol}'"}
        assert hall.told("POST", "/api/engines/offered", {"table": table})["protocol"] == protocol


def test_a_check_says_what_failed_until_the_command_changes(hall: Hall) -> None:
    table = {"name": "rude", "command": "sh -c 'exit 3'", "protocol": "uci"}
    assert hall.told("POST", "/api/engines/check", {"table": table})["failed"] == 1
    hall.told("POST", "/api/engines", {"table": table})
    report = hall.told("POST", "/api/engines/rude/check", {})
    assert report["failed"] == 1
    assert all(each["text"] for each in report["examinations"] if each["status"] == "FAIL")
    hall.end(signal.SIGKILL)
    hall.begin()
    checks = {each["name"]: each["check"] for each in hall.told("GET", "/api/engines")["engines"]}
    assert checks["rude"]["failed"] == report["failed"], "what a check found outlives the server"
    hall.told("POST", "/api/engines", {"table": {"name": "rude", "command": "quietmove"}, "replaces": "rude"})
    checks = {each["name"]: each["check"] for each in hall.told("GET", "/api/engines")["engines"]}
    assert checks["rude"] is None, "another command has not been checked"


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/api/engines", {"table": {"name": "full"}}, 400, "name: 'full' is already"),
        ("/api/engines", {"table": {"name": "x"}, "more": "a ="}, 400, "further keys: invalid TOML"),
        ("/api/engines", {"tabel": {}}, 400, "table: must be given"),
        ("/api/engines/nobody/check", {}, 404, "must be one of full, mobility, level 2, slow, slow too, not 'nobody'"),
        ("/api/runs", {"keys": {"name": "x"}, "engines": ["full", "nobody"]}, 404, "not 'nobody'"),
        ("/api/runs", {"keys": {"name": "x", "rounds": 0}, "engines": ["full", "mobility"]}, 400, "rounds: must be"),
        ("/api/runs", {"keys": {"name": "hall", "rounds": 1}, "engines": ["full", "mobility"]}, 400, "name: must"),
        ("/api/runs", {"keys": {"name": "..", "rounds": 1}, "engines": ["full", "mobility"]}, 400, "name: must"),
        ("/api/runs", {"keys": {"rounds": 1}, "engines": ["full", "mobility"]}, 400, "name: must"),
        (
            "/api/runs",
            {"keys": {"name": "x", "rounds": 1}, "engines": ["full"]},
            400,
            "engine: must be given at least twice",
        ),
        ("/api/runs", {"file": "../x.toml"}, 404, "file: must be a .toml file"),
        ("/api/runs", {"text": "name = "}, 400, "invalid TOML"),
    ],
)
def test_a_wrong_request_is_refused_by_its_key_and_leaves_nothing(
    shared: Hall, path: str, body: object, status: int, said: str
) -> None:
    before = sorted(each.name for each in shared.folder.iterdir())
    found, answer = shared.ask("POST", path, body)
    assert (found, said in answer["error"]) == (status, True), answer
    assert "\n" not in answer["error"]
    assert sorted(each.name for each in shared.folder.iterdir() if each.name != "hall.lock") == before


def test_a_run_whose_engine_is_gone_says_why_and_the_next_one_plays(hall: Hall) -> None:
    program = hall.folder / "mine"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -m quietmove\n")
    program.chmod(0o755)
    hall.told("POST", "/api/engines", {"table": {"name": "mine", "command": "./mine"}})
    hall.start("busy", *SLOW, defaults=LONG)
    hall.start("cup", "full", "mine")
    hall.start("next", rounds=1, defaults={"limit": "nodes=100"})
    program.unlink()
    hall.told("PUT", "/api/runs/busy", {"wanted": "stopped", "now": True})
    assert "there is no program" in hall.wait_for("cup", "stopped")["reason"]
    hall.wait_for("next", "over")


def boards_due(hall: Hall, count: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def is_so() -> bool:
        found[:] = hall.told("GET", "/api/people")["boards"]
        return len(found) == count

    wait_until(is_so)
    return found


def test_a_person_plays_in_a_run_and_it_waits_for_the_moves(hall: Hall) -> None:
    person = hall.told("GET", "/api/engines")["person"]
    hall.told("POST", "/api/engines", {"table": {"name": "me", **person}})
    assert hall.told("GET", "/api/people") == {"boards": []}
    hall.start("cup", "me", "level 2", rounds=1, concurrency=1, defaults={"limit": "tc=1+0"})
    (board,) = boards_due(hall, 1)
    assert (board["game"], board["columns"], board["players"][board["side"]]) == ("othello", 8, "Black")
    path = f"/api/people/{board['id']}"
    legal = [each["move"] for each in board["step"]["legal"]]
    for body, status, text in (
        ({"move": "z9", "ply": board["ply"]}, 400, f"move: must be one of {' '.join(legal)}, not 'z9'"),
        ({"move": legal[0], "ply": board["ply"] + 1}, 409, "it is not your turn"),
    ):
        found, answer = hall.ask("POST", path, body)
        assert (found, text in answer["error"]) == (status, True), answer
    hall.end(signal.SIGTERM)
    hall.begin()
    assert boards_due(hall, 1)[0]["ply"] == board["ply"], "the run waits without a server too"
    plies = []
    while len(plies) < 5:
        (board,) = boards_due(hall, 1)
        if board["ply"] not in plies:
            plies.append(board["ply"])
            move = {"move": board["step"]["legal"][0]["move"], "ply": board["ply"]}
            hall.told("POST", f"/api/people/{board['id']}", move)
            assert hall.ask("POST", f"/api/people/{board['id']}", move)[0] == 409
        wait_until(lambda: [each["ply"] for each in hall.told("GET", "/api/people")["boards"]] not in ([], plies[-1:]))
    assert plies == list(range(plies[0], plies[0] + 10, 2))
    hall.told("PUT", "/api/runs/cup", {"wanted": "stopped", "now": True})
    hall.wait_for("cup", "stopped")
    boards_due(hall, 0)
    assert list(hall.folder.glob("person-*")) == []


def test_games_are_exported_as_a_terminal_does(shared: Hall, tmp_path: Path) -> None:
    store = shared.folder / "played.sqlite"
    engines = "".join(f'[[engine]]\nname = "{name}"\n' for name in "ab")
    (tmp_path / "played.toml").write_text(
        f'name = "played"\nrounds = 1\n[defaults]\nprotocol = "in-process"\nlimit = "nodes=10"\n{engines}'
    )
    assert run_command_line(["run", str(tmp_path / "played.toml"), "--store", str(store)]) == 0
    for kind, ending in {"csv": "csv", "json": "jsonl", "ggf": "ggf", "transcript": "txt"}.items():
        out = tmp_path / f"out.{ending}"
        assert run_command_line(["export", str(store), "-o", str(out)]) == 0
        assert shared.ask("GET", f"/api/runs/played/export?as={kind}") == (200, out.read_bytes())
    assert shared.ask("GET", "/api/runs/played/export?as=wthor")[1].startswith(b"PK")
    assert shared.ask("GET", "/api/runs/played/export?as=report")[1].startswith(b"<!doctype html>")
    assert shared.ask("GET", "/api/runs/played/export?as=pgn")[0] == 400
    odd = 'a"b\n\u65e5'
    shutil.copy(store, shared.folder / f"{odd}.sqlite")
    assert shared.ask("GET", f"/api/runs/{quote(odd)}/export?as=csv") == (200, (tmp_path / "out.csv").read_bytes())
