"""A class is backed up while it is served, and restored elsewhere."""

from __future__ import annotations

import errno
import fcntl
import gzip
import hashlib
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from quietmove.addons.hall.backups import MANIFEST, back_up, created_folder, restore
from quietmove.addons.hall.class_commands import group
from quietmove.addons.hall.entries import Entries
from quietmove.addons.hall.people import People
from quietmove.addons.hall.player import ladder_path
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.web.database import open_hall, transaction
from quietmove.referee.errors import SetupError
from quietmove.tournament.store.store import Store
from tests.addons.hall.class_programs import TEMPLATE
from tests.addons.hall.classes import add_passed, ladder_of, make_class
from tests.fakes.processes import WAIT, wait_until


def run(*arguments: object) -> str:
    return CliRunner().invoke(group, [str(each) for each in arguments], catch_exceptions=False).stderr


def test_a_restored_class_has_people_versions_and_ladder(tmp_path: Path) -> None:
    course, other, file = tmp_path / "course", tmp_path / "elsewhere" / "course", tmp_path / "course.tar.gz"
    keys = make_class(course, ["Ada"], 'title = "Spring"\n')
    number = add_passed(course, "Ada", TEMPLATE)
    Store.create(course / "ladder.sqlite", ladder_of(course)).close()
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
    assert ladder_path(other, ladder_of(other)) == other / "ladder.sqlite"
    assert ladder_path(other, ladder_of(other)).exists()
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
    (course / "data").symlink_to(tmp_path)
    with pytest.raises(SetupError, match="/data: is a link to a folder"):
        run("backup", course, file)
    assert not file.exists()
    (course / "data").unlink()
    run("backup", course, file)
    before = file.read_bytes()
    with pytest.raises(SetupError, match="already exists; name a new file"):
        run("backup", course, file)
    assert file.read_bytes() == before
    with pytest.raises(SetupError, match="already exists; name a new folder"):
        run("restore", file, course)
    with pytest.raises(SetupError, match=r"^/: already exists; name a new folder"):
        run("restore", file, Path("/"))


Member = tuple[str, bytes, dict[str, object]]  # a name, the content, and more attributes of the tar header
CLASS: list[Member] = [("class.toml", b"title = 'x'", {}), ("hall.sqlite", b"data" * 1000, {})]


def archive(*members: Member) -> bytes:
    """Return a tar archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as made:
        for name, content, header in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for key, value in header.items():
                setattr(info, key, value)
            made.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def backed_up(*members: Member) -> bytes:
    """Return a tar archive with a class, these members, and the sums of all."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content, _ in (*CLASS, *members)}
    return archive(*CLASS, *members, (MANIFEST, json.dumps(sums).encode(), {}))


def header(kind: bytes, size: int) -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_changed_bit_is_an_error_or_changes_nothing(tmp_path: Path) -> None:
    """A bit of the header of gzip, such as its date, changes nothing."""
    course, file, damaged, restored = (tmp_path / name for name in ("course", "good.tgz", "bad.tgz", "restored"))
    make_class(course, ["Ada"])
    add_passed(course, "Ada", TEMPLATE)
    (course / "data.bin").write_bytes(Random(1).randbytes(20_000))  # does not compress, as programs hardly do
    back_up(course, file)
    restore(file, tmp_path / "first", 100)
    first, data, random = content(tmp_path / "first"), file.read_bytes(), Random(1)
    for bit in (random.randrange(8 * len(data)) for _ in range(100)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        damaged.write_bytes(changed)
        try:
            restore(damaged, restored, 100)
        except SetupError:
            assert not restored.exists()
        else:
            assert content(restored) == first
            assert bit < 8 * 40, "only the header of gzip has bits without a meaning"
            shutil.rmtree(restored)
    assert {path.name for path in tmp_path.iterdir()} == {"course", "good.tgz", "bad.tgz", "first"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK", "is not a backup of a class, or is damaged"),
        (gzip.compress(backed_up())[:90], "is not a backup of a class, or is damaged"),
        (gzip.compress(archive(CLASS[0])), "must contain hall.sqlite"),
        (gzip.compress(archive(*CLASS)), "is damaged: class.toml differs from its sum"),
        (gzip.compress(backed_up().replace(b"data", b"date")), "is damaged: hall.sqlite differs from its sum"),
        (gzip.compress(archive(*CLASS, (MANIFEST, b"[]", {}))), "must be a JSON object"),
        (gzip.compress(backed_up(("entries/../../x", b"", {}))), "must contain only files .* not entries/../../x"),
        (
            gzip.compress(backed_up(("link", b"", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}))),
            "must contain only files and folders of the class, not link",
        ),
        (gzip.compress(backed_up(("x", b"", {"pax_headers": {"path": "a\0b"}}))), "damaged: embedded null byte"),
        (
            gzip.compress(
                backed_up(("x", b"x" * 600, {"pax_headers": {"GNU.sparse.map": "0,9", "GNU.sparse.size": "9"}}))
            ),
            "must contain only files and folders of the class, not x",
        ),
        (gzip.compress(backed_up(("x", b"x" * 600, {"pax_headers": {"GNU.sparse.size": "x"}}))), "damaged: invalid"),
        (gzip.compress(backed_up(("a/" * 2000 + "b", b"", {}))), "must contain only files and folders"),
        (gzip.compress(header(b"x", 512) * 4000), "is not a backup of a class, or is damaged"),
        (gzip.compress(header(b"L", 1 << 27)), "a header is too large"),
        (gzip.compress(header(b"0", -1024) + backed_up()), "has more than 2 MB when unpacked"),
        (gzip.compress(backed_up(("x", b"", {"pax_headers": {"size": "3000000000"}}))), "has more than 2 MB"),
        (gzip.compress(backed_up() + bytes(2_100_000)), "has more than 2 MB when unpacked"),
    ],
    ids=[
        *("zip", "truncated", "incomplete", "no sums", "other content", "list", "outside", "link"),
        *("null", "sparse", "sparse number", "deep", "chain", "name", "negative", "size", "zeros"),
    ],
)
def test_what_is_not_a_backup_leaves_nothing(data: bytes, message: str, tmp_path: Path) -> None:
    file, folder = tmp_path / "course.tar.gz", tmp_path / "a" / "course"
    file.write_bytes(data)
    folder.parent.mkdir()
    with pytest.raises(SetupError, match=message):
        run("restore", file, folder, "--max-megabytes", 2)
    assert list(folder.parent.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "course.tar.gz"]


