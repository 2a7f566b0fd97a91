"""Work files: checkpoints of a long run, written in pieces, so that a killed run loses at most one piece.

A work file is an SQLite database; each piece is written in one transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

from quietmove.engine.common.database import DatabaseFormat, open_database
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.files import open_regular, refuse_special

SCHEMA = "CREATE TABLE run (kind TEXT, parameters TEXT);CREATE TABLE piece (number INTEGER PRIMARY KEY, data BLOB)"
LOCKED = ("PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "COMMIT")  # the lock stays until the file is closed
MAGIC = b"SQLite format 3\0"


class WorkFile:
    """The pieces of one run. As a context manager it locks the file for this process.

    :param path: the path of the file, which is created if it does not exist and ``parameters`` are given.
    :param kind: a plural name for the pieces.
    :param parameters: everything that determines the pieces, as JSON values. A file with different parameters is
        rejected. None accepts any parameters, for reading only.
    :ivar parameters: the parameters stored in the file.
    :raises QuietmoveError: of class ``error``, if the file cannot be read or written, is of another kind, was made
        with other parameters, or is in use.
    """

    def __init__(
        self, path: Path, kind: str, parameters: Mapping[str, object] | None, error: type[QuietmoveError]
    ) -> None:
        self.path = path
        self._format = DatabaseFormat(
            name=f"file of {kind}",
            script=SCHEMA,
            error=error,
            prefix=f"{kind}: ",
            messages={"SQLITE_BUSY": "is in use by another run", "SQLITE_NOTADB": f"is not a file of {kind}"},
        )
        refuse_special(path, error, f"{kind}: ")
        with self._format.errors(path):
            path.open("rb" if parameters is None else "ab").close()

        def write_run(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO run VALUES (?, ?)", (kind, json.dumps(parameters)))

        self._database = open_database(
            path, self._format, creates=parameters is not None, fill=write_run, setup=LOCKED, timeout=0
        )
        try:
            with self._format.errors(path):
                self.parameters = self._read_parameters(kind, parameters)
        except BaseException:
            self._database.close()
            raise

    def _read_parameters(self, kind: str, expected: Mapping[str, object] | None) -> dict[str, object]:
        """Return the parameters stored in the file.

        :raises QuietmoveError: if the file is of another kind, or its parameters are not the expected ones.
        """
        form = self._format
        stored_kind, text = self._database.execute("SELECT kind, parameters FROM run").fetchone() or ("", "")
        if stored_kind != kind:
            raise form.error(f"{form.prefix}{self.path} is not a {form.name}")
        stored: dict[str, object] = json.loads(text)
        requested = json.loads(json.dumps(expected)) or stored
        if stored != requested:
            differing = [name for name in {**requested, **stored} if stored.get(name) != requested.get(name)]
            differences = ", ".join(f"{name} {stored.get(name)}, not {requested.get(name)}" for name in differing)
            raise form.error(f"{form.prefix}{self.path}: was made with {differences}; remove it, or name another file")
        return stored

    def __len__(self) -> int:
        with self._format.errors(self.path):
            return int(self._database.execute("SELECT count(*) FROM piece").fetchone()[0])

    def __iter__(self) -> Iterator[bytes]:
        with self._format.errors(self.path):
            for (data,) in self._database.execute("SELECT data FROM piece ORDER BY number"):
                yield data

    def append(self, data: bytes) -> None:
        """Write a piece, and return once it is on disk."""
        with self._format.errors(self.path):
            self._database.execute("INSERT INTO piece (data) VALUES (?)", (data,))

    def __enter__(self) -> WorkFile:
        return self

    def __exit__(self, *details: object) -> None:
        self._database.close()


def is_work_file(path: Path) -> bool:
    """Return whether a file can be read and starts like a work file."""
    try:
        with open_regular(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False
