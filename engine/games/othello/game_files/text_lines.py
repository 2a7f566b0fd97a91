"""Helpers for text formats: decoding and splitting into lines."""

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
    """Yield the name of each line, such as ``line 1``, and its text.

    Any line ending is accepted, and a byte-order mark is skipped.
    """
    with open_text(path) as file:
        skip_mark(file)
        for number, part in enumerate((part for line in file for part in line.splitlines()), 1):
            yield f"line {number}", decode(part)


@contextmanager
def open_text(path: Path) -> Iterator[BinaryIO]:
    """Open a text file for reading bytes, decompressing ``.gz`` files.

    :raises GameFileError: if a ``.gz`` file is damaged.
    """
    with open_regular(path) as file:
        if path.suffix.lower() != PACKED:
            yield file
            return
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield cast("BinaryIO", unpacked)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise GameFileError(f"byte {file.tell()}: cannot be decompressed: {error}") from None


def skip_mark(file: BinaryIO) -> None:
    """Skip a UTF-8 byte-order mark at the beginning of the file."""
    if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
        file.seek(0)


def decode(data: bytes) -> str:
    """Decode data as UTF-8 or, if that fails, as Latin-1.

    Latin-1 accepts any bytes, so that an error is reported later, with its location.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
