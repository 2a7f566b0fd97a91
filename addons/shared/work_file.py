"""Files that keep the work of a long run piece by piece: a run that was killed goes on and loses one piece at most.

A file is a database of SQLite, which makes each piece whole or leaves it out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.schema import foreign_definition, foreign_journal
from quietmove.engine.common.text import printable
from quietmove.engine.files import open_regular, refuse_special

SCHEMA = "CREATE TABLE run (kind TEXT, parameters TEXT);CREATE TABLE piece (number INTEGER PRIMARY KEY, data BLOB)"
MAGIC = b"SQLite format 3\0"


class WorkFile:
    """The pieces of one run; a context manager, which keeps the file for this process alone.

    :param path: begun if there is nothing and ``parameters`` are given.
    :param kind: what the pieces are, in the plural.
    :param parameters: what the pieces follow from, as JSON has it; a file with other ones is not continued. None to
        read a file with any.
    :ivar parameters: those of the file.
    :raises QuietmoveError: of the class ``error``, if the file cannot be read or written, is of another kind, was made
        with other parameters, or is in use.
    """

    def __init__(
        self, path: Path, kind: str, parameters: Mapping[str, object] | None, error: type[QuietmoveError]
    ) -> None:
        self.path = path
        self._kind = kind
        self._error = error
        refuse_special(path, error, f"{kind}: ")
        if journal := foreign_journal(path):
            wrong = f"must have no journal that names another file; move {printable(journal)} away"
            raise error(f"{kind}: {path}: {wrong}")
        with self._explained():
            path.open("rb" if parameters is None else "ab").close()
            self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
            try:
                self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
                self._database.execute("BEGIN EXCLUSIVE")
                self.parameters = self._open(parameters)
                self._database.execute("COMMIT")
            except BaseException:
                self._database.close()
                raise

    def _open(self, parameters: Mapping[str, object] | None) -> dict[str, object]:
        """Return the parameters of the file, which are written where it is empty."""
        if parameters is not None and not self._database.execute("SELECT * FROM sqlite_master").fetchall():
            for statement in SCHEMA.split(";"):
                self._database.execute(statement)
            self._database.execute("INSERT INTO run VALUES (?, ?)", (self._kind, json.dumps(parameters)))
        kind, text = "", ""
        if not foreign_definition(self._database, SCHEMA):  # not another program's database
            kind, text = self._database.execute("SELECT kind, parameters FROM run").fetchone() or ("", "")
        if kind != self._kind:
            raise self._error(f"{self._kind}: {self.path} is no file of {self._kind}")
        found: dict[str, object] = json.loads(text)
        wanted = json.loads(json.dumps(parameters)) or found
        if found != wanted:
            differing = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
            came = ", ".join(f"{name} {wanted.get(name)}, not {found.get(name)}" for name in differing)
            raise self._error(f"{self._kind}: {self.path}: must be made with {came}; remove it, or name another file")
        return found

    def __len__(self) -> int:
        with self._explained():
            return int(self._database.execute("SELECT count(*) FROM piece").fetchone()[0])

    def __iter__(self) -> Iterator[bytes]:
        with self._explained():
            for (data,) in self._database.execute("SELECT data FROM piece ORDER BY number"):
                yield data

    def append(self, data: bytes) -> None:
        """Write a piece, and return when the disk has it."""
        with self._explained():
            self._database.execute("INSERT INTO piece (data) VALUES (?)", (data,))

    def __enter__(self) -> WorkFile:
        return self

    def __exit__(self, *details: object) -> None:
        self._database.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._error(f"{self._kind}: {self.path}: {error.strerror}") from None
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            about = {"SQLITE_BUSY": "is in use by another run", "SQLITE_NOTADB": f"is no file of {self._kind}"}
            raise self._error(f"{self._kind}: {self.path} {about.get(name, f'cannot be used: {error}')}") from None


def is_work_file(path: Path) -> bool:
    """Tell whether a file begins as a file of work does; False where it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False
