"""A class: people hand in programs by curl and by the page, and see what was found; nobody sees more than the own."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import resource
import shutil
import socket
import subprocess
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from playwright.sync_api import expect

from quietmove.referee.process import sandbox
from tests.addons.conftest import expect_all_can_use, expect_no_wider_than_the_window, watched
from tests.addons.hall.class_programs import (
    GOOD,
    HOSTILE,
    JAVA_PLAYER,
    JAVASCRIPT_PLAYER,
    RUST_PLAYER,
    TEMPLATE,
    WRONG,
    hostile,
    packed,
    random_player,
    searcher,
)
from tests.addons.hall.halls import COMMAND, WAIT, WAITING, HallServer, keys_of, new_hall, served
from tests.fakes.processes import wait_until

pytestmark = pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())

PEOPLE = [f"p{number:02}" for number in range(32)]
SETTINGS = "uploads_an_hour = 1000\ncheck_seconds = 30\nexaminers = 2\n"
REQUIRED = 'required = ["first-move", "whole-games"]\n'
TOLD = ("illegal", "crashing", "letters", "syntax")  # the tests of the checks have the other broken programs
# Programs that attack others. They are tested in every run, the other hostile programs only in soak tests.
REACHING = ("files", "network", "others", "secrets", "fork-bomb", "outlives")
SOAK = pytest.mark.soak


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HallServer]:
    with served(new_hall(tmp_path_factory.mktemp("class") / "course", PEOPLE, SETTINGS)) as found:
        yield found


@pytest.fixture(scope="module")
def passed(hall: HallServer) -> dict[str, Any]:
    """Return an entry of p00 that has passed."""
    return hall.judged("p00", GOOD["random"])


# ---- what is handed in, and the answer


def test_a_program_called_like_an_interpreter_runs_in_the_sandbox_alone(hall: HallServer, tmp_path: Path) -> None:
    settings = 'language = "command"\nmain = "python3"\n'
    program = packed({"player.toml": settings, "python3": f"#!/bin/sh\ntouch {tmp_path}/mark\n"})
    assert hall.judged("p29", program, "player.zip")["state"] == "refused"
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("path", ["../../../hall.sqlite", f"{'./' * 140}../../../hall.sqlite", "../../1/source/player"])
def test_the_first_line_of_a_program_names_no_file_of_the_class(hall: HallServer, path: str) -> None:
    settings = 'language = "command"\nmain = "look"\n'
    found = hall.judged("p30", packed({"player.toml": settings, "look": f"#!{path}\n"}), "player.zip")
    assert "its first line must name an interpreter" in found["reason"]
    assert str(hall.folder) not in found["reason"]


def test_curl_hands_in_and_asks(hall: HallServer, tmp_path: Path) -> None:
    program, key = tmp_path / "my player.py", hall.keys["p01"]
    program.write_text(GOOD["greedy"])
    words = ["curl", "-sS", "-H", f"Authorization: Bearer {key}"]
    done = subprocess.run(
        [*words, "-F", f"file=@{program}", f"{hall.address}api/entries"], capture_output=True, text=True, timeout=WAIT
    )
    answer = json.loads(done.stdout)
    assert set(answer) == {"entry", "version", "state", "place", "url"}
    assert (answer["version"], answer["state"], answer["url"]) == (1, "received", f"/api/entries/{answer['entry']}")
    found = hall.decided("p01", answer["entry"])
    assert (found["state"], found["counts"], found["place"], found["language"]) == ("passed", True, None, "python")
    rows = found["report"]["examinations"]
    assert rows[0]["name"] == "first-move"
    assert {row["status"] for row in rows if row["applies"]} == {"ok"}
    shown = hall.client("p01").get("/api/me").json()["shown"]
    table = hall.client().get("/api/standings").json()
    assert shown in [row["name"] for row in table["rows"]]
    assert "p01" not in json.dumps(table)


@pytest.mark.parametrize("name", [name if name in TOLD else pytest.param(name, marks=SOAK) for name in WRONG])
def test_a_wrong_program_is_told_what_is_wrong(hall: HallServer, name: str) -> None:
    program, examination = WRONG[name]
    found = hall.judged(PEOPLE[2 + list(WRONG).index(name)], program)
    assert (found["state"], found["counts"]) == ("refused", False)
    failed = [row for row in found["report"]["examinations"] if row["status"] == "FAIL" and row["required"]]
    assert failed[0]["name"] == examination, found["reason"]
    assert found["reason"].startswith(f"{examination}: ")
    evidence = failed[0]["evidence"]
    if name == "illegal":
        assert evidence["dialogue"][-1].endswith("< 9 9")
        assert all(re.fullmatch(r"[1-8] [1-8]", move) for move in evidence["legal"])
        assert len(evidence["board"]["board"]) == 64
    if name == "late":
        assert re.fullmatch(r"takes 0\.\d\d s, allowed 0\.30 s", failed[0]["text"])
    if name == "unflushed":
        assert "flush" in failed[0]["text"]
    if name in ("crashing", "syntax"):
        assert any("Error" in line for line in evidence["stderr"])


@pytest.mark.parametrize(
    ("files", "file"),
    [
        (searcher(0), "player.c"),
        pytest.param(searcher(0), "player.cpp", marks=SOAK),
        (JAVA_PLAYER, "Player.java"),
        pytest.param(RUST_PLAYER, "player.rs", marks=SOAK),
        pytest.param(JAVASCRIPT_PLAYER, "player.js", marks=SOAK),
        ({"mine/player.py": TEMPLATE, "mine/player.toml": 'arguments = ["{seed}"]\n', "__MACOSX/._x": ""}, "a.zip"),
        (
            {"run": f"#!/usr/bin/env python3\n{TEMPLATE}", "player.toml": 'main = "run"\nlanguage = "command"\n'},
            "a.ZIP",
        ),
        ({"a.py": TEMPLATE.replace("def main", "def begin").replace("\nmain()", "\nbegin()")}, "b.zip"),
    ],
    ids=["c", "c++", "java", "rust", "javascript", "folder", "command", "one-script"],
)
def test_each_language_is_built_and_plays(hall: HallServer, files: Any, file: str, request: Any) -> None:
    compilers = {"player.c": "cc", "player.cpp": "c++", "Player.java": "javac"}
    compilers |= {"player.rs": "rustc", "player.js": "node"}
    if file in compilers and not shutil.which(compilers[file]):
        pytest.skip("there is no compiler")
    program = files if isinstance(files, str) else packed(files)
    found = hall.judged("p20", program, file)
    assert found["state"] == "passed", found["reason"]
    source = hall.client("p20").get(f"{found['url']}/source")
    (hall.folder.parent / "source.zip").write_bytes(source.content)
    with zipfile.ZipFile(hall.folder.parent / "source.zip") as archive:
        assert (
            archive.namelist() == sorted(name.removeprefix("mine/") for name in files if "MACOSX" not in name)
            if (isinstance(files, dict))
            else ["main.rs" if file == "player.rs" else file]
        )


def test_what_the_compiler_says_is_told(hall: HallServer) -> None:
    found = hall.judged("p21", "int main(void) { return missing; }", "player.c")
    assert found["state"] == "refused"
    assert found["reason"].startswith("compiling failed: ")
    assert any("missing" in line for line in found["report"]["build"]["output"])


@pytest.mark.parametrize("name", [name if name in REACHING else pytest.param(name, marks=SOAK) for name in HOSTILE])
def test_a_hostile_program_harms_nobody(hall: HallServer, passed: dict[str, Any], name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = hall.judged(PEOPLE[22 + list(HOSTILE).index(name) % 8], hostile(name, server.getsockname()[1]))
    assert found["state"] == "refused"
    first = found["report"]["examinations"][0]
    said = [line for line in first["evidence"]["stderr"] if not line.startswith("[...]")]
    if "say(" in HOSTILE[name] and name != "flood-of-errors":
        assert said, first
        assert said[-1].endswith("[]"), said
    if name in ("memory", "files-in-memory"):
        what = " ".join([first["text"], *said])  # the sandbox's disk is as large as the memory limit
        assert "memory limit of 256 MiB" in what or "No space left on device" in what or "MemoryError" in what
    assert hall.entry("p00", passed["entry"])["state"] == "passed"
    assert hall.process is not None
    running = psutil.Process(hall.process.pid).children(recursive=True)
    assert not [each for each in running if "player.py" in " ".join(_words(each))]


def _words(process: psutil.Process) -> list[str]:
    try:
        found: list[str] = process.cmdline()
    except psutil.Error:
        found = []
    return found


def test_many_uploads_at_once_are_answered_in_order(hall: HallServer) -> None:
    names = PEOPLE[1:8]
    with ThreadPoolExecutor(len(names)) as pool:
        answers = list(pool.map(lambda name: hall.hand_in(name, WRONG["syntax"][0]), names))
    assert [answer.status_code for answer in answers] == [202] * len(names)
    given = sorted((answer.json() for answer in answers), key=lambda each: int(each["entry"]))
    assert len({each["entry"] for each in given}) == len(names)
    assert [each["place"] for each in given] == sorted(each["place"] for each in given)
    by_person = {answer.json()["entry"]: name for answer, name in zip(answers, names, strict=True)}
    decided = {each["entry"]: hall.decided(by_person[each["entry"]], each["entry"]) for each in given}
    assert {each["state"] for each in decided.values()} == {"refused"}
    times = [decided[each["entry"]]["decided_at"] for each in given]
    later = [sum(other < time for other in times[index + 2 :]) for index, time in enumerate(times)]
    assert max(later) <= 1  # two examinations run at a time


def test_a_newer_version_takes_the_place_of_one_that_waits(hall: HallServer) -> None:
    before = [hall.hand_in(name, WRONG["syntax"][0]).json() for name in PEOPLE[:2]]
    old = hall.hand_in("p28", random_player("old")).json()
    last = hall.hand_in("p29", random_player("last")).json()
    new = hall.hand_in("p28", random_player("new")).json()
    assert new["place"] < last["place"] + 1
    found = hall.decided("p28", old["entry"])
    assert (found["state"], found["reason"]) == (
        "refused",
        f"version {new['version']} was handed in before this one was checked",
    )
    assert hall.decided("p28", new["entry"])["counts"]
    for name, each in zip(["p29", *PEOPLE[:2]], [last, *before], strict=True):
        hall.decided(name, each["entry"])


# ---- who sees what

PRIVATE = [
    ("GET", "/api/me"),
    ("PUT", "/api/me"),
    ("POST", "/api/key"),
    ("POST", "/api/entries"),
    ("GET", "/api/entries"),
    ("GET", "/api/entries/1"),
    ("GET", "/api/entries/1/source"),
]
TEACHERS = [
    ("POST", "/api/entries/1/check"),
    ("PUT", "/api/entries/1/block"),
    ("GET", "/api/people"),
    ("POST", "/api/people/p00/key"),
    ("PUT", "/api/people/p00/block"),
    ("GET", "/api/events"),
]


def test_without_a_key_there_is_nothing_but_the_board(hall: HallServer, passed: dict[str, Any]) -> None:
    for method, path in (*PRIVATE, *TEACHERS):
        assert hall.client().request(method, path, content=b"{}").status_code == 401, path
    for method, path in TEACHERS:
        assert hall.client("p01").request(method, path, content=b"{}").status_code == 404, path
    assert hall.client().get("/api/standings").status_code == 200


def test_a_key_sees_the_own_versions_and_a_teacher_all(hall: HallServer, passed: dict[str, Any]) -> None:
    assert hall.client("p01").get(passed["url"]).status_code == 404
    assert hall.client("p01").get(f"{passed['url']}/source").status_code == 404
    assert {each["person"] for each in hall.client("p00").get("/api/entries").json()["entries"]} == {"p00"}
    assert hall.client("teacher").get(passed["url"]).json()["person"] == "p00"
    people = hall.client("teacher").get("/api/people").json()["people"]
    assert {each["name"] for each in people} == {*PEOPLE, "teacher"}


def test_a_teacher_exports_and_an_autograder_reads_the_results(hall: HallServer, passed: dict[str, Any]) -> None:
    teacher = hall.client("teacher")
    newest = hall.judged("p00", GOOD["random"])
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(teacher.get("/api/export.csv").text))}
    assert list(rows) == PEOPLE
    assert (rows["p00"]["version"], rows["p00"]["state"]) == (str(newest["version"]), "passed")
    assert rows["p31"]["version"] == ""
    assert passed["entry"] in [each["entry"] for each in teacher.get("/api/export.json").json()["entries"]]
    results = teacher.get("/api/results/p00.json").json()
    assert results["score"] == sum(test.get("score", 0) for test in results["tests"]) > 8
    assert {"name", "value", "order"} in [set(row) for row in results["leaderboard"]]
    assert teacher.get("/api/results/p31.json").json()["score"] == 0
    assert teacher.get("/api/results/Nobody.json").status_code == 404
    assert hall.client("p00").get("/api/results/p00.json").status_code == 404


def test_what_is_not_there_or_not_now_is_one_error(hall: HallServer, passed: dict[str, Any]) -> None:
    client, teacher = hall.client("p13"), hall.client("teacher")
    for number in (10**17, -(10**17), 0):
        assert client.post("/api/sessions", json={"entry": number, "color": "black"}).status_code == 404
    assert teacher.post("/api/people/Nobody/key", json={}).status_code == 404
    assert teacher.put("/api/people/Nobody/block", json={"blocked": True}).status_code == 404
    assert teacher.get("/api/results/Nobody.json").status_code == 404
    client.post("/api/entries", files={"file": ("player.py", WRONG["slow"][0])})
    assert teacher.get("/api/results/p13.json").status_code == 409
    answer = client.put("/api/me", json={"shown": "x" * 400_000})
    assert (answer.status_code, answer.json()["error"][:12]) == (413, "the request:")


def test_a_changed_key_ends_the_old_one(hall: HallServer) -> None:
    with httpx.Client(base_url=hall.address, headers={"Authorization": f"Bearer {hall.keys['p19']}"}) as client:
        answer = client.post("/api/key", content=b"{}")
        assert client.get("/api/me").status_code == 401
    assert answer.json()["name"] == "p19"
    done = subprocess.run(
        [*COMMAND, "key", str(hall.folder), "p19"], capture_output=True, text=True, check=True, timeout=WAIT
    )
    for key, status in ((answer.json()["key"], 401), (keys_of(done.stdout)["p19"], 200)):
        assert httpx.get(f"{hall.address}api/me", headers={"Authorization": f"Bearer {key}"}).status_code == status
    hall.keys["p19"] = keys_of(done.stdout)["p19"]


def test_a_cookie_needs_the_origin_and_a_script_does_not(hall: HallServer) -> None:
    origin = hall.address.rstrip("/")
    with httpx.Client(base_url=hall.address) as browser:
        assert browser.post("/api/login", json={"key": hall.keys["p18"]}).json()["name"] == "p18"
        (cookie,) = browser.cookies.jar
        assert cookie.has_nonstandard_attr("HttpOnly")
        assert cookie.get_nonstandard_attr("SameSite") == "strict"
        assert browser.get("/api/me").json()["name"] == "p18"
        for wrong in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
            assert browser.put("/api/me", json={"shown": "Evil"}, headers=wrong).status_code == 403
        right = browser.put("/api/me", json={"shown": "Good"}, headers={"Origin": origin})
        assert right.json()["shown"] == "Good"
        browser.post("/api/logout", content=b"", headers={"Origin": origin})
        assert browser.get("/api/me").status_code == 401
    assert hall.client("p18").put("/api/me", json={"shown": "Script"}).json()["shown"] == "Script"


@pytest.mark.parametrize("shown", ["", "x" * 41, "p01", "P0\uff11", "script", "a\u202eb", "a\nb"])
def test_a_shown_name_that_misleads_is_refused(hall: HallServer, shown: str) -> None:
    hall.client("p18").put("/api/me", json={"shown": "Script"})
    answer = hall.client("p17").put("/api/me", json={"shown": shown})
    assert (answer.status_code, answer.json()["error"][:6]) == (400, "displa")


# ---- uploads that are not taken

LINK = zipfile.ZipInfo("player.py")
LINK.external_attr = 0o120777 << 16
DEVICE = zipfile.ZipInfo("player.py")
DEVICE.external_attr = 0o020666 << 16
BAD_ZIPS: dict[str, tuple[dict[Any, Any], str]] = {
    "above": ({"../player.py": TEMPLATE}, "a path in a zip"),
    "absolute": ({"/player.py": TEMPLATE}, "a path in a zip"),
    "backslash": ({"..\\player.py": TEMPLATE}, "a path in a zip"),
    "html": ({"<img src=x>.py": TEMPLATE}, "a path in a zip"),
    "long": ({"x" * 101: ""}, "a path in a zip"),
    "deep": ({"a/b/c/d/e/f.py": ""}, "a path in a zip"),
    "link": ({LINK: "/etc/passwd"}, "is a link or device"),
    "device": ({DEVICE: ""}, "is a link or device"),
    "alike": ({"player.py": TEMPLATE, "Player.PY": ""}, "with similar names"),
    "file-and-folder": ({"a": "", "a/b": ""}, "one name for a file and a folder"),
    "many": ({f"f{number}": "" for number in range(10_000)}, "at most 200 files, not 10,000"),
    "bomb": ({"player.py": b"\0" * 20_000_000}, "at most 8 MB"),
    "empty": ({}, "contains no files"),
    "nothing-known": ({"notes.txt": ""}, "language"),
    "bad-toml": ({"player.py": TEMPLATE, "player.toml": "arguments = 1"}, "player.toml"),
    "path": ({"player.py": TEMPLATE, "player.toml": 'arguments = ["../1/player.py"]'}, "player.toml"),
    "main": ({"player.py": TEMPLATE, "player.toml": 'main = "../x.py"'}, "main"),
    "dots": ({"player.py": TEMPLATE, "player.toml": 'arguments = ["a..b"]'}, "must not contain '..', as 'a..b' does"),
    "sandbox": ({"player.py": TEMPLATE, "player.toml": "sandbox = false"}, "must be one of the keys language, main"),
    "protocol": ({"player.py": TEMPLATE, "player.toml": 'protocol = "in-process"'}, "player.toml"),
    "protocol-of-a-person": (
        {"player.py": TEMPLATE, "player.toml": 'protocol = "person"'},
        "must be one of uci, project",
    ),
    "no-toml": ({"player.py": TEMPLATE, "player.toml": "main = \n"}, "player.toml: must be TOML"),
    "no-text": ({"player.py": TEMPLATE, "player.toml": b"\xff"}, "player.toml:1: must be UTF-8"),
}


@pytest.mark.parametrize("name", BAD_ZIPS)
def test_a_bad_zip_is_refused_whole(hall: HallServer, name: str) -> None:
    files, error = BAD_ZIPS[name]
    before = hall.client("p16").get("/api/entries").json()
    answer = hall.hand_in("p16", packed(files), "x.zip")
    assert answer.status_code == 400, answer.text
    assert error in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
    assert str(hall.folder) not in answer.json()["error"], "a student learns no path of the server"
    assert hall.client("p16").get("/api/entries").json() == before
    assert list((hall.folder / "incoming").iterdir()) == []


@pytest.mark.parametrize("data", [b"no zip", packed({"player.py": TEMPLATE})[:-30], b""])
def test_a_damaged_zip_is_refused(hall: HallServer, data: bytes) -> None:
    assert hall.hand_in("p16", data, "x.zip").status_code == 400


@pytest.mark.parametrize("name", ["player.exe", "x" * 500, "<script>", "../../etc/passwd", "player"])
def test_the_name_of_an_upload_says_its_language_and_no_more(hall: HallServer, name: str) -> None:
    answer = hall.hand_in("p16", TEMPLATE, name)
    assert answer.status_code == 400
    assert len(answer.json()["error"]) < 200


def test_a_request_that_is_no_upload_is_refused(hall: HallServer) -> None:
    client = hall.client("p16")
    assert client.post("/api/entries", content=b"x", headers={"Content-Type": "text/plain"}).status_code == 400
    assert client.post("/api/entries", files={"other": ("player.py", b"x")}).status_code == 400
    assert client.post("/api/entries", data={"file": "x"}).status_code == 400
    assert client.post("/api/entries", files=[("file", ("a.py", b"x")), ("file", ("b.py", b"x"))]).status_code == 400
    chunked = client.post("/api/entries", content=iter([b"x"]))
    assert (chunked.status_code, "Content-Length" in chunked.json()["error"]) == (411, True)


def test_a_gigabyte_is_refused_before_it_comes(hall: HallServer, tmp_path: Path) -> None:
    zeros = tmp_path / "zeros.py"
    with zeros.open("wb") as file:
        file.truncate(1_000_000_000)
    words = ["curl", "-s", "-H", f"Authorization: Bearer {hall.keys['p16']}", "-F", f"file=@{zeros}"]
    done = subprocess.run(
        [*words, f"{hall.address}api/entries", "-o", str(tmp_path / "answer"), "-w", "%{http_code} %{size_upload}"],
        capture_output=True,
        text=True,
        timeout=WAIT,
    )
    status, sent = done.stdout.split()
    assert (status, int(sent) < 50_000_000) == ("413", True), done.stdout
    assert hall.hand_in("p16", b"#" * 2_100_000).status_code == 413


def test_a_machine_without_a_sandbox_takes_nothing_and_says_what_mends_it(tmp_path: Path) -> None:
    own = new_hall(tmp_path / "course", ["Ada"])
    with served(own, PATH=str(tmp_path)):
        answer = own.hand_in("Ada", GOOD["random"])
        assert answer.status_code == 503
        assert "apt install bubblewrap" in answer.json()["error"]
        assert own.client().get("/api/standings").status_code == 200
    assert not list((own.folder / "entries").iterdir())


def test_a_class_is_served_once(hall: HallServer) -> None:
    words = [*COMMAND, "serve", str(hall.folder), "--no-open"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=WAIT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {hall.folder}: another process is already serving it\n"


# ---- a server that is killed


NIM = """
import functools, operator, time
for line in open(0):
    time.sleep(0.1)
    print(functools.reduce(operator.xor, map(int, line.split()[1].split(","))))
