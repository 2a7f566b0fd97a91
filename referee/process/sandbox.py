"""Runs an engine in bubblewrap, where it sees nothing but its own files and can change none of them.

It has no network, namespaces of its own (process numbers, IPC, host name), a file system of its own that cannot be
written except for a ``/tmp`` in memory, a session of its own, and no capability. It may read the system's programs and
libraries (``/usr``), the folder of its program and of the script that an interpreter runs, the ``lib`` beside a folder
``bin`` of these, the files that its command, its options and its game name, its working directory if it has one of its
own, and what the configuration adds. A folder that holds more than an engine, such as somebody's home, is not among
them: of it, only the file. The engine's own files add nothing to this list, neither by a link nor by the first line of
a script, and none of them runs outside. System calls are refused that would go around the sandbox, or lead to parts of
the kernel that no engine needs.

As an ordinary user bubblewrap makes a user namespace. Root needs none, and the engine gets a user number of its own
instead: the kernel does not count the processes of root.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import itertools
import os
import platform
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile

from quietmove.referee.config.model import INTERPRETERS
from quietmove.referee.errors import SetupError

CAPS = {"memory": 2048, "cpu_seconds": 3600}  # MiB, and seconds a game, where the configuration has no caps of its own
PROCESSES = 320  # an engine may have so many processes and threads; our own has up to 256
BUBBLEWRAP = 2  # bubblewrap itself is two of these processes: one outside the sandbox, one in it
TEMPORARY_PLACES = ("/tmp", "/dev/shm")  # files here are in memory, and count as the engine's memory

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
INSTALLED = ("lib", "lib64", "pyvenv.cfg")  # a program in a folder `bin` may have these beside that folder
# an engine is given these variables of the referee's environment
VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "TZ")
CODE = ("-c", "-m")  # these options of an interpreter are followed by code or a module with arguments, not by a script
PYTHON = re.compile(r"(python|pypy)[\d.]*")
LONGEST_LINE = 512  # bytes of a first line; the kernel reads 256
SHIM_SECONDS = 20.0  # the seconds that a shim has to start Python
NAMESPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")  # root's
FIRST_USER = 1 << 30  # the numbers of a system's users are far below
REFUSED = (
    # These calls make memory that no process is charged for.
    *("memfd_create", "memfd_secret", "mq_open", "msgget", "semget", "shmget"),
    # These make namespaces; the C library goes on with clone, whose flags are looked at.
    *("unshare", "clone3"),
    # The kernel's code for these has often been faulty.
    *("add_key", "bpf", "io_uring_setup", "keyctl", "perf_event_open", "request_key", "userfaultfd"),
    # These tell when an opponent opens a file that both may read.
    *("fanotify_init", "inotify_init", "inotify_init1"),
)
LOCKS = (fcntl.F_SETLK, fcntl.F_SETLKW, *(13, 14), *(37, 38))  # linux/fcntl.h: of 32 bits, of open files
WATCHES = (fcntl.F_SETLEASE, fcntl.F_NOTIFY)
CLONE_NEWUSER = 0x10000000  # linux/sched.h: the flag of clone that makes a user namespace
AFFINITY = ("sched_setaffinity",)  # refused to an engine that is to stay on some processors
SOCKETS = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)  # the families of sockets it may open


def confined(
    command: Sequence[str],
    named: Sequence[str],
    cwd: str,
    bind: Sequence[str],
    env: Mapping[str, str],
    memory: int,
    *,
    pinned: bool,
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the command that runs another in a sandbox, and the contents of its handles, as ``Launch`` has them.

    :param named: words that may name files for it, beside its own.
    :param cwd: its working directory; an empty text for the referee's, of which it sees nothing.
    :param bind: paths that it may read too.
    :param env: its variables, which bubblewrap itself never gets: ``LD_PRELOAD`` would run code outside.
    :param memory: MiB that its temporary files may take.
    :param pinned: whether it may not choose its processors.
    :raises SetupError: if there can be no sandbox here, or it would need files that nobody named.
    """
    if text := missing_requirement():
        raise SetupError(text)
    folder = os.path.abspath(cwd)  # noqa: PTH100
    bubblewrap, *options = _frame(memory)
    options += [
        *(
            word
            for path in readable(tuple(command), tuple(named), cwd, tuple(bind))
            for word in (*_folders(path), "--ro-bind", os.path.realpath(path), path)
        ),
        *_folders(f"{folder}/file"),  # a working directory that is not among these is empty
        *("--chdir", folder),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
    ]
    hidden = "".join(f"{word}\0" for word in options)  # in the sandbox, /proc/1/cmdline shows other arguments
    contents = {"--seccomp": call_filter((*REFUSED, *(AFFINITY if pinned else ()))), "--args": os.fsencode(hidden)}
    handles = {option: content.decode("latin-1") for option, content in contents.items()}
    return (bubblewrap, "--", *_limits(), *_assignments(env), *command), handles


