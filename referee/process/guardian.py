"""The parent of all engines: a process of its own, which knows no game and imports the standard library alone.

It is run as a script. The referee sends it a request with four handles (a channel, and the engine's input, output and
standard error); for each it forks a *keeper*, which starts the engine, is told what to do through the channel, and
reports the end. The keeper is the subreaper of its engine (``man 2 PR_SET_CHILD_SUBREAPER``): whatever group or session
a child of the engine moves to, when its parent ends it becomes a child of the keeper. So the keeper finds and kills all
of them, when the engine ends, when the referee asks for it, and when the referee is gone, which closes the channel. If
the keeper itself is killed, the kernel kills the engine (``man 2 PR_SET_PDEATHSIG``; that signal is bound to the thread
that forked, and the keeper has only one).

A request is a line of JSON with the fields of :class:`quietmove.referee.process.launch.Launch`. The answer is a line
with ``pid``, or with ``errno`` and ``step``. Then the referee writes single bytes, and the last line of the keeper says
how the engine ended: ``status``, negative for a signal, and ``breach``, if it was killed for going over a cap.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any, NoReturn

__all__ = ["GAME_BEGINS", "GIVEN", "HANDLES", "KILL", "TERMINATE"]

HANDLES = 4  # sent with a request: the channel, and the engine's input, output and standard error
TERMINATE = b"T"  # SIGTERM to the engine's group
KILL = b"K"  # SIGKILL to everything
GIVEN = 3  # the handle from which the program can read what the request gives it
GAME_BEGINS = b"G"  # the processor time of a game counts from here

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
MAX_REQUEST_BYTES = 8 << 20  # more than the kernel takes as arguments and environment
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
    while True:
        handles = _receive(requests)
        if not handles:
            return
        try:
            pid = os.fork()
        except OSError as error:
            with contextlib.suppress(OSError):
                os.write(handles[0], _line(errno=error.errno, step="fork"))
            pid = -1
        if pid == 0:
            requests.close()
            _keep(handles)
        for handle in handles:
            os.close(handle)


def _receive(requests: socket.socket) -> list[int]:
    """Return the handles of the next request; none at the end."""
    handles = array.array("i")
    space = socket.CMSG_SPACE(HANDLES * handles.itemsize)
    _, messages, _, _ = requests.recvmsg(1, space, getattr(socket, "MSG_CMSG_CLOEXEC", 0))
    for _, _, data in messages:
        handles.frombytes(data[: len(data) - len(data) % handles.itemsize])
    return list(handles)


def _keep(handles: list[int]) -> NoReturn:
    status = 1
    try:
        _Keeper(handles).run()
        status = 0
    finally:
        os._exit(status)  # whatever happened: the channel closes, and the kernel kills the engine


class _Keeper:
    """The parent of one engine, from its start to the end of the last process that it left behind."""

    def __init__(self, handles: list[int]) -> None:
        self.channel, *self.stdio = handles
        self.pid = 0
        self.breach = ""
        self.seconds_before = 0.0  # processor time before this game
        self.next_check = 0.0

    def run(self) -> None:
        wakes, woken = os.pipe()
        for handle in (wakes, woken):
            os.set_blocking(handle, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        request = self._read_request()
        if request is None or not self._start(request):
            return
        self.memory, self.seconds = request["memory"] * MEBIBYTE, request["cpu_seconds"]
        is_capped = bool(self.memory or self.seconds)
        poll = select.poll()
        poll.register(self.channel, select.POLLIN)
        poll.register(wakes, select.POLLIN)
        while not self._engine_has_ended():
            poll.poll(CHECK_SECONDS * 1000 if is_capped else None)
            with contextlib.suppress(BlockingIOError):
                os.read(wakes, 4096)
            if is_readable(self.channel) and not self._obey():
                break
            if is_capped and self._is_over_a_cap():
                break
        self._report(self._end())

    def _read_request(self) -> dict[str, Any] | None:
        """Return the request; None if the referee has gone."""
        text = bytearray()
        while not text.endswith(b"\n"):
            data = os.read(self.channel, 65536)
            text += data
            if not data or len(text) > MAX_REQUEST_BYTES:
                return None
        found: dict[str, Any] = json.loads(text)
        return found

    def _start(self, request: dict[str, Any]) -> bool:
        """Start the engine and tell the referee; tell whether it runs."""
        failed, failure = os.pipe()
        try:
            self.pid = os.fork()
        except OSError as error:
            os.write(self.channel, _line(errno=error.errno, step="fork"))
            return False
        if self.pid == 0:
            _become(request, self.stdio, failure)
        for handle in (failure, *self.stdio):
            os.close(handle)
        error_line = os.read(failed, 65536)
        os.close(failed)
        os.write(self.channel, error_line or _line(pid=self.pid))
        return not error_line

    def _engine_has_ended(self) -> bool:
        """Tell whether the engine has ended; its number stays taken. Children that it left behind are buried."""
        while True:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None or found.si_pid == self.pid:
                return found is not None
            os.waitpid(found.si_pid, 0)

    def _obey(self) -> bool:
        """Do what the referee asks for; tell whether the engine may go on."""
        orders = os.read(self.channel, 4096)
        for order in (orders[i : i + 1] for i in range(len(orders))):
            if order == KILL:
                return False
            if order == TERMINATE:
                self._signal_group(signal.SIGTERM)
            elif order == GAME_BEGINS:
                self.seconds_before = Usage(self.seconds > 0, False).seconds
        return bool(orders)

    def _is_over_a_cap(self) -> bool:
        """Look, if it is time to, and note what the engine went over."""
        if time.monotonic() < self.next_check:
            return False
        self.next_check = time.monotonic() + CHECK_SECONDS
        used = Usage(self.seconds > 0, self.memory > 0)
        if self.memory and used.memory > self.memory and used.shared_once() > self.memory:
            self.breach = f"went over its memory cap of {self.memory // MEBIBYTE} MiB"
        elif self.seconds and used.seconds - self.seconds_before > self.seconds:
            self.breach = f"went over its cap of {self.seconds} s of processor time for a game"
        return bool(self.breach)

    def _end(self) -> int:
        """Kill everything that is left; return how the engine ended."""
        engine_status = 0
        self._signal_group(signal.SIGKILL)  # at once, in one call: a group that forks cannot outrun it
        while True:
            for pid in descendants(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            options = 0
            try:
                while (found := os.waitpid(-1, options))[0]:
                    options = os.WNOHANG  # the first is waited for; then all that have ended too
                    if found[0] == self.pid:
                        engine_status = os.waitstatus_to_exitcode(found[1])
            except ChildProcessError:
                return engine_status

    def _report(self, status: int) -> None:
        with contextlib.suppress(OSError):  # the referee has gone
            os.write(self.channel, _line(status=status, breach=self.breach))

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # an empty group; the second is macOS's
            os.killpg(self.pid, number)


class Usage:
    """What the processes of this keeper use: the engine, and everything below it.

    :ivar seconds: of processor time, with that of the processes which have ended.
    :ivar memory: bytes of memory that they hold; what several of them share counts once for each.
    """

    def __init__(self, with_seconds: bool, with_memory: bool) -> None:
        times = os.times()
        self.seconds = times.children_user + times.children_system
        self.memory = 0
        self.pids = descendants(os.getpid()) if with_seconds or with_memory else []
        for pid in self.pids:
            fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
            if fields:  # numbered from the third, man 5 proc: 14 to 17 are times, 24 is the resident set
                self.seconds += sum(map(int, fields[11:15])) / TICKS
                self.memory += int(fields[21]) * PAGE

    def shared_once(self) -> int:
        """Return the bytes of memory that they hold, with what several of them share counted once."""
        total = 0
        for pid in self.pids:
            lines = read(f"/proc/{pid}/smaps_rollup").splitlines()
            sizes = [int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")]
            total += sizes[0] if sizes else 0
        return total or self.memory  # the kernel may not tell


def _become(request: dict[str, Any], stdio: list[int], failure: int) -> NoReturn:
    """Turn this process into the engine, or write why that failed."""
    step = "start"
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        for number, handle in enumerate([*stdio, *_given(request["given"])]):
            os.dup2(handle, number)
        signal.set_wakeup_fd(-1)
        for each in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(each, signal.SIG_DFL)
        step = "cwd"
        os.chdir(request["cwd"])
        step = "cpus"
        if request["cpus"]:
            os.sched_setaffinity(0, request["cpus"])
        with contextlib.suppress(OSError):
            _write("/proc/self/oom_score_adj", str(OOM_SCORE))
        step = "start"
        os.execve(request["program"], request["arguments"], request["env"])
    except OSError as error:
        os.write(failure, _line(errno=error.errno, step=step))
    finally:
        os._exit(127)


def _given(digits: str) -> list[int]:
    """Return a handle from which to read what is given, if anything is; a pipe holds it."""
    if not digits:
        return []
    reading, writing = os.pipe()
    os.write(writing, bytes.fromhex(digits))
    os.close(writing)
    return [reading]


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process, where there is such a call (Linux)."""
    if sys.platform == "linux":
        LIBRARY.prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def descendants(pid: int) -> list[int]:
    """Return the living processes below ``pid``, parents first; where there is no /proc, none."""
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


def is_readable(handle: int) -> bool:
    """Tell whether a read would not wait."""
    return bool(select.select([handle], [], [], 0)[0])


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:  # noqa: PTH123
        file.write(text)


def _line(**fields: int | str | None) -> bytes:
    return json.dumps(fields).encode() + b"\n"


if __name__ == "__main__":
    main()
