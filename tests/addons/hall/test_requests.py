"""What a class's server answers to requests that no page sends: one error each, and nothing changes."""

from __future__ import annotations

import asyncio
import io
import random
import time
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from anyio.from_thread import start_blocking_portal
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from quietmove.addons.hall.app import create_app
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.people import Newcomer, People
from quietmove.addons.hall.settings import default_text, read_settings
from quietmove.addons.web.access import HEADERS
from quietmove.addons.web.database import open_hall
from tests.addons.hall.class_programs import TEMPLATE, packed
from tests.fakes.bad_requests import BODIES, DIGITS, HOSTS, bodies_like, paths_of

PEOPLE = [Newcomer("Ada"), Newcomer("teacher", "teacher")]
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


@dataclass
class Class:
    """A class in this process; its examiners and runs are not started."""

    app: Starlette
    hall: Hall
    keys: dict[str, str]

    def client(self, name: str = "") -> TestClient:
        """Return who asks with the key of a person; a fault of the server is an answer, as for a browser."""
        headers = {"Authorization": f"Bearer {self.keys[name]}"} if name else {}
        return TestClient(self.app, raise_server_exceptions=False, headers=headers, follow_redirects=False)

    def hand_in(self, data: bytes, name: str = "a.zip") -> httpx.Response:
        """Hand a file in."""
        answer = self.client("Ada").post("/api/entries", files={"file": (name, data)})
        assert list((self.hall.folder / "incoming").iterdir()) == []
        return answer


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Class:
    """A class in which a person may hand in two versions an hour."""
    folder = tmp_path / "course"
    folder.mkdir()
    (folder / "class.toml").write_text(default_text("x") + "\nuploads_an_hour = 2\n")
    keys = People(open_hall(folder, make=True)).add(PEOPLE, shown_by_name=False)
    monkeypatch.chdir(folder)
    hall = Hall(folder, read_settings(folder), "")
    return Class(create_app(hall), hall, keys)


@pytest.fixture
def patient(own: Class) -> Class:
    """The same with 10,000 uploads an hour."""
    path = own.hall.folder / "class.toml"
    path.write_text(path.read_text().replace("uploads_an_hour = 2", "uploads_an_hour = 10_000"))
    return own


# ---- every route


@pytest.mark.parametrize("name", ["teacher", pytest.param("Ada", marks=pytest.mark.soak)])
def test_no_request_is_a_fault_of_the_server(own: Class, name: str) -> None:
    client, own.hall.tries.most = own.client(name), 10**9
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
            paths = list(paths_of(route.path))
            yield from ((method, path, b"{}") for path in paths)
            if method in ("POST", "PUT") and name == "teacher":
                yield from ((method, paths[0], body) for body in (*BODIES, *bodies_like(like)))


@pytest.mark.parametrize("path", ["/api/entries/{}", "/api/games/{}", "/api/games/{}/review", "/api/finals/{}"])
def test_a_number_without_end_is_nothing_that_is_there(own: Class, path: str) -> None:
    for name in ("Ada", "teacher"):
        method = "PUT" if "finals" in path else "GET"
        answer = own.client(name).request(method, path.format(DIGITS), json={"wanted": "stopped"})
        assert (answer.status_code, list(answer.json())) == (404, ["error"])


@pytest.mark.parametrize("path", ["/api/login", "/api/logout", "/api/me/", "/"])
def test_a_host_that_is_none_is_one_error(own: Class, path: str) -> None:
    method = "GET" if path.endswith("/") else "POST"
    for host in HOSTS:
        answer = own.client().request(method, path, headers={"Host": host}, json={"key": own.keys["Ada"]})
        assert (answer.status_code, answer.json()["error"][:6]) == (400, "Host: "), host
    for host in ("127.0.0.1:8000", "[::1]:80", "[::1]", "course.example", ""):
        answer = own.client().request(method, path, headers={"Host": host}, json={"key": own.keys["Ada"]})
        assert answer.status_code not in (400, 500), host


def test_a_name_may_have_a_stroke(own: Class) -> None:
    with closing(open_hall(own.hall.folder)) as database:
        People(database).add([Newcomer("Ada/Alan")], shown_by_name=False)
    teacher, path = own.client("teacher"), "Ada%2FAlan"
    assert teacher.get(f"/api/results/{path}.json").json()["score"] == 0
    for blocked in (True, False):
        people = teacher.put(f"/api/people/{path}/block", json={"blocked": blocked}).json()["people"]
        assert [each["blocked"] for each in people if each["name"] == "Ada/Alan"] == [blocked]
    own.keys["Ada/Alan"] = teacher.post(f"/api/people/{path}/key", json={}).json()["key"]
    assert own.client("Ada/Alan").get("/api/me").json()["name"] == "Ada/Alan"


def test_wrong_keys_are_slowed_down_and_the_right_one_is_let_in(own: Class) -> None:
    own.keys["nobody"] = "aaaa-bbbb"
    client = own.client("nobody")
    with start_blocking_portal() as client.portal:
        statuses = [client.get("/api/me").status_code for _ in range(62)]
        late = client.post("/api/login", json={"key": "aaaa"})
    assert statuses == [401] * 60 + [429] * 2
    assert (late.status_code, late.headers["Retry-After"]) == (429, "60")
    assert own.client("Ada").get("/api/me").status_code == 200


