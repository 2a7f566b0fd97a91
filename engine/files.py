"""Reading and writing files named by the user."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from quietmove.engine.common.errors import QuietmoveError

if TYPE_CHECKING:
    from io import BufferedReader
    from pathlib import Path

SPECIAL = "must be a regular file, not a folder, a pipe or a device"
MAX_BYTES = 1 << 26  # maximum size of a file read into memory; enough for 900,000 positions


class SpecialFileError(OSError):
    """A path that does not name a regular file."""


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a regular file for reading in binary mode. Prefer it to ``open`` for files named by options and commands.

    :raises OSError: if the file cannot be opened or is not a regular file. Reading a pipe could block forever, and so
        could a kernel file such as /proc/kmsg.
    """
    try:
        return open(path, "rb", opener=_open_at_once)
    except ValueError as error:  # not a valid path, for example with a null byte
        raise OSError(errno.EINVAL, str(error), str(path)) from None


def _open_at_once(path: str, flags: int) -> int:
    """Open a regular file and return its descriptor; neither opening nor reading it can block."""
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SpecialFileError(errno.EINVAL, SPECIAL, path)
        os.pread(descriptor, 1, 0)
    except BlockingIOError:
        os.close(descriptor)
        raise SpecialFileError(errno.EINVAL, SPECIAL, path) from None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the contents of a regular file.

    :raises OSError: if the file cannot be read or is larger than :data:`MAX_BYTES`.
    """
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > MAX_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return file.read()


def refuse_special(path: str | os.PathLike[str], error: type[QuietmoveError], about: str = "") -> None:
    """Check that ``path`` is a regular file or does not exist.

    :param about: prefix of the error message, before the path.
    :raises QuietmoveError: of the class ``error``, if it is anything else.
    """
    try:
        open_regular(path).close()
    except SpecialFileError as found:
        raise error(f"{about}{path}: {found.strerror}") from None
    except OSError:  # missing or unreadable: opening it later reports that
        return


@contextmanager
def locked(path: Path, error: type[QuietmoveError]) -> Iterator[None]:
    """Lock a file for the block, in which it is read, changed and written. Other threads and processes wait.

    The lock is on the file's folder, because writing replaces the file. Never lock two files of a folder at once.

    :raises QuietmoveError: of the class ``error``, if the folder cannot be opened.
    """
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as found:
        raise error(f"{path}: {found.strerror}") from None
    try:
        with suppress(OSError):  # the file system may not support locks
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def write_whole(path: Path, data: bytes, *, is_new: bool = False) -> None:
    """Write a file atomically: the old contents stay in place until the new file is complete.

    :param is_new: as in :func:`written_whole`.
    :raises OSError: if it cannot be written; no temporary file remains.
    """
    with written_whole([path], is_new=is_new) as (file,):
        file.write(data)


def open_new(path: Path, mode: int = 0o666) -> BinaryIO:
    """Open a new file for writing. An existing file is removed first, so that no planted link is followed.

    :param mode: the permissions, from which the process's umask is subtracted.
    :raises OSError: if the file cannot be written, or another process creates it at the same moment.
    """
    path.unlink(missing_ok=True)
    return open(path, "xb", opener=partial(os.open, mode=mode))


@contextmanager
def written_whole(
    paths: Sequence[Path], error: type[QuietmoveError] | None = None, *, is_new: bool = False, mode: int = 0o666
) -> Iterator[list[BinaryIO]]:
    """Open temporary files for writing; at the end of the block, move them to ``paths``, unless an error occurred.

    :param is_new: whether an existing file is an error; a FileExistsError without ``error``.
    :param mode: as in :func:`open_new`.
    :raises QuietmoveError: of the class ``error``, if a file cannot be written; no temporary file remains.
    :raises OSError: in the same case, if ``error`` is None.
    """
    name = f".quietmove-{threading.get_native_id()}"  # unique among all threads of the machine
    parts = [path.with_name(f"{name}-{number}.part") for number, path in enumerate(paths)]
    try:
        with ExitStack() as stack:
            yield [stack.enter_context(open_new(part, mode)) for part in parts]
        for part, path in reversed(list(zip(parts, paths, strict=True))):
            if is_new:
                path.touch(exist_ok=False)
            part.replace(path)
    except OSError as found:
        if error is None:
            raise
        raise error(f"{paths[0]}: {found.strerror or found}") from None
    finally:
        for part in parts:
            with suppress(OSError):
                part.unlink()
