"""The file of a store: who may write it, and how it is opened by someone who may only read it.

One process writes a store. Its right is a lock (``flock``) on the file itself, so it holds by whatever name the file is
opened: a symbolic link, a hard link, another mount. The system releases it when the process ends in any way.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from quietmove.engine.printable import printable
from quietmove.tournament.errors import MissingStoreError, StoreError

__all__ = [
    "FileLock",
    "connect",
    "connect_to_read",
    "errors",
    "free_name",
    "logs",
    "new_file",
    "require_file",
    "require_locked",
    "require_name",
]

FileId = tuple[int, int]  # device and inode
LONGEST_ENDING = "-journal"  # of the files beside a store: SQLite's, and those of a run
USUAL_NAME_BYTES = 255  # at most, where the file system does not say
_locked_here: set[FileId] = set()  # closing a file ends all of SQLite's locks on it in this process: never open twice


class FileLock:
    """The right to write to one file, held until :meth:`release` or the end of the process.

    It is to be released after the last connection to the file was closed.

    """

    def __init__(self, path: Path, *, store: Path | None = None) -> None:
        """Lock the file at ``path``; it is made if it is to become ``store``, which errors then name.

        :raises StoreError: if another process holds it, or it may not be written.
        """
        with _written(store or path):
            if os.path.exists(path) and _file_id(path.stat()) in _locked_here:  # noqa: PTH110
                raise BlockingIOError
            flags = os.O_RDWR | os.O_NONBLOCK | (os.O_CREAT if store else 0)
            self._descriptor = os.open(path, flags, 0o666)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BaseException:
                os.close(self._descriptor)
                raise
        self._id = _file_id(os.fstat(self._descriptor))
        _locked_here.add(self._id)

    @property
    def names(self) -> int:
        """How many names (hard links) the file has; 0 once it has been deleted."""
        return os.fstat(self._descriptor).st_nlink

    def is_at(self, path: Path) -> bool:
        """Tell whether ``path`` still leads to the locked file."""
        try:
            return _file_id(path.stat()) == self._id
        except OSError:
            return False

    def state(self) -> tuple[int, int]:
        """Return the file's size in bytes and when it was last written, in nanoseconds."""
        status = os.fstat(self._descriptor)
        return status.st_size, status.st_mtime_ns

    def release(self) -> None:
        """Let others write to the file."""
        _locked_here.discard(self._id)
        os.close(self._descriptor)


@contextmanager
def new_file(path: Path) -> Iterator[tuple[Path, FileLock]]:
    """Yield an empty, locked file beside ``path``; once the block is done, move it there.

    So there is never half a store under that name. After an error nothing is left.

    :raises StoreError: if ``path`` exists or cannot be written, another process is doing the same, or games of an
        earlier store are left that SQLite would take for those of the new one.
    """
    for log in logs(path):
        if os.path.exists(log) and log.stat().st_size:  # noqa: PTH110 (which takes a name of any length)
            raise StoreError(
                f"store: {path} cannot be begun: {log} holds games of a store that was deleted or moved; move it to "
                "that store, or delete it"
            )
    unfinished = path.with_name(path.name + "-new")
    lock = FileLock(unfinished, store=path)
    try:
        with _written(path):
            if not lock.is_at(unfinished):
                raise BlockingIOError  # another process has just made it a store
            os.truncate(unfinished, 0)  # what a process that was killed has left
        yield unfinished, lock
        with _written(path):
            _publish(unfinished, path)
    except BaseException:
        if lock.is_at(unfinished):
            unfinished.unlink()
        lock.release()
        raise


