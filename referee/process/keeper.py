"""The parents of engines: a program of its own, which knows no game and imports the standard library alone.

It is run as a script, once for a referee: the *launcher*. The referee sends it handles, and it forks a *keeper*, which
starts one engine, does what the referee asks for through the channel, and reports the end. The keeper is the subreaper
of its engine (``man 2 PR_SET_CHILD_SUBREAPER``): whatever group or session a child of the engine moves to, when its
parent ends it becomes a child of the keeper. So the keeper finds and kills all of them, when the engine ends, when the
referee asks for it, and when the referee is gone, which closes the channel. If the keeper itself is killed, the kernel
kills the engine (``man 2 PR_SET_PDEATHSIG``).

The handles are the channel, the engine's input, output and standard error, and what else it gets, from handle 3 on.
Through the channel comes a line of JSON with the fields of :class:`quietmove.referee.process.launch.Launch`. The answer
is a line with ``pid``, or with ``errno`` and ``file``; a channel that is closed without one means that the machine gave
no process. Then the referee writes single bytes, and the last line of the keeper says how the engine ended:
``status``, negative for a signal, and ``breach``, the cap for which it was killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import select
import signal
import socket
import sys
from typing import Any, NoReturn

__all__ = ["GAME_BEGINS", "KILL", "MOST_HANDLES"]

MOST_HANDLES = 8  # handles that come with a request
KILL = b"K"  # the order to send SIGKILL to everything
GAME_BEGINS = b"G"  # the order to count the processor time of a game from here

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
CHECK_SECONDS = 0.05  # between two looks at memory and processor time, where they are capped
OOM_SCORE = 500  # where memory is short, the kernel ends an engine before the referee
MEBIBYTE = 1 << 20
LIBRARY = ctypes.CDLL(None)
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Serve the socket whose number is the argument, until it is closed."""
    requests = socket.socket(fileno=int(sys.argv[1]))
    os.chdir("/")  # it holds no folder of the user's
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a keeper
    gc.disable()
    gc.freeze()  # a fork shares the memory of what is not collected
    while handles := socket.recv_fds(requests, 1, MOST_HANDLES)[1]:
        with contextlib.suppress(OSError):  # the machine gives no process
            if os.fork() == 0:
                requests.close()
                keep(handles)
        for handle in handles:
            os.close(handle)


def keep(handles: list[int]) -> NoReturn:
    """Be the keeper of an engine, to the end of the last process that it left behind."""
    try:
        Keeper(handles).run()
    finally:
        os._exit(0)  # whatever happened: the channel closes, and the kernel kills the engine


