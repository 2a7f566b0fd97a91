"""A class with a real server: programs are checked in the sandbox, and the pages show what was found."""

from __future__ import annotations

import json
import random
import re
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove.referee.process import sandbox
from tests.addons.conftest import expect_all_can_use, expect_no_wider_than_the_window, watched
from tests.addons.hall.class_programs import GOOD, WRONG
from tests.addons.hall.halls import COMMAND, WAIT, HallServer, new_hall, served

pytestmark = pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())

PEOPLE = [f"p{number:02}" for number in range(16)]
SETTINGS = "uploads_an_hour = 1000\ncheck_seconds = 30\nexaminers = 2\n"
TOLD = ("illegal", "syntax")  # the tests of the checks have the other broken programs


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HallServer]:
    with served(new_hall(tmp_path_factory.mktemp("class") / "course", PEOPLE, SETTINGS)) as found:
        yield found


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


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.soak] * (name not in TOLD)) for name in WRONG])
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


def test_a_gigabyte_is_refused_before_it_comes(hall: HallServer, tmp_path: Path) -> None:
    zeros = tmp_path / "zeros.py"
    with zeros.open("wb") as file:
        file.truncate(1_000_000_000)
    words = ["curl", "-s", "-H", f"Authorization: Bearer {hall.keys['p15']}", "-F", f"file=@{zeros}"]
    done = subprocess.run(
        [*words, f"{hall.address}api/entries", "-o", str(tmp_path / "answer"), "-w", "%{http_code} %{size_upload}"],
        capture_output=True,
        text=True,
        timeout=WAIT,
    )
    status, sent = done.stdout.split()
    assert (status, int(sent) < 50_000_000) == ("413", True), done.stdout
    assert hall.hand_in("p15", b"#" * 2_100_000).status_code == 413


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


# ---- the pages


@pytest.fixture
def student(context: Any, hall: HallServer) -> Iterator[Any]:
    context.clear_cookies()
    with watched(context, hall.address.removeprefix("http://"), "400 (Bad Request)", "401 (Unauthorized)") as page:
        yield page


@pytest.mark.smoke
def test_a_student_hands_in_by_the_page_and_sees_the_board(hall: HallServer, student: Any, tmp_path: Path) -> None:
    program = tmp_path / "player.py"
    markup = "print('<img src=x>', file=sys.stderr)\n\n\ndef choose"
    program.write_text(WRONG["illegal"][0].replace("def choose", markup))
    student.goto(hall.address)
    student.get_by_label("The key that your teacher gave you").fill("wrong")
    student.get_by_role("button", name="Log in").click()
    expect(student.locator("#error")).to_contain_text("does not belong to this class")
    student.get_by_label("The key that your teacher gave you").fill(hall.keys["p13"])
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


def test_a_teacher_sees_all_and_blocks(hall: HallServer, student: Any) -> None:
    hall.judged("p00", GOOD["random"])
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
    student.get_by_role("button", name="Block p00").click()
    student.get_by_role("button", name="Reject uploads").click()
    expect(student.get_by_role("button", name="Unblock")).to_be_visible()
    answer = hall.hand_in("p00", GOOD["random"])
    assert (answer.status_code, "It is p01's program." in answer.json()["error"]) == (403, True)
    assert hall.client("p00").get("/api/me").json()["reason"] == "It is p01's program."
    assert "p00: It is p01's program." in hall.client("teacher").get("/api/events").text
    student.get_by_role("button", name="Unblock").click()
    student.get_by_role("button", name="Let them take part again?").click()
    expect(student.get_by_role("button", name="Block p00")).to_be_visible()
    student.get_by_role("button", name="Events").click()
    expect(student.locator("tbody tr").first).to_contain_text("unblock")


def test_a_full_disk_is_one_error_and_later_requests_succeed(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(900_000).hex()
    with served(new_hall(tmp_path / "course", ["Ada"])) as own:
        assert own.process is not None
        number = own.process.pid
        resource.prlimit(number, resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))  # as if 1 MB were left
        for _ in range(3):
            answer = own.hand_in("Ada", f"# {noise}")
            assert (answer.status_code, "cannot save it" in answer.json()["error"]) == (507, True)
        assert not list((own.folder / "incoming").iterdir())
        for size, status in ((0, 507), (resource.RLIM_INFINITY, 202)):
            resource.prlimit(number, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            answer = own.client("teacher").put("/api/ladder", json={"wanted": "stopped"})
            assert answer.status_code == status, answer.text
            assert str(tmp_path) not in answer.text
        assert own.hand_in("Ada", GOOD["random"]).json()["version"] == 1
