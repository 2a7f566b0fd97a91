"""A class with several assignments: each has its own limit, deadline, ladder, final and marks."""

from __future__ import annotations

import csv
import io
import re
import time
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove.addons.hall import documents
from quietmove.addons.hall.finals import finals_of
from quietmove.addons.hall.player import base_of, ladder_path
from quietmove.addons.hall.settings import ClassSettings, read_settings
from quietmove.tournament.errors import ConfigFileError
from quietmove.tournament.store.store import Store
from tests.addons.conftest import expect_all_can_use, watched
from tests.addons.hall.class_programs import random_player
from tests.addons.hall.classes import Asked, add_passed, write_final
from tests.addons.hall.halls import new_hall, served
from tests.addons.hall.test_alike import program
from tests.fakes.processes import wait_until


def moment(days: float) -> str:
    """Return a TOML time so many days from now."""
    return f"{datetime.now().astimezone() + timedelta(days=days):%Y-%m-%dT%H:%M:%S%z}"[:-2] + ":00"


def term(first: float, second: float = 50) -> str:
    """Return a class of three assignments whose first and second deadlines are so many days from now."""
    return f"""
anchors = [1]
goals = ["random 2-0"]

[[assignment]]
name = "I"
limit = "depth=1"
deadline = {moment(first)}
late = "at most 2 days"
ladder = false
marks = ["check 20"]

[[assignment]]
name = "II"
limit = "movetime=200"
opens = {moment(first)}
deadline = {moment(second)}
marks = ["check 10", "random 2-0 20"]

[[assignment]]
name = "III"
limit = "movetime=200"
opens = {moment(second)}
finals = ["round-robin"]
marks = ["final 50"]
"""


def settings_of(folder: Path, text: str) -> ClassSettings:
    folder.mkdir(exist_ok=True)
    (folder / "class.toml").write_text(text)
    return read_settings(folder)


def test_an_assignment_has_its_own_settings_and_otherwise_those_of_the_class(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, term(1))
    one, two, three = settings.assignments
    assert [each.name for each in settings.assignments] == ["I", "II", "III"]
    assert [str(each.limit) for each in settings.assignments] == ["depth=1", "movetime=200", "movetime=200"]
    assert (settings.anchors, one.goals, one.late_rule.days, two.late_rule.days) == ((1,), ("random 2-0",), 2, 0)
    assert [each.name for each in settings.ladders] == ["II", "III"]
    stores = {ladder_path(tmp_path, base_of(settings, each)) for each in settings.ladders}
    for each in (two, three):
        Store.create(ladder_path(tmp_path, base_of(settings, each)), base_of(settings, each)).close()
    stores = {ladder_path(tmp_path, base_of(settings, each)).name for each in (two, three)}
    assert stores == {"ladder.sqlite", "ladder-2.sqlite"}, "the same limit, but another ladder"


@pytest.mark.parametrize(
    ("first", "second", "current", "board"),
    [(1, 50, "I", "I"), (-1, 50, "II", "II"), (-3, -1, "III", "III")],
)
def test_the_current_assignment_is_the_first_before_its_deadline(
    tmp_path: Path, first: float, second: float, current: str, board: str
) -> None:
    settings = settings_of(tmp_path, term(first, second))
    assert settings.current().name == current
    assert settings.current_ladder.name == board
    extended = datetime.now().timestamp() + 1e6
    assert settings.current({"I": extended}).name == "I"
    assert settings.current({"II": extended}).name == ("I" if first > 0 else "II")


