"""What a hostile engine tries against its opponent, its referee and the machine; each attack does no harm here.

An engine that is to attack has a variable ``ATTACK`` in its environment: the number of the referee's process, a port on
this machine, which is also a word of the opponent's command, a file, and how many processes to start, with blanks
between them.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator


def attack() -> None:
    """Try everything; write a line with the name of each attack and whether it was done to standard error."""
    referee, port, path, processes = os.environ["ATTACK"].split()
    attempts: dict[str, Callable[[], object]] = {
        "see the opponent": lambda: opponent(port),
        "write into the opponent's pipe": lambda: intrude(opponent(port)),
        "signal the opponent": lambda: os.kill(opponent(port), signal.SIGCONT),
        "signal the referee": lambda: os.kill(int(referee), signal.SIGCONT),
        "write to the referee's output": lambda: os.close(os.open(f"/proc/{referee}/fd/1", os.O_WRONLY)),
        "read the referee's environment": lambda: os.environ["SECRET"],
        "connect": lambda: socket.create_connection(("127.0.0.1", int(port))).close(),
        "write a file": lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT)),
        "read a file": lambda: os.close(os.open(path, os.O_RDONLY)),
        "start many processes": lambda: start_processes(int(processes)),
        "take every processor": lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
        "have memory that belongs to no process": lambda: os.close(os.memfd_create("hidden")),
        "become root in a namespace": become_root,
    }
    for name, attempt in attempts.items():
        try:
            attempt()
        except (OSError, LookupError):
            print(f"{name}: refused", file=sys.stderr)
        else:
            print(f"{name}: done", file=sys.stderr)
    sys.stderr.flush()


def opponent(word: str) -> int:
    """Return the process that has ``word`` in its command."""
    return [pid for pid in processes() if word.encode() in command(pid).split(b"\0")][0]  # noqa: RUF015


def processes() -> Iterator[int]:
    yield from (int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208


def command(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return b""


def intrude(pid: int) -> None:
    handle = os.open(f"/proc/{pid}/fd/1", os.O_WRONLY)
    os.write(handle, b"info string an intruder\n")
    os.close(handle)


def become_root() -> None:
    """Make a user namespace in a child."""
    if (child := os.fork()) == 0:
        os._exit(ctypes.CDLL(None).unshare(0x10000000) != 0)
    if os.waitpid(child, 0)[1]:
        raise OSError("refused")


def start_processes(count: int) -> None:
    """Start processes that wait, and end them; an error says that there are too many."""
    started: list[int] = []
    try:
        for _ in range(count):
            if (child := os.fork()) == 0:
                time.sleep(1000)
            started.append(child)
    finally:
        for child in started:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def fill_folder(folder: str, size: int) -> None:
    """Write files of one MiB, as much as there is room for and no more than ``size`` MiB, and wait."""
    with contextlib.suppress(OSError):
        for number in range(size):
            with open(f"{folder}/{number}", "xb") as file:  # noqa: PTH123
                file.write(bytes(1 << 20))
    time.sleep(1000)


def share_memory(size: int) -> None:
    """Hold ``size`` MiB in a file in memory that this process and a child of it have mapped."""
    with open("/dev/shm/shared", "x+b") as file:  # noqa: PTH123
        file.truncate(size << 20)
        shared = mmap.mmap(file.fileno(), size << 20)
    for page in range(0, size << 20, mmap.PAGESIZE):
        shared[page] = 1
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        sum(shared[page] for page in range(0, size << 20, mmap.PAGESIZE))
        os.write(writing, b"+")
        time.sleep(1000)
    os.read(reading, 1)
    time.sleep(0.3)  # time for several checks of the memory in use; a late check would miss it
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
