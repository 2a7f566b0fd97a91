"""Runs an engine in bubblewrap, where it sees nothing but its own files and can change none of them.

It has no network, namespaces of its own (process numbers, IPC, host name), a file system of its own that cannot be
written except for a ``/tmp`` in memory, a session of its own, and no capability. It may read the system's programs and
libraries (``/usr``), the folder of its program, the folders of the files that its command, its options and its game
name, the ``lib`` beside a folder ``bin`` of these, its working directory if it has one of its own, and what the
configuration adds. A folder that holds more than an engine, such as the user's home, is not among them: of it, only the
file. System calls are refused that would go around the sandbox, or lead to parts of the kernel that no engine needs.

As an ordinary user bubblewrap makes a user namespace. Root needs none, and the engine gets a user number of its own
instead: the kernel does not count the processes of root.
"""

from __future__ import annotations

import errno
import functools
import os
import platform
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from quietmove.referee.errors import SetupError

__all__ = ["CAPS", "PROCESSES", "VARIABLES", "confined", "filter_file", "refusal"]

CAPS = {"memory": 2048, "cpu_seconds": 3600}  # MiB, and seconds a game, where the configuration has no caps of its own
PROCESSES = 320  # and threads; our own engine has up to 256
TEMPORARY = 256 << 20  # bytes of each of TEMPORARY_PLACES
TEMPORARY_PLACES = ("/tmp", "/dev/shm")

NEEDS = (
    "must be possible by bubblewrap 0.8 or later, util-linux, libseccomp (Debian: apt install bubblewrap util-linux "
    "libseccomp2) and user namespaces"
)
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
CONFIGURATION = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime")
BROAD = {
    *("/", "/dev", "/dev/shm", "/etc", "/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/srv", "/sys"),
    *("/tmp", "/var", "/var/tmp"),
}
INSTALLED = ("lib", "lib64", "pyvenv.cfg")  # what a program in a folder `bin` has beside that folder
VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "TZ")  # of the referee's environment, which the engine is given
NAMESPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")  # root's
FIRST_USER = 1 << 30  # far above the users of a system
FILTER = 9  # the handle from which bubblewrap reads the filter of system calls
REFUSED = (
    *("memfd_create", "memfd_secret", "shmget"),  # these calls make memory that is counted for no process
    *("unshare", "clone3"),  # these make namespaces; the C library goes on with clone, whose flags are looked at
    *("add_key", "bpf", "io_uring_setup", "keyctl", "perf_event_open", "request_key", "userfaultfd"),  # often faulty
)
CLONE_NEWUSER = 0x10000000  # linux/sched.h: the flag of clone that makes a user namespace
SOCKETS = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)  # the families of sockets it may open


def confined(command: Sequence[str], named: Sequence[str], cwd: str, bind: Sequence[str]) -> tuple[str, ...]:
    """Return the command that runs another in a sandbox.

    :param named: words that may name files for it, beside its own.
    :param bind: paths that it may read too.
    :raises SetupError: if there can be no sandbox here.
    """
    if text := refusal():
        raise SetupError(text)
    return (
        *("/bin/sh", "-c", f'exec "$@" {FILTER}<"$0"', filter_file()),
        *_frame(),
        *(
            word
            for path in readable(tuple(command), tuple(named), cwd, tuple(bind))
            for word in (*_folders(path), "--ro-bind", path, path)
        ),
        *("--seccomp", str(FILTER)),
        *_folders(f"{cwd}/file"),  # empty, where it is not one of these
        *("--chdir", cwd),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        *("--", *_limits(), *command),
    )


@functools.cache
def refusal() -> str:
    """Return why there can be no sandbox on this machine, and what to do; empty if there can."""
    try:
        filter_file()
        command = [*_frame(), "--ro-bind", "/", "/", "--", *_limits(), "true"]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
        came = done.stderr.strip() or (f"exit status {done.returncode}" if done.returncode else "")
    except (OSError, RuntimeError) as error:
        came = str(error)
    return came and f"sandbox: {NEEDS}, not {came!r}; without a sandbox play only engines that you trust"