"""


@pytest.mark.parametrize(
    "kind", ["task", *(pytest.param(kind, marks=SOAK) for kind in ("program", "examiner", "compiler"))]
)
def test_a_version_is_examined_again_once_after_a_kill(tmp_path: Path, kind: str) -> None:
    """The kernel kills what it likes when the machine has no memory left."""
    if kind == "compiler" and not shutil.which("cc"):
        pytest.skip("there is no compiler")

    def is_meant(words: list[str]) -> bool:
        if kind == "examiner":
            return "quietmove.referee" in words and "check" in words
        name, argument = ("cc1", "player.c") if kind == "compiler" else ("python3", "player.py")
        return bool(words) and words[0].endswith(name) and argument in words and "quietmove.referee" not in words

    def kill(count: int) -> None:
        """Kill so many of the server's processes that are meant, one after another."""
        assert own.process is not None
        server, killed = psutil.Process(own.process.pid), set[int]()

        def is_done() -> bool:
            for each in server.children(recursive=True):
                if each.pid not in killed and is_meant(_words(each)):
                    killed.add(each.pid)
                    with suppress(psutil.NoSuchProcess):
                        each.kill()
            return len(killed) >= count

        wait_until(is_done)

    slow = random_player(1).replace("return random", "import time; time.sleep(len(board) < 5); return random")
    slow_c = searcher(0) + "".join(
        f"int f{number}(int x) {{ return x / {number} + {number}; }}\n" for number in range(1, 3_000)
    )
    program = (slow_c, "player.c") if kind == "compiler" else (NIM if kind == "task" else slow, "player.py")
    settings = 'examiners = 1\nbuild_seconds = 120\nrequired = ["first-move"]\nlimit = "movetime=5000"\n'
    settings += 'ladder = false\n[[assignment]]\nname = "search"\ntasks = ["nim"]\n' if kind == "task" else ""
    with served(new_hall(tmp_path / "course", ["Ada"], settings)) as own:
        entry = own.hand_in("Ada", *program).json()["entry"]
        for kills, state in ((1, "passed"), (1, "passed"), (2, "refused")):
            kill(kills)
            found = own.decided("Ada", entry)
            assert found["state"] == state, found["reason"]
            if state == "passed":
                assert own.client("teacher").post(f"{found['url']}/check", json={}).status_code == 200
        assert found["reason"]


