"""What a class's server answers, and what it finds in its folder; no program is examined or plays."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sqlite3
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from quietmove.addons.hall.app import create_app
from quietmove.addons.hall.class_commands import group
from quietmove.addons.hall.entries import Entries, sizes
from quietmove.addons.hall.finals import newest_final
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.ladder import Ladder
from quietmove.addons.hall.people import Newcomer, People, csv_text
from quietmove.addons.hall.player import LADDER, arrivals, check_versions, ladder_path
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.web.database import open_hall, transaction
from quietmove.referee.errors import SetupError
from quietmove.referee.game.record import MoveRecord
from quietmove.tournament.errors import StoreError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import game_spec
from quietmove.tournament.playing.snapshot import Snapshot
from quietmove.tournament.store.store import Store
from tests.addons.hall.class_programs import random_player
from tests.addons.hall.classes import PEOPLE, SETTINGS, Asked, add_passed, ladder_of, make_class, write_final
from tests.addons.hall.test_alike import program as program_of_its_own
from tests.fakes.processes import WAIT, run_module, wait_until
from tests.fakes.tournament_store import MOVES, write_games


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path / "course")


def receive(asked: Asked, name: str) -> int:
    """Let a version of a person wait for its examination, and return its number."""
    number = add_passed(asked.folder, name, random_player(name))
    with closing(open_hall(asked.folder)) as database:
        assert Entries(database, asked.folder).check_again(number)
    return number


def two_pass(asked: Asked) -> None:
    for name in ("Ada", "Bob"):
        add_passed(asked.folder, name, random_player(name))


def grow_ladder(folder: Path) -> Path:
    """Write the ladder's store with everybody who has arrived, and return its path."""
    base = ladder_of(folder)
    with closing(open_hall(folder)) as database, Store.create_or_grow(folder / LADDER, base) as store:
        newest = Entries(database, folder).newest_passed().values()
        store.enlarge(arrivals(store.tournament, sorted(newest, key=lambda each: each.number), 1))
    return folder / LADDER


# ---- who is blocked


def test_a_version_that_waits_and_is_blocked_holds_no_final_up(asked: Asked) -> None:
    two_pass(asked)
    number, teacher = receive(asked, "Eve"), asked.client("teacher")
    waiting = teacher.post("/api/finals", json={"format": "auto"})
    assert (waiting.status_code, "1 version is waiting" in waiting.json()["error"]) == (409, True)
    teacher.put(f"/api/entries/{number}/block", json={"blocked": True})
    assert teacher.get(f"/api/entries/{number}").json()["place"] is None
    assert teacher.get("/api/finals").json()["waiting"] == 0
    teacher.put(f"/api/entries/{number}/block", json={"blocked": False})
    assert teacher.get("/api/finals").json()["waiting"] == 1
    teacher.put("/api/people/Eve/block", json={"blocked": True})
    assert asked.hall.entries.take() is None
    assert teacher.post("/api/finals", json={"format": "auto"}).status_code == 202


def test_who_is_blocked_is_told_why(asked: Asked) -> None:
    asked.client("teacher").put("/api/people/Ada/block", json={"blocked": True, "reason": "It is Bob's program."})
    answer = asked.client("Ada").put("/api/me", json={"shown": "Somebody else"})
    assert (answer.status_code, "It is Bob's program." in answer.json()["error"]) == (403, True)
    assert asked.client("Ada").get("/api/me").json()["reason"] == "It is Bob's program."


# ---- keys and addresses


def test_each_sees_the_own_versions_and_the_staff_sees_all(asked: Asked) -> None:
    two_pass(asked)
    ada, bob, teacher = (asked.client(name) for name in ("Ada", "Bob", "teacher"))
    for path in ("/api/entries/1", "/api/entries/1/source"):
        assert bob.get(path).status_code == 404
        assert {ada.get(path).status_code, teacher.get(path).status_code} == {200}
    assert [each["entry"] for each in ada.get("/api/entries").json()["entries"]] == [1]
    assert {each["person"] for each in teacher.get("/api/entries").json()["entries"]} == {"Ada", "Bob"}
    assert {each["name"] for each in teacher.get("/api/people").json()["people"]} == {*PEOPLE, "teacher"}


def test_a_changed_key_ends_the_old_one(asked: Asked) -> None:
    def status(key: str) -> int:
        return asked.client().get("/api/me", headers={"Authorization": f"Bearer {key}"}).status_code

    made = asked.client("Ada").post("/api/key", json={}).json()
    assert made["name"] == "Ada"
    assert (status(asked.keys["Ada"]), status(made["key"])) == (401, 200)
    printed = CliRunner().invoke(group, ["key", str(asked.folder), "Ada"], catch_exceptions=False).stdout
    (row,) = csv.DictReader(io.StringIO(printed))
    assert (status(made["key"]), status(row["key"])) == (401, 200)


