"""The class of the next term, and random teams."""

from __future__ import annotations

import csv
import io
import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import expect

from quietmove.addons.hall.asking import answers_of
from quietmove.addons.hall.building import hide_other_packages
from quietmove.addons.hall.class_commands import group
from quietmove.addons.hall.entries import Entries
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.ladder import Ladder
from quietmove.addons.hall.people import People
from quietmove.addons.hall.player import LADDER, arrivals, check_versions
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.web.database import open_hall
from quietmove.referee.errors import SetupError
from quietmove.referee.process import sandbox
from quietmove.tournament.errors import ConfigFileError
from quietmove.tournament.store.store import Store
from tests.addons.conftest import expect_all_can_use, watched
from tests.addons.hall.class_programs import GOOD, random_player
from tests.addons.hall.classes import Asked, add_passed, ladder_of, make_class
from tests.addons.hall.halls import keys_of, new_hall, served
from tests.fakes.tournament_store import write_games

SETTINGS = """title = "Spring"
limit = "depth=1"
names = "names"
anchors = [1]
opens = 2027-01-08T18:00:00+01:00
deadline = 2027-01-29 18:00:00
"""


def run(*arguments: object) -> Any:
    return CliRunner().invoke(group, [str(each) for each in arguments], catch_exceptions=False)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A class whose ladder has two players, and a file with the people of the next."""
    folder = tmp_path / "old"
    make_class(folder, ["Ada", "Bob"], SETTINGS)
    for name in ("Ada", "Bob"):
        add_passed(folder, name, GOOD["greedy"])
    with closing(open_hall(folder)) as database, Store.create(folder / LADDER, ladder_of(folder)) as store:
        newest = Entries(database, folder).newest_passed().values()
        store.enlarge(arrivals(store.tournament, sorted(newest, key=lambda each: each.number), 1))
        write_games(store, 20)
    (folder / "evaluator.py").write_text("print(0)")
    (folder / "papers").mkdir()
    (tmp_path / "people.csv").write_text("name\nCleo\nDan\n")
    return folder


def test_the_next_class_keeps_settings_and_files_and_no_people(old: Path) -> None:
    new, people = old.with_name("new"), old.with_name("people.csv")
    done = run("next", old, new, "--people", people, "--weeks", 26)
    assert list(keys_of(done.stdout)) == ["Cleo", "Dan"]
    with closing(open_hall(new)) as database:
        assert [(each.name, each.shown) for each in People(database).all()] == [
            (name, name) for name in ("Cleo", "Dan", "teacher")
        ]
        assert Entries(database, new).all() == []
    expected = SETTINGS.replace("2027-01-08T", "2027-07-09T").replace("2027-01-29 ", "2027-07-30 ")
    assert (new / "class.toml").read_text() == expected
    assert {path.name for path in new.iterdir()} == {"class.toml", "evaluator.py", "hall.sqlite"}
    assert new.stat().st_mode & 0o777 == 0o700
    for target, text in ((new, "already exists"), (old / "new", "must be outside the old class's folder")):
        with pytest.raises(SetupError, match=text):
            run("next", old, target, "--people", people)
    with pytest.raises(SetupError, match=r"--best: the last ladder of .* has 2 players with games, not 3"):
        run("next", old, old.with_name("best"), "--people", people, "--best", 3)
    assert not old.with_name("best").exists()


def test_links_and_pipes_of_the_old_class_are_no_danger(old: Path) -> None:
    new, people = old.with_name("new"), old.with_name("people.csv")
    os.mkfifo(old / "pipe")
    (old / "broken").symlink_to(old / "missing")
    (old / "all").symlink_to("..")  # a copy would contain itself
    with pytest.raises(SetupError, match=r"/all: is a link to a folder"):
        run("next", old, new, "--people", people)
    assert not new.exists()
    (old / "all").unlink()
    run("next", old, new, "--people", people)
    assert {path.name for path in new.iterdir()} == {"class.toml", "evaluator.py", "hall.sqlite"}
    for weeks in (500_000, 10**12):
        with pytest.raises(SetupError, match=f"^--weeks: must leave all dates before the year 10000, not {weeks}$"):
            run("next", old, old.with_name("late"), "--people", people, "--weeks", weeks)
    assert not old.with_name("late").exists()


@pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
def test_the_best_players_are_anchors_under_pseudonyms(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, third = old.with_name("new"), old.with_name("third")
    run("next", old, new, "--people", old.with_name("people.csv"), "--best", 2)
    ladder = ladder_of(new)
    first, second = (each for each in ladder.names if each.startswith("Old "))
    text = (new / "anchors.json").read_text()
    assert "Ada" not in text
    assert "Bob" not in text
    assert first != second
    assert Ladder(ladder).anchors == ["random", "level 1", first, second]
    hide_other_packages(new)
    monkeypatch.chdir(new)
    assert len(answers_of(ladder.engines[-1], None)) > 8, "it plays, in the sandbox"
    number = add_passed(new, "Cleo", random_player(1))
    hall = Hall(new, read_settings(new), "")
    store = Store.create(new / LADDER, arrivals(ladder, hall.entries.all(), 1))
    check_versions(store.path, store.tournament, hall.entries)
    assert hall.ladder.highest_number() == number
    store.close()
    with pytest.raises(SetupError, match="is already taken"):
        hall.people.show_as("Cleo", first.lower(), [first])
    (new / "class.toml").write_text(f'{SETTINGS}goals = ["{first} 1-1"]\n')
    assert read_settings(new).assignments[0].goals == (f"{first} 1-1",)
    run("next", new, third, "--people", old.with_name("people.csv"))
    assert [each for each in ladder_of(third).names if each.startswith("Old ")] == [first, second]
    (new / "anchors.json").write_text(json.dumps([{"name": 3}]))
    with pytest.raises(ConfigFileError, match=r"anchors\.json: must be a file that 'class next' has written"):
        read_settings(new)


NAMES = [f"p{number:02}" for number in range(11)]


def test_teams_are_random_and_balanced_and_people_keep_their_keys(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", "", [*NAMES, "someone who left"])
    asked.hall.people.remove("someone who left", "teacher")
    asked.client("teacher").put("/api/people/p03/deadline", json={"deadline": "2120-01-01T00:00"})
    done = run("teams", asked.folder, "--size", 3, "--seed", 7)
    teams = {row["name"]: row["team"] for row in csv.DictReader(io.StringIO(done.stdout))}
    assert sorted(teams) == NAMES
    sizes = [list(teams.values()).count(team) for team in set(teams.values())]
    assert sorted(sizes) == [2, 3, 3, 3]
    participants = {each.name: each for each in asked.hall.people.all() if each.role == "student"}
    assert set(participants) == {f"Team {number}" for number in range(1, 5)}
    for name in NAMES:
        found = asked.hall.people.by_key(asked.keys[name])
        assert found is not None
        assert (found.name, found.member) == (teams[name], name)
    assert [name for name, each in participants.items() if each.deadlines] == [teams["p03"]]
    make_class(tmp_path / "again", NAMES)
    assert run("teams", tmp_path / "again", "--size", 3, "--seed", 7).stdout == done.stdout
    answer = asked.client("teacher").post("/api/teams", json={"size": 3}).json()
    assert answer["teams"] == {}, "everybody has one"


def test_no_teams_are_made_of_those_who_have_begun(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", "", NAMES)
    add_passed(asked.folder, "p05", random_player(1))
    before = asked.hall.people.members()
    refused = asked.client("teacher").post("/api/teams", json={"size": 2, "seed": 1})
    assert refused.json()["error"] == "teams: p05 handed in something, got points or are blocked already"
    assert asked.client("teacher").post("/api/teams", json={"size": 1}).status_code == 400
    assert asked.hall.people.members() == before


def test_a_teacher_makes_teams_on_the_page(tmp_path: Path, context: Any) -> None:
    hall = new_hall(tmp_path / "course", ["Ada", "Bob", "Cleo"])
    with served(hall), watched(context, "127.0.0.1") as page:
        page.goto(f"{hall.address}teacher#key={hall.keys['teacher']}")
        page.get_by_role("button", name="People", exact=True).click()
        page.get_by_role("button", name="Make teams").click()
        expect(page.get_by_text("Ada, Bob, Cleo")).to_be_visible()
        expect_all_can_use(page)
