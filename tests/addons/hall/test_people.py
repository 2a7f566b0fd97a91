"""The people of a class and their keys, and the folder that `class new` makes."""

from __future__ import annotations

import csv
import io
import sqlite3
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from quietmove.addons.hall.class_commands import group
from quietmove.addons.hall.entries import Entries
from quietmove.addons.hall.people import Newcomer, People, Person, folded
from quietmove.addons.hall.settings import Assignment, ClassSettings, read_settings
from quietmove.addons.web.database import open_hall
from quietmove.referee.config.model import TimeControl
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import ConfigFileError, StoreError
from tests.addons.hall.class_programs import TEMPLATE
from tests.addons.hall.classes import add_passed, make_class
from tests.addons.hall.halls import COMMAND, WAIT


def test_pseudonyms_differ_however_many_there_are_and_tell_no_name(tmp_path: Path) -> None:
    people = People(open_hall(tmp_path, make=True))
    people.add([Newcomer(f"p{number}") for number in range(300)], shown_by_name=False)
    shown = [each.shown for each in people.all()]
    assert len({folded(name) for name in shown}) == 300
    assert "Badger" in shown
    assert not {f"p{number}" for number in range(300)} & set(shown)


def test_a_key_is_found_however_it_is_typed_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    connection = open_hall(tmp_path, make=True)
    people = People(connection)
    key = people.add([Newcomer("Ada")], shown_by_name=True)["Ada"]
    for typed in (key, key.upper(), f" {key} ", key.replace("-", "")):
        found = people.by_key(typed)
        assert found is not None
        assert (found.name, found.shown) == ("Ada", "Ada")
    assert people.by_key(key[:-1]) is None
    assert people.by_key("") is None
    connection.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert key.encode() not in stored
    assert key.replace("-", "").encode() not in stored


def test_a_new_class_has_keys_for_all_and_every_setting_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name\nAda\nAlan\n")
    arguments = ["new", str(tmp_path / "course"), "--people", str(tmp_path / "people.csv"), "--title", "Summer"]
    done = CliRunner().invoke(group, arguments, catch_exceptions=False)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["name"] for row in rows] == ["Ada", "Alan"]
    people = People(open_hall(tmp_path / "course"))
    assert [found.name for row in rows if (found := people.by_key(row["key"]))] == ["Ada", "Alan"]
    teacher = people.by_key(done.stderr.split("key is ")[1].split()[0])
    assert teacher is not None
    assert teacher.is_teacher
    assert (tmp_path / "course").stat().st_mode & 0o777 == 0o700
    text = (tmp_path / "course" / "class.toml").read_text()
    assert read_settings(tmp_path / "course") == ClassSettings(title="Summer")
    uncommented = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line or "[[" in line)
    (tmp_path / "course" / "class.toml").write_text(uncommented)
    assert read_settings(tmp_path / "course").assignments[0].deadline is not None
    with pytest.raises(SetupError, match="already exists"):
        CliRunner().invoke(group, arguments, catch_exceptions=False)