@pytest.mark.parametrize("state", [WAITING[0], *(pytest.param(state, marks=SOAK) for state in WAITING[1:])])
def test_a_killed_server_goes_on_with_what_it_has_received(tmp_path: Path, state: str) -> None:
    own = new_hall(tmp_path / "course", ["Ada", "Bob"], REQUIRED + "examiners = 1\n")
    file, program = ("player.c", searcher(0)) if shutil.which("cc") else ("player.py", GOOD["random"])
    own.start()
    first = own.hand_in("Ada", "import time\ntime.sleep(3)\n").json() if state == "received" else None
    second = own.hand_in("Bob", program, file).json()
    wait_until(lambda: own.entry("Bob", second["entry"])["state"] in (state, "passed", "refused"))
    own.kill()
    half = own.folder / "incoming" / "half"
    half.mkdir()
    with served(own):
        assert own.decided("Bob", second["entry"])["state"] == "passed"
        if first:
            assert own.decided("Ada", first["entry"])["state"] == "refused"
        assert len(own.client("teacher").get("/api/entries").json()["entries"]) == (2 if first else 1)
    assert not half.exists()


# ---- the pages


@pytest.fixture
def student(context: Any, hall: HallServer) -> Iterator[Any]:
    context.clear_cookies()
    with watched(context, hall.address.removeprefix("http://"), "400 (Bad Request)", "401 (Unauthorized)") as page:
        yield page