def test_a_cookie_needs_the_origin_and_a_script_does_not(asked: Asked) -> None:
    browser = asked.client()
    assert browser.post("/api/login", json={"key": asked.keys["Ada"]}).json()["name"] == "Ada"
    (cookie,) = browser.cookies.jar
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "strict"
    assert browser.get("/api/me").json()["name"] == "Ada"
    for wrong in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        assert browser.put("/api/me", json={"shown": "Evil"}, headers=wrong).status_code == 403
    own = {"Origin": str(browser.base_url)}
    assert browser.put("/api/me", json={"shown": "Good"}, headers=own).json()["shown"] == "Good"
    browser.post("/api/logout", content=b"", headers=own)
    assert browser.get("/api/me").status_code == 401
    assert asked.client("Ada").put("/api/me", json={"shown": "Script"}).json()["shown"] == "Script"


def test_wrong_keys_in_cookies_are_slowed_down_and_a_browser_forgets_its_own(asked: Asked) -> None:
    client = asked.client()
    statuses = []
    for number in range(150):
        client.cookies = {"quietmove-testserver": f"aaaa-{number}"}  # type: ignore[assignment]
        statuses.append(client.get("/api/me").status_code)
    assert statuses == [401] * 60 + [429] * 90
    client.cookies = {}  # type: ignore[assignment]
    assert client.get("/api/standings").status_code == 200
    assert asked.client("Ada").get("/api/me").status_code == 200
    forgotten = asked.client(cookies={"quietmove-testserver": "old"}).get("/api/standings")
    assert "Max-Age=0" in forgotten.headers["Set-Cookie"]
    both = TestClient(asked.app, headers={"Authorization": "Bearer old"}, cookies={"quietmove-testserver": "any"})
    assert "Set-Cookie" not in both.get("/api/standings").headers


def test_a_browser_with_an_old_key_logs_in_and_sees_the_board(asked: Asked) -> None:
    client = asked.client(cookies={"quietmove-testserver": "old"})
    assert client.get("/api/standings").status_code == 200
    answer = client.post("/api/login", json={"key": asked.keys["Ada"]})
    assert answer.json()["name"] == "Ada"
    assert asked.keys["Ada"] in answer.headers["Set-Cookie"]


def test_no_answer_sends_a_browser_to_the_host_of_the_request(asked: Asked) -> None:
    for path in ("/api/me/", "/static", "/class/static", "/board/"):
        answer = asked.client("Ada").get(path, headers={"Host": "evil.example"})
        assert (answer.status_code, answer.headers.get("location")) == (404, None)


# ---- names on the board


@pytest.mark.parametrize(
    "shown",
    [
        "B\u3164ob",
        "\u2800Bob",
        "Bo\ufe0fb",
        "Bo\u034fb",
        "\u0412ob",  # a Cyrillic letter among Latin ones
        "\u0412\u043e\u042c",  # all Cyrillic
        "B0b",
        "\u212cob",
        "Bob\u00a0",
        "level 5",
        "Level  1",
        "level l",
        "RANDOM",
        "\uff52andom",
        "\u0251da",
        "\u0299\u1d0f\u0299",  # small capitals
        "B\u2d7fob",
        "Bob\ufffc",
        "",
        "x" * 41,
        "a\u202eb",
        "a\nb",
    ],
)
def test_a_name_that_misleads_is_refused(asked: Asked, shown: str) -> None:
    asked.client("Bob").put("/api/me", json={"shown": "Bob"})
    answer = asked.client("Eve").put("/api/me", json={"shown": shown})
    assert (answer.status_code, answer.json()["error"][:6]) == (400, "displa")


@pytest.mark.parametrize(
    ("shown", "kept"),
    [
        ("Eve   of \u3000 Adam ", "Eve of Adam"),
        ("\u738b\u5c0f\u660e", "\u738b\u5c0f\u660e"),
        ("\u3055\u304f\u3089\u30bf\u30ed\u30a6\u592a", "\u3055\u304f\u3089\u30bf\u30ed\u30a6\u592a"),
        ("\u0410\u043d\u043d\u0430 2", "\u0410\u043d\u043d\u0430 2"),
        ("Ade\u0301bayo\u0323\u0300", "Ad\u00e9bay\u1ecd\u0300"),
        ("O'Hara-\u0141\u00f3d\u017a", "O'Hara-\u0141\u00f3d\u017a"),
        ("\uff25\uff56\uff45", "Eve"),
        ("\U0001f98a Fox", "\U0001f98a Fox"),
    ],
)
def test_a_name_of_one_script_is_shown_in_one_form(asked: Asked, shown: str, kept: str) -> None:
    assert asked.client("Eve").put("/api/me", json={"shown": shown}).json()["shown"] == kept