MARKS = 'limit = "depth=1"\n[[assignment]]\nname = "I"\nmarks = ["check 60"]\n[[assignment]]\nname = "II"\n'


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            '[[assignment]]\nname = "I"\n\n[[assignment]]\nlimit = "plies=4"\nname = "II"\n',
            ":5: assignment 'II': limit: must",
        ),
        (
            '[[assignment]]\nname = "I"\nopens = 2027-01-05T08:00:00\ndeadline = 2027-01-05T07:00:00Z\n',
            ":4: assignment 'I': deadline: must be later than opens (2027-01-05 08:00:00",
        ),
        ("opens = 2027-01-05T08:00:00\ndeadline = 2027-01-04T08:00:00\n", ":2: deadline: must be later than opens"),
        (f'{MARKS}marks = ["check 30"]\n', ":7: assignment 'II': marks: must add up to 100, not 90"),
        ('marks = ["check 60"]\n', ":1: marks: must add up to 100, not 60"),
        ('marks = ["check"]\n', ":1: marks 1: must be a part and its percentage"),
        (
            f'{MARKS}marks = ["final 40", "random 2-0 10"]\n',
            ":7: assignment 'II': marks 2: must be one of check, final",
        ),
        (f'marks = ["check 100"]\n{MARKS}', ":1: marks: must be given in the assignments"),
        ('[[assignment]]\nname = "I"\ncores = 2\n', ":3: assignment 'I': cores: must be one of the keys name, limit"),
        ('[[assignment]]\nlimit = "depth=1"\n', ":1: assignment 1: name: must be given"),
        (
            '[[assignment]]\nname = "I"\n[[assignment]]\nname = "i"\n',
            ":4: assignment 'i': name: 'i' is already the name of an assignment",
        ),
        ('[[assignment]]\nname = "../I"\n', ":2: assignment '../I': name: must"),
        ('time_zone = "Berlin"\n', ":1: time_zone: must be a time zone of this machine, such as Europe/Berlin"),
        ("assignment = 3\n", ":1: assignment: must be tables, each headed by [[assignment]]"),
        ("limit = 3\n[[assignment]]\nlate = '1 day'\nname = '1'\n", ":1: limit: must"),
    ],
)
def test_a_wrong_assignment_is_told_with_its_line_and_the_class_goes_on(tmp_path: Path, text: str, error: str) -> None:
    asked = Asked(tmp_path / "course", term(1))
    before = asked.hall.settings
    asked.say(text)
    with pytest.raises(ConfigFileError) as raised:
        read_settings(asked.folder)
    assert f"class.toml{error}" in str(raised.value)
    assert asked.hall.settings == before
    assert error in asked.client("teacher").get("/api/people").json()["problem"]
    assert asked.client("Ada").post("/api/entries", files=PROGRAM).status_code == 202


PROGRAM = {"file": ("player.py", random_player(1))}


def hand_in(asked: Asked, name: str, assignment: str | None = None) -> Any:
    data = {} if assignment is None else {"assignment": assignment}
    return asked.client(name).post("/api/entries", files=PROGRAM, data=data)