@pytest.mark.smoke
def test_a_student_hands_in_by_the_page_and_sees_the_board(hall: HallServer, student: Any, tmp_path: Path) -> None:
    program = tmp_path / "player.py"
    program.write_text(
        WRONG["illegal"][0].replace("def choose", "print('<img src=x>', file=sys.stderr)\n\n\ndef choose")
    )
    student.goto(hall.address)
    student.get_by_label("The key that your teacher gave you").fill("wrong")
    student.get_by_role("button", name="Log in").click()
    expect(student.locator("#error")).to_contain_text("does not belong to this class")
    student.get_by_label("The key that your teacher gave you").fill(
        hall.keys["p31"]
    )  # this person uploads only one version
    student.get_by_role("button", name="Log in").click()
    student.set_input_files("input[type=file]", program)
    expect(student.locator(".box.bad")).to_contain_text("v1 failed check 10 of 11: whole-games.")
    expect(student.locator(".card code").first).to_have_text(re.compile(r"^[a-h][1-8] \([1-8] [1-8]\)"))
    expect(student.locator(".report .board svg")).to_be_visible()
    expect(student.locator(".talk")).to_contain_text("<img src=x>")
    expect(student.locator(".talk img")).to_have_count(0)
    expect_all_can_use(student)
    expect_no_wider_than_the_window(student)
    program.write_text(GOOD["corners"])
    student.get_by_role("button", name="Hand in v2").click()
    student.set_input_files("input[type=file]", program)
    expect(student.locator(".box.good")).to_contain_text("v2 passed 11 of 11 checks.")
    student.get_by_role("button", name="You").click()
    student.get_by_label("Shown on the public board as").fill("<b>Crab</b>")
    student.get_by_role("button", name="Save", exact=True).click()
    student.get_by_role("button", name="Ladder").click()
    expect(student.locator("tr.on")).to_contain_text("<b>Crab</b>")
    expect_all_can_use(student)


