"""A folder for the files of worker processes, removed at the end, or by the next run where this one was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["scratch_folder"]

PREFIX = "quietmove-workers-"
OWNER = "owner"  # the file in the folder that its owner holds a lock on (``flock``) as long as it lives


@contextmanager
def scratch_folder() -> Iterator[str]:
    """Yield a new folder, once those are removed whose owners were killed.

    :raises OSError: if none can be made.
    """
    for owner in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{OWNER}"):
        with suppress(OSError):
            _remove_if_left(owner)
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder:
        new = Path(folder, f"{OWNER}-new")
        descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            new.rename(Path(folder, OWNER))  # nobody sees it without its lock
            yield folder
        finally:
            os.close(descriptor)


def _remove_if_left(owner: Path) -> None:
    """Remove the folder of a file that nobody has locked, if both are this user's."""
    descriptor = os.open(owner, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        owners = {os.fstat(descriptor).st_uid, owner.parent.lstat().st_uid}
        if owners == {os.geteuid()}:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(owner.parent, ignore_errors=True)
    finally:
        os.close(descriptor)
