"""The parents of engines: a program of its own, which knows no game and imports the standard library alone.

It is run as a script, once for a referee: the *launcher*. For each channel that the referee sends, it forks a
*supervisor*, which starts one engine and tells how it ended. The supervisor is the subreaper of its engine (``man 2
PR_SET_CHILD_SUBREAPER``): whatever group or session a child of the engine moves to, when its parent ends it becomes a
child of the supervisor. So the supervisor finds and kills all of them: when the engine has ended or goes over a cap,
and when the referee closes its end of the channel, as it does to end the engine, and as the kernel does when the
referee is gone.

The launcher is the subreaper of the supervisors. A supervisor that an engine has stopped is killed at once; with a
supervisor the kernel kills its engine (``man 2 PR_SET_PDEATHSIG``), and the launcher what that engine has started.

Through the channel comes a line of JSON with the fields of :class:`quietmove.referee.process.launch.Launch`. The
supervisor answers :data:`FORKED`, unless the machine gives no process, and then :data:`STARTED` with the handles of the
engine's input, output and standard error, or JSON with the number of an error and its file; nothing, if its engine has
killed it. Then each byte begins a game, and the supervisor's last words say how the engine ended.
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
CHECK_SECONDS = 0.05  # seconds between two looks at what the processes of an engine use
OOM_SCORE = "500"  # the kernel ends an engine before the referee where memory is short
MEBIBYTE = 1 << 20
INODE = 1024  # bytes that the kernel needs for an empty file in memory, about
LIBRARY = ctypes.CDLL(None)
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Fork a supervisor for each channel from the standard input, until that is closed and all have ended."""
    os.chdir("/")  # it holds no folder of the user's
    LIBRARY.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
        file.write(OOM_SCORE)
    changes, change = socket.socketpair()  # a byte comes when a child has ended or was stopped
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
            with contextlib.suppress(OSError):  # there may be no process
                supervisors |= {fork_supervisor(handle, sources) for handle in handles}
            sources = sources if handles else [changes]
        if changes in ready:
            changes.recv(4096)
            attend(supervisors)


def fork_supervisor(handle: int, sources: list[socket.socket]) -> int:
    """Fork a supervisor for the channel with this handle, which has no use for ``sources``; return its number."""
    with socket.socket(fileno=handle) as channel:
        if supervisor := os.fork():
            return supervisor
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for source in sources:
                source.close()
            os.open(os.devnull, os.O_RDONLY)  # it takes the number 0, which Popen uses for something else
            keep(channel)
        finally:
            os._exit(0)  # whatever happened: the channel closes, and the kernel kills the engine


def attend(supervisors: set[int]) -> None:
    """Kill supervisors that were stopped, which only an engine does, and what killed ones have left behind."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG | os.WUNTRACED))[0]:
            if os.WIFSTOPPED(found[1]):
                kill(found[0])
            else:
                supervisors.discard(found[0])
    for pid in set(children(os.getpid())) - supervisors:  # the end of each wakes the launcher once more
        kill(pid)


def keep(channel: socket.socket) -> None:
    """Be the supervisor of an engine, to the end of the last process that it left behind."""
    LIBRARY.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    request = json.loads(channel.makefile("rb").readline())
    channel.sendall(FORKED)
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
    """Wait until the engine has ended or is to be ended; return which cap it went over, an empty text if none."""
    memory, seconds, processes = (keys.get(name, 0) for name in ("memory", "cpu_seconds", "processes"))
    orders = channel.fileno()
    has_ended = os.pidfd_open(engine)
    seconds_before = 0.0
    while True:
        ready, _, _ = select.select([orders, has_ended], [], [], CHECK_SECONDS)
        reap(engine)
        pids = descendants()
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
            return f"went over its memory cap of {memory} MiB"
        if seconds and used - seconds_before > seconds:
            return f"went over its cap of {seconds} s of processor time for a game"
        if processes and tasks > processes:
            return f"went over its cap of {processes} processes and threads"


def reap(engine: int) -> None:
    """Let the system forget the children of this process that have ended, but for the engine, whose status is asked."""
    for pid in children(os.getpid()):
        if pid != engine:
            os.waitpid(pid, os.WNOHANG)


def end(engine: int) -> int:
    """Kill everything that is left; return the exit status of the engine, negative for a signal."""
    status = 0
    with contextlib.suppress(OSError):
        os.killpg(engine, signal.SIGKILL)  # one call kills the group at once: processes that fork cannot outrun it
    with contextlib.suppress(ChildProcessError):
        while True:
            for pid in children(os.getpid()):  # the children of these become children of this process
                kill(pid)
            options = 0
            while (found := os.waitpid(-1, options))[0]:
                status = found[1] if found[0] == engine else status
                options = os.WNOHANG  # the first is waited for; then all that have ended too
    return os.waitstatus_to_exitcode(status)


def kill(pid: int) -> None:
    """Kill a process, if it has not ended yet."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def usage(pids: list[int]) -> tuple[float, int, int]:
    """Return seconds of processor time, those of ended children too, the bytes of memory held, and the tasks running.

    Memory that several processes share counts once for each. A process counts as a task if it has ended and nobody has
    waited for it, else each of its threads does.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, memory, tasks = ended.ru_utime + ended.ru_stime, 0, 0
    for pid in pids:
        fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        if fields:  # numbered from the third, man 5 proc: 14 to 17 are times, 20 is the threads, 24 the resident set
            seconds += sum(map(int, fields[11:15])) / TICKS
            memory += int(fields[21]) * PAGE
            tasks += max(1, int(fields[17]))
    return seconds, memory, tasks


def files_in_memory(pids: list[int], places: list[str]) -> dict[str, int]:
    """Return the bytes of the files in memory that processes have of their own in ``places``.

    :return: by the device that a place is on, as /proc writes it.
    """
    own = {os.stat(place).st_dev for place in places if os.path.exists(place)}  # noqa: PTH110, PTH116
    found: dict[str, int] = {}
    for path in (f"/proc/{pid}/root{place}" for pid in pids for place in places):
        with contextlib.suppress(OSError):  # the process has ended
            number = os.stat(path).st_dev  # noqa: PTH116
            device = f"{os.major(number):02x}:{os.minor(number):02x}"
            if number not in own and device not in found:
                figures = os.statvfs(path)
                blocks, files = figures.f_blocks - figures.f_bfree, figures.f_files - figures.f_ffree
                found[device] = blocks * figures.f_frsize + files * INODE
    return found


def shared_once(pids: list[int], files: dict[str, int]) -> int:
    """Return the bytes of memory that processes hold, with what several of them share counted once.

    :param files: devices with files in memory, of which no bytes are counted.
    """
    memory, is_counted = 0, True
    for line in (line for pid in pids for line in read(f"/proc/{pid}/smaps").splitlines()):
        name, *words = line.split()
        if not name.endswith(":"):  # a mapping begins: its addresses, rights, place in a file, device
            is_counted = words[2] not in files
        elif name == "Pss:" and is_counted:
            memory += int(words[0]) * 1024
    return memory


def descendants() -> list[int]:
    """Return the processes below this one."""
    found = [os.getpid()]
    for pid in found:  # the list grows by the children of each
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