def test_a_version_is_for_the_current_assignment_or_for_the_one_that_is_named(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", "uploads_an_hour = 100\n" + term(-1))
    assert hand_in(asked, "Ada").json()["entry"] == 1
    assert hand_in(asked, "Ada", "I").json()["entry"] == 2, "late, but accepted"
    assert hand_in(asked, "Ada", "II").json()["entry"] == 3
    found = {each["entry"]: each for each in asked.client("Ada").get("/api/entries").json()["entries"]}
    assert [found[number]["assignment"] for number in (1, 2, 3)] == ["II", "I", "II"]
    states = [found[number]["state"] for number in (1, 2, 3)]
    assert states == ["refused", "received", "received"], "only a newer one of the same assignment takes its place"
    closed = hand_in(asked, "Ada", "III")
    assert (closed.status_code, closed.json()["error"][:34]) == (409, "III: nothing is accepted before 20")
    unknown = hand_in(asked, "Ada", "IV")
    assert (unknown.status_code, unknown.json()["error"]) == (404, "assignment: must be one of I, II, III, not 'IV'")
    me = asked.client("Ada").get("/api/me").json()
    assert (me["assignment"], me["limit"]) == ("II", "movetime=200")
    assert [(each["late"], each["over"], bool(each["opens"])) for each in me["assignments"]] == [
        (True, False, False),
        (False, False, False),
        (False, False, True),
    ]
    asked.say("uploads_an_hour = 100\n" + term(-3))
    over = hand_in(asked, "Ada", "I")
    assert over.status_code == 409
    assert over.json()["error"].endswith("plus 2 late days; nothing is accepted any more")
    path = "/api/people/Ada/deadline"
    body = {"deadline": "2120-01-01T00:00", "assignment": "I"}
    assert asked.client("teacher").put(path, json=body).status_code == 200
    assert hand_in(asked, "Ada", "I").status_code == 202
    assert hand_in(asked, "Bob", "I").status_code == 409
    assert asked.client("teacher").put(path, json={**body, "assignment": "IV"}).status_code == 404
    assert lateness(asked, 4) == [0, 0, "version 4 passed"], "the extension counts"
    earlier = {**body, "deadline": moment(-1)}
    assert asked.client("teacher").put(path, json=earlier).status_code == 200
    hours, shown, reason = lateness(asked, 4)
    assert 24 <= hours == shown < 24.2
    assert reason == f"version 4 passed, {hours:g} h late"


def lateness(asked: Asked, number: int) -> list[Any]:
    """Return how late Ada's version for I is: in the CSV, on her page, and in her mark."""
    asked.hall.entries.decide(number, "passed", "", {"examinations": []})
    rows = csv.DictReader(io.StringIO(asked.client("teacher").get("/api/export.csv").text))
    late = {(row["name"], row["assignment"]): float(row["late_hours"]) for row in rows}
    own = late.pop(("Ada", "I"))
    assert set(late.values()) == {0}
    entry = asked.client("Ada").get(f"/api/entries/{number}").json()
    return [own, entry["late_hours"], asked.client("Ada").get("/api/mark").json()["parts"][0]["reason"]]


@pytest.mark.parametrize(
    ("zone", "machine", "deadline"),
    [
        ("Europe/Berlin", "UTC", "2027-10-30T18:00:00"),
        ("Europe/Berlin", "America/New_York", "2027-10-30T18:00:00+02:00"),
        ("", "Europe/Berlin", "2027-10-30T18:00:00"),
        ("", "Europe/Berlin", "2027-10-30T16:00:00Z"),
    ],
)
def test_late_days_end_at_the_time_of_day_of_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str, machine: str, deadline: str
) -> None:
    monkeypatch.setenv("TZ", machine)
    time.tzset()
    try:
        text = f'time_zone = "{zone}"\nlate = "at most 3 days"\ndeadline = {deadline}\n'
        (settings,) = settings_of(tmp_path, text).assignments
        closes = datetime(2027, 11, 2, 17, tzinfo=UTC)
        assert settings.closes_for() == closes.timestamp(), "18:00 in winter, although the deadline is in summer"
        assert f"{settings.local(closes.timestamp()):%d %H:%M %Z}" == "02 18:00 CET"
        extension = datetime(2027, 3, 27, 12, tzinfo=UTC).timestamp() + 300 * 86400
        assert settings.closes_for(extension) == extension + 3 * 86400
        assert settings.late_hours(extension, extension - 1) == 0
        assert settings.late_hours(extension, extension + 1) == 0.1, "a second is late"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_version_whose_assignment_is_gone_does_not_count_and_is_not_examined(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(-1))
    number = add_passed(asked.folder, "Ada", random_player(1), "II")
    assert asked.client("Ada").get(f"/api/games?entry={number}").json()["entry"] == number
    asked.say('[[assignment]]\nname = "X"\n')
    assert [row for row in asked.client().get("/api/standings").json()["rows"] if not row["anchor"]] == []
    assert asked.client("Ada").get(f"/api/games?entry={number}").json()["games"] == []
    assert asked.client("Ada").get("/api/me").json()["entries"][0]["assignment"] == "II"


