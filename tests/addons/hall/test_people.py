"""The people of a class and their keys, and the folder that `class new` makes."""

from __future__ import annotations

import csv
import io
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from quietmove.addons.hall.class_commands import group
from quietmove.addons.hall.people import People, folded, read_people
from quietmove.addons.hall.settings import ClassSettings, read_settings
from quietmove.addons.web.database import open_hall
from quietmove.referee.config.model import TimeControl
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import ConfigFileError, StoreError


def people_of(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    path = tmp_path / "people.csv"
    path.write_bytes(text.encode())
    return read_people(path)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("name\nAda\nAlan\n", [("Ada", "student"), ("Alan", "student")]),
        ("Ada\n\n  Alan \n", [("Ada", "student"), ("Alan", "student")]),
        ('\ufeffrole,Name\nteacher,"Hopper, G."\n,Ada\n', [("Hopper, G.", "teacher"), ("Ada", "student")]),
        ("Name\nAda\n", [("Ada", "student")]),
        ("name,email\nAda,ada@example.org\n", [("Ada", "student")]),
        ("Email;NAME\nada@example.org;Ada\n", [("Ada", "student")]),
        ("Name;Role\nHopper, G.;teacher\nAda;\n", [("Hopper, G.", "teacher"), ("Ada", "student")]),
    ],
)
def test_a_file_of_people_is_read(tmp_path: Path, text: str, people: list[tuple[str, str]]) -> None:
    assert people_of(tmp_path, text) == people


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("", ["must have from 1 to 2000 names, not 0"]),
        ("name\n", ["must have from 1 to 2000 names, not 0"]),
        (f"{'x' * 500}\n", [":1: name: must have from 1 to 40 letters, not 500"]),
        ("Ada\nALAN\nalan\n", [":3: name: 'alan' is already in line 2"]),
        (
            "name,role\nAda,queen\nA\u202eB,student\n",
            [":2: role: must be one of student, teacher", ":3: name: must be"],
        ),
    ],
)
def test_all_mistakes_of_such_a_file_are_told(tmp_path: Path, text: str, errors: list[str]) -> None:
    with pytest.raises(SetupError) as raised:
        people_of(tmp_path, text)
    assert len(raised.value.problems) == len(errors)
    assert all(error in problem for error, problem in zip(errors, raised.value.problems, strict=True))


def test_a_file_that_is_not_there_or_no_text_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="No such file"):
        read_people(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SetupError, match="must be UTF-8"):
        read_people(tmp_path / "bytes.csv")


def test_pseudonyms_differ_however_many_there_are_and_tell_no_name(tmp_path: Path) -> None:
    people = People(open_hall(tmp_path, make=True))
    people.add([(f"p{number}", "student") for number in range(300)], shown_by_name=False)
    shown = [each.shown for each in people.all()]
    assert len({folded(name) for name in shown}) == 300
    assert all(name.startswith("Anonymous ") for name in shown)


def test_a_key_is_found_however_it_is_typed_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    connection = open_hall(tmp_path, make=True)
    people = People(connection)
    key = people.add([("Ada", "student")], shown_by_name=True)["Ada"]
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
    uncommented = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line)
    (tmp_path / "course" / "class.toml").write_text(uncommented)
    assert read_settings(tmp_path / "course").deadline is not None
    with pytest.raises(SetupError, match="already exists"):
        CliRunner().invoke(group, arguments, catch_exceptions=False)


def test_the_board_of_a_class_may_show_names(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name\nAda\n")
    for option, shown in (["--names"], "Ada"), ([], "Anonymous "):
        folder = tmp_path / f"course{len(option)}"
        arguments = ["new", str(folder), "--people", str(tmp_path / "people.csv"), *option]
        done = CliRunner().invoke(group, arguments, catch_exceptions=False)
        assert f"1 person is in {folder}" in done.stderr
        assert People(open_hall(folder)).by_name("Ada").shown.startswith(shown)


def test_nobody_blocks_himself_or_the_last_teacher(tmp_path: Path) -> None:
    people = People(open_hall(tmp_path, make=True))
    people.add([("Ada", "student"), ("Grace", "teacher"), ("Niklaus", "teacher")], shown_by_name=True)
    people.block("Ada", "Grace", blocked=True, reason="It is Alan's program.")
    assert people.by_name("Ada").reason == "It is Alan's program."
    assert people.events(1)[0]["text"] == "Ada: It is Alan's program."
    people.block("Ada", "Grace", blocked=False)
    assert not people.by_name("Ada").reason
    with pytest.raises(SetupError, match="you cannot block yourself"):
        people.block("Grace", "Grace", blocked=True)
    people.block("Niklaus", "Grace", blocked=True)
    with pytest.raises(SetupError, match="Grace is the last one"):
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
            "goals.0: must be against one of random, level 1, level 3, level 5, not 'level 7 2-0'",
        ),
        (
            'anchors = [3]\ngoals = ["level 1 2-0"]',
            "goals.0: must be against one of random, level 3, not 'level 1 2-0'",
        ),
        ('required = ["first-mov"]', "required.0: must be one of "),
        ('finals = ["chess"]', "finals.0: must be one of auto, swiss, round-robin, knockout, and how many take part"),
        ('finals = ["swiss 0"]', "finals.0: must be one of auto, swiss"),
        ("deadline = 0001-01-01T00:00:00", "deadline: must be a time from 1970 to 9998"),
        ("deadline = 9999-12-31T23:59:59", "deadline: must be a time from 1970 to 9998"),
        ("languages = []", "languages: must be one or more of python, c, java, command, not []"),
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
        settings = ClassSettings(limit=TimeControl.parse(limit))
        assert settings.needed & times == needed
        assert settings.needed | times == set(settings.required)


def test_a_wrong_setting_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text('limit = "fast"\nmemry = 3\nlanguages = ["rust"]\n')
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
