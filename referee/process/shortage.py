"""What a run needs of the machine, what the machine allows, and how a shortage is told. A shortage is no verdict.

A game needs two processes and their pipes. The limits are those of open files (``ulimit -n``), of processes of a user
(``ulimit -u``), and of processes in a control group, as containers have them.
"""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from quietmove.referee.errors import ShortageError

__all__ = ["Notice", "Room", "check_tasks", "count_games", "find_room", "ignore_notice", "refused_tasks", "shortage_of"]

SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ECHILD)  # the last: its keeper had no room
Notice = Callable[[str], None]  # takes a sentence for the person who waits for the games

NO_THREAD = "can't start new thread"  # Python's words; it has no other sign of this
FILES_OF_ENGINE = 4  # three pipes, and what waits for its end
FILES_OF_GAME = 4 * FILES_OF_ENGINE  # two engines, and as much again while they are being started
FILES_IN_RESERVE = 32  # for the store, the event loop, and modules that are still to be imported
TASKS_OF_ENGINE = 2  # the process and what waits for its end, beside the threads in which it searches
TASKS_OF_GAME = 1  # a thread that waits for it, beside its two engines
TASKS_IN_RESERVE = 8
ENGINES_KEPT = 2  # for each game at once, so that an engine need not be started for each game


@dataclass(frozen=True, slots=True)
class Room:
    """What the machine has room for.

    :param games: how many at once.
    :param kept: how many engines may be kept between games besides.
    """

    games: int
    kept: int


@dataclass(frozen=True, slots=True)
class _Supply:
    """Something that is limited.

    :param left: how many can be had, beyond the reserve.
    :param allowed: the limit, in words.
    """

    left: int
    per_engine: int
    per_game: int
    allowed: str


def count_games(games: int) -> str:
    """Return a number of games in words."""
    return "1 game" if games == 1 else f"{games} games"


def ignore_notice(text: str) -> None:
    """Take a notice, and tell nobody."""


