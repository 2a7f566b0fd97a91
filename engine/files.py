"""Files that a person names."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from quietmove.engine.common.errors import QuietmoveError

if TYPE_CHECKING:
    from io import BufferedReader
    from pathlib import Path

SPECIAL = "must be a regular file, not a folder, a pipe or a device"
MOST_BYTES = 1 << 26  # largest file that is read at once; 900,000 positions have as much


class SpecialFileError(OSError):
    """Something at a path that is no regular file."""


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a file to read its bytes; every file that an option or a command names is opened here.

    :raises OSError: if that is not possible, or it is no regular file: a pipe would be waited for without end, and so
        would a file of the kernel, such as /proc/kmsg, that has nothing to say yet.
    """
    try:
        return open(path, "rb", opener=_open_at_once)
    except ValueError as error:  # no path can be this text
        raise OSError(errno.EINVAL, str(error), str(path)) from None


def _open_at_once(path: str, flags: int) -> int:
    """Open a regular file so that neither this nor a read waits, and return its descriptor."""
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
    """Return what a regular file holds.

    :raises OSError: if it cannot be read or holds more than :data:`MOST_BYTES`.
    """
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return file.read()


def refuse_special(path: str | os.PathLike[str], error: type[QuietmoveError], about: str = "") -> None:
    """Return if ``path`` names a regular file or nothing.

    :param about: what the message begins with, before the path.
    :raises QuietmoveError: of the class ``error``, if it names anything else.
    """
    try:
        open_regular(path).close()
    except SpecialFileError as found:
        raise error(f"{about}{path}: {found.strerror}") from None
    except OSError:  # nothing is there, or it cannot be read; opening it says so
        return


def write_whole(path: Path, data: bytes, *, is_new: bool = False) -> None:
    """Write a file so that it is never there in part: what was there stays until all of it is written.

    :raises FileExistsError: if it ``is_new``, and something is there.
    :raises OSError: if it cannot be written; nothing is left beside it.
    """
    with written_whole([path]) as (file,):
        file.write(data)
        file.flush()  # a full disk is met here, before the new file is made
        if is_new:
            path.touch(exist_ok=False)


def open_new(path: Path) -> BinaryIO:
    """Open a file to write it anew. What is there is removed, so no link of somebody else is followed.

    :raises OSError: if it cannot be written, or somebody makes another one at the same moment.
    """
    path.unlink(missing_ok=True)
    return path.open("xb")


@contextmanager
def written_whole(paths: Sequence[Path], error: type[QuietmoveError] | None = None) -> Iterator[list[BinaryIO]]:
    """Give files to write, and put them in the place of ``paths`` at the end of the block; after an error none is.

    :raises QuietmoveError: of the class ``error``, if one cannot be written; nothing is left beside it.
    :raises OSError: then, without such a class.
    """
    name = f".quietmove-{threading.get_native_id()}"  # no two threads of a machine write files of one name
    parts = [path.with_name(f"{name}-{number}.part") for number, path in enumerate(paths)]
    try:
        with ExitStack() as stack:
            yield [stack.enter_context(open_new(part)) for part in parts]
        for part, path in reversed(list(zip(parts, paths, strict=True))):
            part.replace(path)
    except OSError as found:
        if error is None:
            raise
        raise error(f"{paths[0]}: {found.strerror or found}") from None
    finally:
        for part in parts:
            with suppress(OSError):
                part.unlink()
