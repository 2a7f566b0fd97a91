"""Open SQLite files, which may come from untrusted sources, and check their schemas.

Views, triggers and unexpected table definitions run SQL written by the file's author, and such a query may never end.
So a file is accepted only if its definitions are exactly those this program writes. A rollback journal next to the
file may name another file, which SQLite would delete when it rolls back.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable

IGNORED = re.compile(r"--[^\n]*|\s+")  # comments and whitespace may differ between versions
WRITE_AHEAD = "PRAGMA journal_mode = WAL"  # the file can be read while another process writes to it
RETRY_SECONDS = 0.01
# the last bytes of a journal that names a super-journal (https://www.sqlite.org/fileformat.html#the_rollback_journal)
NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")


@dataclass(frozen=True)
class DatabaseFormat:
    """The format of one kind of SQLite file.

    :param name: the name of such a file in messages, such as ``tournament store``.
    :param script: the SQL that creates its tables.
    :param error: the class of the errors, whose messages begin with ``prefix``.
    :param application_id: SQLite's application ID; 0 if the tables alone identify the format.
    :param versions: the readable schema versions, in ascending order; new files get the last one.
    :param messages: the text after the path, by the name of the SQLite error; other errors have SQLite's own text.
    """

    name: str
    script: str
    error: type[QuietmoveError]
    prefix: str = ""
    application_id: int = 0
    versions: tuple[int, ...] = (0,)
    messages: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def errors(self, path: Path | None) -> Iterator[None]:
        """Convert errors from SQLite and the system to one error that names the file."""
        try:
            yield
        except sqlite3.Error as error:
            about = self.messages.get(getattr(error, "sqlite_errorname", ""))
            raise self.error(f"{self.prefix}{path}{f' {about}' if about else f': {printable(str(error))}'}") from error
        except UnicodeDecodeError:  # SQLite's own message quotes bytes of the file
            raise self.error(f"{self.prefix}{path} is damaged") from None
        except OSError as error:
            raise self.error(f"{self.prefix}{path}: {error.strerror}") from None

    def check(self, path: Path | None, connection: sqlite3.Connection) -> None:
        """Check that a database has exactly this format.

        :raises QuietmoveError: of the class ``error``, if it does not.
        """
        connection.execute("PRAGMA trusted_schema = OFF")
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        foreign = foreign_definition(connection, self.script)
        if application_id != self.application_id or (foreign and self.versions == (0,)):
            raise self.error(f"{self.prefix}{path} is not a {self.name}")
        if version not in self.versions:
            raise self.error(f"{self.prefix}{path}: schema version: must be {self.versions[-1]}, not {version}")
        if foreign:
            tables = f"must have exactly the tables of a {self.name}"
            raise self.error(f"{self.prefix}{path}: {tables}; the {printable(foreign)} is unexpected or missing")


def open_database(
    path: Path | None,
    file_format: DatabaseFormat,
    *,
    query: str = "mode=rw",
    creates: bool = False,
    fill: Callable[[sqlite3.Connection], object] | None = None,
    setup: Sequence[str] = (),
    timeout: float = 5.0,
    isolation_level: Literal["DEFERRED"] | None = None,
) -> sqlite3.Connection:
    """Open a file, check its format, and return a connection that one thread at a time can use.

    :param path: None for a database in memory.
    :param query: the query part of the SQLite URI.
    :param creates: whether an empty file gets the format's tables; ``fill`` writes their first rows in the same
        transaction.
    :param setup: SQL to run after the check, such as pragmas for the journal mode and durability.
    :param timeout: seconds to wait for another connection's lock.
    :param isolation_level: as in :func:`sqlite3.connect`; None commits each statement immediately.
    :raises QuietmoveError: of the format's class, if the file cannot be opened or has another format.
    """
    name = ":memory:" if path is None else f"{path.resolve().as_uri()}?{query}"
    if path is not None and (journal := foreign_journal(path)):
        wrong = f"must have no journal that names another file; move {printable(journal)} away"
        raise file_format.error(f"{file_format.prefix}{path}: {wrong}")
    with file_format.errors(path):
        connection = sqlite3.connect(
            name, uri=True, timeout=timeout, isolation_level=isolation_level, check_same_thread=False
        )
        try:
            if creates and connection.execute("PRAGMA page_count").fetchone() == (0,):
                _create(connection, file_format, fill)
            file_format.check(path, connection)
            for statement in setup:
                _run_when_free(connection, statement, timeout)
        except BaseException:
            connection.close()
            raise
    return connection


def _create(
    connection: sqlite3.Connection, file_format: DatabaseFormat, fill: Callable[[sqlite3.Connection], object] | None
) -> None:
    header = f"PRAGMA application_id = {file_format.application_id}; PRAGMA user_version = {file_format.versions[-1]};"
    connection.executescript(f"BEGIN EXCLUSIVE; {header} {file_format.script}")
    if fill is not None:
        fill(connection)
    connection.execute("COMMIT")


def _run_when_free(connection: sqlite3.Connection, statement: str, timeout: float) -> None:
    """Run a statement, and retry while the file is busy. SQLite itself does not wait to change the journal mode."""
    until = time.monotonic() + timeout
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(RETRY_SECONDS)


def foreign_journal(path: Path) -> str:
    """Return the path of a database's journal if it names another file or is not a regular file, else "".

    Call this before SQLite reads the database, because it would delete the named file, or block on a pipe. Only someone
    who unpacks a stranger's archive can have such a journal, which is rare, but a file would be lost without a word.
    This program never writes two databases in one transaction, so its own journals name no other file.
    """
    journal = Path(f"{path.resolve()}-journal")
    if journal.exists() and not journal.is_file():
        return str(journal)
    with suppress(OSError), journal.open("rb") as file:  # the journal is missing or too short to name a file
        file.seek(-len(NAMES_ANOTHER), os.SEEK_END)
        return str(journal) if file.read() == NAMES_ANOTHER else ""
    return ""


def foreign_definition(connection: sqlite3.Connection, script: str) -> str:
    """Return a definition that only one of a database and a script has, such as ``view 'game'``, or "" if none.

    Only reads the definitions; no SQL from the file is run.
    """
    actual = _definitions(connection)
    expected = _made_by(script)
    for kind, name, _ in (actual - expected) or (expected - actual):
        return f"{kind} {name!r}"
    return ""


@cache
def _made_by(script: str) -> Counter[tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return _definitions(connection)


def _definitions(connection: sqlite3.Connection) -> Counter[tuple[str, str, str]]:
    rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master ORDER BY name")
    return Counter((str(kind), str(name), IGNORED.sub("", str(sql))) for kind, name, sql in rows)