@functools.cache
def filter_file() -> str:
    """Return the path of a file in memory with the filter of system calls, as a program for the kernel.

    A refused call (``man 2 seccomp``) fails with ``ENOSYS``, as on a kernel without it; a call of another architecture
    ends its thread.

    :raises RuntimeError: if there is no libseccomp.
    """
    import pyseccomp  # here, since it runs ldconfig to find its library

    calls = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    if platform.machine() == "x86_64":
        calls.add_arch(pyseccomp.Arch.X86)  # programs of 32 bits run too
    refuse = pyseccomp.ERRNO(errno.ENOSYS)
    for name in REFUSED:
        calls.add_rule(refuse, name)
    calls.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER))
    calls.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.GT, max(SOCKETS)))
    for family in set(range(max(SOCKETS))) - set(SOCKETS):
        calls.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))
    handle = os.memfd_create("filter")  # it stays open: the path leads to it
    with os.fdopen(handle, "wb", closefd=False) as file:
        calls.export_bpf(file)
    return f"/proc/{os.getpid()}/fd/{handle}"


@functools.lru_cache
def readable(command: tuple[str, ...], named: tuple[str, ...], cwd: str, bind: tuple[str, ...]) -> list[str]:
    """Return the paths that an engine may read beside the system's, a folder before what lies in it.

    :param named: words that may name files for it by a path that begins at ``cwd``, as its arguments may.
    """
    found = {os.path.abspath(path) for path in bind}  # noqa: PTH100
    for word in (*command, *_interpreter(command[0]), *named):
        path = Path(cwd, word.partition("=")[2] if word.startswith("-") else word)
        if word and os.path.exists(path):  # noqa: PTH110  (which takes a text of any length)
            found |= {*_surroundings(path), *_surroundings(path.resolve())}
    return sorted(each for each in found if not any(Path(each).is_relative_to(system) for system in SYSTEM))


def _surroundings(path: Path) -> Iterator[str]:
    """Yield the folder of a file, or the file alone where its folder holds more than an engine; a folder itself.

    A program in a folder ``bin``, as those of Python are, needs what is installed with it.
    """
    folder = path if path.is_dir() else path.parent
    if str(folder) in BROAD or Path.home().is_relative_to(folder):
        yield from () if path.is_dir() else (str(path),)
    else:
        yield str(folder)
    if folder.name == "bin":
        yield from (str(each) for each in map(folder.with_name, INSTALLED) if each.exists())


def _interpreter(program: str) -> list[str]:
    """Return the interpreter that the first line of a script names, if it is one."""
    try:
        with Path(program).open("rb") as file:
            line = file.readline(512)
    except OSError:
        return []
    words = os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []
    if words and Path(words[0]).name == "env":
        words = [shutil.which(word) or "" for word in words[1:] if not word.startswith("-")]
    return words[:1]


def _frame() -> list[str]:
    """Return the command that makes an empty sandbox with the system's files in it."""
    namespaces = NAMESPACES if os.geteuid() == 0 else ("--unshare-all", "--unshare-user", "--disable-userns")
    frame = ["bwrap", *namespaces, "--die-with-parent", "--new-session"]
    for path in (*SYSTEM, *CONFIGURATION, *map(str, Path("/etc").glob("java*"))):
        frame += ["--ro-bind-try", path, path]
    frame += ["--proc", "/proc", "--dev", "/dev"]
    for path in TEMPORARY_PLACES:
        frame += ["--size", str(TEMPORARY), "--perms", "1777", "--tmpfs", path]
    return frame


def _folders(path: str) -> Iterator[str]:
    """Yield what makes the folders above a path, which bubblewrap would make for its own user alone."""
    for folder in reversed(Path(path).parents):
        yield from ("--perms", "0755", "--dir", str(folder))


def _limits() -> list[str]:
    """Return the command that runs another with few processes, and for root as a user of its own."""
    user: list[str] = []
    if os.geteuid() == 0:
        number = FIRST_USER + secrets.randbelow(FIRST_USER)
        drop = ("--clear-groups", "--inh-caps=-all", "--bounding-set=-all")
        user = ["setpriv", f"--reuid={number}", f"--regid={number}", *drop]
    return [*user, "prlimit", f"--nproc={PROCESSES}:{PROCESSES}", "--core=0:0", "--"]
