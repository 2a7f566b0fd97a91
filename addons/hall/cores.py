"""The processors of a class: a game has one, an examination has one, and no two have the same.

Each is a file of the folder ``cores``, locked (``flock``) by who uses it; the system ends the lock when the process
ends in any way. Games take the highest number that is free, examinations the lowest.
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

BUSY_CORES = 4  # a machine with so many processors or more leaves one to the server


def class_cores(settings: ClassSettings) -> list[int]:
    """Return the processors on which games are played and versions examined."""
    usable = sorted(usable_processors())
    count = settings.cores or (len(usable) - 1 if len(usable) >= BUSY_CORES else len(usable))
    return usable[-count:]


class Cores:
    """The processors of one class, as one process uses them; from any thread.

    :param numbers: of the processors, as the system counts them.
    :param from_below: whether the lowest is taken first.
    :param waiting: returns how many others wait for a processor; so many are left to them, but for one.
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
        self._held: dict[int, int] = {}  # a descriptor of the file of each processor that this process uses
        self._lock = threading.Lock()
        self._waiting = waiting

    @property
    def is_single(self) -> bool:
        """Whether there is one alone, which games and examinations then share."""
        return len(self._numbers) == 1

    def lease(self) -> int | None:
        """Return a processor that nobody else uses from now on; None if there is none."""
        with self._lock:
            return next((core for core in self._numbers if core not in self._held and self._take(core)), None)

    def release(self, core: int) -> None:
        """Let others use a processor."""
        with self._lock:
            os.close(self._held.pop(core))

    @contextmanager
    def leased(self) -> Iterator[int | None]:
        """Give a processor for a block; None if there is none."""
        core = self.lease()
        try:
            yield core
        finally:
            if core is not None:
                self.release(core)

    def size(self) -> int:
        """Return how many processors this process may use now: its own, and those that nobody uses."""
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