def test_keys_that_cannot_be_printed_are_one_error_and_make_no_class(tmp_path: Path) -> None:
    course = tmp_path / "course"
    (tmp_path / "people.csv").write_text("name\nAda\n")
    words = (("new", course, "--people", tmp_path / "people.csv"), ("add", course, "Alan"), ("key", course, "Grace"))
    again = f"; 'quietmove-tournament class key {course} NAME' issues a new key"
    for command, left in zip(words, ("", again, again), strict=True):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run([*COMMAND, *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=WAIT)
        assert (done.returncode, done.stderr) == (2, f"error: standard output: No space left on device{left}\n")
        if command[0] == "new":
            assert not course.exists()
            make_class(course, ["Grace"])


def test_the_board_of_a_class_may_show_names(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name\nAda\n")
    for option in (["--names"], []):
        folder = tmp_path / f"course{len(option)}"
        arguments = ["new", str(folder), "--people", str(tmp_path / "people.csv"), *option]
        done = CliRunner().invoke(group, arguments, catch_exceptions=False)
        assert f"Added 1 person to {folder}" in done.stderr
        assert (People(open_hall(folder)).by_name("Ada").shown == "Ada") == bool(option)


def test_nobody_blocks_himself_or_the_last_teacher(tmp_path: Path) -> None:
    people = People(open_hall(tmp_path, make=True))
    people.add([Newcomer("Ada"), *(Newcomer(name, "teacher") for name in ("Grace", "Niklaus"))], shown_by_name=True)
    people.block("Ada", "Grace", blocked=True, reason="It is Alan's program.")
    assert people.by_name("Ada").reason == "It is Alan's program."
    assert people.events(1)[0]["text"] == "Ada: It is Alan's program."
    people.block("Ada", "Grace", blocked=False)
    assert not people.by_name("Ada").reason
    with pytest.raises(SetupError, match="you cannot block or remove yourself"):
        people.block("Grace", "Grace", blocked=True)
    people.block("Niklaus", "Grace", blocked=True)
    with pytest.raises(SetupError, match="Grace is the last teacher"):
        people.block("Grace", "Niklaus", blocked=True)
    for reason in ("x" * 201, "a\nb"):
        with pytest.raises(SetupError, match="reason: must be one line of at most 200 characters"):
            people.block("Ada", "Grace", blocked=True, reason=reason)
    assert [each.name for each in people.all() if each.blocked] == ["Niklaus"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            'goals = ["level 7 2-0"]',
            "goals 1: must be against one of random, level 1, level 3, level 5, not 'level 7 2-0'",
        ),
        (
            'anchors = [3]\ngoals = ["level 1 2-0"]',
            "goals 1: must be against one of random, level 3, not 'level 1 2-0'",
        ),
        ("anchors = []", "class.toml:1: anchors: must"),
        ('required = ["first-mov"]', "required 1: must be one of "),
        (
            'finals = ["chess"]',
            "finals 1: must be one of auto, swiss, round-robin, knockout, optionally with the number of players",
        ),
        ('finals = ["swiss 0"]', "finals 1: must be one of auto, swiss"),
        ("deadline = 0001-01-01T00:00:00", "deadline: must be a time from 1970 to 9998"),
        ("deadline = 9999-12-31T23:59:59", "deadline: must be a time from 1970 to 9998"),
        ("languages = []", "languages: must be one or more of python, c, cpp, "),
    ],
)
def test_a_goal_or_an_examination_that_is_not_there_is_told(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "class.toml").write_text(text)
    with pytest.raises(ConfigFileError) as raised:
        read_settings(tmp_path)
    assert error in str(raised.value)


def test_examinations_of_times_are_needed_where_the_limit_has_such() -> None:
    times = {"move-time", "game-time"}
    for limit, needed in ("movetime=300", {"move-time"}), ("tc=60", {"game-time"}), ("depth=4", set()):
        settings = ClassSettings()
        found = settings.needed_for(TimeControl.parse(limit))
        assert found & times == needed
        assert found | times == set(settings.required)


def test_a_wrong_setting_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text('limit = "fast"\nmemry = 3\nlanguages = ["cobol"]\n')
    with pytest.raises(ConfigFileError) as raised:
        read_settings(tmp_path)
    places = [problem.partition(": ")[0].rpartition(":")[2] for problem in raised.value.problems]
    assert places == ["1", "2", "3"]