def test_a_report_shows_no_board_of_another_examination(tmp_path: Path, context: Any) -> None:
    """What is required is not examined, because an examination fails that is only advice."""
    with served(new_hall(tmp_path / "course", ["Ada"], 'required = ["whole-games"]\n')) as own:
        found = own.judged("Ada", WRONG["syntax"][0])
        assert found["reason"].startswith("whole-games: not checked, because first-move failed")
        assert found["report"]["examinations"][0]["evidence"]
        with watched(context, own.address.removeprefix("http://")) as page:
            page.goto(f"{own.address}me#key={own.keys['Ada']}")
            page.goto(f"{own.address}me#report/{found['entry']}")
            expect(page.locator(".box.bad")).to_contain_text(re.compile("v1 failed check .*: whole-games"))
            expect(page.get_by_role("heading", name="All checks")).to_be_visible()
            expect(page.get_by_text("Dialogue in")).to_have_count(0)
            expect(page.locator(".badge.bad")).to_have_count(2)


def test_only_the_version_that_counts_is_said_to_play(hall: HallServer, student: Any) -> None:
    older, newer = (hall.judged("p12", GOOD[name]) for name in ("random", "greedy"))
    student.goto(f"{hall.address}me#key={hall.keys['p12']}")
    for entry, words in (newer, "checks. It counts from now on."), (older, "checks."):
        student.goto(f"{hall.address}me#report/{entry['entry']}")
        expect(student.locator(".box.good")).to_have_text(
            re.compile(rf"^v{entry['version']} passed .*{re.escape(words)}\s*$")
        )


