"""Marks with parts by hand and late penalties, the files handed in for them, and the final sheets."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import expect

from quietmove.addons.hall.class_commands import group
from quietmove.addons.hall.roster import read_roster
from quietmove.addons.hall.settings import Assignment, read_settings
from quietmove.tournament.errors import ConfigFileError
from tests.addons.conftest import expect_all_can_use, expect_no_wider_than_the_window, watched
from tests.addons.hall.class_programs import random_player
from tests.addons.hall.classes import Asked, add_passed
from tests.addons.hall.halls import new_hall, served
from tests.addons.hall.test_assignments import moment

PDF = b"%PDF-1.7\n%%EOF\n"
WRITE_UP = {"part": "write-up", "assignment": "I"}


def term(days: float) -> str:
    """Return the settings of a class whose first deadline is ``days`` from now."""
    return f"""
[[assignment]]
name = "I"
limit = "depth=1"
ladder = false
deadline = {moment(days)}
late = "10% a day, at most 3 days"
marks = ["check 20", "write-up 30 by hand, PDF 1 MB"]

[[assignment]]
name = "II"
limit = "depth=1"
ladder = false
marks = ["check 10", "talk 40 by hand"]
"""


def hand_in(asked: Asked, name: str, data: bytes = PDF, form: dict[str, str] = WRITE_UP) -> Any:
    return asked.client(name).post("/api/papers", files={"file": ("../../x.html", data)}, data=form)


def parts(asked: Asked, name: str) -> dict[str, Any]:
    """Return the parts of a mark by name; `check` is that of the first assignment."""
    return {each["name"]: each for each in reversed(asked.client(name).get("/api/mark").json()["parts"])}


def test_points_by_hand_have_a_comment_and_a_history(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(1))
    teacher = asked.client("teacher")
    for points, comment in ((10, "too short"), (22.5, "a clear text\nin two lines"), (None, "")):
        body = {**WRITE_UP, "points": points, "comment": comment}
        assert teacher.put("/api/marks/Ada", json=body).json() == {"entered": 1}
        found = parts(asked, "Ada")["write-up"]
        assert found["points"] == (points or 0)
        assert comment in found["reason"]
        assert "history" not in found
    staff = teacher.get("/api/mark?person=Ada").json()["parts"][1]
    assert [(each["points"], each["asked_by"]) for each in staff["history"]] == [
        (points, "teacher") for points in (None, 22.5, 10)
    ]
    assert asked.client("Ada").get("/api/mark?person=Bob").status_code == 404
    unknown = teacher.get("/api/mark?person=Zoe")
    assert (unknown.status_code, unknown.json()["error"]) == (400, "name: this class has no 'Zoe'")
    hand_in(asked, "Bob")
    for name in ("Ada", "Bob"):
        assert teacher.delete(f"/api/people/{name}").status_code == 200
    assert {each.name for each in asked.hall.people.all()} >= {"Ada", "Bob"}, "their points and files stay"


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"part": "check", "points": 1}, 400, "part: must be a part marked by hand, not 'check'"),
        ({**WRITE_UP, "points": 30.5}, 400, "points: must be a number from 0 to 30, not 30.5"),
        ({**WRITE_UP, "points": -1}, 400, "points: must be a number from 0 to 30, not -1"),
        ({**WRITE_UP, "points": "9"}, 400, "points: must be a valid number, not '9'"),
        ({**WRITE_UP, "points": 1, "comment": "\x1b[2J"}, 400, "comment: must have at most 2000 printable characters"),
        ({**WRITE_UP, "points": 1, "assignment": "X"}, 404, "assignment: must be one of I, II, not 'X'"),
    ],
)
def test_wrong_points_are_one_error_and_change_nothing(
    tmp_path: Path, body: dict[str, Any], status: int, error: str
) -> None:
    asked = Asked(tmp_path / "course", term(1))
    answer = asked.client("teacher").put("/api/marks/Ada", json=body)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert asked.client("teacher").put("/api/marks/Zoe", json={**WRITE_UP, "points": 1}).status_code == 404
    assert parts(asked, "Ada")["write-up"]["reason"] == "nothing handed in"


def test_a_file_is_kept_as_it_is_and_given_to_the_staff_alone(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", f"uploads_an_hour = 9\n{term(1)}")
    hostile = PDF + b"<script>alert(1)</script>"
    for number, data in enumerate((PDF, hostile), 1):
        answer = hand_in(asked, "Ada", data)
        assert (answer.status_code, answer.json()) == (201, {"paper": number})
    assert {path.name for path in (asked.folder / "papers").iterdir()} == {"1.pdf", "2.pdf"}
    got = asked.client("teacher").get("/api/papers/2")
    assert got.content == hostile
    assert got.headers["content-disposition"] == 'attachment; filename="Ada write-up 2.pdf"'.replace(
        '="Ada write-up 2.pdf"', "*=utf-8''Ada%20write-up%202.pdf"
    )
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-type"] == "application/octet-stream"
    assert asked.client("Ada").get("/api/papers/2").status_code == 404, "not even to whom it belongs"
    assert asked.client("teacher").get("/api/papers/3").status_code == 404
    for data, form, status, error in (
        (b"PK\x03\x04", WRITE_UP, 400, "file: must be a PDF"),
        (PDF + bytes(1_000_000), WRITE_UP, 413, "file: must have at most 1 MB, not 1,000,015 bytes"),
        (PDF, {**WRITE_UP, "part": "check"}, 404, "part: must be one of write-up: a part with a PDF"),
        (PDF, {"part": "talk", "assignment": "II"}, 404, "part: must be one of none: a part with a PDF"),
    ):
        refused = hand_in(asked, "Ada", data, form)
        assert (refused.status_code, refused.json()["error"]) == (status, error)
    assert [each["number"] for each in asked.hall.hand_marks.papers("Ada", "I", "write-up")] == [2, 1]
    assert not list((asked.folder / "incoming").iterdir())
    for _ in range(3):
        assert hand_in(asked, "Ada").status_code == 201
    assert hand_in(asked, "Ada").status_code == 429, "nine uploads an hour, with those that were rejected"


def test_late_work_loses_a_share_for_each_day_which_is_told_before(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(1))
    asked.client("teacher").put("/api/marks/Ada", json={**WRITE_UP, "points": 25})
    hand_in(asked, "Ada")
    add_passed(asked.folder, "Ada", random_player(1), "I")

    def earned() -> list[Any]:
        found = parts(asked, "Ada")
        return [found["check"]["points"], found["write-up"]["points"]]

    assert asked.client("Ada").get("/api/me").json()["late_text"] == "each late day begun costs 10 % of the points"
    for days, factor in ((1, 1), (-0.01, 0.9), (-1.01, 0.8), (-2.5, 0.7), (-400, 0)):
        asked.say(term(days))
        assert earned() == [round(20 * factor, 1), round(25 * factor, 1)]
    asked.say(term(-1.01))
    me = {each["assignment"]: each for each in asked.client("Ada").get("/api/me").json()["assignments"]}
    assert me["I"]["late_text"] == "each late day begun costs 10 % of the points; now 20 %"
    assert parts(asked, "Ada")["write-up"]["reason"] == "20 % off, since it is late; 25 points given"
    asked.say(term(-1.01).replace("10% a day", "10 % a day of write-up"))
    assert earned() == [20, 20]
    body = {"deadline": moment(1), "assignment": "I"}
    asked.client("teacher").put("/api/people/Ada/deadline", json=body)
    assert earned() == [20, 25], "an extension counts"


def test_late_days_are_those_of_the_calendar(tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text(
        'time_zone = "Europe/Berlin"\ndeadline = 2027-10-30T18:00:00\nlate = "30% a day, at most 3 days"\n'
    )
    (settings,) = read_settings(tmp_path).assignments
    deadline, closes = settings.deadline_for(), settings.closes_for()
    assert deadline is not None
    assert closes == deadline + 3 * 86400 + 3600, "the clocks change"
    moments = [deadline - 1, deadline, deadline + 86400 + 3599, deadline + 86400 + 3600, closes - 1, closes]
    assert [settings.days_late(None, each) for each in moments] == [0, 1, 1, 2, 3, 4]
    assert [settings.penalty("check", None, each) for each in moments] == [0, 30, 30, 60, 90, 100]
    assert Assignment().days_late(None, 1e12) == 0
    last = Assignment(deadline=datetime(9998, 12, 31, 23, 59), late="at most 99 days", time_zone="Etc/GMT+12")
    assert last.local(last.closes_for() or 0).year == 9999, "no time is after the year 9999"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('marks = ["check 60", "check 40 by hand"]', "marks 2: must have a name of its own, not 'check'"),
        ('marks = ["a 60 by hand", "a 40 by hand"]', "marks 2: must have a name of its own, not 'a'"),
        (
            'marks = ["essay 100"]',
            "marks 1: must be one of check, final, followed by a percentage, or end in 'by hand'",
        ),
        ('marks = ["a 100 by hand, PDF 100 MB"]', "marks 1: must be a part and its percentage"),
        ('late = "3 days"', "late: must be a rule such as 'at most 3 days' or '10% a day of write-up, at most 3 days'"),
        (
            'marks = ["check 100"]\nlate = "5% a day of talk, at most 2 days"',
            "late: must name one of check, not 'talk'",
        ),
        ('late = "5% a day of talk, at most 2 days"', "late: must name one of the parts in marks, not 'talk'"),
        ('late = "at most 100 days"', "at most 3 days', up to 99 days, not 'at most 100 days'"),
    ],
)
def test_a_wrong_part_by_hand_or_penalty_is_told(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "class.toml").write_text(text)
    with pytest.raises(ConfigFileError) as raised:
        read_settings(tmp_path)
    assert error in str(raised.value)


NAMES = ["Ada Lovelace", "Jörg Grüße", "Alan Turing"]


def with_ids(asked: Asked) -> None:
    people = "name;ID;e-mail;team\nCleo;7;c@example.org;Engines\nDan;8;d@example.org;Engines\n=Eve;9;;\n"
    asked.keys |= {
        each["name"]: each["key"]
        for each in asked.client("teacher").post("/api/people", json={"list": people}).json()["keys"]
    }


def test_a_list_of_points_is_entered_whole_or_not_at_all(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(1), NAMES)
    with_ids(asked)
    file = tmp_path / "points.csv"
    file.write_bytes(
        "Name;Teil;Punkte;Kommentar\nGrüße, Jörg;talk;12,5;klar\n;;;\nAlan Turing;talk;;\n".encode("latin-1")
    )
    wrong = "list:2: name: this class has no student 'Grüße, Jörg'"
    refused = asked.client("teacher").post("/api/marks", json={"list": file.read_bytes().decode("latin-1")})
    assert (refused.status_code, refused.json()["error"]) == (400, wrong)
    file.write_bytes(file.read_bytes().replace("Grüße, Jörg".encode("latin-1"), "Jörg Grüße".encode("latin-1")))
    done = CliRunner().invoke(group, ["marks", "import", str(asked.folder), str(file)], catch_exceptions=False)
    assert done.stderr == f"note: {file}:4: ignored the line, since it has no points\nPoints entered: 1\n"
    assert parts(asked, "Jörg Grüße")["talk"]["reason"] == "12.5 points given: klar"
    answer = asked.client("teacher").post("/api/marks", json={"list": "id,part,score,Room\n8,talk,40,3\n"}).json()
    assert answer == {"entered": 1, "notes": ["list:1: ignored the columns Room"]}
    assert parts(asked, "Cleo")["talk"]["points"] == 40, "the members of a team share it"
    lines = ["8,,talk,41,", "9,,essay,1,", ",Zoe,talk,1,", "7,,talk,x,", "7,,talk,1,I", "7,,talk,1,", "8,,talk,2,"]
    many = "\n".join(["id,name,part,points,assignment", *lines])
    error = asked.client("teacher").post("/api/marks", json={"list": many}).json()["error"]
    for text in (
        "list:2: points: must be a number from 0 to 40, not 41",
        "list:3: part: expected an assignment and part that name one of the parts by hand (I write-up, II talk)",
        "list:4: name: this class has no student 'Zoe'",
        "list:5: points: must be a number, not 'x'",
        "list:6: part: expected",
        "list:8: points: this person has other points in an earlier line",
    ):
        assert text in error
    assert parts(asked, "Dan")["talk"]["points"] == 40
    headless = asked.client("teacher").post("/api/marks", json={"list": "8,40\n"})
    assert headless.json()["error"].startswith("list:1: expected a header that names columns such as name")


def test_the_sheets_have_one_row_per_student_and_one_column_per_part(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(-0.5), NAMES)
    with_ids(asked)
    teacher = asked.client("teacher")
    add_passed(asked.folder, "Ada Lovelace", random_player(1), "I")
    add_passed(asked.folder, "Engines", random_player(2), "II")
    points = "name,part,points,comment\nAda Lovelace,write-up,20,good\nJörg Grüße,talk,31.5,\nDan,write-up,30,\n"
    assert teacher.post("/api/marks", json={"list": points}).json()["entered"] == 3
    expected = {  # check and write-up of I, check and talk of II; a version that is half a day late loses a tenth
        "Ada Lovelace": [18.0, 20.0, 0.0, 0.0],
        "Alan Turing": [0.0, 0.0, 0.0, 0.0],
        "Cleo": [0.0, 30.0, 10.0, 0.0],
        "Dan": [0.0, 30.0, 10.0, 0.0],
        "'=Eve": [0.0, 0.0, 0.0, 0.0],
        "Jörg Grüße": [0.0, 0.0, 0.0, 31.5],
    }
    titles = ["I check", "I write-up", "II check", "II talk"]
    data = teacher.get("/api/marks/sheet.csv").content
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert list(rows[0]) == ["id", "name", "email", "team", *titles, "mark"]
    assert {row["name"]: [float(row[title]) for title in titles] for row in rows} == expected
    assert {row["name"]: float(row["mark"]) for row in rows} == {name: sum(each) for name, each in expected.items()}
    canvas = teacher.get("/api/marks/canvas.csv").text
    head, possible, *others = csv.reader(io.StringIO(canvas))
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles]
    assert possible == ["    Points Possible", "", "", "", "", "20", "30", "10", "40"]
    assert {row[0]: list(map(float, row[5:])) for row in others} == expected
    known = [each for each in read_roster(canvas.encode(), "list").people if each.id]
    assert [(each.name, each.id) for each in known] == [("'=Eve", "9"), ("Cleo", "7"), ("Dan", "8")]
    moodle = {row["ID number"]: row for row in csv.DictReader(io.StringIO(teacher.get("/api/marks/moodle.csv").text))}
    assert (moodle["8"]["Email address"], moodle["8"]["I write-up (Real)"]) == ("d@example.org", "30.0")
    assert moodle["8"]["I write-up (Feedback)"] == "30 points given"
    assert moodle["8"]["Course total (Real)"] == "40.0"
    assert teacher.get("/api/marks/other.csv").status_code == 404


def test_the_matrix_shows_what_counts_and_what_is_missing(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", term(-0.5), ["Ada", "Bob"])
    first = add_passed(asked.folder, "Ada", random_player(1), "I")
    later = asked.client("Ada").post(
        "/api/entries", files={"file": ("player.py", random_player(2))}, data={"assignment": "I"}
    )
    asked.hall.entries.decide(later.json()["entry"], "refused", "it loses", {"examinations": []})
    hand_in(asked, "Bob")
    found = asked.client("teacher").get("/api/matrix").json()
    one, two = found["Ada"]
    assert (one["assignment"], one["counts"]["entry"], one["newest"]["state"]) == ("I", first, "refused")
    assert (one["counts"]["late_hours"] >= 12, one["points"], one["weight"]) == (True, 18, 50)
    assert one["unmarked"] == ["write-up: nothing handed in"]
    assert (two["counts"], two["newest"], two["unmarked"]) == (None, None, ["talk: not marked yet"])
    assert found["Bob"][0]["unmarked"] == ["write-up: not marked yet"]
    assert sorted(found) == ["Ada", "Bob"], "students alone"


def test_a_teacher_filters_the_matrix_and_opens_a_report(tmp_path: Path, context: Any) -> None:
    hall = new_hall(tmp_path / "course", ["Ada", "Bob"], term(-0.5))
    number = add_passed(hall.folder, "Ada", random_player(1), "I")
    with served(hall), watched(context, "127.0.0.1") as page:
        page.goto(f"{hall.address}teacher#key={hall.keys['teacher']}")
        rows = page.get_by_role("table", name="Entries").locator("tbody tr")
        expect(rows).to_have_count(3)
        expect(rows.filter(has_text="Ada")).to_contain_text("12.1 h late, 18 of 50, write-up: nothing handed in")
        page.get_by_label("State").select_option("late")
        expect(rows).to_have_count(1)
        page.get_by_label("Assignment").select_option("II")
        expect(rows).to_have_count(0)
        page.get_by_label("State").select_option("none")
        expect(rows).to_have_count(2)
        expect_all_can_use(page)
        page.get_by_label("Assignment").select_option("")
        page.set_viewport_size({"width": 390, "height": 844})
        expect_no_wider_than_the_window(page)
        page.get_by_role("link", name="v1").click()
        expect(page).to_have_url(f"{hall.address}teacher#entries/{number}")


def test_a_person_hands_in_a_file_and_sees_how_the_mark_came_about(tmp_path: Path, context: Any) -> None:
    hall = new_hall(tmp_path / "course", ["Ada"], term(-0.5))
    with served(hall), watched(context, "127.0.0.1") as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(f"{hall.address}me#key={hall.keys['Ada']}")
        expect(page.get_by_text("each late day begun costs 10 % of the points; now 10 %")).to_be_visible()
        page.get_by_label("PDF of at most 1 MB").set_input_files(
            {"name": "text.pdf", "mimeType": "application/pdf", "buffer": PDF}
        )
        page.get_by_role("button", name="Hand in", exact=True).last.click()
        expect(page.get_by_text("0 kB, Ada")).to_be_visible()
        expect_no_wider_than_the_window(page)
        expect_all_can_use(page)
        context.clear_cookies()
        page.goto(f"{hall.address}teacher#key={hall.keys['teacher']}")
        page.get_by_role("link", name="Ada", exact=True).click()
        page.get_by_label("Points for write-up").fill("22")
        page.get_by_label("Comment on write-up").fill("a clear text")
        page.get_by_role("button", name="Save").first.click()
        expect(page.get_by_text("10 % off, since it is late; 22 points given: a clear text")).to_be_visible()
        page.get_by_text("History (1)").click()
        expect(page.get_by_text("teacher, ", exact=False).first).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("link", name="File 1").click()
        assert download.value.path().read_bytes() == PDF
        expect_no_wider_than_the_window(page)
        expect_all_can_use(page)
        page.goto(f"{hall.address}teacher#export")
        page.get_by_label("List of points").fill("name,part,points\nAda,talk,30\n")
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_text("Points entered: 1")).to_be_visible()
        expect_all_can_use(page)
        context.clear_cookies()
        page.goto(f"{hall.address}me#key={hall.keys['Ada']}")
        page.get_by_role("button", name="Mark", exact=True).click()
        expect(page.get_by_role("heading", name="Your mark so far: 49.8 of 100")).to_be_visible()
        expect_all_can_use(page)