def _publish(unfinished: Path, path: Path) -> None:
    """Give the file its name; never in place of another file."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS) or path.exists():
            raise
        unfinished.rename(path)  # the file system knows no links
    else:
        unfinished.unlink()


def logs(path: Path) -> list[Path]:
    """Return the files beside ``path`` in which SQLite keeps what it has not merged into the file yet."""
    return [Path(f"{path}-{kind}") for kind in ("wal", "journal")]


def connect(path: Path, mode: str = "mode=rw") -> sqlite3.Connection:
    """Open an existing database; ``mode`` is the query of SQLite's URI."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a database to be read, whether or not the file and its folder may be written.

    The newest games may be in a file beside it (``-wal``) that only a writer can merge. Where it is not possible to
    read it in place, both are read from a copy.
    """
    path = path.resolve()
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return connect(path)  # with mode=ro SQLite would leave its files beside the store
    connection = connect(path, "mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return connection
    except sqlite3.OperationalError:  # it may not create the files that a reader needs
        connection.close()
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        return _copy_in_memory(path, log)
    return connect(path, "immutable=1")


def _copy_in_memory(path: Path, log: Path) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(path, Path(folder) / path.name)
        shutil.copyfile(log, Path(folder) / log.name)
        with closing(connect(Path(folder) / path.name)) as whole:
            whole.backup(copy)
    return copy


def require_file(path: Path) -> None:
    """Refuse what is no plain file, such as a folder, a device or a pipe.

    :raises StoreError: saying what ``path`` is.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise MissingStoreError(f"store: there is no file {path}; 'run --store {path}' begins one") from None
    except OSError as error:
        raise StoreError(f"store: {path} cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        raise StoreError(f"store: {path} is no tournament store")


def require_name(path: Path) -> None:
    """Refuse a name to which no ending can be added.

    :raises StoreError: saying how long it is.
    """
    name = os.path.basename(os.path.realpath(path))  # noqa: PTH119 (which takes a loop of links too)
    if (size := len(os.fsencode(name))) > (most := _name_bytes(path)):
        raise StoreError(
            f"store: {path}: a name of at most {most} bytes is allowed, since files with longer names are kept beside "
            f"it; one of {size} came"
        )


def _name_bytes(path: Path) -> int:
    """Return how long the name of a store may be in its folder."""
    try:
        longest = os.pathconf(os.path.dirname(os.path.realpath(path)), "PC_NAME_MAX")
    except (OSError, ValueError):
        longest = USUAL_NAME_BYTES
    return longest - len(LONGEST_ENDING)


def require_locked(path: Path, lock: FileLock) -> None:
    """Refuse a file that was replaced before it was locked, or one with hard links.

    SQLite keeps the newest games beside the name that the file was opened by.
    """
    if not lock.is_at(path):
        raise StoreError(f"store: {path} was replaced while it was being opened")
    if lock.names > 1:
        raise StoreError(
            f"store: {path} has {lock.names} names (hard links), and its newest games would be kept under one of them "
            "alone; leave it one name, or make a copy"
        )


def free_name(path: Path) -> Path:
    """Return a name beside ``path`` that no file has, in its folder or, if that is gone, in the working directory."""
    folder = path.parent if path.parent.is_dir() else Path()
    for number in range(1000):
        ending = f"-saved{number or ''}{path.suffix}"
        stem = os.fsencode(path.stem)[: _name_bytes(path) - len(os.fsencode(ending))]
        name = folder / f"{stem.decode(errors='ignore')}{ending}"
        if not name.exists():
            return name
    raise StoreError(f"store: {path}: there are a thousand files with {path.stem}-saved in {folder.resolve()}")


@contextmanager
def errors(path: Path) -> Iterator[None]:
    """Turn what goes wrong with a database into one error of ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"store: {path}: {printable(str(error))}") from error
    except UnicodeDecodeError:  # of SQLite's own message, which quotes the file
        raise StoreError(f"store: {path} is damaged") from None


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except BlockingIOError:
        raise StoreError(
            f"store: {path} is being written by another process; 'standings {path}' may read it meanwhile"
        ) from None
    except OSError as error:
        raise StoreError(f"store: {path} cannot be written: {error.strerror}") from None


def _file_id(status: os.stat_result) -> FileId:
    return status.st_dev, status.st_ino