def test_many_small_files_count_for_the_size(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(gzip.compress(backed_up(*((str(number), b"", {}) for number in range(300)))))
    with pytest.raises(SetupError, match=r"has more than 1 MB when unpacked; .* set a higher --max-megabytes"):
        restore(tmp_path / "file", tmp_path / "course", 1)
    restore(tmp_path / "file", tmp_path / "course", 2)


def test_a_planted_file_is_neither_followed_nor_used(tmp_path: Path) -> None:
    course, other = tmp_path / "course", tmp_path / "other"
    make_class(course, ["Ada"])
    other.write_text("precious")
    for name in ("b.tgz.part", f".quietmove-{threading.get_native_id()}-0.part"):
        (tmp_path / name).symlink_to(other)
    (tmp_path / "link.tgz").symlink_to(tmp_path / "nothing")
    before = os.umask(0)
    try:
        run("backup", course, tmp_path / "b.tgz")
    finally:
        os.umask(before)
    assert (tmp_path / "b.tgz").stat().st_mode & 0o777 == 0o600
    assert other.read_text() == "precious"
    os.mkfifo(tmp_path / "pipe.tgz")
    for name in ("link.tgz", "pipe.tgz"):
        with pytest.raises(SetupError, match="already exists; name a new file"):
            run("backup", course, tmp_path / name)
    assert not (tmp_path / "nothing").exists()


def test_what_killed_commands_leave_is_removed_or_named(tmp_path: Path) -> None:
    course, people = tmp_path / "course", tmp_path / "people.csv"
    make_class(course, ["Ada"])
    people.write_text("Ada\n")
    (course / ".backup-killed").mkdir()
    (course / ".backup-used").mkdir()
    used = os.open(course / ".backup-used", os.O_RDONLY)
    fcntl.flock(used, fcntl.LOCK_EX)
    run("backup", course, tmp_path / "b.tgz")
    os.close(used)
    assert [path.name for path in course.glob(".backup-*")] == [".backup-used"]
    (tmp_path / "new.part").mkdir()
    for command in (("restore", tmp_path / "b.tgz", tmp_path / "new"), ("new", tmp_path / "new", "--people", people)):
        with pytest.raises(SetupError, match=r"new\.part: already exists: .* remove it, or name another folder"):
            run(*command)
    (tmp_path / "new.part").rmdir()
    limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))}
    for command in (("restore", tmp_path / "b.tgz", tmp_path / "new"), ("new", tmp_path / "new", "--people", people)):
        program = (sys.executable, "-B", "-m", "quietmove.tournament", "class", *map(str, command))
        done = subprocess.run(program, capture_output=True, text=True, check=False, **limits)  # type: ignore[call-overload]
        assert (done.returncode, done.stderr.count("\n"), done.stderr[:7]) == (2, 1, "error: ")
        assert not list(tmp_path.glob("new*"))


def test_a_stopped_command_leaves_nothing(tmp_path: Path) -> None:
    course = tmp_path / "course"
    make_class(course, ["Ada"])
    (course / "data.bin").write_bytes(Random(1).randbytes(40_000_000))
    back_up(course, tmp_path / "good.tgz")
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    for words, left in (
        (("backup", course, tmp_path / "b.tgz"), ".quietmove-*"),
        (("restore", tmp_path / "good.tgz", tmp_path / "new"), "new.part"),
    ):
        program = (sys.executable, "-m", "quietmove.tournament", "class", *map(str, words))
        with subprocess.Popen(program, stderr=subprocess.PIPE, text=True) as stopped:
            wait_until(lambda left=left: any(tmp_path.glob(left)))  # type: ignore[misc]
            stopped.send_signal(signal.SIGTERM)
            assert (stopped.wait(WAIT), stopped.communicate()[1].strip()) == (130, "")
        assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")} == names


def test_a_full_disk_is_an_error_of_the_new_folder(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    with pytest.raises(SetupError, match=f"^{folder}: No space left"), created_folder(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert not list(tmp_path.iterdir())