@functools.cache
def missing_requirement() -> str:
    """Return why there can be no sandbox on this machine, and what to do; empty if there can."""
    try:
        call_filter()
        command = [*_frame(1), "--ro-bind", "/", "/", "--", *_limits(), "true"]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
        came = done.stderr.strip() or (f"exit status {done.returncode}" if done.returncode else "")
    except (OSError, RuntimeError) as error:
        came = str(error)
    return came and f"sandbox: {NEEDS}, not {came!r}; without a sandbox play only engines that you trust"


@functools.cache
def call_filter(refused: tuple[str, ...] = REFUSED) -> bytes:
    """Return a filter of system calls, as a program for the kernel.

    A refused call (``man 2 seccomp``) fails with ``ENOSYS``, as on a kernel without it; a call of another architecture
    ends its thread. A lock on a file succeeds and locks nothing: others see the same file, and would see the lock.

    :raises RuntimeError: if there is no libseccomp.
    """
    import pyseccomp  # a late import, since the module runs ldconfig to find its library

    calls = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    if platform.machine() == "x86_64":
        calls.add_arch(pyseccomp.Arch.X86)  # programs of 32 bits run too
    refuse = pyseccomp.ERRNO(errno.ENOSYS)
    succeed = pyseccomp.ERRNO(0)
    for name in refused:
        calls.add_rule(refuse, name)
    calls.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER))
    calls.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.GT, max(SOCKETS)))
    for family in set(range(max(SOCKETS))) - set(SOCKETS):
        calls.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))
    calls.add_rule(succeed, "flock")
    for name, action, orders in (("fcntl", refuse, WATCHES), ("fcntl", succeed, LOCKS), ("fcntl64", succeed, LOCKS)):
        for order in orders:
            calls.add_rule(action, name, pyseccomp.Arg(1, pyseccomp.EQ, order))
    with TemporaryFile() as file:
        calls.export_bpf(file)
        file.seek(0)
        return file.read()


def readable(command: tuple[str, ...], named: tuple[str, ...], cwd: str, bind: tuple[str, ...]) -> list[str]:
    """Return the paths that an engine may read beside the system's, a folder before what lies in it.

    :param named: words that may name files for it by a path that begins at ``cwd``, as its arguments may.
    :raises SetupError: if its interpreter, or the target of a link in its folders, is none of these.
    """
    found, cwd = {os.path.abspath(path) for path in bind}, cwd and os.path.abspath(cwd)  # noqa: PTH100
    programs = [os.path.abspath(Path(cwd, word)) for word in _programs(command, cwd)]  # noqa: PTH100
    interpreter = _interpreter(command[0], cwd)
    if INTERPRETERS.fullmatch(Path(interpreter).name) and _is_installed(interpreter):
        programs.append(real_program(interpreter))
        interpreter = ""
    own = {*map(os.path.realpath, found)}
    known = {*SYSTEM, *map(os.path.realpath, found)}
    for folder in map(Path, filter(None, (cwd, *map(os.path.dirname, programs)))):
        if not _is_in(str(folder), {*SYSTEM}):
            is_environment = folder.name == "bin" and not _is_broad(folder.parent)
            around = folder.parent if is_environment else folder
            known |= set() if _is_broad(around) else {_target(str(around), own, known)}
            own.add(os.path.realpath(around))
    for word in (*programs, *command[1:], *named, cwd):
        name = word.partition("=")[2] if word.startswith("-") else word
        path = os.path.abspath(Path(cwd, name))  # noqa: PTH100
        if name and os.path.exists(path):  # noqa: PTH110  (which takes a text of any length)
            for each in map(Path, {path, _target(path, own, known)}):
                seen = _surroundings(each) if path in programs else _itself(each)
                found |= {shown for file in seen for shown in (file, _target(file, own, known))}
    visible = {*SYSTEM, *found}
    if interpreter and not _is_in(interpreter, visible):
        raise SetupError(
            f"sandbox: {Path(command[0]).name}: its first line must name an interpreter of the system, in PATH or in a "
            f"folder that it may read, not {_first_line(command[0])[0]!r}; folder= names more folders"
        )
    return sorted(each for each in found if not _is_in(str(Path(each).parent), visible) and each not in SYSTEM)


