"""What the machine refuses is an error of its own, and never an engine's fault. The game is played later.

A start that is refused says so itself. An engine that was refused a thread or a process crashes, or stalls: after such
a fault it is asked whether tasks are short, by the limit of the user (``ulimit -u``) and those of control groups, as
containers have them.
"""

from __future__ import annotations

import errno
import functools
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from quietmove.referee.errors import ShortageError

__all__ = ["Notice", "check_tasks", "count_games", "find_room", "ignore_notice", "refused_tasks", "shortage_of"]

SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
Notice = Callable[[str], None]  # takes a sentence for the person who waits for the games

NO_THREAD = "can't start new thread"  # Python's words; it has no other sign of this
FILES_OF_GAME = 24  # four of each engine, as many while another two are being started, and for two that are kept
FILES_IN_RESERVE = 32  # for the store, the event loop, and modules that are still to be imported
TASKS_IN_RESERVE = 8  # with fewer processes and threads left, an engine may have been refused one


def count_games(games: int) -> str:
    """Return a number of games in words."""
    return "1 game" if games == 1 else f"{games:,} games"


def ignore_notice(text: str) -> None:
    """Take a notice, and tell nobody."""


def find_room(games: int, notice: Notice = ignore_notice) -> int:
    """Allow as many open files as ``games`` at once need; return for how many they suffice, and tell if it is less.

    :raises ShortageError: if there is no room for a single game.
    """
    reserved = len(os.listdir("/proc/self/fd")) + FILES_IN_RESERVE  # noqa: PTH208  (names alone are counted)
    wanted = reserved + games * FILES_OF_GAME
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        soft = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    fitting = min(games, (soft - reserved) // FILES_OF_GAME)
    allowed = f"{soft} open files are allowed (ulimit -Hn), {reserved} of them are in use or reserved"
    if fitting < 1:
        raise ShortageError(f"there is no room for a game: {allowed}; a game needs {FILES_OF_GAME} more")
    if fitting < games:
        notice(f"{count_games(fitting)} at once instead of {games}: {allowed}; one needs {FILES_OF_GAME}")
    return fitting


@contextmanager
def shortage_of(what: str) -> Iterator[None]:
    """Raise what the machine refuses in the block as an error of its own.

    :param what: what was to be had, such as ``a process``.
    :raises ShortageError: naming it, and the limit.
    """
    try:
        yield
    except (MemoryError, OSError, RuntimeError) as error:
        number = error.errno if isinstance(error, OSError) else None
        if isinstance(error, MemoryError):
            number = errno.ENOMEM
        elif NO_THREAD in str(error):
            number = errno.EAGAIN
        if number not in SHORTAGES:
            raise
        raise ShortageError(f"the machine has no room for {what}: {_reason(number)}") from error


def _reason(number: int) -> str:
    text = os.strerror(number)
    if number == errno.EMFILE:
        return f"{text} ({resource.getrlimit(resource.RLIMIT_NOFILE)[0]} are allowed, ulimit -n)"
    if number == errno.EAGAIN:
        return f"{text} (more processes or threads than ulimit -u or the control group allow)"
    return text


def refused_tasks() -> int:
    """Return how many processes and threads the control groups have refused so far, to anyone in them."""
    return sum(map(_refusals, _groups()))


def check_tasks(refused_before: int) -> None:
    """Check that an engine had room for its threads; a fault of one that had none is not judged.

    :param refused_before: what :func:`refused_tasks` said before the engine was asked.
    :raises ShortageError: if a process or thread was refused since, or hardly one is left of what the user may have.
    """
    if (refused := refused_tasks() - refused_before) > 0:
        raise ShortageError(f"the control group refused a process or a thread {refused} times during a game")
    allowed, _ = resource.getrlimit(resource.RLIMIT_NPROC)  # which does not hold for root
    if os.geteuid() and allowed != resource.RLIM_INFINITY and (used := _user_tasks()) > allowed - TASKS_IN_RESERVE:
        raise ShortageError(
            f"the machine has no room for the threads of an engine: {allowed} processes and threads are allowed "
            f"(ulimit -u), {used} run"
        )


def _user_tasks() -> int:
    """Return how many threads the user's processes have, which is what Linux counts."""
    own, used = os.getuid(), 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # a process that has ended meanwhile
            if folder.stat().st_uid == own:
                used += len(os.listdir(folder / "task"))  # noqa: PTH208  (names alone are counted)
    return used


@functools.cache
def _groups() -> tuple[Path, ...]:
    """Return the folders of this process's control group, and of those that it is in, which count refusals."""
    found: list[Path] = []
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("", "pids"):
                root = Path("/sys/fs/cgroup", controllers)
                group = root / path.lstrip("/")
                found += [folder for folder in (group, *group.parents) if folder.is_relative_to(root)]
    return tuple(folder for folder in found if (folder / "pids.events").exists())


def _refusals(folder: Path) -> int:
    """Return how often a limit of this group itself was hit; one of a group in it is that of a single engine."""
    for name in ("pids.events.local", "pids.events"):
        with suppress(OSError, ValueError):
            counts = dict(line.split() for line in (folder / name).read_text().splitlines())
            return int(counts.get("max", 0))
    return 0