def test_a_folder_that_is_no_class_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a class folder"):
        open_hall(tmp_path)
    connection = sqlite3.connect(tmp_path / "hall.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="schema version"):
        open_hall(tmp_path)


def test_people_are_added_to_a_class_once(tmp_path: Path) -> None:
    people = People(open_hall(tmp_path, make=True))
    people.add([Newcomer("Ada"), Newcomer("teacher", "teacher")], shown_by_name=True)
    keys = people.add([Newcomer("Alan"), Newcomer("Bo", id="7", email="bo@example.org")], shown_by_name=True)
    found = people.by_key(keys["Alan"])
    assert found is not None
    assert found.name == "Alan"
    assert people.member("Bo").email == "bo@example.org"
    assert people.events(1)[0]["text"] == "Alan, Bo"
    before = people.all()
    with pytest.raises(SetupError) as raised:
        people.add([Newcomer("Cleo"), Newcomer("ADA"), Newcomer("bo")], shown_by_name=True)
    assert list(raised.value.problems) == [
        "name: 'ADA' is already in this class",
        "name: 'bo' is already in this class",
    ]
    assert people.all() == before


def test_a_team_is_one_participant_with_a_key_for_each_member(tmp_path: Path) -> None:
    people = People(open_hall(tmp_path, make=True))
    keys = people.add(
        [Newcomer("Ada", team="Engines"), Newcomer("Alan", team="engines"), Newcomer("Bo")], shown_by_name=True
    )
    keys |= people.add([Newcomer("Cleo", team="ENGINES")], shown_by_name=True)
    assert [each.name for each in people.all()] == ["Bo", "Engines"]
    for name in ("Ada", "Alan", "Cleo"):
        found = people.by_key(keys[name])
        assert found is not None
        assert (found.name, found.member) == ("Engines", name)
    assert people.by_key(people.give_key("Ada", "teacher")) == Person("Engines", "Engines", "student", member="Ada")
    assert people.by_key(keys["Ada"]) is None
    for newcomer in (Newcomer("Dan", team="Bo"), Newcomer("Dan", team="dan")):
        with pytest.raises(SetupError, match="is the name of a person"):
            people.add([newcomer], shown_by_name=True)


def test_a_removed_person_has_no_key_and_can_be_added_again(tmp_path: Path) -> None:
    keys = make_class(tmp_path / "course", ["Ada", "Bob"])
    add_passed(tmp_path / "course", "Ada", TEMPLATE)
    connection = open_hall(tmp_path / "course")
    people, entries = People(connection), Entries(connection, tmp_path / "course")
    assert list(entries.newest_passed()) == ["Ada"]
    people.remove("Ada", "teacher")
    people.remove("Bob", "teacher")
    assert [people.by_key(keys[name]) for name in ("Ada", "Bob")] == [None, None]
    assert list(entries.newest_passed()) == []
    assert [(each.name, each.reason) for each in people.all()] == [("Ada", "removed"), ("teacher", "")]
    for name in ("Ada", "nobody"):
        with pytest.raises(SetupError, match="this class has no"):
            people.remove(name, "teacher")
    with pytest.raises(SetupError, match="you cannot block or remove yourself"):
        people.remove("teacher", "teacher")
    with pytest.raises(SetupError, match="is the last teacher"):
        people.remove("teacher", "someone else")
    people.add([Newcomer("Ada")], shown_by_name=True)
    assert list(entries.newest_passed()) == ["Ada"]


def test_an_extension_moves_the_deadline_of_one_participant(tmp_path: Path) -> None:
    settings = Assignment(deadline=datetime(2020, 1, 1, tzinfo=UTC))
    assert settings.is_over_for(None)
    assert settings.is_over_for(datetime(2019, 1, 1, tzinfo=UTC).timestamp())
    assert not settings.is_over_for(datetime(2120, 1, 1, tzinfo=UTC).timestamp())
    assert not Assignment().is_over_for(1.0)
    people = People(open_hall(tmp_path, make=True))
    people.add([Newcomer("Ada")], shown_by_name=True)
    people.extend("Ada", datetime.fromtimestamp(5e9, UTC), "teacher")
    assert people.by_name("Ada").deadlines == {"": 5e9}
    people.extend("Ada", None, "teacher")
    assert people.by_name("Ada").deadlines == {}
