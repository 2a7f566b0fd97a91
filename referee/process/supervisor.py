"""The program that supervises engines. It knows nothing of games and imports only the standard library.

The script runs once per referee as the *launcher*. For each channel that the referee sends, it forks a *supervisor*,
which starts one engine and reports how it ended. The supervisor is the subreaper of its engine (``man 2
PR_SET_CHILD_SUBREAPER``): whatever group or session a child of the engine joins, it becomes a child of the supervisor
when its parent ends. The supervisor can therefore find and kill all of them: when the engine ends or exceeds a cap, and
when the other end of the channel closes, because the referee ends the engine or has died.

The launcher is the subreaper of the supervisors. It immediately kills a supervisor that an engine has stopped; the
kernel then kills that supervisor's engine (``man 2 PR_SET_PDEATHSIG``), and the launcher kills the engine's children.

The referee sends one line of JSON with the fields of :class:`quietmove.referee.process.launch.Launch`. The supervisor
replies :data:`FORKED`, unless the machine is out of processes. Then it sends :data:`STARTED` and its process ID with
the descriptors of the engine's stdin, stdout and stderr, or JSON with an error number and a file, or nothing if the
engine has killed it. Each further byte starts a game, and the supervisor's last message says how the engine ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import subprocess
from glob import glob
from typing import Any

FORKED, STARTED = b".", b"+"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
CHECK_SECONDS = 0.05  # interval in seconds between checks of an engine's resource usage
OOM_SCORE = "500"  # makes the kernel kill an engine before the referee if memory is short
MEBIBYTE = 1 << 20
INODE = 1024  # approximate kernel memory for an empty in-memory file, in bytes
LIBRARY = ctypes.CDLL(None)
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Fork a supervisor for each channel received, until standard input is closed and all supervisors have ended."""
    os.chdir("/")  # do not keep a user's folder in use
    LIBRARY.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
        file.write(OOM_SCORE)
    changes, change = socket.socketpair()  # receives a byte when a child has ended or stopped
    change.setblocking(False)
    signal.set_wakeup_fd(change.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    requests = socket.socket(fileno=0)
    supervisors = set[int]()
    sources = [changes, requests]
    while requests in sources or children(os.getpid()):
        ready, _, _ = select.select(sources, [], [])
        if requests in ready:
            handles = socket.recv_fds(requests, 1, 1)[1]
            with contextlib.suppress(OSError):  # the machine may be out of processes
                supervisors |= {fork_supervisor(handle, sources) for handle in handles}
            sources = sources if handles else [changes]
        if changes in ready:
            changes.recv(4096)
            attend(supervisors)


def fork_supervisor(handle: int, sources: list[socket.socket]) -> int:
    """Fork a supervisor for the channel with this descriptor, close ``sources`` in it, and return its process ID."""
    with socket.socket(fileno=handle) as channel:
        if supervisor := os.fork():
            return supervisor
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for source in sources:
                source.close()
            os.open(os.devnull, os.O_RDONLY)  # occupies descriptor 0, which Popen treats specially
            keep(channel)
        finally:
            os._exit(0)  # in any case: the channel closes and the kernel kills the engine


def attend(supervisors: set[int]) -> None:
    """Kill stopped supervisors, which only an engine can have stopped, and the orphans of killed supervisors."""
    with contextlib.suppress(ChildProcessError):
        while (waited := os.waitpid(-1, os.WNOHANG | os.WUNTRACED))[0]:
            if os.WIFSTOPPED(waited[1]):
                kill(waited[0])
            else:
                supervisors.discard(waited[0])
    for pid in set(children(os.getpid())) - supervisors:  # the end of each wakes the launcher again
        kill(pid)


def keep(channel: socket.socket) -> None:
    """Supervise one engine until the last of its processes has ended."""
    LIBRARY.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    request = json.loads(channel.makefile("rb").readline())
    channel.sendall(FORKED)
    try:
        engine = start(request)
    except OSError as error:
        channel.sendall(json.dumps([error.errno, error.filename or ""]).encode())
        return
    pipes = [pipe for pipe in (engine.stdin, engine.stdout, engine.stderr) if pipe]
    with contextlib.suppress(ConnectionError):  # the referee has exited in the meantime
        socket.send_fds(channel, [STARTED, str(os.getpid()).encode()], [pipe.fileno() for pipe in pipes])
    for pipe in pipes:
        pipe.close()
    breach = watch(engine.pid, channel, request["keys"])
    status = end(engine.pid)
    how = f"ended with status {status}"
    if status - 128 in set(signal.Signals):  # as a shell or a sandbox reports the signal that ended its program
        how += f" (signal {status - 128}, {signal.Signals(status - 128).name})"
    if status < 0:
        how = f"was ended by signal {-status} ({signal.Signals(-status).name})"
    channel.sendall((breach or how).encode())


def start(request: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start the engine as a session leader and return its process.

    :raises OSError: if that fails.
    """
    if cpus := request["keys"].get("cpus"):
        os.sched_setaffinity(0, cpus)
    with contextlib.ExitStack() as opened:
        arguments = request["arguments"]
        handles = list[int]()
        for option, content in request["handles"].items():
            file = opened.enter_context(os.fdopen(os.memfd_create("handle"), "w+b"))
            file.write(content.encode("latin-1"))
            file.seek(0)
            handles.append(file.fileno())
            arguments = [arguments[0], option, str(file.fileno()), *arguments[1:]]
        return subprocess.Popen(
            arguments,
            bufsize=0,
            executable=request["program"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=request["cwd"],
            env=request["env"],
            start_new_session=True,
            pass_fds=handles,
            preexec_fn=lambda: LIBRARY.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0),
        )


def watch(engine: int, channel: socket.socket, keys: dict[str, Any]) -> str:
    """Wait until the engine has ended or must be ended; return a message about the cap it exceeded, or ""."""
    memory, seconds, processes = (keys.get(name, 0) for name in ("memory", "cpu_seconds", "processes"))
    orders = channel.fileno()
    has_ended = os.pidfd_open(engine)
    seconds_before = 0.0
    while True:
        ready, _, _ = select.select([orders, has_ended], [], [], CHECK_SECONDS)
        reap(engine)
        pids = descendants(os.getpid())
        used, held, tasks = usage(pids)
        files = files_in_memory(pids, keys.get("temporary", ()))
        held += (filed := sum(files.values()))
        if orders in ready:
            if not channel.recv(4096):
                return ""
            seconds_before = used
        if has_ended in ready:
            return ""
        if memory and held > memory * MEBIBYTE and shared_once(pids, files) + filed > memory * MEBIBYTE:
            return f"exceeded its memory limit of {memory} MiB"
        if seconds and used - seconds_before > seconds:
            return f"exceeded its limit of {seconds} s of CPU time for a game"
        if processes and tasks > processes:
            return f"exceeded its limit of {processes} processes and threads"


def reap(engine: int) -> None:
    """Reap the exited children of this process, except the engine, whose exit status is read later."""
    for pid in children(os.getpid()):
        if pid != engine:
            os.waitpid(pid, os.WNOHANG)


def end(engine: int) -> int:
    """Kill all remaining processes; return the engine's exit status, negative for a signal."""
    status = 0
    with contextlib.suppress(OSError):
        os.killpg(engine, signal.SIGKILL)  # one call kills the whole group, so that forking processes cannot escape
    with contextlib.suppress(ChildProcessError):
        while True:
            for pid in children(os.getpid()):  # grandchildren become children of this process
                kill(pid)
            options = 0
            while (waited := os.waitpid(-1, options))[0]:
                status = waited[1] if waited[0] == engine else status
                options = os.WNOHANG  # wait for the first, then collect all others that have ended
    return os.waitstatus_to_exitcode(status)


def kill(pid: int) -> None:
    """Kill a process unless it has already ended."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def usage(pids: list[int]) -> tuple[float, int, int]:
    """Return the CPU time in seconds (including exited children), the memory in bytes, and the number of tasks.

    Shared memory counts once for each process. A zombie counts as one task, any other process as one task per thread.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, memory, tasks = ended.ru_utime + ended.ru_stime, 0, 0
    for pid in pids:
        if fields := stat_fields(pid):
            seconds += sum(map(int, fields[11:15])) / TICKS
            memory += int(fields[21]) * PAGE
            tasks += max(1, int(fields[17]))
    return seconds, memory, tasks


def processor_seconds(supervisor: int) -> float:
    """Return the CPU time in seconds of all processes of a supervisor's engine, including those that have ended."""
    ticks = stat_fields(supervisor)[13:15]  # CPU times of the supervisor's exited children
    for pid in descendants(supervisor):
        ticks += stat_fields(pid)[11:15]
    return sum(map(int, ticks)) / TICKS


def is_running(supervisor: int) -> bool:
    """Return whether a process of a supervisor's engine is running, or waiting only for a processor."""
    return any(stat_fields(pid)[:1] == ["R"] for pid in descendants(supervisor))


def stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the third on, or an empty list if the process has ended.

    See man 5 proc: fields 14 to 17 are times, 20 the threads, 24 the resident set.
    """
    return read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def files_in_memory(pids: list[int], places: list[str]) -> dict[str, int]:
    """Return the size in bytes of the processes' own in-memory file systems at ``places``.

    :return: the sizes by device number, as /proc formats it.
    """
    own = {os.stat(place).st_dev for place in places if os.path.exists(place)}  # noqa: PTH110, PTH116
    sizes: dict[str, int] = {}
    for path in (f"/proc/{pid}/root{place}" for pid in pids for place in places):
        with contextlib.suppress(OSError):  # the process has ended
            number = os.stat(path).st_dev  # noqa: PTH116
            device = f"{os.major(number):02x}:{os.minor(number):02x}"
            if number not in own and device not in sizes:
                figures = os.statvfs(path)
                blocks, files = figures.f_blocks - figures.f_bfree, figures.f_files - figures.f_ffree
                sizes[device] = blocks * figures.f_frsize + files * INODE
    return sizes


def shared_once(pids: list[int], files: dict[str, int]) -> int:
    """Return the memory held by the processes in bytes, counting shared memory once.

    :param files: devices of in-memory file systems, which are not counted.
    """
    memory, is_counted = 0, True
    for line in (line for pid in pids for line in read(f"/proc/{pid}/smaps").splitlines()):
        name, *words = line.split()
        if not name.endswith(":"):  # a new mapping: its addresses, permissions, offset and device
            is_counted = words[2] not in files
        elif name == "Pss:" and is_counted:
            memory += int(words[0]) * 1024
    return memory


def descendants(ancestor: int) -> list[int]:
    """Return the process IDs of all descendants of a process."""
    pids = [ancestor]
    for pid in pids:  # the list grows as each process's children are added
        pids += children(pid)
    return pids[1:]


def children(pid: int) -> list[int]:
    """Return the process IDs of a process's children."""
    return [int(word) for path in glob(f"/proc/{pid}/task/*/children") for word in read(path).split()]  # noqa: PTH207


def read(path: str) -> str:
    """Return the text of a file in /proc, or "" if the process has ended."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123  (pathlib slows the start)
            return file.read()
    except OSError:
        return ""


if __name__ == "__main__":
    main()
