"""Files that a person names."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from quietmove.engine.errors import BookError
from quietmove.engine.files import open_regular, read_bytes, refuse_special, write_whole
from quietmove.engine.games.othello.book import OthelloBook
from quietmove.tournament.errors import StoreError
from quietmove.tournament.store.database import require_file

REGULAR = "must be a regular file, not a folder, a pipe or a device"
KMSG = Path("/proc/kmsg")  # a regular file on which a read waits for the next kernel message


def test_only_what_is_there_and_no_regular_file_is_refused(tmp_path: Path) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    file.write_bytes(b"abc")
    (tmp_path / "link").symlink_to(pipe)
    for special in (tmp_path, pipe, tmp_path / "link", "/dev/null", "/dev/zero"):
        with pytest.raises(BookError, match=f"^book: {special}: {REGULAR}$"):
            refuse_special(special, BookError, "book: ")
    for path in (file, tmp_path / "none", file / "below", "\0", "x" * 5000):
        refuse_special(path, BookError)
    assert read_bytes(file) == b"abc"
    for path in ("\0", "x" * 5000):
        with pytest.raises(OSError, match=r"null byte|too long"):
            open_regular(path)


@pytest.mark.skipif(not os.access(KMSG, os.R_OK), reason="only root reads the kernel's messages")
def test_no_message_of_the_kernel_is_waited_for() -> None:
    """The last message is read away first, as far as there are any; whether one comes meanwhile is the kernel's."""
    descriptor = os.open(KMSG, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with suppress(BlockingIOError):
            while os.read(descriptor, 1 << 16):
                pass
    finally:
        os.close(descriptor)
    with pytest.raises(BookError, match="book: /proc/kmsg"):
        OthelloBook(str(KMSG))
    with pytest.raises(StoreError, match=r"^store: /proc/kmsg is not a tournament store$"):
        require_file(KMSG)


def test_no_link_is_followed_when_a_file_is_written_whole(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"precious")
    (tmp_path / f".quietmove-{threading.get_native_id()}-0.part").symlink_to(other)
    write_whole(tmp_path / "new", b"data")
    assert (other.read_bytes(), (tmp_path / "new").read_bytes()) == (b"precious", b"data")
    assert not (tmp_path / "new").is_symlink()