def test_finals_and_marks_belong_to_an_assignment(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(-9, -1) + f"deadline = {moment(-0.1)}\n")
    hall, teacher = asked.hall, asked.client("teacher")
    one, _, three = hall.settings.assignments
    for name in ("Ada", "Bob"):
        add_passed(asked.folder, name, random_player(name), "III")
    add_passed(asked.folder, "Ada", random_player(1), "I")
    add_passed(asked.folder, "Eve", random_player(2), "II")
    refused = teacher.post("/api/finals", json={"format": "round-robin", "assignment": "II"})
    assert refused.status_code == 400, "there is one player in it"
    hall.begin_when_due("")
    (path,) = finals_of(asked.folder, three)
    assert finals_of(asked.folder, one) == []
    with Store.open_to_read(path) as store:
        assert store.tournament.names == ("Ada.1", "Bob.1")
    write_final(path, "Ada")
    found = {name: asked.client(name).get("/api/mark").json() for name in ("Ada", "Bob", "Eve")}
    assert {name: mark["total"] for name, mark in found.items()} == {"Ada": 70, "Bob": 0, "Eve": 10}
    assert [(part["assignment"], part["name"], part["points"]) for part in found["Ada"]["parts"]] == [
        ("I", "check", 20),
        ("II", "check", 0),
        ("II", "random 2-0", 0),
        ("III", "final", 50),
    ]
    rows = list(csv.DictReader(io.StringIO(teacher.get("/api/export.csv").text)))
    assert [(row["name"], row["assignment"], row["points"], row["mark"]) for row in rows][:3] == [
        ("Ada", "I", "20", "70.0"),
        ("Ada", "II", "0", "70.0"),
        ("Ada", "III", "50.0", "70.0"),
    ]
    with zipfile.ZipFile(io.BytesIO(teacher.get("/api/results.zip").content)) as archive:
        assert "II/Bob/results.json" in archive.namelist()
    hall.begin_when_due(path.stem)
    assert len(finals_of(asked.folder, three)) == 1
    assert [final["name"] for final in teacher.get("/api/export.json").json()["finals"]] == ["final III"]


@pytest.mark.parametrize(
    ("form", "winner", "expected"),
    [
        ("round-robin", "Ada", {"Ada": (1, 100), "Bob": (2, 33.3), "Eve": (2, 33.3), "Zoe": (2, 33.3)}),
        ("swiss", "", {"Ada": (1, 50), "Bob": (1, 50), "Eve": (1, 50), "Zoe": (1, 50)}),
        ("knockout", "", {"Ada": (1, 100), "Bob": (2, 66.7), "Eve": (3, 16.7), "Zoe": (3, 16.7)}),
    ],
)
def test_exact_ties_share_their_place_and_the_mean_of_its_marks(
    tmp_path: Path, form: str, winner: str, expected: dict[str, tuple[int, float]]
) -> None:
    asked = Asked(tmp_path / "course", 'limit = "depth=1"\nmarks = ["final 100"]\n', expected)
    for name in expected:
        add_passed(asked.folder, name, random_player(name))
    assert [row["place"] for row in asked.client().get("/api/standings").json()["rows"]] == [None] * 4, "not played"
    teacher, path = asked.client("teacher"), asked.folder / "final-1.sqlite"
    assert teacher.post("/api/finals", json={"format": form, "seed": 1}).status_code == 202
    while not asked.hall.finals.read(path).is_over:
        write_final(path, winner)
    marks = {name: asked.client(name).get("/api/mark").json() for name in expected}
    assert {name: (mark["total"]) for name, mark in marks.items()} == {
        name: mark for name, (_, mark) in expected.items()
    }
    rows = csv.DictReader(io.StringIO(teacher.get("/api/export.csv").text))
    assert {row["name"]: (int(row["final"]), float(row["mark"])) for row in rows} == expected
    (final,) = teacher.get("/api/export.json").json()["finals"]
    places = {row["name"].removesuffix(".1"): row["place"] for row in final["standings"]}
    assert places == {name: place for name, (place, _) in expected.items()}
    shared = list(places.values()).count(places["Zoe"])
    assert marks["Zoe"]["parts"][0]["reason"] == f"place {places['Zoe']} of 4, shared by {shared}"


def test_programs_of_all_assignments_are_compared_and_two_people_are_one_row(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(-9, -1))
    teacher, own = asked.client("teacher"), program(1)
    for name, text in (("Eve", program(2)), ("Bob", own), ("Ada", own)):
        for assignment in ("I", "II"):
            add_passed(asked.folder, name, text, assignment)
    number = add_passed(asked.folder, "Bob", own, "III")

    def pair() -> tuple[list[str], list[str], list[list[str]]]:
        (found,) = teacher.get("/api/alike").json()["pairs"]
        sides = [[each[side] for side in ("first", "second")] for each in found["versions"]]
        assert all([side["person"] for side in both] == found["people"] for both in sides)
        return found["people"], found["blocked"], [[side["assignment"] for side in both] for both in sides]

    assignments = [["I", "I"], ["II", "II"], ["I", "III"]]
    assert pair() == (["Ada", "Bob"], [], assignments)
    teacher.put(f"/api/entries/{number}/block", json={"blocked": True})
    assert pair() == (["Ada", "Bob"], [], assignments), "a blocked version stays"
    teacher.put("/api/people/Bob/block", json={"blocked": True})
    assert pair() == (["Ada", "Bob"], ["Bob"], assignments), "those of a blocked person stay"
    teacher.delete("/api/people/Bob")
    assert pair() == (["Ada", "Bob"], ["Bob"], assignments), "and of one who was removed"


