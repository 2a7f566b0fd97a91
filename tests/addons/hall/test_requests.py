"""What a class's server answers to requests that no page sends: one error each, and nothing changes."""

from __future__ import annotations

import asyncio
import io
import random
import time
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import start_blocking_portal
from starlette.applications import Starlette
from starlette.routing import Route

from quietmove.addons.hall.people import Newcomer, People
from quietmove.addons.web.access import HEADERS
from quietmove.addons.web.database import open_hall
from tests.addons.hall.class_programs import TEMPLATE, packed
from tests.addons.hall.classes import Asked
from tests.fakes.bad_requests import BODIES, DIGITS, HOSTS, bodies_like, paths_of

# The request bodies, by the end of the address.
OBJECTS: dict[str, dict[str, object]] = {
    "/me": {"shown": "x"},
    "/login": {"key": "x"},
    "/people/{name:path}/block": {"blocked": True, "reason": "x"},
    "/entries/{number}/block": {"blocked": True},
    "/ladder": {"wanted": "stopped"},
    "/finals/{number}": {"wanted": "stopped"},
    "/sessions": {"entry": 1, "color": "black"},
    "/finals": {"format": "swiss", "seed": 1, "first": 0},
}
PLAYER_FILES = [f"main = {DIGITS}", "main = " + "[" * 3000, "main = 1e999", "main = '\\0'", "# " + "x" * 5000]
PLAYER_FILES += [f"{'a.' * parts}a = 1" for parts in (1500, 20_000)]
BOUNDARY = "form"
HEAD = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="player.py"\r\n\r\n'.encode()
FORM = HEAD + TEMPLATE.encode() + f"\r\n--{BOUNDARY}--".encode()
MULTIPART = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


@pytest.fixture
def own(tmp_path: Path) -> Asked:
    """A class in which a person may hand in two versions an hour."""
    return Asked(tmp_path / "course", "uploads_an_hour = 2\n")


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """A class with 10,000 uploads an hour, whose tests hand nothing in that is accepted."""
    return Asked(tmp_path_factory.mktemp("patient") / "course", "uploads_an_hour = 10_000\n")


def hand_in(asked: Asked, data: bytes, name: str = "a.zip") -> httpx.Response:
    answer = asked.client("Ada").post("/api/entries", files={"file": (name, data)})
    assert list((asked.folder / "incoming").iterdir()) == []
    return answer


# ---- every route


@pytest.mark.parametrize("name", ["teacher", pytest.param("Ada", marks=pytest.mark.soak)])
def test_no_request_is_a_fault_of_the_server(own: Asked, name: str) -> None:
    client, own.hall.tries.most = own.client(name, raise_server_exceptions=False), 10**9
    with start_blocking_portal() as client.portal:  # otherwise each request starts a thread
        for method, path, body in strange_requests(own.app, name):
            answer = client.request(method, path, content=body)
            assert answer.status_code < 500, (method, path[:80], body[:80], answer.text)
            assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]