def find_room(games: int, notice: Notice = ignore_notice, engine_threads: int = 1) -> Room:
    """Return how much of ``games`` at once there is room for, and tell if it is less; raise the limit of open files.

    :param engine_threads: in how many threads each engine searches.
    :raises ShortageError: if there is no room for a single game.
    """
    kept = ENGINES_KEPT * games
    wanted = _open_files() + FILES_IN_RESERVE + games * FILES_OF_GAME + kept * FILES_OF_ENGINE
    supplies = [_files(wanted), *_tasks(engine_threads)]
    for supply in supplies:
        fitting = min(games, supply.left // supply.per_game)
        if fitting < 1:
            raise ShortageError(f"there is no room for a game: {supply.allowed}; a game needs {supply.per_game} more")
        if fitting < games:
            notice(f"{count_games(fitting)} at once instead of {games}: {supply.allowed}; one needs {supply.per_game}")
            games = fitting
    spare = min((supply.left - games * supply.per_game) // supply.per_engine for supply in supplies)
    return Room(games, min(kept, spare))


def refused_tasks() -> int:
    """Return how many processes and threads the control groups have refused so far, to anyone in them."""
    return sum(_group_refusals(folder) for folder in _groups())


def check_tasks(refused_before: int) -> None:
    """Check that an engine had room for its threads; a fault of one that had none is not judged.

    :param refused_before: what :func:`refused_tasks` said before the engine was asked.
    :raises ShortageError: if a process or thread was refused since, or hardly one is left of what the user may have.
    """
    if (refused := refused_tasks() - refused_before) > 0:
        raise ShortageError(f"the control group refused a process or a thread {refused} times during a game")
    for supply in _tasks():
        if supply.left < 0:
            raise ShortageError(f"the machine has no room for the threads of an engine: {supply.allowed}")


@contextmanager
def shortage_of(what: str) -> Iterator[None]:
    """Raise what the machine refuses in the block as an error of its own.

    :param what: what was to be had, such as ``a process``.
    :raises ShortageError: naming it, and the limit.
    """
    try:
        yield
    except MemoryError:
        raise ShortageError(f"the machine has no room for {what}: {os.strerror(errno.ENOMEM)}") from None
    except OSError as error:
        if error.errno not in SHORTAGES:
            raise
        raise ShortageError(f"the machine has no room for {what}: {_reason(error.errno)}") from error
    except RuntimeError as error:
        if NO_THREAD not in str(error):
            raise
        raise ShortageError(f"the machine has no room for {what}: {_reason(errno.EAGAIN)}") from error


def _reason(number: int) -> str:
    text = os.strerror(number)
    if number == errno.EMFILE:
        return f"{text} ({resource.getrlimit(resource.RLIMIT_NOFILE)[0]} are allowed, ulimit -n)"
    if number == errno.EAGAIN:
        return f"{text} (more processes or threads than ulimit -u or the control group allow)"
    return text


def _files(wanted: int) -> _Supply:
    """Raise the soft limit to ``wanted`` if it is lower, as far as the hard one allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # where the system has another limit still
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    allowed = wanted if soft == resource.RLIM_INFINITY else soft
    opened = _open_files()
    words = f"{allowed} open files are allowed (ulimit -Hn), {opened + FILES_IN_RESERVE} of them are in use or reserved"
    return _Supply(allowed - opened - FILES_IN_RESERVE, FILES_OF_ENGINE, FILES_OF_GAME, words)


def _tasks(engine_threads: int = 1) -> Iterator[_Supply]:
    """Yield what is left of each limit of processes; Linux counts their threads too."""
    per_engine = TASKS_OF_ENGINE + engine_threads
    limits = [*_user_tasks(), *_group_tasks()]
    for allowed, used, where in limits:
        words = f"{allowed} processes and threads are allowed ({where}), {used} run"
        yield _Supply(allowed - used - TASKS_IN_RESERVE, per_engine, 2 * per_engine + TASKS_OF_GAME, words)


def _user_tasks() -> Iterator[tuple[int, int, str]]:
    """Yield the limit of the user, which does not hold for root, and what counts against it."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.geteuid() == 0 or soft == resource.RLIM_INFINITY:
        return
    own, used = os.getuid(), 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # a process that has ended meanwhile
            if folder.stat().st_uid == own:
                used += len(os.listdir(folder / "task"))  # noqa: PTH208  (names alone are counted)
    yield soft, used, "ulimit -u"


def _group_tasks() -> Iterator[tuple[int, int, str]]:
    """Yield the limits of this process's control group, and of those that it is in."""
    for folder in _groups():
        yield from _group_limit(folder)


def _groups() -> list[Path]:
    """Return the folders of this process's control group, and of those that it is in, which limit processes."""
    found: list[Path] = []
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("", "pids"):
                root = Path("/sys/fs/cgroup", controllers)
                group = root / path.lstrip("/")
                found += [folder for folder in (group, *group.parents) if folder.is_relative_to(root)]
    return [folder for folder in found if (folder / "pids.max").exists()]


def _group_limit(folder: Path) -> Iterator[tuple[int, int, str]]:
    with suppress(OSError, ValueError):  # no such limit, or ``max``
        allowed, used = (int((folder / name).read_text()) for name in ("pids.max", "pids.current"))
        yield allowed, used, str(folder / "pids.max")


def _group_refusals(folder: Path) -> int:
    """Return how often a limit of this group itself was hit; one of a group in it is that of a single engine."""
    for name in ("pids.events.local", "pids.events"):
        with suppress(OSError, ValueError):
            counts = dict(line.split() for line in (folder / name).read_text().splitlines())
            return int(counts.get("max", 0))
    return 0


def _open_files() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208  (names alone are counted)
    except OSError:
        return FILES_IN_RESERVE
