"""Files that a person names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quietmove.engine.errors import BookError
from quietmove.engine.files import is_special, refuse_special


def test_only_what_is_there_and_no_regular_file_is_refused(tmp_path: Path) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    file.touch()
    (tmp_path / "link").symlink_to(pipe)
    special = [tmp_path, pipe, tmp_path / "link", "/dev/null"]
    assert all(map(is_special, special))
    assert not any(map(is_special, [file, tmp_path / "none", file / "below", "\0", "x" * 5000]))
    refuse_special(file, BookError)
    with pytest.raises(BookError, match=rf"^book: {tmp_path}: must be a regular file, not a folder, a pipe or"):
        refuse_special(tmp_path, BookError, "book: ")