def strange_requests(app: Starlette, name: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield the method, the address and the body of each request; those with a strange body only for the teacher."""
    for route in app.routes:
        if not isinstance(route, Route) or route.path in ("/api/key", "/api/logout"):
            continue
        like = next((each for end, each in OBJECTS.items() if route.path == f"/api{end}"), {})
        for method in sorted(set(route.methods or ()) - {"HEAD"}):
            paths = [path for path in paths_of(route.path) if method == "GET" or "?" not in path]
            yield from ((method, path, b"{}") for path in paths)
            if method in ("POST", "PUT") and name == "teacher":
                yield from ((method, paths[0], body) for body in (*BODIES, *bodies_like(like)))


@pytest.mark.parametrize("path", ["/api/entries/{}", "/api/games/{}", "/api/games/{}/review", "/api/finals/{}"])
def test_a_number_without_end_is_nothing_that_is_there(own: Asked, path: str) -> None:
    for name in ("Ada", "teacher"):
        method = "PUT" if "finals" in path else "GET"
        answer = own.client(name).request(method, path.format(DIGITS), json={"wanted": "stopped"})
        assert (answer.status_code, list(answer.json())) == (404, ["error"])


def test_what_is_not_there_is_one_error(patient: Asked) -> None:
    for number in (10**17, -(10**17), 0):
        body = {"entry": number, "color": "black"}
        assert patient.client("Ada").post("/api/sessions", json=body).status_code == 404
    for method, path in (("POST", "people/Nobody/key"), ("PUT", "people/Nobody/block"), ("GET", "results/Nobody.json")):
        answer = patient.client("teacher").request(method, f"/api/{path}", json={"blocked": True})
        assert answer.status_code == 404, path
    answer = patient.client("Ada").put("/api/me", json={"shown": "x" * 400_000})
    assert (answer.status_code, answer.json()["error"][:12]) == (413, "the request:")


@pytest.mark.parametrize("path", ["/api/login", "/api/logout", "/api/me/", "/"])
def test_a_host_that_is_none_is_one_error(own: Asked, path: str) -> None:
    method = "GET" if path.endswith("/") else "POST"
    for host in HOSTS:
        answer = own.client().request(method, path, headers={"Host": host}, json={"key": own.keys["Ada"]})
        assert (answer.status_code, answer.json()["error"][:6]) == (400, "Host: "), host
    for host in ("127.0.0.1:8000", "[::1]:80", "[::1]", "course.example", ""):
        answer = own.client().request(method, path, headers={"Host": host}, json={"key": own.keys["Ada"]})
        assert answer.status_code not in (400, 500), host


def test_a_name_may_have_a_stroke(own: Asked) -> None:
    with closing(open_hall(own.folder)) as database:
        People(database).add([Newcomer("Ada/Alan")], shown_by_name=False)
    teacher, path = own.client("teacher"), "Ada%2FAlan"
    assert teacher.get(f"/api/results/{path}.json").json()["score"] == 0
    for blocked in (True, False):
        people = teacher.put(f"/api/people/{path}/block", json={"blocked": blocked}).json()["people"]
        assert [each["blocked"] for each in people if each["name"] == "Ada/Alan"] == [blocked]
    own.keys["Ada/Alan"] = teacher.post(f"/api/people/{path}/key", json={}).json()["key"]
    assert own.client("Ada/Alan").get("/api/me").json()["name"] == "Ada/Alan"


def test_wrong_keys_are_slowed_down_and_the_right_one_is_let_in(own: Asked) -> None:
    own.keys["nobody"] = "aaaa-bbbb"
    client = own.client("nobody")
    with start_blocking_portal() as client.portal:
        statuses = [client.get("/api/me").status_code for _ in range(62)]
        late = client.post("/api/login", json={"key": "aaaa"})
    assert statuses == [401] * 60 + [429] * 2
    assert (late.status_code, late.headers["Retry-After"]) == (429, "60")
    assert own.client("Ada").get("/api/me").status_code == 200


def test_a_fault_of_the_server_has_the_headers_of_every_answer(own: Asked) -> None:
    del own.hall.people  # stands for any bug in the program
    answer = own.client("teacher", raise_server_exceptions=False).get("/api/people")
    assert (answer.status_code, list(answer.json())) == (500, ["error"])
    assert [answer.headers[name] for name in HEADERS] == list(HEADERS.values())


# ---- uploads

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
}
BAD_PLAYER_FILES: dict[str | bytes, str] = {
    "arguments = 1": "player.toml",
    'arguments = ["../1/player.py"]': "player.toml",
    'main = "../x.py"': "main",
    'arguments = ["a..b"]': "must not contain '..', as 'a..b' does",
    "sandbox = false": "must be one of the keys language, main",
    'protocol = "in-process"': "player.toml",
    'protocol = "person"': "must be one of uci, project",
    "main = \n": "player.toml: must be TOML",
    b"\xff": "player.toml:1: must be UTF-8",
}
BAD_ZIPS |= {
    f"player-file-{number}": ({"player.py": TEMPLATE, "player.toml": text}, error)
    for number, (text, error) in enumerate(BAD_PLAYER_FILES.items())
}


@pytest.mark.parametrize("name", BAD_ZIPS)
def test_a_bad_zip_is_refused_whole(patient: Asked, name: str) -> None:
    files, expected = BAD_ZIPS[name]
    answer = hand_in(patient, packed(files))
    error = answer.json()["error"]
    assert (answer.status_code, expected in error, "\n" in error) == (400, True, False), error
    assert str(patient.folder) not in error, "a student learns no path of the server"
    assert patient.hall.entries.all() == []


@pytest.mark.parametrize("data", [b"no zip", packed({"player.py": TEMPLATE})[:-30], b""])
def test_a_damaged_zip_is_refused(patient: Asked, data: bytes) -> None:
    assert hand_in(patient, data).status_code == 400


@pytest.mark.parametrize("name", ["player.exe", "x" * 500, "<script>", "../../etc/passwd", "player"])
def test_the_name_of_an_upload_says_its_language_and_no_more(patient: Asked, name: str) -> None:
    answer = hand_in(patient, TEMPLATE.encode(), name)
    assert (answer.status_code, len(answer.json()["error"]) < 200) == (400, True)


def test_a_request_that_is_no_upload_is_refused(patient: Asked) -> None:
    client = patient.client("Ada")
    assert client.post("/api/entries", files={"other": ("player.py", b"x")}).status_code == 400
    assert client.post("/api/entries", data={"file": "x"}).status_code == 400
    assert client.post("/api/entries", files=[("file", ("a.py", b"x")), ("file", ("b.py", b"x"))]).status_code == 400
    chunked = client.post("/api/entries", content=iter([b"x"]))
    assert (chunked.status_code, "Content-Length" in chunked.json()["error"]) == (411, True)


@pytest.mark.parametrize("text", PLAYER_FILES)
def test_a_player_file_beyond_the_limits_is_one_error(own: Asked, text: str) -> None:
    answer = hand_in(own, packed({"player.py": TEMPLATE, "player.toml": text}))
    assert (answer.status_code, answer.json()["error"][:12]) == (400, "player.toml:")


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=x; charset=foo", "text/plain"])
def test_a_form_that_is_none_is_one_error(patient: Asked, kind: str) -> None:
    for body in (b"", FORM, b"--x\r\n", HEAD.replace(b"file", b"\xff") + b"\r\n--form--", b"file=%00&a=%FF"):
        answer = patient.client("Ada").post("/api/entries", content=body, headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["error"][:5]) == (400, "file:")


def test_refused_uploads_count_towards_the_hour(own: Asked) -> None:
    answers = [hand_in(own, b"no zip") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [400, 400, 429]
    assert 3500 < int(answers[2].headers["Retry-After"]) <= 3601


def test_nothing_is_taken_after_the_deadline_and_a_wrong_file_changes_nothing(own: Asked) -> None:
    settings = own.folder / "class.toml"
    text = settings.read_text()
    settings.write_text(text + "deadline = yesterday\n")
    assert own.client("Ada").get("/api/me").json()["deadline"] is None
    assert "must be TOML" in own.client("teacher").get("/api/people").json()["problem"]
    time.sleep(0.02)  # so that the file's modification time changes
    settings.write_text(text + "deadline = 2020-01-01T12:00:00+01:00\n")
    answer = hand_in(own, TEMPLATE.encode(), "player.py")
    assert (answer.status_code, "deadline" in answer.json()["error"]) == (409, True)


def test_a_language_that_the_machine_lacks_is_the_teachers_matter(own: Asked) -> None:
    with (own.folder / "class.toml").open("a") as file:
        file.write('\ncc = "no-such-compiler"\n')
    answer = hand_in(own, b"int main(void) { return 0; }", "player.c")
    assert (answer.status_code, answer.json()["error"]) == (
        503,
        "c: this machine has no 'no-such-compiler'; tell your teacher",
    )
    assert own.client("Ada").get("/api/entries").json() == {"entries": []}


def test_a_class_that_has_no_room_left_takes_nothing(own: Asked) -> None:
    with (own.folder / "class.toml").open("a") as file:
        file.write("\nfolder_megabytes = 1\n")
    noise = random.Random(1).randbytes(950_000).hex()
    assert hand_in(own, f"# {noise}".encode(), "player.py").status_code == 202
    answer = hand_in(own, TEMPLATE.encode(), "player.py")
    assert (answer.status_code, "folder_megabytes" in answer.json()["error"]) == (507, True)


def test_uploads_held_back_at_the_last_byte_pass_no_limit(own: Asked) -> None:
    """All forty ask before the first has come."""

    async def hand_in_all() -> list[int]:
        begun, together = 0, asyncio.Event()

        async def body() -> AsyncIterator[bytes]:
            nonlocal begun
            yield FORM[:-1]
            begun += 1
            if begun == 40:
                together.set()
            await together.wait()
            yield FORM[-1:]

        headers = {"Authorization": f"Bearer {own.keys['Ada']}", "Content-Length": str(len(FORM)), **MULTIPART}
        transport = httpx.ASGITransport(own.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://class", headers=headers) as client:
            answers = await asyncio.gather(*(client.post("/api/entries", content=body()) for _ in range(40)))
        return sorted(answer.status_code for answer in answers)

    assert asyncio.run(hand_in_all()) == [202] * 2 + [429] * 38
    assert len(own.hall.entries.all()) == 2


def test_who_is_blocked_while_a_file_arrives_hands_nothing_in(own: Asked) -> None:
    async def hand_in() -> int:
        async def body() -> AsyncIterator[bytes]:
            yield FORM[:-1]
            own.hall.people.block("Ada", "teacher", blocked=True)
            yield FORM[-1:]

        headers = {"Authorization": f"Bearer {own.keys['Ada']}", "Content-Length": str(len(FORM)), **MULTIPART}
        transport = httpx.ASGITransport(own.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://class", headers=headers) as client:
            return (await client.post("/api/entries", content=body())).status_code

    assert asyncio.run(hand_in()) == 403
    assert own.hall.entries.all() == []


def test_a_clock_that_was_ahead_holds_nobody_up(own: Asked) -> None:
    for _ in range(2):
        assert hand_in(own, packed({"player.py": TEMPLATE})).status_code == 202
    assert hand_in(own, packed({"player.py": TEMPLATE})).status_code == 429
    with closing(open_hall(own.folder)) as database:
        database.execute("UPDATE entry SET received_at = received_at + 86400")
    assert hand_in(own, packed({"player.py": TEMPLATE})).status_code == 202


def test_a_zip_that_points_before_its_beginning_is_damaged_whatever_its_size(patient: Asked) -> None:
    for size in (10, 1_200_000):  # from 1 MB on, an upload is stored in a file
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("player.py", bytes(size))
        data = bytearray(file.getvalue())
        offset = int.from_bytes(data[-6:-2], "little")  # the directory's offset, stored in the last record
        data[-6:-2] = (offset + 1000).to_bytes(4, "little")
        answer = hand_in(patient, bytes(data))
        assert (answer.status_code, answer.json()["error"][:25]) == (400, "file: the zip is damaged:")


def test_a_teacher_sees_each_file_though_two_folders_have_one_of_its_name(own: Asked) -> None:
    hand_in(own, packed({"player.py": TEMPLATE, "x/player.py": "decoy = 1\n"}))
    version, same = own.client("teacher").get("/api/alike/1/1").json()["versions"]
    files = {name: "".join(text for text, _ in parts) for name, parts in version["files"].items()}
    assert files == {"player.py": TEMPLATE, "x/player.py": "decoy = 1\n"}
    assert version == same
