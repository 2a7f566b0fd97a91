"""Zips that nobody means to hand in: each is unpacked or refused, and takes little memory."""

from __future__ import annotations

import io
import shutil
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from quietmove.addons.hall.unpack import unpack
from quietmove.referee.errors import SetupError
from tests.addons.hall.class_programs import packed


def test_damage_anywhere_in_a_zip_is_one_error(tmp_path: Path) -> None:
    data = packed({"é.py": "print()"})
    directory = data.index(b"PK\x01\x02")
    for place in (*range(40), *range(directory, len(data))):
        for value in (0, 255, data[place] ^ 8):
            with suppress(SetupError):
                unpack(io.BytesIO(data[:place] + bytes([value]) + data[place + 1 :]), "a.zip", tmp_path / "source")
            shutil.rmtree(tmp_path / "source")


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_is_packed_as_zips_usually_are(tmp_path: Path, kind: int) -> None:
    """Python takes a member of another kind into memory whole, and 4 kB of it can be gigabytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        archive.writestr("player.py", bytes(50_000_000))
    tracemalloc.start()
    with pytest.raises(SetupError, match=r"must use deflate.*'player\.py' does not"):
        unpack(buffer, "a.zip", tmp_path / "source")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 5_000_000
