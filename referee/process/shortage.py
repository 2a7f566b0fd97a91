"""What the machine refuses is an error of its own, and never an engine's fault. The game is played later.

A refused start is an error of the system. An engine that was refused a thread or a process crashes or stalls. So after
such a fault this process tries whether it can have some threads, and reads what the control groups (of a container,
for example) have refused.
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

Notice = Callable[[str], None]  # takes a sentence for the person who waits for the games

SHORTAGES = {  # numbers of errors, each with the limit that may be its cause
    errno.EMFILE: " (ulimit -n)",
    errno.ENFILE: "",
    errno.EAGAIN: " (more processes or threads than ulimit -u or the control group allow)",
    errno.ENOMEM: "",
}
NO_THREAD = "can't start new thread"  # Python's words; it has no other sign of this
FILES_OF_GAME = 24  # four for each of six engines: two that play, two that are started, two that are kept
FILES_OF_OTHERS = 128  # open files of the store, the pages and the event loop
TASKS_IN_RESERVE = 8  # an engine may have been refused a process or thread where fewer are left


def ignore_notice(text: str) -> None:
    """Take a notice, and tell nobody."""


def allow_files(games: int, others: int = 0) -> None:
    """Allow this process, as far as it may, the open files that ``games`` at once need, and ``others`` beside them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_OF_OTHERS + others + games * FILES_OF_GAME
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(wanted, hard)), hard))


@contextmanager
def shortage_of(what: str) -> Iterator[None]:
    """Raise what the machine refuses in the block as an error of its own.

    :param what: what was to be had, such as ``a process``.
    :raises ShortageError: naming it, and the limit.
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
    """Return how many processes and threads the control groups of this process have refused so far, to anyone in them.

    :param root: the root of the file system.
    """
    with suppress(OSError):
        group = root / "sys/fs/cgroup" / (root / "proc/self/cgroup").read_text().rpartition("0::/")[2].strip()
        return sum(map(_refusals, (group, *group.parents)))
    return 0


def _refusals(group: Path) -> int:
    """Return how often the limit of a group was hit; where that can be told, not those of the groups in it."""
    for name in ("pids.events.local", "pids.events"):
        with suppress(OSError):
            return int((group / name).read_text().split()[1])  # the text is `max` and the number
    return 0


def check_tasks(refused_before: int) -> None:
    """Check that an engine had room for its threads; a fault of one that had none is not judged.

    :param refused_before: what :func:`refused_tasks` said before the engine was asked.
    :raises ShortageError: if a process or thread was refused since, or hardly one can be had now.
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
