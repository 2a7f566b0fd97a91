"""A store that several processes use, that may not grow, or that may only be read."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from quietmove.tournament.errors import StoreError
from quietmove.tournament.store.store import Store
from tests.fakes.tournament_store import LITTLE as TOURNAMENT
from tests.fakes.tournament_store import write_games

NOBODY = 65534


def test_one_process_writes_while_others_read(tmp_path: Path) -> None:
    path, link = tmp_path / "t.sqlite", tmp_path / "link"  # the lock belongs to the file, not to its name
    link.symlink_to(path)
    script = f"""
import sys
from pathlib import Path
from quietmove.tournament.store.store import Store
path = Path({str(link)!r})
with Store.open_to_read(path) as store:
    print(len(store.results()))
try:
    Store.open_to_write(path)
except Exception as error:
    print(error)
"""
    with Store.create(path, TOURNAMENT) as store:
        write_games(store, 1)
        output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        assert output.startswith("1\n")
        assert "is being written by another process; 'standings" in output
        with pytest.raises(StoreError, match="another process"):
            Store.create(path, TOURNAMENT)
        write_games(store, 1)
    with Store.open_to_write(path) as store:
        assert len(store.results()) == 2


def test_a_file_may_not_grow_and_nothing_is_left(tmp_path: Path) -> None:
    def create() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as Python does when it starts
        Store.create(tmp_path / "t.sqlite", TOURNAMENT)

    assert in_a_child(create).startswith("StoreError")
    assert list(tmp_path.iterdir()) == []


def test_reading_needs_no_right_to_write() -> None:
    """The newest game is in the log of a process that was killed; neither it nor the store may be written."""
    with tempfile.TemporaryDirectory() as name:  # other users cannot enter pytest's folders
        path = Path(name) / "t.sqlite"
        in_a_child(lambda: write_games(Store.create(path, TOURNAMENT), 1))
        log = Path(f"{path}-wal")
        assert log.stat().st_size > 0
        for file in path.parent.iterdir():
            file.chmod(0o644)
        path.parent.chmod(0o555)
        try:
            assert in_a_child(lambda: count_games(path)) == "1"
            path.parent.chmod(0o755)
            Store.open_to_write(path).close()  # merges the log, as at the end of every run
            path.parent.chmod(0o555)
            assert in_a_child(lambda: count_games(path)) == "1"
            assert [*path.parent.iterdir()] == [path]
        finally:
            path.parent.chmod(0o755)


def count_games(path: Path) -> int:
    """Count the games of a store as a user who has no rights beyond those that the files give to everyone."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    tempfile.tempdir = None
    with Store.open_to_read(path) as store:
        return len(list(store.games()))


def in_a_child(work: Callable[[], object]) -> str:
    """Return what ``work`` returns or raises in a process that is killed afterwards."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = str(work())
        except BaseException as error:
            answer = repr(error)
        os.write(writer, answer.encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(writer)
    with open(reader) as pipe:  # noqa: PTH123 (a descriptor)
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer
