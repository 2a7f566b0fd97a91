"""The SQLite file of a store: who may write it, and how it is opened.

One process writes a store: it holds a lock (``flock``) on the file, which the system releases when the process ends in
any way. The file is in WAL mode, so others read it meanwhile.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quietmove.engine.printable import printable
from quietmove.tournament.errors import MissingStoreError, StoreError

__all__ = ["connect", "connect_to_read", "errors", "lock_file", "logs", "require_file"]


def lock_file(path: Path) -> int:
    """Lock a file, which is made if it is not there, and return its descriptor; to close that ends the lock.

    It is closed after the last connection to the file: closing any descriptor ends SQLite's own locks in this process.

    :raises StoreError: if another process holds the lock, or the file may not be written.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"store: {path} cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if not isinstance(error, BlockingIOError):
            raise StoreError(f"store: {path} cannot be locked: {error.strerror}") from None
        raise StoreError(
            f"store: {path} is being written by another process; 'standings {path}' may read it meanwhile"
        ) from None
    return descriptor


def connect(path: Path, query: str = "mode=rw") -> sqlite3.Connection:
    """Open an existing database; ``query`` is that of SQLite's URI."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?{query}", uri=True)


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a database to be read, whether or not the file and its folder may be written."""
    path = path.resolve()
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        connection = connect(path)  # with mode=ro SQLite would leave its files beside the store
    else:
        is_being_written = any(log.exists() for log in logs(path))
        connection = connect(path, "mode=ro" if is_being_written else "immutable=1")
    connection.execute("PRAGMA query_only = ON")
    return connection


def logs(path: Path) -> list[Path]:
    """Return the files beside ``path`` in which SQLite keeps what it has not merged into the file yet."""
    return [Path(f"{path}-{kind}") for kind in ("wal", "journal")]


def require_file(path: Path) -> None:
    """Refuse what is no plain file, such as a folder, a device or a pipe.

    :raises StoreError: saying what ``path`` is.
    """
    if not path.is_file():
        if path.exists():
            raise StoreError(f"store: {path} is no tournament store")
        raise MissingStoreError(f"store: there is no file {path}; 'run --store {path}' begins one")


@contextmanager
def errors(path: Path) -> Iterator[None]:
    """Turn what goes wrong with a database into one error of ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"store: {path}: {printable(str(error))}") from error
    except UnicodeDecodeError:  # SQLite's own message quotes bytes of the file
        raise StoreError(f"store: {path} is damaged") from None