def _is_in(path: str, folders: set[str]) -> bool:
    """Return whether a path is one of some folders, or in one."""
    return not folders.isdisjoint((path, *map(str, Path(path).parents)))


def _target(path: str, own: set[str], known: set[str]) -> str:
    """Return what a path leads to.

    :param own: the engine's folders; a link in one may lead only to what is in a folder of ``known``.
    :raises SetupError: if it does not.
    """
    target = os.path.realpath(path)
    if _is_installed(path) or _is_in(target, known):
        return target
    for parent in Path(path).parents:
        real = os.path.realpath(parent)
        if _is_in(real, own) and os.path.join(real, Path(path).relative_to(parent)) != target:
            raise SetupError(
                f"sandbox: {path}: must not be a link out of its folder, to {target}, unless folder= names that"
            )
    return target


def _is_installed(program: str) -> bool:
    """Return whether ``PATH`` finds a program, or it is an interpreter there or the one that runs this process."""
    name = Path(program).name
    real = os.path.realpath(program)
    if shutil.which(name) == program or not INTERPRETERS.fullmatch(name):
        return shutil.which(name) == program
    known = (sys.executable, *(shutil.which(each) or "" for each in (name, Path(real).name)))
    return any(os.path.isabs(each) and os.path.realpath(each) == real for each in known)  # noqa: PTH117


def _programs(command: Sequence[str], cwd: str) -> list[str]:
    """Return the program of a command, and the script that it runs if it is an interpreter: its first file."""
    before = itertools.takewhile(lambda word: word not in CODE, command[1:])
    scripts = [word for word in before if os.path.isfile(Path(cwd, word))]  # noqa: PTH113
    return [command[0], *(scripts[:1] if INTERPRETERS.fullmatch(Path(command[0]).name) else ())]


def _surroundings(program: Path) -> Iterator[str]:
    """Yield the folder of a program, or the program alone where its folder holds more than an engine.

    A program in a folder ``bin``, as those of Python are, needs what is installed with it.
    """
    yield from _itself(program) if _is_broad(program.parent) else (str(program.parent),)
    if program.parent.name == "bin" and not _is_broad(program.parent.parent):
        yield from (str(each) for each in map(program.parent.with_name, INSTALLED) if each.exists())


def _itself(path: Path) -> Iterator[str]:
    """Yield a path, unless it is a folder that holds more than an engine."""
    if not (path.is_dir() and _is_broad(path)):
        yield str(path)


def _is_broad(folder: Path) -> bool:
    """Tell whether a folder holds more than an engine: a home, what holds homes, or a folder of the system."""
    folder = folder.resolve()
    return str(folder) in BROAD or any(home.is_relative_to(folder) for home in (*_homes(), *_owners_home(folder)))


@functools.cache
def _homes() -> set[Path]:
    """Return the homes of this machine's users, without those that are folders of the system."""
    named = {os.path.expanduser("~"), *(user.pw_dir for user in pwd.getpwall())} - {"~"}  # noqa: PTH111
    found = {Path(name).resolve() for name in named if name.startswith("/")}
    found |= {each.resolve() for each in Path("/home").glob("*")} | {Path("/root").resolve()}
    return {home for home in found if str(home) not in SYSTEM}


def _owners_home(folder: Path) -> Iterator[Path]:
    """Yield the home of the user whom a folder belongs to: a directory service may not list its users."""
    with contextlib.suppress(KeyError, OSError):
        yield Path(pwd.getpwuid(folder.stat().st_uid).pw_dir).resolve()


@functools.lru_cache
def real_program(program: str) -> str:
    """Return the program that a shim starts, which is an interpreter that ``PATH`` finds; another program as it is.

    Such a shim, as pyenv has them, is a script that needs more files than are known. Python says where it is. A file
    that an engine brings is no shim, whatever its name: it runs in the sandbox alone.

    :raises SetupError: if another interpreter is a shim or somebody else's, or Python does not say it.
    """
    name = Path(program).name
    found = ""
    is_shim = INTERPRETERS.fullmatch(name) and shutil.which(name) == program and _first_line(program)
    if not is_shim or Path(program).is_relative_to("/usr"):
        return program
    if PYTHON.fullmatch(name) and Path(program).stat().st_uid in (0, os.geteuid()):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            ask = [program, "-I", "-c", "import sys; print(sys.executable)"]
            run = subprocess.run(ask, capture_output=True, text=True, cwd="/", timeout=SHIM_SECONDS, check=True)
            found = run.stdout.strip()
    if not os.path.isabs(found) or _first_line(found):  # noqa: PTH117
        raise SetupError(f"sandbox: {name}: must be a program, not {program!r}, a script that starts another one")
    return found


