"""The file that a build of a book keeps its work in: what was found so far, so that a killed build goes on.

The first line is a JSON object: the format, its version, and what the values follow from. Each further line is one
batch: the CRC-32 of the rest of the line in eight hexadecimal digits, a blank, and a JSON array of two arrays. The
first has the positions that were gone into, ``[own, opp, [[own, opp, passed], …]]``, the second the searches of
positions, ``[own, opp, value, depth, exact]``, with the fields of :class:`quietmove.engine.tools.book.graph.Batch`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from quietmove.engine.errors import BookError
from quietmove.engine.files import refuse_special
from quietmove.engine.tools.book.graph import Batch, Verdict

__all__ = ["WorkFile"]

FORMAT = {"format": "quietmove book work", "version": 1}


class WorkFile:
    """The batches of one build; a context manager.

    :param path: begun if it does not exist.
    :param parameters: what the values follow from; a file with other ones is not continued.
    :raises BookError: if it cannot be read or written, is of another kind, was made otherwise, or is in use.
    """

    def __init__(self, path: Path, parameters: Mapping[str, int]) -> None:
        self.path = path
        self._head = FORMAT | dict(parameters)
        try:
            refuse_special(path, BookError, "book: ")
            self._file: BinaryIO = path.open("r+b" if path.exists() else "x+b")
            try:
                self._open()
            except BaseException:
                self._file.close()
                raise
        except OSError as error:
            raise BookError(f"book: {path}: {error.strerror}") from None

    def _open(self) -> None:
        """Take the file for this process alone and read its first line; write it where there is none."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BookError(f"book: {self.path} is in use by another build") from None
        line = self._file.readline()
        head = (json.dumps(self._head) + "\n").encode()
        if head.startswith(line) and line != head:  # nothing, or what a build left that was killed at once
            self._file.seek(0)
            self._file.write(head)
            self._file.truncate()
            self._flush()
        elif line != head:
            self._refuse(line)

    def _refuse(self, line: bytes) -> None:
        """Say why the file is not continued.

        :raises BookError: always.
        """
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict) or found.get("format") != FORMAT["format"]:
            raise BookError(f"book: {self.path} is no work file of a book")
        names = [name for name in {**self._head, **found} if found.get(name) != self._head.get(name)]
        came = ", ".join(f"{name} {found.get(name)}, not {self._head.get(name)}" for name in names)
        raise BookError(f"book: {self.path} was made with {came}: remove it, or name another file")

    def batches(self) -> Iterator[Batch]:
        """Yield the batches that are there; what a killed build left of one more is dropped.

        :raises BookError: if one is damaged.
        """
        end = self._file.tell()
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                break
            if line[:9] != b"%08x " % zlib.crc32(line[9:-1]):
                raise BookError(f"book: {self.path} is damaged: batch {number} has a wrong checksum")
            yield read_batch(*json.loads(line[9:]))
            end += len(line)
        self._file.seek(end)
        self._file.truncate()

    def append(self, batch: Batch) -> None:
        """Write a batch behind those that are there, all of which were read, and wait until the disk has it.

        :raises BookError: if it cannot be written.
        """
        text = json.dumps(plain(batch), separators=(",", ":")).encode()
        try:
            self._file.write(b"%08x %s\n" % (zlib.crc32(text), text))
            self._flush()
        except OSError as error:
            raise BookError(f"book: {self.path}: {error.strerror}") from None

    def _flush(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> WorkFile:
        return self

    def __exit__(self, *details: object) -> None:
        with contextlib.suppress(OSError):  # what could not be written has been told
            self._file.close()


def plain(batch: Batch) -> list[object]:
    """Return what JSON writes of a batch."""
    moves = [[*board, [[*each, int(passed)] for each, passed in after]] for board, after in batch.followers.items()]
    return [moves, [[*board, each.value, each.depth, int(each.exact)] for board, each in batch.verdicts.items()]]


def read_batch(moves: Iterable[tuple[int, int, list[Sequence[int]]]], searches: Iterable[Sequence[int]]) -> Batch:
    """Return the batch that :func:`plain` wrote."""
    followers = {(own, opp): [((a, b), bool(passed)) for a, b, passed in after] for own, opp, after in moves}
    verdicts = {(own, opp): Verdict(value, depth, bool(exact)) for own, opp, value, depth, exact in searches}
    return Batch(followers, verdicts)
