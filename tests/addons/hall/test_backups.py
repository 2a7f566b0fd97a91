"""A class is backed up while it is served, and restored elsewhere."""

from __future__ import annotations

import io
import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from quietmove.addons.hall.class_commands import group
from quietmove.addons.hall.entries import Entries
from quietmove.addons.hall.people import People
from quietmove.addons.hall.player import base_of, ladder_path
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.web.database import open_hall, transaction
from quietmove.referee.errors import SetupError
from quietmove.tournament.store.store import Store
from tests.addons.hall.class_programs import TEMPLATE
from tests.addons.hall.classes import add_passed, make_class


def run(*arguments: object) -> str:
    return CliRunner().invoke(group, [str(each) for each in arguments], catch_exceptions=False).stderr


def test_a_restored_class_has_people_versions_and_ladder(tmp_path: Path) -> None:
    course, other, file = tmp_path / "course", tmp_path / "elsewhere" / "course", tmp_path / "course.tar.gz"
    keys = make_class(course, ["Ada"], 'title = "Spring"\n')
    number = add_passed(course, "Ada", TEMPLATE)
    Store.create(course / "ladder.sqlite", base_of(read_settings(course))).close()
    (course / "entries" / str(number) / "program.new").mkdir()  # an examiner is saving a program
    (course / "packages" / "chooser").mkdir(parents=True)
    (course / "packages" / "chooser" / "__init__.py").write_text("")
    (course / "evaluator.py").write_text("print(0)")
    (course / "positions.txt").symlink_to("/etc/hostname")  # a link to a teacher's file in another folder
    with closing(open_hall(course)) as database, transaction(database):  # the server is writing during the backup
        run("backup", course, file)
    assert file.stat().st_mode & 0o777 == 0o600
    other.parent.mkdir()
    run("restore", file, other)
    assert other.stat().st_mode & 0o777 == 0o700
    settings = read_settings(other)
    assert settings.title == "Spring"
    with closing(open_hall(other)) as database:
        person = People(database).by_key(keys["Ada"])
        assert person is not None
        entries = Entries(database, other)
        assert entries.recover() == []
        assert [(each.person, each.state) for each in entries.all()] == [("Ada", "passed")]
        assert (entries.source(number) / "player.py").read_text() == TEMPLATE
    assert ladder_path(other, base_of(settings)) == other / "ladder.sqlite"
    assert ladder_path(other, base_of(settings)).exists()
    assert {path.name for path in other.iterdir()} == {
        *(
            "class.toml",
            "entries",
            "evaluator.py",
            "hall.sqlite",
            "incoming",
            "ladder.sqlite",
            "packages",
            "positions.txt",
        ),
    }
    assert (other / "packages" / "chooser" / "__init__.py").exists()
    assert (other / "positions.txt").read_text() == Path("/etc/hostname").read_text()


def test_a_backup_and_a_restored_folder_are_new(tmp_path: Path) -> None:
    course, file = tmp_path / "course", tmp_path / "course.tar.gz"
    make_class(course, ["Ada"])
    (course / "entries").mkdir()
    with pytest.raises(SetupError, match="is not a class folder"):
        run("backup", tmp_path, file)
    with pytest.raises(SetupError, match="must be outside the class folder"):
        run("backup", course, course / "course.tar.gz")
    run("backup", course, file)
    before = file.read_bytes()
    with pytest.raises(SetupError, match="already exists; name a new file"):
        run("backup", course, file)
    assert file.read_bytes() == before
    with pytest.raises(SetupError, match="already exists; name a new folder"):
        run("restore", file, course)
    with pytest.raises(SetupError, match=r"^/: already exists; name a new folder"):
        run("restore", file, Path("/"))


def archive(*names: str, link: str = "") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as made:
        for name in names:
            made.addfile(tarfile.TarInfo(name))
        if link:
            info = tarfile.TarInfo(link)
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            made.addfile(info)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK", "not a backup of a class"),
        (archive("class.toml", "hall.sqlite")[:40], "not a backup of a class"),
        (archive("class.toml"), "must contain hall.sqlite"),
        (archive("class.toml", "hall.sqlite", "entries/../../x"), "x"),
        (archive("class.toml", "hall.sqlite", link="entries/1"), "must contain only files and folders"),
    ],
    ids=["zip", "truncated", "incomplete", "outside", "link"],
)
def test_what_is_not_a_backup_leaves_nothing(data: bytes, message: str, tmp_path: Path) -> None:
    file, folder = tmp_path / "course.tar.gz", tmp_path / "a" / "course"
    file.write_bytes(data)
    folder.parent.mkdir()
    with pytest.raises(SetupError, match=message):
        run("restore", file, folder)
    assert list(folder.parent.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "course.tar.gz"]