def test_a_person_may_show_the_own_name_whatever_its_scripts(tmp_path: Path) -> None:
    with closing(open_hall(tmp_path, make=True)) as database:
        people = People(database)
        people.add([Newcomer("WANG \u738b"), Newcomer("Ada")], shown_by_name=False)
        people.show_as("WANG \u738b", "WANG \u738b")
        with pytest.raises(SetupError, match="single script"):
            people.show_as("Ada", "Ada \u738b")


def test_a_grade_is_that_of_the_person_and_not_of_the_name_on_the_board(asked: Asked) -> None:
    two_pass(asked)
    grow_ladder(asked.folder)
    with Store.open_to_write(asked.folder / LADDER) as store:
        write_games(store, 12)
    with closing(sqlite3.connect(asked.folder / "hall.sqlite")) as database, database:
        database.execute("UPDATE person SET shown = 'level 5' WHERE name = 'Ada'")
    table = asked.client().get("/api/standings").json()["rows"]
    own = next(row["place"] for row in table if row.get("entry") == 1)
    assert own != next(row["place"] for row in table if row["anchor"] and row["name"] == "level 5")
    rows = csv.DictReader(io.StringIO(asked.client("teacher").get("/api/export.csv").text))
    assert {row["name"]: row["place"] for row in rows}["Ada"] == str(own)
    entry = asked.hall.entries.get(1)
    assert entry is not None
    asked.hall.entries.decide(1, "passed", "", {"build": None, "examinations": [EXAMINED]})
    found = asked.client("teacher").get("/api/results/Ada.json").json()
    assert {row["name"]: row["value"] for row in found["leaderboard"]}["place"] == own
    assert found["score"] == sum(test.get("score", 0) for test in found["tests"]) > 0
    assert asked.client("teacher").get("/api/results/Eve.json").json()["score"] == 0


EXAMINED = {"name": "first-move", "status": "ok", "text": "", "seconds": 0.1, "evidence": None, "applies": True}


# ---- tables for a spreadsheet


@pytest.mark.parametrize("name", ["=1+1", "\uff1d1+1", "\uff0b1", "\ufe63x", "\uff20x", "@x", "-x", "\u2a751"])
def test_no_cell_of_a_table_begins_a_formula(tmp_path: Path, name: str) -> None:
    file, folder = tmp_path / "people.csv", tmp_path / "course"
    file.write_text(f"name\n{name}\n")
    done = CliRunner().invoke(group, ["new", str(folder), "--people", str(file), "--names"], catch_exceptions=False)
    made = CliRunner().invoke(group, ["key", str(folder), "--", name], catch_exceptions=False)
    hall = Hall(folder, read_settings(folder), "")
    key = done.stderr.split("key is ")[1].split()[0]
    exported = TestClient(create_app(hall)).get("/api/export.csv", headers={"Authorization": f"Bearer {key}"})
    for text in (done.stdout, made.stdout, exported.text):
        row = next(csv.DictReader(io.StringIO(text)))
        assert row["name"] == f"'{name}"


@pytest.mark.parametrize(
    ("text", "cell"),
    [("a;=1+1", "a;'=1+1"), ("; -1", ";' -1"), ('a;"=1', "a;'\"=1"), ("a;\uff1d1", "a;'\uff1d1"), ("a; b", "a; b")],
)
def test_no_part_of_a_cell_is_a_formula_where_semicolons_separate(text: str, cell: str) -> None:
    assert next(csv.reader(io.StringIO(csv_text([("x", text)])))) == ["x", cell]


# ---- what else is in the folder


def test_files_of_others_in_the_folder_change_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    make_class(folder, PEOPLE, SETTINGS)
    number = add_passed(folder, "Ada", random_player(1))
    (folder / "entries" / ".DS_Store").write_text("x")
    (folder / "entries" / "notes").mkdir()
    for name in ("final-old.sqlite", "final-1 (copy).sqlite", "final-\u00b2.sqlite", "final-1.sqlite-live", "a.sqlite"):
        (folder / name).write_text("x")
    hall = Hall(folder, read_settings(folder), "")
    assert [each.number for each in hall.entries.all()] == [number]
    assert newest_final(folder) is None
    assert hall.presenter.look(1.0, {}) == {"final": None}
    assert (folder / "entries" / ".DS_Store").exists()
    assert (folder / "entries" / "notes").exists()


def test_an_older_database_deletes_no_program_and_gives_no_number_twice(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    make_class(folder, PEOPLE, SETTINGS)
    add_passed(folder, "Ada", random_player(1))
    saved = (folder / "hall.sqlite").read_bytes()
    add_passed(folder, "Bob", "# of Bob\n" + random_player(2))
    grow_ladder(folder)
    for path in folder.glob("hall.sqlite*"):
        path.unlink()
    (folder / "hall.sqlite").write_bytes(saved)
    hall = Hall(folder, read_settings(folder), "")
    aside = list((folder / "unknown-entries").glob("2*/source/player.py"))
    assert [path.read_text()[:8] for path in aside] == ["# of Bob"]
    assert any("entries/2" in str(event["text"]) for event in hall.people.events(10))
    assert add_passed(folder, "Eve", random_player(3)) == 3
    assert add_passed(folder, "Bob", random_player(4)) == 4


def test_a_ladder_of_other_versions_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    make_class(folder, PEOPLE, SETTINGS)
    add_passed(folder, "Ada", random_player(1))
    saved = (folder / "hall.sqlite").read_bytes()
    add_passed(folder, "Bob", random_player(2))
    path = grow_ladder(folder)
    hall = Hall(folder, read_settings(folder), "")
    assert [row["name"] for row in hall.ladder.table(hall.settings.current_ladder)].count("Bob.1") == 1
    for file in folder.glob("hall.sqlite*"):
        file.unlink()
    (folder / "hall.sqlite").write_bytes(saved)
    hall = Hall(folder, read_settings(folder), "")
    add_passed(folder, "Bob", random_player(4))
    with Store.open_to_read(path) as store, pytest.raises(StoreError, match=r"Bob\.1"):
        check_versions(path, store.tournament, hall.entries)
    assert hall.ladder.table(hall.settings.current_ladder) == []
    hall.runs.want(LADDER, "running")
    done = run_module(tmp_path, "quietmove.tournament", "class", "play", str(folder), status=1)
    assert "Bob.1 in entries/2/source does not match a version in hall.sqlite" in done.stderr


def hand_in(asked: Asked, name: str) -> dict[str, Any]:
    answer = asked.client(name).post("/api/entries", files={"file": ("player.py", random_player(1))})
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


def test_a_newer_version_takes_the_place_of_one_that_waits(asked: Asked) -> None:
    given = [hand_in(asked, name) for name in ("Ada", "Bob", "Ada")]
    assert [each["place"] for each in given] == [1, 2, 1]
    found = asked.client("Ada").get(given[0]["url"]).json()
    assert found["state"] == "refused"
    assert found["reason"] == "version 2 was handed in before this one was checked"
    assert [entry.name for entry in iter(asked.hall.entries.take, None)] == ["Ada.2", "Bob.1"]


def test_a_clock_that_is_set_back_changes_no_order(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    again = receive(asked, "Eve")
    asked.hall.entries.decide(again, "passed", "", {"build": None, "examinations": []})
    assert hand_in(asked, "Ada")["place"] == 1
    yesterday = time.time() - 86400
    monkeypatch.setattr(time, "time", lambda: yesterday)
    assert hand_in(asked, "Bob")["place"] == 2
    assert asked.hall.entries.check_again(again)
    assert [entry.person for entry in iter(asked.hall.entries.take, None)] == ["Ada", "Bob", "Eve"]


def test_reads_are_answered_while_another_process_writes(asked: Asked) -> None:
    receive(asked, "Ada")
    asked.hall.refusal = "no examiner starts"
    with asked.client("teacher") as teacher, closing(open_hall(asked.folder)) as other, ThreadPoolExecutor(1) as pool:
        with transaction(other):
            change = pool.submit(teacher.put, "/api/entries/1/block", json={"blocked": True})
            for _ in range(20):
                assert teacher.get("/api/entries/1").json()["blocked"] is False
                time.sleep(0.1)
            assert not change.done()
        assert change.result(WAIT).json()["blocked"] is True


def test_a_version_that_is_checked_again_is_not_replaced_by_a_newer_one(asked: Asked) -> None:
    again = receive(asked, "Ada")
    undecided = asked.client("teacher").get("/api/results/Ada.json")
    assert (undecided.status_code, undecided.json()["error"]) == (409, "Ada: version 1 is not decided yet")
    for _ in range(2):
        hand_in(asked, "Ada")
    states = [each.state for each in asked.hall.entries.of("Ada")]
    assert states == ["received", "refused", "received"]
    assert asked.hall.entries.waiting()[0].number == again


def test_a_version_without_files_waits_for_nobody_and_a_damaged_report_harms_no_other(asked: Asked) -> None:
    numbers = [add_passed(asked.folder, name, random_player(name)) for name in PEOPLE]
    with closing(open_hall(asked.folder)) as database:
        assert Entries(database, asked.folder).check_again(numbers[0])
    shutil.rmtree(asked.folder / "entries" / str(numbers[1]))
    (asked.folder / "entries" / str(numbers[0]) / "player.json").write_text("")  # as after a power failure
    (asked.folder / "entries" / str(numbers[2]) / "check.json").write_text("")  # as after a power failure
    asked.hall = Hall(asked.folder, read_settings(asked.folder), "")
    asked.app = create_app(asked.hall)
    assert asked.hall.entries.waiting() == []
    assert list(asked.hall.entries.newest_passed()) == ["Eve"]
    entries = [asked.hall.entries.get(number) for number in numbers]
    assert [each and "hand it in again" in each.reason for each in entries] == [True, True, False]
    for path in ("/api/export.csv", f"/api/entries/{numbers[2]}", "/api/people"):
        assert asked.client("teacher").get(path).status_code == 200, path


def test_the_room_of_a_class_is_counted_while_files_come_and_go(tmp_path: Path) -> None:
    (tmp_path / "entries" / "1").mkdir(parents=True)
    (tmp_path / "entries" / "1" / "player.py").write_bytes(b"12345")
    (tmp_path / "entries" / "1" / "gone").symlink_to("nowhere")
    found = sizes(tmp_path)
    assert next(found) in (5, 7)
    shutil.rmtree(tmp_path / "entries")
    assert list(found) in ([], [5], [7])


def test_a_final_without_a_row_is_one_error(asked: Asked) -> None:
    two_pass(asked)
    assert asked.client("teacher").post("/api/finals", json={"format": "auto"}).status_code == 202
    (asked.folder / "final-2.sqlite").write_bytes((asked.folder / "final-1.sqlite").read_bytes())
    answer = asked.client("teacher").post("/api/finals", json={"format": "auto"})
    assert (answer.status_code, answer.json()["error"][:8]) == (409, "final-2:")


def test_a_clock_that_is_set_back_stops_no_projector(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    two_pass(asked)
    asked.hall.begin_final("round-robin", 1, 0, "teacher", asked.hall.settings.current_ladder)
    write_final(asked.folder / "final-1.sqlite")
    assert asked.hall.presenter.look(3600, {})["shown"] == 0
    assert asked.hall.presenter.look(3600, {})["shown"] == 0
    yesterday = time.time() - 86400
    monkeypatch.setattr(time, "time", lambda: yesterday)
    assert asked.hall.presenter.look(3600, {})["shown"] > 0


def test_the_projector_tells_who_plays_before_a_round_is_over(asked: Asked) -> None:
    two_pass(asked)
    asked.hall.begin_final("round-robin", 1, 0, "teacher", asked.hall.settings.current_ladder)
    path, presenter = asked.folder / "final-1.sqlite", asked.hall.presenter
    assert presenter.look(1.0, {"Ada": "Badger"})["playing"] == []
    with Store.open_to_read(path) as store:
        tournament = store.tournament
    game = next(iter(plan_of(tournament).next_games([])))
    with Snapshot(path) as snapshot:
        observer = snapshot.observer(game)
        observer.game_started(game_spec(tournament, game), {})
        observer.move_made(0, MoveRecord("f5", "black"), {})
        wait_until(lambda: presenter.look(1.0, {"Ada": "Badger"})["playing"])
        (found,) = presenter.look(1.0, {"Ada": "Badger"})["playing"]
        assert (sorted(found["players"]), found["plies"]) == (["Badger", "Bob.1"], 1)


def test_the_last_game_is_shown_alone_and_announced(asked: Asked) -> None:
    """A round robin of three: its table is sorted by points and discs, the games of the leader come last."""
    for name in ("Ada", "Bob", "Eve"):
        add_passed(asked.folder, name, random_player(name))
    asked.hall.begin_final("round-robin", 1, 0, "teacher", asked.hall.settings.current_ladder)
    write_final(asked.folder / "final-1.sqlite")
    with Store.open_to_read(asked.folder / "final-1.sqlite") as store:
        leaders, games = store.tournament.names[:2], store.count()
    seen = []
    while not (found := asked.hall.presenter.look(0.01, {}))["over"]:
        seen.append(found)
        time.sleep(0.02)
    by_shown = {each["shown"]: each for each in seen}
    assert (by_shown[0]["announcement"], len(by_shown[0]["boards"])) == ("first", 4)
    last = by_shown[games - 1]
    assert (last["announcement"], len(last["boards"]), last["next"]) == ("last", 1, [])
    before = next(each for each in seen if each["shown"] + len(each["boards"]) == games - 1)
    assert before["next"] == [last["boards"][0]["players"]]
    assert sorted(last["boards"][0]["players"]) == sorted(leaders)
    rows = found["rows"]
    assert [row["ranked_by"] for row in rows] == sorted((row["ranked_by"] for row in rows), reverse=True)
    assert sum(row["games"] for row in rows) == 2 * games


def test_the_clock_of_the_class_counts_for_everybody_and_starts_a_new_ladder(asked: Asked) -> None:
    two_pass(asked)
    first = grow_ladder(asked.folder)
    assert asked.client("Ada").get("/api/me").json()["limit_text"] == "1 ply per move"
    text = 'limit = "movetime=300"\nclock = "processor"\n'
    (asked.folder / "class.toml").write_text(text)
    base = ladder_of(asked.folder)
    assert ladder_path(asked.folder, base) != first
    with closing(open_hall(asked.folder)) as database:
        entries = Entries(database, asked.folder)
        grown = arrivals(base, entries.all(), 1)
        check_versions(asked.folder, grown, entries)
    assert {engine.clock for engine in grown.engines} == {"processor"}
    words = "0.3 s of processor time per move; a program that takes longer loses the game"
    assert asked.client("Ada").get("/api/me").json()["limit_text"] == words
    os.utime(asked.folder / "class.toml", (1, 1))
    asked.hall.begin_final("round-robin", 1, 0, "teacher", asked.hall.settings.current_ladder)
    with Store.open_to_read(asked.folder / "final-1.sqlite") as store:
        assert {engine.clock for engine in store.tournament.engines} == {"processor"}


def test_refused_versions_are_compared_too_and_two_are_shown_side_by_side(asked: Asked) -> None:
    program = program_of_its_own(3)
    numbers = [add_passed(asked.folder, name, text) for name, text in (("Ada", program), ("Bob", program))]
    with closing(open_hall(asked.folder)) as database:
        entries = Entries(database, asked.folder)
        entries.check_again(numbers[1])
        entries.decide(numbers[1], "refused", "too slow", {"build": None, "examinations": []})
    add_passed(asked.folder, "Ada", program)  # her own earlier version does not count as a copy
    teacher = asked.client("teacher")
    ((pair,),) = (each["versions"] for each in teacher.get("/api/alike").json()["pairs"])
    assert [(pair[side]["person"], pair[side]["state"]) for side in ("first", "second")] == [
        ("Ada", "passed"),
        ("Bob", "refused"),
    ]
    path = f"/api/alike/{pair['first']['entry']}/{pair['second']['entry']}"
    first, second = teacher.get(path).json()["versions"]
    assert "".join(text for text, _ in first["files"]["player.py"]) == program
    assert first["files"] == second["files"]
    assert {number for _, number in first["files"]["player.py"]} >= {None, 0}
    assert asked.client("Ada").get(path).status_code == 404
    for wrong in ("1/99", "1/x", "1/" + "9" * 99):
        assert teacher.get(f"/api/alike/{wrong}").status_code == 404, wrong


def test_the_history_has_each_version_and_each_opponent(asked: Asked) -> None:
    path = asked.folder / LADDER
    base = ladder_of(asked.folder)
    for name in ("Ada", "Bob", "Ada"):
        add_passed(asked.folder, name, random_player(name))
        with closing(open_hall(asked.folder)) as database, Store.create_or_grow(path, base) as store:
            newest = Entries(database, asked.folder).newest_passed().values()
            plan, results = Ladder(store.tournament), store.results()
            number = plan.round_number(results) + any(True for _ in plan.next_games(results))
            store.enlarge(arrivals(store.tournament, sorted(newest, key=lambda each: each.number), number))
            for _ in range(5):
                write_games(store, 40)
    found = asked.client("Ada").get("/api/history").json()
    with Store.open_to_read(path) as store:
        games = store.results()
    own = [[result for result in games if name in result.id.pair] for name in ("Ada.1", "Ada.2")]
    assert [(row["version"], row["games"]) for row in found["versions"]] == [(1, len(own[0])), (2, len(own[1]))]
    rows = asked.client().get("/api/standings").json()["rows"]
    newest = next(row for row in rows if row["name"] == "Ada")
    assert {key: found["versions"][1][key] for key in ("elo", "error")} == {
        key: newest[key] for key in ("elo", "error")
    }
    assert sum(row["games"] for row in found["opponents"]) == sum(map(len, own))
    points = sum(row["wins"] + row["draws"] / 2 for row in found["opponents"])
    assert points == sum(result.points_of(name) for name in ("Ada.1", "Ada.2") for result in own[name == "Ada.2"])
    assert "Ada" not in [row["name"] for row in found["opponents"]]
    assert asked.client("Bob").get("/api/history?person=Ada").status_code == 404
    assert asked.client("teacher").get("/api/history?person=Ada").json() == found
    assert asked.client("Eve").get("/api/history").json() == {"versions": [], "opponents": []}
    assert asked.client("teacher").get("/api/history?person=").json() == {"versions": [], "opponents": []}


def test_each_sees_the_own_games_by_the_names_of_the_board(asked: Asked) -> None:
    two_pass(asked)
    ada, bob, teacher = (asked.client(name) for name in ("Ada", "Bob", "teacher"))
    bob.put("/api/me", json={"shown": "Crab"})
    with Store.open_to_write(grow_ladder(asked.folder)) as store:
        for _ in range(4):
            write_games(store, 40)
    own = ada.get("/api/games").json()
    assert own["count"] == len(own["games"]) > 4
    assert "Bob" not in str(own)
    lost = [(each["margin"] < 0) == each["is_black"] for each in own["games"] if each["margin"]]
    assert lost == sorted(lost, reverse=True), "lost games come first"
    number = own["games"][0]["number"]
    game = ada.get(f"/api/games/{number}").json()
    assert len(game["steps"]) == 1 + len(MOVES)
    assert not {"Ada.1", "Bob.1", "command"} & set(str(game).replace("'", " ").split())
    known = {each["number"] for each in own["games"]}
    foreign = next(each["number"] for each in bob.get("/api/games").json()["games"] if each["number"] not in known)
    assert ada.get(f"/api/games/{foreign}").status_code == 404
    assert teacher.get(f"/api/games/{foreign}").status_code == 200
    for wrong in ("entry=2", "entry=x", "entry=99999999999999999999"):
        assert ada.get(f"/api/games?{wrong}").status_code == 404
    for wrong in ("outcome=lst", "from=-1"):
        assert ada.get(f"/api/games?{wrong}").status_code == 400


# ---- people and marks of a term


def test_a_teacher_adds_and_removes_people_and_an_assistant_does_not(asked: Asked) -> None:
    teacher = asked.client("teacher")
    listed = "First name;Surname;ID;team;role;mood\nDan;Diaz;7;Engines;\nEli;Ek;8;Engines;\nTim;Ott;;;assistant\n"
    answer = teacher.post("/api/people", json={"list": listed})
    assert answer.json()["notes"] == ["list:1: ignored the columns mood"]
    asked.keys |= {each["name"]: each["key"] for each in answer.json()["keys"]}
    assert asked.client("Dan Diaz").get("/api/me").json()["name"] == "Engines"
    team = next(each for each in answer.json()["people"] if each["name"] == "Engines")
    assert [each["id"] for each in team["members"]] == ["7", "8"]
    assert asked.client("Tim Ott").get("/api/people").status_code == 200
    for method, path, body in (
        ("POST", "/api/people", {"list": "Flo\n"}),
        ("DELETE", "/api/people/Bob", None),
        ("POST", "/api/people/Bob/key", {}),
        ("PUT", "/api/people/Bob/deadline", {"deadline": None}),
    ):
        refused = asked.client("Tim Ott").request(method, path, json=body)
        assert (refused.status_code, refused.json()["error"]) == (403, "only a teacher may change people")
    before = teacher.get("/api/people").json()
    for text, error in (
        ("Flo\nada\n", "name: 'ada' is already in this class"),
        ("name,id\nFlo,7\n", "id: '7' of 'Flo' is already the ID of 'Dan Diaz'"),
        ("name,id\nFlo,1\n,2\n", "list:3: name: "),
    ):
        refused = teacher.post("/api/people", json={"list": text})
        assert refused.status_code == 400
        assert error in refused.json()["error"]
    assert teacher.get("/api/people").json() == before
    assert teacher.delete("/api/people/Eli Ek").status_code == 200
    assert teacher.delete("/api/people/Eli Ek").status_code == 404
    assert asked.client("Eli Ek").get("/api/me").status_code == 401
    assert asked.client("Dan Diaz").get("/api/me").status_code == 200


def test_a_wrong_extension_is_one_error(asked: Asked) -> None:
    teacher = asked.client("teacher")
    for wrong in ("soon", 7, [], "+10000-01-01", "9999-12-31T23:59", "0027-02-01T18:00"):
        refused = teacher.put("/api/people/Ada/deadline", json={"deadline": wrong})
        assert (refused.status_code, refused.json()["error"][:9]) == (400, "deadline:")
    assert teacher.put("/api/people/nobody/deadline", json={"deadline": None}).status_code == 404


def test_a_mark_is_the_sum_of_its_parts(asked: Asked) -> None:
    marks = 'goals = ["random 2-0"]\nmarks = ["check 40", "random 2-0 20", "final 40"]\n'
    (asked.folder / "class.toml").write_text(SETTINGS + marks)
    two_pass(asked)
    assert asked.client("Eve").get("/api/mark").json()["total"] == 0
    assert asked.client("Ada").get("/api/mark").json() == {
        "parts": [
            {
                "assignment": "",
                "name": "check",
                "weight": 40,
                "points": 40,
                "reason": "version 1 passed",
                "by_hand": False,
            },
            {
                "assignment": "",
                "name": "random 2-0",
                "weight": 20,
                "points": 0,
                "reason": "no games yet",
                "by_hand": False,
            },
            {
                "assignment": "",
                "name": "final",
                "weight": 40,
                "points": 0,
                "reason": "not played yet",
                "by_hand": False,
            },
        ],
        "total": 40,
    }
    asked.hall.begin_final("round-robin", 1, 0, "teacher", asked.hall.settings.current_ladder)
    write_final(asked.folder / "final-1.sqlite", "Ada")
    found = {name: asked.client(name).get("/api/mark").json() for name in ("Ada", "Bob")}
    assert {name: mark["total"] for name, mark in found.items()} == {"Ada": 80, "Bob": 40}
    assert found["Bob"]["parts"][2]["reason"] == "place 2 of 2"
    teacher = asked.client("teacher")
    rows = csv.DictReader(io.StringIO(teacher.get("/api/export.csv").text))
    assert {row["name"]: (row["mark"], row["final"]) for row in rows} == {
        "Ada": ("80.0", "1"),
        "Bob": ("40.0", "2"),
        "Eve": ("0", ""),
    }
    assert [each["final"] for each in teacher.get("/api/export.json").json()["finals"]] == ["final-1"]
    asked.hall.entries.decide(1, "passed", "", {"build": None, "examinations": [EXAMINED]})
    with zipfile.ZipFile(io.BytesIO(teacher.get("/api/results.zip").content)) as archive:
        assert archive.namelist() == ["Ada/results.json", "Bob/results.json", "Eve/results.json"]
        results = json.loads(archive.read("Ada/results.json"))
    assert results["score"] == 80
    assert {test["name"] for test in results["tests"]} >= {"first-move", "check", "random 2-0", "final"}


def test_the_folders_of_results_are_safe_and_differ(tmp_path: Path) -> None:
    people = ["..", ".", "a/b", "a:b", "a%2Fb", "../x", "-rf", "x.", "Zoë O'Neil", "C:\\x"]
    teacher = Asked(tmp_path / "class", SETTINGS, people).client("teacher")
    with zipfile.ZipFile(io.BytesIO(teacher.get("/api/results.zip").content)) as archive:
        folders = [name.removesuffix("/results.json") for name in archive.namelist()]
        archive.extractall(tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(folders)
    assert len(set(folders)) == len(people)
    assert not [name for name in folders if set(name) & set('/\\:*?"<>|') or name[0] in ".-~" or name[-1] == "."]
    assert "Zoë O'Neil" in folders


def test_people_are_added_and_removed_by_command(asked: Asked) -> None:
    added = CliRunner().invoke(group, ["add", str(asked.folder), "Flo"], catch_exceptions=False)
    (row,) = csv.DictReader(io.StringIO(added.stdout))
    asked.keys[row["name"]] = row["key"]
    assert asked.client("Flo").get("/api/me").json()["name"] == "Flo"
    CliRunner().invoke(group, ["remove", str(asked.folder), "Flo"], catch_exceptions=False)
    assert asked.client("Flo").get("/api/me").status_code == 401
    for arguments, error in ((["add", "Ada"], "already in this class"), (["remove", "Flo"], "this class has no 'Flo'")):
        with pytest.raises(SetupError, match=error):
            CliRunner().invoke(group, [arguments[0], str(asked.folder), arguments[1]], catch_exceptions=False)


@pytest.mark.parametrize(
    ("method", "path", "body", "error"),
    [
        ("POST", "/api/people", r'{"list": "\ud800"}', "the request: must be a JSON object"),
        ("POST", "/api/people", '{"list": 5}', "list: must be a valid string, not 5"),
        ("PUT", "/api/me", r'{"shown": "\udfff"}', "the request: must be a JSON object"),
        ("PUT", "/api/people/Ada/deadline", "{}", "deadline: must be given"),
        ("PUT", "/api/people/Ada/deadline", '{"deadline": "x"}', 'deadline: must be a time such as "2027-02-01T18:00"'),
        ("PUT", "/api/people/Ada/block", '{"blocked": 1}', "blocked: must be a valid boolean, not 1"),
        ("POST", "/api/sessions", '{"entry": "1", "color": "black"}', "entry: must be a valid integer, not '1'"),
        ("PUT", "/api/ladder", '{"wanted": "no"}', "wanted: must be 'running' or 'stopped', not 'no'"),
        ("POST", "/api/login", "", "the request: must be a JSON object"),
    ],
)
def test_a_wrong_body_is_one_error(asked: Asked, method: str, path: str, body: str, error: str) -> None:
    answer = asked.client("teacher").request(method, path, content=body)
    assert (answer.status_code, answer.json()["error"][: len(error)]) == (400, error)
