"""The processors of a class: each game and each check has one to itself, unless there is only one.

Each processor has a file in the folder ``cores``, which is locked (``flock``) while the processor is in use; the system
releases the lock however its owner exits. Games take the highest free number, checks the lowest.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from quietmove.addons.hall.settings import ClassSettings
from quietmove.engine.common.processors import usable_processors

BUSY_CORES = 4  # with at least this many processors, one is left for the server


def class_cores(settings: ClassSettings) -> list[int]:
    """Return the processors for games and checks."""
    usable = sorted(usable_processors())
    count = settings.cores or (len(usable) - 1 if len(usable) >= BUSY_CORES else len(usable))
    return usable[-count:]


class Cores:
    """Leases the class's processors to the games or checks of one process. Thread-safe.

    :param numbers: processor numbers, as the system counts them.
    :param from_below: whether to take the lowest number first.
    :param waiting: returns the number of waiting checks. As many processors are left to them, but never all.
    """

    def __init__(
        self,
        folder: Path,
        numbers: Sequence[int],
        *,
        from_below: bool = False,
        waiting: Callable[[], int] | None = None,
    ) -> None:
        self._folder = folder / "cores"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._numbers = sorted(numbers, reverse=not from_below)
        self._held: dict[int, int] = {}  # the lock file's descriptor for each processor in use by this process
        self._lock = threading.Lock()
        self._waiting = waiting

    @property
    def is_single(self) -> bool:
        """Whether there is only one processor, shared by games and checks."""
        return len(self._numbers) == 1

    def lease(self) -> int | None:
        """Take a free processor and return it, or None if there is none."""
        with self._lock:
            return next((core for core in self._numbers if core not in self._held and self._take(core)), None)

    def release(self, core: int) -> None:
        """Give a processor back."""
        with self._lock:
            os.close(self._held.pop(core))

    @contextmanager
    def leased(self) -> Iterator[int | None]:
        """Lease a processor while the context is open; yield None if none is free."""
        core = self.lease()
        try:
            yield core
        finally:
            if core is not None:
                self.release(core)

    def size(self) -> int:
        """Return the number of processors this process can use: leased and free ones, minus those left to checks."""
        with self._lock:
            free = [core for core in self._numbers if core not in self._held and self._take(core)]
            for core in free:
                os.close(self._held.pop(core))
            found = len(self._held) + len(free)
        waiting = self._waiting() if self._waiting else 0
        return max(1, min(found, len(self._numbers) - waiting))

    def _take(self, core: int) -> bool:
        descriptor = os.open(self._folder / str(core), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False
        self._held[core] = descriptor
        return True