def environment(program: str, cwd: str) -> dict[str, str]:
    """Return the variables that each engine is given; in ``PATH``, what a shim starts comes first.

    :raises SetupError: as :func:`real_program` does.
    """
    found = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    started = [real for each in (program, _interpreter(program, cwd)) if (real := real_program(each)) != each]
    folders = [*(str(Path(real).parent) for real in started), found.get("PATH", os.defpath)]
    return {"HOME": "/tmp", **found, "PATH": os.pathsep.join(folders)}


def _interpreter(program: str, cwd: str) -> str:
    """Return the path of the interpreter of a script, which for ``env`` is in ``PATH``; empty for other files."""
    words = _first_line(program)
    if words and Path(words[0]).name == "env":
        words = [shutil.which(word) or "" for word in words[1:] if INTERPRETERS.fullmatch(word)]
    return os.path.abspath(Path(cwd, words[0])) if words and words[0] else ""  # noqa: PTH100


def _first_line(program: str) -> list[str]:
    """Return the words after ``#!`` in the first line of a script; none for another file."""
    line = b""
    with contextlib.suppress(OSError):
        if Path(program).is_file():  # a FIFO would not answer
            with Path(program).open("rb") as file:
                line = file.readline(LONGEST_LINE)
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []


def _frame(memory: int) -> list[str]:
    """Return the command that makes an empty sandbox with the system's files in it, and MiB for temporary ones."""
    namespaces = NAMESPACES if os.geteuid() == 0 else ("--unshare-all", "--unshare-user", "--disable-userns")
    frame = [shutil.which("bwrap") or "bwrap", *namespaces, "--die-with-parent", "--new-session"]
    for path in (*SYSTEM, *CONFIGURATION, *map(str, Path("/etc").glob("java*"))):
        if os.path.exists(path):  # noqa: PTH110
            frame += [*_folders(path), "--ro-bind", path, path]
    frame += ["--proc", "/proc", "--dev", "/dev"]
    for path in TEMPORARY_PLACES:
        frame += ["--size", str(memory << 20), "--perms", "1777", "--tmpfs", path]
    return frame


def _folders(path: str) -> Iterator[str]:
    """Yield what makes the folders above a path, which bubblewrap would make for its own user alone."""
    for folder in reversed(Path(path).parents):
        yield from ("--perms", "0755", "--dir", str(folder))


def _limits() -> list[str]:
    """Return the command that runs another with few processes, and for root as a user of its own.

    The limit does not hold for bubblewrap, which an ordinary user's engine can trace and have fork: so the engine's
    supervisor counts too.
    """
    user: list[str] = []
    if os.geteuid() == 0:
        number = FIRST_USER + secrets.randbelow(FIRST_USER)
        drop = ("--clear-groups", "--inh-caps=-all", "--bounding-set=-all")
        user = [_tool("setpriv"), f"--reuid={number}", f"--regid={number}", *drop]
    processes = PROCESSES - BUBBLEWRAP
    return [*user, _tool("prlimit"), f"--nproc={processes}:{processes}", "--core=0:0", "--"]


def _assignments(env: Mapping[str, str]) -> list[str]:
    """Return the command that runs another with more variables, after all rights have been dropped."""
    words = [f"{name}={value}" for name, value in env.items()]
    # Without a second program, `env` would take an engine with "=" in its path for a variable.
    return [_tool("env"), "--", *words, _tool("prlimit"), "--core=0:0", "--"] if words else []


@functools.cache
def _tool(name: str) -> str:
    """Return the path of a program of the system; a name alone would be looked for in an engine's folder too."""
    folders = f"{os.environ.get('PATH', '')}{os.pathsep}{os.defpath}".split(os.pathsep)
    path = os.pathsep.join(each for each in folders if any(Path(each).is_relative_to(system) for system in SYSTEM))
    return shutil.which(name, path=path) or name