def test_a_person_is_blocked_in_one_assignment_with_reason_and_evidence(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", "uploads_an_hour = 100\n" + term(-1))
    ada, teacher = asked.client("Ada"), asked.client("teacher")
    first = [add_passed(asked.folder, name, program(1), "I") for name in ("Ada", "Bob")]
    second = add_passed(asked.folder, "Ada", program(2), "II")
    waiting = hand_in(asked, "Ada", "I").json()["entry"]
    path, reason = "/api/people/Ada/block", "It is Bob's program."
    for evidence in ([first[0], 99], [1]):
        refused = teacher.put(path, json={"blocked": True, "assignment": "I", "evidence": evidence})
        assert refused.status_code in (400, 404)
    body = {"blocked": True, "reason": reason, "assignment": "I"}
    assert teacher.put(path, json={**body, "assignment": "IV"}).status_code == 404
    assert teacher.put(path, json={**body, "evidence": first}).status_code == 200
    counts = {each["entry"]: each["counts"] for each in ada.get("/api/entries").json()["entries"]}
    assert counts == {first[0]: False, second: True, waiting: False}
    assert asked.hall.entries.waiting() == []
    refused = hand_in(asked, "Ada", "I")
    assert (refused.status_code, refused.json()["error"]) == (403, f"I: your teacher has blocked you: {reason}")
    assert hand_in(asked, "Ada", "II").status_code == 202
    assert [each["blocked_for"] for each in ada.get("/api/me").json()["assignments"]] == [reason, None, None]
    parts = ada.get("/api/mark").json()["parts"]
    assert (parts[0]["points"], parts[0]["reason"]) == (0, f"blocked: {reason}")
    assert parts[1]["points"] == 10
    event = next(each for each in teacher.get("/api/events").json()["events"] if each["what"] == "block")
    assert (event["text"], event["evidence"]) == (f"Ada in I: {reason}", True)
    saved = teacher.get(f"/api/evidence/{event['number']}")
    assert saved.headers["content-disposition"].startswith("attachment")
    versions = saved.json()["versions"]
    assert [(each["person"], "".join(text for text, _ in each["files"]["player.py"])) for each in versions] == [
        ("Ada", program(1)),
        ("Bob", program(1)),
    ]
    assert ada.get(f"/api/evidence/{event['number']}").status_code == 404
    assert teacher.put(path, json={"blocked": False, "assignment": "I"}).status_code == 200
    assert ada.get("/api/mark").json()["parts"][0]["points"] == 20
    assert asked.hall.entries.waiting()[0].number == waiting


def test_a_block_in_the_current_assignment_leaves_the_others_open(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", "uploads_an_hour = 100\n" + term(-1))
    assert asked.client("teacher").put("/api/people/Ada/block", json={"blocked": True, "assignment": "II"}).is_success
    assert [hand_in(asked, "Ada", name).status_code for name in (None, "II", "I")] == [403, 403, 202]


def test_a_teacher_blocks_beside_the_comparison_which_stays_as_evidence(tmp_path: Path, context: Any) -> None:
    hall = new_hall(tmp_path / "course", ["Ada", "Bob"], term(1).replace("ladder = false\n", ""))
    for name in ("Ada", "Bob"):
        add_passed(hall.folder, name, program(1), "I")
    with served(hall), watched(context, "127.0.0.1") as page:
        page.goto(f"{hall.address}teacher#key={hall.keys['teacher']}")
        page.get_by_role("button", name="Similar").click()
        page.get_by_role("button", name="Compare").click()
        page.get_by_label("Block Bob in").select_option("I")
        page.get_by_label("Reason to block Bob").fill("It is Ada's program.")
        expect_all_can_use(page)
        page.get_by_role("button", name="Block Bob").click()
        page.get_by_role("button", name="Reject uploads").click()
        expect(page.get_by_text("Blocked in I. It is Ada's program.")).to_be_visible()
        expect(page.get_by_text("blocked: It is Ada's program.")).to_be_visible()
        expect_all_can_use(page)
        assert hall.client("Bob").get("/api/me").json()["assignments"][0]["blocked_for"] == "It is Ada's program."
        page.get_by_role("button", name="Unblock").click()
        page.get_by_role("button", name="Let them take part again?").click()
        expect(page.get_by_text("Blocked in I.")).to_have_count(0)
        page.get_by_role("button", name="Events").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="evidence").click()
        assert b"Bob" in download.value.path().read_bytes()


def test_the_projector_announces_the_final_of_its_assignment(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(-1) + f"deadline = {moment(60)}\n")
    add_passed(asked.folder, "Ada", random_player(1), "III")
    shown = documents.before_the_final(asked.hall)
    assert (shown["players"], shown["formats"]) == (1, ["round-robin"])
    offered = asked.client("teacher").get("/api/finals").json()
    assert (offered["assignment"], offered["players"]) == ("III", 1)
    assert offered["assignments"] == ["I", "II", "III"], "those without a ladder too"
    assert shown["deadline"] > datetime.now().timestamp()


def test_the_board_shows_the_ladder_that_is_asked_for(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(-9, -1))
    add_passed(asked.folder, "Ada", random_player(1), "II")
    add_passed(asked.folder, "Bob", random_player(1), "III")
    client = asked.client()

    def names(query: str) -> list[str]:
        return [row["name"] for row in client.get(f"/api/standings{query}").json()["rows"] if not row["anchor"]]

    assert names("") == ["Bob"]
    assert names("?assignment=II") == ["Ada"]
    assert names("?assignment=III") == ["Bob"]
    assert client.get("/api/standings").json()["assignments"] == ["II", "III"]
    assert client.get("/api/standings?assignment=IV").status_code == 404


def test_the_pages_offer_the_assignments(tmp_path: Path, context: Any) -> None:
    text = term(-1).replace("ladder = false\n", "")
    hall = new_hall(tmp_path / "course", ["Ada"], text)
    add_passed(hall.folder, "Ada", random_player(1), "II")
    context.clear_cookies()
    with served(hall), watched(context, "127.0.0.1") as page:
        page.goto(f"{hall.address}me#key={hall.keys['Ada']}")
        expect(page.get_by_label("Assignment").locator("option")).to_have_text(["I", "II"])
        expect(page.get_by_text("I: the deadline was", exact=False).first).to_contain_text("late versions are accepted")
        expect_all_can_use(page)
        page.get_by_label("Assignment").select_option("I")
        page.get_by_label("File").set_input_files(
            {"name": "player.py", "mimeType": "text/x-python", "buffer": random_player(2).encode()}
        )
        expect(page).to_have_url(re.compile("#report/2"))
        assert hall.entry("Ada", 2)["assignment"] == "I"
        (hall.folder / "class.toml").write_text('[[assignment]]\nname = "search"\ntasks = ["nodes", "tree-value"]\n')
        page.reload()
        page.goto(f"{hall.address}me#handin")
        page.get_by_text("From a shell").click()
        expect(page.locator("pre.shell")).to_contain_text("-F file=@player.py -F assignment='search' http")
        (hall.folder / "class.toml").write_text(text)
        page.goto(f"{hall.address}me#games")
        expect(page.get_by_label("Assignment").locator("option")).to_have_text(["I", "II"])
        context.clear_cookies()
        page.goto(f"{hall.address}teacher#key={hall.keys['teacher']}")
        page.get_by_role("link", name="Ada", exact=True).click()
        for assignment in ("I", "II"):
            expect(page.get_by_role("heading", name=f"Extension {assignment}", exact=True)).to_be_visible()
        page.get_by_label("Later deadline").first.fill("2120-01-01T00:00")
        page.get_by_role("button", name="Save").first.click()
        wait_until(lambda: not hall.client("Ada").get("/api/me").json()["assignments"][0]["late"])
        expect_all_can_use(page)
