"""The file that keeps the work of a long run: pieces in their order, and the files that are refused."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from quietmove.addons.shared.work_file import WorkFile, is_work_file
from quietmove.engine.errors import BookError
from tests.fakes.processes import WAIT
from tests.fakes.schemas import check_refusals

PARAMETERS = {"depth": 2, "exact": 6}
KILLED = """
import os, signal, sys
from pathlib import Path
from quietmove.engine.errors import BookError
from quietmove.addons.shared.work_file import WorkFile
from tests.fakes.schemas import check_refusals
file = WorkFile(Path(sys.argv[1]), "book work", {"depth": 2, "exact": 6}, BookError)
file.append(b"whole")
file._database.execute("BEGIN")
file.append(b"half")
os.kill(os.getpid(), signal.SIGKILL)
"""


def opened(path: Path, parameters: dict[str, int] | None = PARAMETERS) -> WorkFile:
    return WorkFile(path, "book work", parameters, BookError)


def test_pieces_come_back_in_their_order(tmp_path: Path) -> None:
    pieces = [b"one", b"", bytes(100_000)]
    for number, piece in enumerate(pieces):
        with opened(tmp_path / "work") as file:
            assert list(file) == pieces[:number]
            file.append(piece)
            assert len(file) == number + 1
    with opened(tmp_path / "work", None) as file:
        assert list(file) == pieces
        assert file.parameters == PARAMETERS
    assert is_work_file(tmp_path / "work")
    assert not is_work_file(tmp_path / "nothing")


def test_a_killed_process_leaves_whole_pieces(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "work"], check=False, timeout=WAIT)
    assert done.returncode == -signal.SIGKILL
    with opened(tmp_path / "work") as file:
        assert list(file) == [b"whole"]


def test_a_file_made_otherwise_is_not_continued(tmp_path: Path) -> None:
    with opened(tmp_path / "work") as file:
        file.append(b"one")
    before = (tmp_path / "work").read_bytes()
    with pytest.raises(BookError, match=r"was made with depth 2, not 3; remove it, or name another file"):
        opened(tmp_path / "work", {"depth": 3, "exact": 6})
    with pytest.raises(BookError, match=r"work is not a file of positions"):
        WorkFile(tmp_path / "work", "positions", None, BookError)
    assert (tmp_path / "work").read_bytes() == before


@pytest.mark.parametrize("text", ["precious", "precious " * 200])
def test_a_foreign_file_is_not_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "diary.txt"
    path.write_text(text)
    for parameters in (PARAMETERS, None):
        with pytest.raises(BookError, match=r"diary\.txt is not a file of book work"):
            opened(path, parameters)
    assert path.read_text() == text


def test_the_database_of_another_program_is_not_written_to(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other") as database:
        database.execute("CREATE TABLE precious (text TEXT)")
    database.close()
    with pytest.raises(BookError, match="is not a file of book work"):
        opened(tmp_path / "other")


def test_two_runs_do_not_share_a_file(tmp_path: Path) -> None:
    with opened(tmp_path / "work"), pytest.raises(BookError, match="work is in use by another run"):
        opened(tmp_path / "work")


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(BookError, match="a regular file"):
            opened(path)
    with pytest.raises(BookError, match=r"book work: .*nowhere/work: No such file"):
        opened(tmp_path / "nowhere" / "work")
    with pytest.raises(BookError, match=r"nothing: No such file"):
        opened(tmp_path / "nothing", None)


def test_a_work_file_with_another_schema_is_refused(tmp_path: Path) -> None:
    check_refusals(
        tmp_path,
        "work",
        "run",
        lambda path: WorkFile(path, "work", {}, BookError),
        lambda path: WorkFile(path, "work", None, BookError),
    )