def test_a_fault_of_the_server_has_the_headers_of_every_answer(own: Class) -> None:
    del own.hall.people  # stands for any bug in the program
    answer = own.client("teacher").get("/api/people")
    assert (answer.status_code, list(answer.json())) == (500, ["error"])
    assert [answer.headers[name] for name in HEADERS] == list(HEADERS.values())


# ---- uploads


@pytest.mark.parametrize("text", PLAYER_FILES)
def test_a_player_file_beyond_the_limits_is_one_error(own: Class, text: str) -> None:
    answer = own.hand_in(packed({"player.py": TEMPLATE, "player.toml": text}))
    assert (answer.status_code, answer.json()["error"][:12]) == (400, "player.toml:")


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=x; charset=foo", "text/plain"])
def test_a_form_that_is_none_is_one_error(patient: Class, kind: str) -> None:
    for body in (b"", FORM, b"--x\r\n", HEAD.replace(b"file", b"\xff") + b"\r\n--form--", b"file=%00&a=%FF"):
        answer = patient.client("Ada").post("/api/entries", content=body, headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["error"][:5]) == (400, "file:")


def test_refused_uploads_count_towards_the_hour(own: Class) -> None:
    answers = [own.hand_in(b"no zip") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [400, 400, 429]
    assert 3500 < int(answers[2].headers["Retry-After"]) <= 3601


def test_nothing_is_taken_after_the_deadline_and_a_wrong_file_changes_nothing(own: Class) -> None:
    settings = own.hall.folder / "class.toml"
    text = settings.read_text()
    settings.write_text(text + "deadline = yesterday\n")
    assert own.client("Ada").get("/api/me").json()["deadline"] is None
    assert "must be TOML" in own.client("teacher").get("/api/people").json()["problem"]
    time.sleep(0.02)  # so that the file's modification time changes
    settings.write_text(text + "deadline = 2020-01-01T12:00:00+01:00\n")
    answer = own.hand_in(TEMPLATE.encode(), "player.py")
    assert (answer.status_code, "deadline" in answer.json()["error"]) == (409, True)


def test_a_language_that_the_machine_lacks_is_the_teachers_matter(own: Class) -> None:
    with (own.hall.folder / "class.toml").open("a") as file:
        file.write('\ncc = "no-such-compiler"\n')
    answer = own.hand_in(b"int main(void) { return 0; }", "player.c")
    assert (answer.status_code, answer.json()["error"]) == (
        503,
        "c: this machine has no 'no-such-compiler'; tell your teacher",
    )
    assert own.client("Ada").get("/api/entries").json() == {"entries": []}


def test_a_class_that_has_no_room_left_takes_nothing(own: Class) -> None:
    with (own.hall.folder / "class.toml").open("a") as file:
        file.write("\nfolder_megabytes = 1\n")
    noise = random.Random(1).randbytes(950_000).hex()
    assert own.hand_in(f"# {noise}".encode(), "player.py").status_code == 202
    answer = own.hand_in(TEMPLATE.encode(), "player.py")
    assert (answer.status_code, "folder_megabytes" in answer.json()["error"]) == (507, True)


def test_uploads_held_back_at_the_last_byte_pass_no_limit(own: Class) -> None:
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


def test_who_is_blocked_while_a_file_arrives_hands_nothing_in(own: Class) -> None:
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


def test_a_clock_that_was_ahead_holds_nobody_up(own: Class) -> None:
    for _ in range(2):
        assert own.hand_in(packed({"player.py": TEMPLATE})).status_code == 202
    assert own.hand_in(packed({"player.py": TEMPLATE})).status_code == 429
    with closing(open_hall(own.hall.folder)) as database:
        database.execute("UPDATE entry SET received_at = received_at + 86400")
    assert own.hand_in(packed({"player.py": TEMPLATE})).status_code == 202


def test_a_zip_that_points_before_its_beginning_is_damaged_whatever_its_size(patient: Class) -> None:
    for size in (10, 1_200_000):  # from 1 MB on, an upload is stored in a file
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("player.py", bytes(size))
        data = bytearray(file.getvalue())
        offset = int.from_bytes(data[-6:-2], "little")  # the directory's offset, stored in the last record
        data[-6:-2] = (offset + 1000).to_bytes(4, "little")
        answer = patient.hand_in(bytes(data))
        assert (answer.status_code, answer.json()["error"][:25]) == (400, "file: the zip is damaged:")


def test_a_teacher_sees_each_file_though_two_folders_have_one_of_its_name(own: Class) -> None:
    own.hand_in(packed({"player.py": TEMPLATE, "x/player.py": "decoy = 1\n"}))
    version, same = own.client("teacher").get("/api/alike/1/1").json()["versions"]
    files = {name: "".join(text for text, _ in parts) for name, parts in version["files"].items()}
    assert files == {"player.py": TEMPLATE, "x/player.py": "decoy = 1\n"}
    assert version == same
