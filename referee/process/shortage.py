"""Resource shortages, which raise their own error and never count against an engine: the game is played again.

A refused start raises an OSError, but an engine that was refused a thread or a process crashes or stalls. After such a
fault, this module tries to start threads and reads how many tasks the control groups (say, a container's) have refused.
"""

from __future__ import annotations

import errno
import os
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from quietmove.referee.errors import ShortageError

Notice = Callable[[str], None]  # shows a message to the person waiting for the games

SHORTAGES = {  # error numbers, each with the limit that may have caused it
    errno.EMFILE: " (ulimit -n)",
    errno.ENFILE: "",
    errno.EAGAIN: " (more processes or threads than ulimit -u or the control group allow)",
    errno.ENOMEM: "",
}
NO_THREAD = "can't start new thread"  # the only sign of this shortage is Python's message
FILES_OF_GAME = 24  # four open files for each of six engines: two playing, two starting, two idle
FILES_OF_OTHERS = 128  # open files for the store, the pages and the event loop
TASKS_IN_RESERVE = 8  # with fewer tasks available, an engine may have been refused a process or thread


def ignore_notice(text: str) -> None:
    """Do nothing with a notice; for callers that show none."""


def allow_files(games: int, others: int = 0) -> None:
    """Raise this process's soft limit on open files, for ``games`` concurrent games and ``others`` more files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = FILES_OF_OTHERS + others + games * FILES_OF_GAME
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(needed, hard)), hard))


@contextmanager
def shortage_of(what: str) -> Iterator[None]:
    """Turn a shortage inside the block into a ShortageError.

    :param what: the missing resource, such as ``a process``.
    :raises ShortageError: with the resource and the limit in its message.
    """
    try:
        yield
    except (MemoryError, OSError, RuntimeError) as error:
        number = error.errno if isinstance(error, OSError) else errno.EAGAIN if NO_THREAD in str(error) else None
        number = errno.ENOMEM if isinstance(error, MemoryError) else number
        if number not in SHORTAGES:
            raise
        text = f"the machine has no room for {what}: {os.strerror(number)}{SHORTAGES[number]}"
        raise ShortageError(text) from error


def refused_tasks(root: Path = Path("/")) -> int:
    """Return the number of processes and threads that this process's control groups have refused to any member.

    :param root: the root of the file system.
    """
    with suppress(OSError):
        group = root / "sys/fs/cgroup" / (root / "proc/self/cgroup").read_text().rpartition("0::/")[2].strip()
        return sum(map(_refusals, (group, *group.parents)))
    return 0


def _refusals(group: Path) -> int:
    """Return how often a group's limit was hit, excluding its subgroups if the kernel counts them separately."""
    for name in ("pids.events.local", "pids.events"):
        with suppress(OSError):
            return int((group / name).read_text().split()[1])  # the file contains `max` and the number
    return 0


def check_tasks(refused_before: int) -> None:
    """Check that an engine's fault was not caused by a shortage of processes or threads.

    Only control groups count refusals, so threads are started to notice a user's limit, which whoever shares a machine
    reaches now and then; a game would otherwise be lost for it. A game without a fault does not come here.

    :param refused_before: the value of :func:`refused_tasks` before the engine's turn.
    :raises ShortageError: if a process or thread has been refused since, or few more can be started now.
    """
    if (refused := refused_tasks() - refused_before) > 0:
        raise ShortageError(f"the control group refused a process or a thread {refused} times during a game")
    tried = threading.Event()
    try:
        with shortage_of("the threads of an engine"):
            for _ in range(TASKS_IN_RESERVE):
                threading.Thread(target=tried.wait, daemon=True).start()
    finally:
        tried.set()
