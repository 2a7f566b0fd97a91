"""What the kinds of files that are text have in common: their letters and their lines."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from quietmove.engine.errors import GameFileError
from quietmove.engine.files import open_regular

PACKED = ".gz"


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each line with its name, ``line 1``; a carriage return may end it too, and a file may begin with a mark."""
    with open_text(path) as file:
        skip_mark(file)
        for number, part in enumerate((part for line in file for part in line.splitlines()), 1):
            yield f"line {number}", decode(part)


@contextmanager
def open_text(path: Path) -> Iterator[BinaryIO]:
    """Open a file of text to read its bytes; one that ends in ``.gz`` is unpacked.

    :raises GameFileError: if it ends in ``.gz`` and is damaged.
    """
    with open_regular(path) as file:
        if path.suffix.lower() != PACKED:
            yield file
            return
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield cast("BinaryIO", unpacked)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise GameFileError(f"byte {file.tell()}: cannot be unpacked: {error}") from None


def skip_mark(file: BinaryIO) -> None:
    """Skip the byte-order mark of UTF-8, if the file begins with it."""
    if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
        file.seek(0)


def decode(data: bytes) -> str:
    """Return a text in UTF-8 or in Latin-1, where any byte is some letter, so that an error names the place."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