class Keeper:
    """The parent of one engine."""

    def __init__(self, handles: list[int]) -> None:
        self.channel = socket.socket(fileno=handles[0])
        self.handles = handles[1:]
        self.pid = 0
        self.breach = ""
        self.seconds_before = 0.0  # processor time before this game

    def run(self) -> None:
        """Start the engine, obey the referee, and report the end."""
        wakes, woken = os.pipe()
        for handle in (wakes, woken):
            os.set_blocking(handle, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        LIBRARY.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        request = json.loads(self.channel.makefile("rb").readline())
        if not self.start(request):
            return
        keys = request["keys"]
        self.memory, self.seconds = keys.get("memory", 0) * MEBIBYTE, keys.get("cpu_seconds", 0)
        is_capped = bool(self.memory or self.seconds)
        while not self.engine_has_ended():
            ready, _, _ = select.select([self.channel.fileno(), wakes], [], [], CHECK_SECONDS if is_capped else None)
            if wakes in ready:
                os.read(wakes, 4096)
            if self.channel.fileno() in ready and not self.obey():
                break
            if is_capped and self.goes_over_a_cap():
                break
        self.tell(status=self.end(), breach=self.breach)

    def start(self, request: dict[str, Any]) -> bool:
        """Start the engine and tell the referee; tell whether it runs."""
        failed, failure = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            become(request, self.handles, failure)
        for handle in (failure, *self.handles):
            os.close(handle)
        error = os.read(failed, 65536)
        os.close(failed)
        self.tell(**json.loads(error) if error else {"pid": self.pid})
        return not error

    def engine_has_ended(self) -> bool:
        """Tell whether the engine has ended; its number stays taken. What it left behind is reaped."""
        while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if found.si_pid == self.pid:
                return True
            os.waitpid(found.si_pid, 0)
        return False

    def obey(self) -> bool:
        """Do what the referee asks for; tell whether the engine may go on."""
        orders = self.channel.recv(4096)
        if GAME_BEGINS in orders and self.seconds:
            self.seconds_before, _ = usage(descendants(os.getpid()))
        return bool(orders) and KILL not in orders

    def goes_over_a_cap(self) -> bool:
        """Tell whether the engine and what it started use too much, and note what."""
        pids = descendants(os.getpid())
        seconds, memory = usage(pids)
        if self.memory and memory > self.memory and shared_once(pids) > self.memory:
            self.breach = f"went over its memory cap of {self.memory // MEBIBYTE} MiB"
        elif self.seconds and seconds - self.seconds_before > self.seconds:
            self.breach = f"went over its cap of {self.seconds} s of processor time for a game"
        return bool(self.breach)

    def end(self) -> int:
        """Kill everything that is left; return how the engine ended."""
        status = 0
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)  # at once, in one call: a group that forks cannot outrun it
        while True:
            for pid in descendants(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            options = 0
            try:
                while (found := os.waitpid(-1, options))[0]:
                    options = os.WNOHANG  # the first is waited for; then all that have ended too
                    if found[0] == self.pid:
                        status = os.waitstatus_to_exitcode(found[1])
            except ChildProcessError:
                return status

    def tell(self, **fields: int | str) -> None:
        """Send the referee a line."""
        with contextlib.suppress(OSError):  # the referee has gone
            self.channel.sendall(json.dumps(fields).encode() + b"\n")


def become(request: dict[str, Any], handles: list[int], failure: int) -> NoReturn:
    """Turn this process into the engine, or write why that failed."""
    try:
        os.setsid()
        LIBRARY.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        for number, handle in enumerate(handles):
            os.set_inheritable(handle, False)
            os.dup2(handle, number)
        signal.set_wakeup_fd(-1)
        for each in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(each, signal.SIG_DFL)
        os.chdir(request["cwd"])
        if cpus := request["keys"].get("cpus"):
            os.sched_setaffinity(0, cpus)
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(str(OOM_SCORE))
        os.execve(request["program"], request["arguments"], request["env"])
    except OSError as error:
        os.write(failure, json.dumps({"errno": error.errno, "file": error.filename or ""}).encode())
    finally:
        os._exit(127)


def usage(pids: list[int]) -> tuple[float, int]:
    """Return seconds of processor time, those of ended children too, and the bytes of memory that processes hold.

    What several of them share counts once for each.
    """
    times = os.times()
    seconds, memory = times.children_user + times.children_system, 0
    for pid in pids:
        fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        if fields:  # numbered from the third, man 5 proc: 14 to 17 are times, 24 is the resident set
            seconds += sum(map(int, fields[11:15])) / TICKS
            memory += int(fields[21]) * PAGE
    return seconds, memory


def shared_once(pids: list[int]) -> int:
    """Return the bytes of memory that processes hold, with what several of them share counted once."""
    lines = (line for pid in pids for line in read(f"/proc/{pid}/smaps_rollup").splitlines())
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def descendants(pid: int) -> list[int]:
    """Return the living processes below ``pid``, parents first."""
    found: list[int] = []
    above = [pid]
    while above:
        above = [child for each in above for child in children(each)]
        found += above
    return found


def children(pid: int) -> list[int]:
    """Return the processes whose parent is ``pid``."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return []
    return [int(word) for task in tasks for word in read(f"/proc/{pid}/task/{task}/children").split()]


def read(path: str) -> str:
    """Return the text of a file of /proc; nothing if the process has ended."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123  (pathlib costs start-up time)
            return file.read()
    except OSError:
        return ""


if __name__ == "__main__":
    main()
