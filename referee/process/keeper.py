"""The parents of engines: a program of its own, which knows no game and imports the standard library alone.

It is run as a script, once for a referee: the *launcher*. For each channel that the referee sends, it forks a *keeper*,
which starts one engine and tells how it ended. The keeper is the subreaper of its engine (``man 2
PR_SET_CHILD_SUBREAPER``): whatever group or session a child of the engine moves to, when its parent ends it becomes a
child of the keeper. So the keeper finds and kills all of them: when the engine has ended or goes over a cap, and when
the referee closes its end of the channel, as it does to end the engine, and as the kernel does when the referee is
gone. If the keeper itself is killed, the kernel kills the engine (``man 2 PR_SET_PDEATHSIG``).

Through the channel comes a line of JSON with the fields of :class:`quietmove.referee.process.launch.Launch`. The answer
is :data:`STARTED` with the handles of the engine's input, output and standard error, or JSON with the number of an
error and its file; there is none if the machine gives no process. Then each byte begins a game, and the keeper's last
words say how the engine ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
from glob import glob
from typing import Any

__all__ = ["STARTED"]

STARTED = b"+"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
CHECK_SECONDS = 0.05  # between two looks at memory and processor time, where they are capped
OOM_SCORE = "500"  # where memory is short, the kernel ends an engine before the referee
MEBIBYTE = 1 << 20
LIBRARY = ctypes.CDLL(None)
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Fork a keeper for each channel that comes through the standard input, until that is closed."""
    os.chdir("/")  # it holds no folder of the user's
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a keeper
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
        file.write(OOM_SCORE)
    requests = socket.socket(fileno=0)
    while handles := socket.recv_fds(requests, 1, 1)[1]:
        with contextlib.suppress(OSError), socket.socket(fileno=handles[0]) as channel:  # there may be no process
            if os.fork() == 0:
                try:
                    requests.close()
                    keep(channel)
                finally:
                    os._exit(0)  # whatever happened: the channel closes, and the kernel kills the engine


def keep(channel: socket.socket) -> None:
    """Be the keeper of an engine, to the end of the last process that it left behind."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    LIBRARY.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    request = json.loads(channel.makefile("rb").readline())
    try:
        engine = start(request)
    except OSError as error:
        channel.sendall(json.dumps([error.errno, error.filename or ""]).encode())
        return
    pipes = [pipe for pipe in (engine.stdin, engine.stdout, engine.stderr) if pipe]
    with contextlib.suppress(ConnectionError):  # the referee has gone meanwhile
        socket.send_fds(channel, [STARTED], [pipe.fileno() for pipe in pipes])
    for pipe in pipes:
        pipe.close()
    breach = watch(engine.pid, channel, request["keys"])
    status = end(engine.pid)
    how = f"ended with status {status}"
    if status < 0:
        how = f"was ended by signal {-status} ({signal.Signals(-status).name})"
    channel.sendall((breach or how).encode())


def start(request: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start the engine as the leader of a session.

    :raises OSError: if that is not possible.
    """
    if cpus := request["keys"].get("cpus"):
        os.sched_setaffinity(0, cpus)
    return subprocess.Popen(
        request["arguments"],
        bufsize=0,
        executable=request["program"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=request["cwd"],
        env=request["env"],
        start_new_session=True,
        preexec_fn=lambda: LIBRARY.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0),
    )


def watch(engine: int, channel: socket.socket, keys: dict[str, Any]) -> str:
    """Return when the engine has ended or is to end; after it went over a cap, say which."""
    memory, seconds = keys.get("memory", 0), keys.get("cpu_seconds", 0)
    pause = CHECK_SECONDS if memory or seconds else None
    orders, has_ended, seconds_before = channel.fileno(), os.pidfd_open(engine), 0.0
    while True:
        ready, _, _ = select.select([orders, has_ended], [], [], pause)
        pids = descendants() if pause else []
        used, held = usage(pids)
        if orders in ready:
            if not channel.recv(4096):
                return ""
            seconds_before = used
        if has_ended in ready:
            return ""
        if memory and held > memory * MEBIBYTE and shared_once(pids) > memory * MEBIBYTE:
            return f"went over its memory cap of {memory} MiB"
        if seconds and used - seconds_before > seconds:
            return f"went over its cap of {seconds} s of processor time for a game"


def end(engine: int) -> int:
    """Kill everything that is left; return the exit status of the engine, negative for a signal."""
    status = 0
    with contextlib.suppress(OSError):
        os.killpg(engine, signal.SIGKILL)  # at once, in one call: a group that forks cannot outrun it
    with contextlib.suppress(ChildProcessError):
        while True:
            for pid in children(os.getpid()):  # whose own children become children of this process
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            options = 0
            while (found := os.waitpid(-1, options))[0]:
                status = found[1] if found[0] == engine else status
                options = os.WNOHANG  # the first is waited for; then all that have ended too
    return os.waitstatus_to_exitcode(status)


def usage(pids: list[int]) -> tuple[float, int]:
    """Return seconds of processor time, those of ended children too, and the bytes of memory that processes hold.

    What several of them share counts once for each.
    """
    seconds, memory = 0.0, 0
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


def descendants() -> list[int]:
    """Return the processes below this one."""
    found = [os.getpid()]
    for pid in found:  # to which its children are added meanwhile
        found += children(pid)
    return found[1:]


def children(pid: int) -> list[int]:
    """Return the processes whose parent is ``pid``."""
    return [int(word) for path in glob(f"/proc/{pid}/task/*/children") for word in read(path).split()]  # noqa: PTH207


def read(path: str) -> str:
    """Return the text of a file of /proc; nothing if the process has ended."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123  (pathlib costs start-up time)
            return file.read()
    except OSError:
        return ""


if __name__ == "__main__":
    main()