def test_a_link_with_a_key_logs_in_and_the_key_leaves_the_address(hall: HallServer, student: Any) -> None:
    student.goto(f"{hall.address}me#key={hall.keys['p14']}")
    expect(student.get_by_text("Drop player.py or a zip here")).to_be_visible()
    assert hall.keys["p14"] not in student.url


def test_a_teacher_sees_all_and_blocks(hall: HallServer, student: Any, passed: dict[str, Any]) -> None:
    student.goto(f"{hall.address}teacher#key={hall.keys['teacher']}")
    expect(student.locator("tbody tr")).to_have_count(len(PEOPLE) + 1)
    expect_all_can_use(student)
    student.get_by_placeholder("Find a person").fill("p00")
    expect(student.locator("tbody tr")).to_have_count(1)
    student.get_by_role("link", name="p00", exact=True).click()
    student.get_by_role("link", name="Report").last.click()
    expect(student.get_by_role("button", name="Check again")).to_be_enabled()
    student.get_by_role("button", name="p00").click()
    student.get_by_label("Reason").fill("It is p01's program.")
    student.get_by_role("button", name="Block").click()
    student.get_by_role("button", name="Remove from the ladder").click()
    expect(student.get_by_role("button", name="Unblock")).to_be_visible()
    answer = hall.hand_in("p00", GOOD["random"])
    assert (answer.status_code, "It is p01's program." in answer.json()["error"]) == (403, True)
    assert hall.client("p00").get("/api/me").json()["reason"] == "It is p01's program."
    assert "p00: It is p01's program." in hall.client("teacher").get("/api/events").text
    student.get_by_role("button", name="Unblock").click()
    student.get_by_role("button", name="Let them take part again?").click()
    expect(student.get_by_role("button", name="Block", exact=True)).to_be_visible()
    student.get_by_role("button", name="Events").click()
    expect(student.locator("tbody tr").first).to_contain_text("unblock")


def test_a_file_that_cannot_be_written_is_one_error_and_the_next_upload_is_taken(tmp_path: Path) -> None:
    """Files of the server may have 1 MB here, which it meets as it meets a full disk."""
    noise = random.Random(1).randbytes(900_000).hex()
    with served(new_hall(tmp_path / "course", ["Ada"]), "prlimit", "--fsize=1000000:1000000") as own:
        for _ in range(3):
            answer = own.hand_in("Ada", f"# {noise}")
            assert (answer.status_code, "cannot save it" in answer.json()["error"]) == (507, True)
        assert not list((own.folder / "incoming").iterdir())
        assert own.judged("Ada", GOOD["random"])["version"] == 1


def test_what_a_teacher_wants_on_a_full_disk_is_one_error_and_comes_later(tmp_path: Path) -> None:
    with served(new_hall(tmp_path / "course", ["Ada"])) as own:
        assert own.process is not None
        for size, status in ((0, 507), (resource.RLIM_INFINITY, 202)):  # 0: every write fails, as on a full disk
            resource.prlimit(own.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            answer = own.client("teacher").put("/api/ladder", json={"wanted": "stopped"})
            assert answer.status_code == status, answer.text
            assert str(tmp_path) not in answer.text


# ---- a whole class
