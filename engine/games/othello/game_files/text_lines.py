"""What the kinds of files that are text have in common: their letters and their lines."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from quietmove.engine.files import open_regular

__all__ = ["decode", "read_lines", "skip_mark"]


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each line with its name, ``line 1``; a carriage return may end it too, and a file may begin with a mark."""
    with open_regular(path) as file:
        skip_mark(file)
        for number, part in enumerate((part for line in file for part in line.splitlines()), 1):
            yield f"line {number}", decode(part)


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
