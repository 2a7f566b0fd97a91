"""Run an engine in bubblewrap, where it sees only the system's files and its own, and can change none of them.

It has no network; its own namespaces (process IDs, IPC, host name), session and read-only file system; a writable
``/tmp`` in memory; and no capabilities. It can read the system's programs and libraries (``/usr``), the folder of its
program and of the script that an interpreter runs, a ``lib`` next to a ``bin`` folder of these, the files named by its
command, its options and its game, its configured working directory, and the paths that the configuration adds. In a
folder that contains more than an engine, such as a home folder, it can see only the named file. The engine's own files
cannot extend this list by a link or by the first line of a script, and none of them is run outside the sandbox. System
calls that would bypass the sandbox or reach rarely used kernel code are refused.

For an ordinary user, bubblewrap creates a user namespace. Root does not need one; the engine gets its own user ID
instead, because the kernel does not limit the number of root's processes.
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

CAPS = {"memory": 2048, "cpu_seconds": 3600}  # default caps: MiB, and seconds per game
PROCESSES = 320  # maximum number of processes and threads of an engine; Quietmove has up to 256
BUBBLEWRAP = 2  # processes used by bubblewrap itself: one outside the sandbox, one inside
TEMPORARY_PLACES = ("/tmp", "/dev/shm")  # in-memory file systems that count towards the engine's memory

NEEDS = (
    "needs bubblewrap 0.8 or later, util-linux, libseccomp (Debian: apt install bubblewrap util-linux libseccomp2) "
    "and user namespaces"
)
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
CONFIGURATION = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime")
BROAD = {
    *("/", "/dev", "/dev/shm", "/etc", "/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/srv", "/sys"),
    *("/tmp", "/var", "/var/tmp"),
}
INSTALLED = ("lib", "lib64", "pyvenv.cfg")  # visible next to a program's `bin` folder
# variables passed from the referee's environment to an engine
VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "TZ")
CODE = ("-c", "-m")  # interpreter options followed by code or a module instead of a script
PYTHON = re.compile(r"(python|pypy)[\d.]*")
MAX_LINE_LENGTH = 512  # maximum length of a first line in bytes; the kernel reads 256
MAX_SCANNED = 10_000  # maximum number of files among which a failed engine's links are searched
MAX_LINKS = 40  # as Linux does, follow at most this many links in a path
SHIM_SECONDS = 20.0  # time limit in seconds for a shim to start Python
NAMESPACES = (
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
)  # if the referee runs as root
FIRST_USER = 1 << 30  # lowest user ID for an engine, far above those in use
REFUSED = (
    # Calls that allocate memory charged to no process.
    *("memfd_create", "memfd_secret", "mq_open", "msgget", "semget", "shmget"),
    # Calls that create namespaces; the C library falls back to clone, whose flags are checked.
    *("unshare", "clone3"),
    # Calls whose kernel code has had many security bugs.
    *("add_key", "bpf", "io_uring_setup", "keyctl", "perf_event_open", "request_key", "userfaultfd"),
    # Calls that reveal when an opponent opens a file that both engines can read.
    *("fanotify_init", "inotify_init", "inotify_init1"),
)
LOCKS = (fcntl.F_SETLK, fcntl.F_SETLKW, *(13, 14), *(37, 38))  # from linux/fcntl.h: 32-bit and open-file locks
WATCHES = (fcntl.F_SETLEASE, fcntl.F_NOTIFY)
CLONE_NEWUSER, CLONE_THREAD = 0x10000000, 0x10000  # from linux/sched.h: clone flags for a user namespace, a thread
AFFINITY = ("sched_setaffinity",)  # denied to an engine that is pinned to processors
# Denied to an engine whose clock counts processor time: if SIGCHLD is ignored, the kernel forgets children's times.
FORKS = ("fork", "vfork")
SOCKETS = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)  # the allowed socket families


def confined(
    command: Sequence[str],
    named: Sequence[str],
    cwd: str,
    bind: Sequence[str],
    env: Mapping[str, str],
    memory: int,
    *,
    pinned: bool,
    single: bool,
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the command that runs ``command`` in a sandbox, and the contents of its handles (see ``Launch``).

    :param named: arguments that may name more files for it to read.
    :param cwd: its working directory, or "" for the referee's, whose files it cannot see.
    :param bind: more paths that it can read.
    :param env: its environment. Bubblewrap itself never gets it, as ``LD_PRELOAD`` would run code outside the sandbox.
    :param memory: the size limit of its temporary files, in MiB.
    :param pinned: whether it must not choose its processors.
    :param single: whether it must not start processes; threads are allowed.
    :raises SetupError: if no sandbox is available, or the engine needs files that were not named.
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
        *_folders(f"{folder}/file"),  # a working directory outside these paths appears empty
        *("--chdir", folder),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
    ]
    hidden = "".join(f"{word}\0" for word in options)  # keeps the options out of /proc/1/cmdline in the sandbox
    refused = (*REFUSED, *(AFFINITY if pinned else ()), *(FORKS if single else ()))
    contents = {"--seccomp": call_filter(refused), "--args": os.fsencode(hidden)}
    handles = {option: content.decode("latin-1") for option, content in contents.items()}
    return (bubblewrap, "--", *_limits(), *_assignments(env), *command), handles


@functools.cache
def missing_requirement() -> str:
    """Return the reason why this machine has no sandbox, and the remedy, or "" if it has one."""
    try:
        call_filter()
        command = [*_frame(1), "--ro-bind", "/", "/", "--", *_limits(), "true"]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
        message = done.stderr.strip() or (f"exit status {done.returncode}" if done.returncode else "")
    except (OSError, RuntimeError) as error:
        message = str(error)
    advice = "without a sandbox, play only engines that you trust"
    return message and f"sandbox: {NEEDS}; starting one failed with {message!r}; {advice}"


@functools.cache
def call_filter(refused: tuple[str, ...] = REFUSED) -> bytes:
    """Return a system call filter as a BPF program.

    A refused call (``man 2 seccomp``) fails with ``ENOSYS``, as on a kernel without it; a call for another architecture
    ends its thread. A call that locks a file only reports success, because other processes would see the lock.

    :raises RuntimeError: if libseccomp is missing.
    """
    import pyseccomp  # imported late because the module runs ldconfig to find its library

    calls = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    if platform.machine() == "x86_64":
        calls.add_arch(pyseccomp.Arch.X86)  # allow 32-bit programs too
    refuse = pyseccomp.ERRNO(errno.ENOSYS)
    succeed = pyseccomp.ERRNO(0)
    for name in refused:
        calls.add_rule(refuse, name)
    calls.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER))
    if set(FORKS) <= set(refused):  # the C library forks with clone
        calls.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_THREAD, 0))
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
    """Return the paths that an engine can read in addition to the system's, parent folders first.

    :param named: arguments that may name files relative to ``cwd``, like those of the command.
    :raises SetupError: if its interpreter, or the target of a link in its folders, is not in these paths.
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
        if name and os.path.exists(path):  # noqa: PTH110  (accepts strings of any length)
            for each in map(Path, {path, _target(path, own, known)}):
                seen = _surroundings(each) if path in programs else _itself(each)
                found |= {shown for file in seen for shown in (file, _target(file, own, known))}
    visible = {*SYSTEM, *found}
    if interpreter and not _is_in(interpreter, visible):
        raise SetupError(
            f"sandbox: {Path(command[0]).name}: its first line must name an interpreter in PATH or in a folder that "
            f"the engine can read, not {_first_line(command[0])[0]!r}; use folder= to add folders"
        )
    return sorted(each for each in found if not _is_in(str(Path(each).parent), visible) and each not in SYSTEM)


def hint_at_links(program: str, cwd: str, bind: Sequence[str]) -> str:
    """Return advice about the first link that leads out of the folders of an engine that failed, or general advice."""
    folders = [os.path.realpath(each) for each in (cwd, str(Path(cwd, program).parent)) if each]
    visible = {*SYSTEM, *folders, *map(os.path.realpath, bind)}
    for folder in folders:
        files = () if _is_broad(Path(folder)) or _is_in(folder, {*SYSTEM}) else Path(folder).rglob("*")
        for path in itertools.islice(files, MAX_SCANNED):
            if path.is_symlink() and not _is_in(target := os.path.realpath(path), visible):
                return f"; in the sandbox, the link {str(path)!r} leads nowhere; allow it with folder={target}"
    return "; in the sandbox, it sees only its own folder; add others with folder="


def _is_in(path: str, folders: set[str]) -> bool:
    return not folders.isdisjoint((path, *map(str, Path(path).parents)))


def _target(path: str, own: set[str], known: set[str]) -> str:
    """Return a path with all links resolved.

    :raises SetupError: if a link in ``own``, the engine's folders, does not point into a folder of ``known``.
    """
    target = os.path.realpath(path)
    if _is_installed(path) or _is_in(target, known):
        return target
    for parent in Path(path).parents:
        real = os.path.realpath(parent)
        if _is_in(real, own) and os.path.join(real, Path(path).relative_to(parent)) != target:
            first = _first_outside(real, str(Path(path).relative_to(parent)), own)
            then = "" if first == target else f", then to {target}"
            raise SetupError(
                f"sandbox: {path}: links to {first}{then}, outside its folder; allow it with folder={first}"
            )
    return target


def _first_outside(real: str, rest: str, own: set[str]) -> str:
    """Follow the links in ``real/rest`` one at a time; return the first path that is outside the folders ``own``."""
    path = Path(real, rest)
    for _ in range(MAX_LINKS):
        link = next((each for each in (*reversed(path.parents), path) if each.is_symlink()), None)
        if link is None or not _is_in(str(path), own):
            break
        path = Path(os.path.normpath(link.parent / link.readlink() / path.relative_to(link)))
    return str(path)


def _is_installed(program: str) -> bool:
    """Return whether a program is installed: in ``PATH``, or an interpreter found there, or this process's own."""
    name = Path(program).name
    real = os.path.realpath(program)
    if shutil.which(name) == program or not INTERPRETERS.fullmatch(name):
        return shutil.which(name) == program
    known = (sys.executable, *(shutil.which(each) or "" for each in (name, Path(real).name)))
    return any(os.path.isabs(each) and os.path.realpath(each) == real for each in known)  # noqa: PTH117


def _programs(command: Sequence[str], cwd: str) -> list[str]:
    """Return the program of a command and, if it is an interpreter, the script it runs: its first file argument."""
    before = itertools.takewhile(lambda word: word not in CODE, command[1:])
    scripts = [word for word in before if os.path.isfile(Path(cwd, word))]  # noqa: PTH113
    return [command[0], *(scripts[:1] if INTERPRETERS.fullmatch(Path(command[0]).name) else ())]


def _surroundings(program: Path) -> Iterator[str]:
    """Yield a program's folder, or only the program if the folder contains more than an engine.

    A program in a ``bin`` folder, such as Python, needs the files installed with it.
    """
    yield from _itself(program) if _is_broad(program.parent) else (str(program.parent),)
    if program.parent.name == "bin" and not _is_broad(program.parent.parent):
        yield from (str(each) for each in map(program.parent.with_name, INSTALLED) if each.exists())


def _itself(path: Path) -> Iterator[str]:
    """Yield a path, unless it is a folder that contains more than an engine."""
    if not (path.is_dir() and _is_broad(path)):
        yield str(path)


def _is_broad(folder: Path) -> bool:
    """Return whether a folder contains more than an engine: a home, a parent of homes, or a system folder."""
    folder = folder.resolve()
    return str(folder) in BROAD or any(home.is_relative_to(folder) for home in (*_homes(), *_owners_home(folder)))


@functools.cache
def _homes() -> set[Path]:
    """Return the home folders of this machine's users, except system folders."""
    named = {os.path.expanduser("~"), *(user.pw_dir for user in pwd.getpwall())} - {"~"}  # noqa: PTH111
    homes = {Path(name).resolve() for name in named if name.startswith("/")}
    homes |= {each.resolve() for each in Path("/home").glob("*")} | {Path("/root").resolve()}
    return {home for home in homes if str(home) not in SYSTEM}


def _owners_home(folder: Path) -> Iterator[Path]:
    """Yield the home of a folder's owner, who may be missing from a directory service's list of users."""
    with contextlib.suppress(KeyError, OSError):
        yield Path(pwd.getpwuid(folder.stat().st_uid).pw_dir).resolve()


@functools.lru_cache
def real_program(program: str) -> str:
    """Return the interpreter that a shim in ``PATH`` starts; return any other program unchanged.

    A shim, such as pyenv's, is a script that needs unknown files; Python itself reports its location. A file that an
    engine brings is never treated as a shim, whatever its name, and runs only in the sandbox.

    :raises SetupError: if a shim is not Python's or belongs to another user, or Python reports no location.
    """
    name = Path(program).name
    real = ""
    is_shim = INTERPRETERS.fullmatch(name) and shutil.which(name) == program and _first_line(program)
    if not is_shim or Path(program).is_relative_to("/usr"):
        return program
    if PYTHON.fullmatch(name) and Path(program).stat().st_uid in (0, os.geteuid()):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            ask = [program, "-I", "-c", "import sys; print(sys.executable)"]
            run = subprocess.run(ask, capture_output=True, text=True, cwd="/", timeout=SHIM_SECONDS, check=True)
            real = run.stdout.strip()
    if not os.path.isabs(real) or _first_line(real):  # noqa: PTH117
        raise SetupError(f"sandbox: {name}: must be a program, not a script that starts another one ({program!r})")
    return real


def environment(program: str, cwd: str) -> dict[str, str]:
    """Return an engine's environment variables. ``PATH`` starts with the folders of the programs that shims start.

    :raises SetupError: as :func:`real_program` does.
    """
    variables = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    started = [real for each in (program, _interpreter(program, cwd)) if (real := real_program(each)) != each]
    folders = [*(str(Path(real).parent) for real in started), variables.get("PATH", os.defpath)]
    return {"HOME": "/tmp", **variables, "PATH": os.pathsep.join(folders)}


def _interpreter(program: str, cwd: str) -> str:
    """Return the path of a script's interpreter, found in ``PATH`` if it uses ``env``, or "" for other files."""
    words = _first_line(program)
    if words and Path(words[0]).name == "env":
        words = [shutil.which(word) or "" for word in words[1:] if INTERPRETERS.fullmatch(word)]
    return os.path.abspath(Path(cwd, words[0])) if words and words[0] else ""  # noqa: PTH100


def _first_line(program: str) -> list[str]:
    """Return the words after ``#!`` in the first line of a script, or an empty list for any other file."""
    line = b""
    with contextlib.suppress(OSError):
        if Path(program).is_file():  # reading a FIFO would block
            with Path(program).open("rb") as file:
                line = file.readline(MAX_LINE_LENGTH)
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []


def _frame(memory: int) -> list[str]:
    """Return the command for a sandbox with only the system's files; ``memory`` limits temporary files, in MiB."""
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
    """Yield options that create the parents of a path; by default, only bubblewrap's user could access them."""
    for folder in reversed(Path(path).parents):
        yield from ("--perms", "0755", "--dir", str(folder))


def _limits() -> list[str]:
    """Return a command prefix that limits the engine's processes and, for root, runs it as a separate user.

    Bubblewrap itself is not limited, and an ordinary user's engine can trace it and make it fork. The engine's
    supervisor therefore counts processes too.
    """
    user: list[str] = []
    if os.geteuid() == 0:
        number = FIRST_USER + secrets.randbelow(FIRST_USER)
        drop = ("--clear-groups", "--inh-caps=-all", "--bounding-set=-all")
        user = [_tool("setpriv"), f"--reuid={number}", f"--regid={number}", *drop]
    processes = PROCESSES - BUBBLEWRAP
    return [*user, _tool("prlimit"), f"--nproc={processes}:{processes}", "--core=0:0", "--"]


def _assignments(env: Mapping[str, str]) -> list[str]:
    """Return a command prefix that sets more environment variables, after all privileges have been dropped."""
    words = [f"{name}={value}" for name, value in env.items()]
    # Without a second program, `env` would read an engine path containing "=" as a variable.
    return [_tool("env"), "--", *words, _tool("prlimit"), "--core=0:0", "--"] if words else []


@functools.cache
def _tool(name: str) -> str:
    """Return the path of a system program; a bare name would also be looked up in an engine's folder."""
    folders = f"{os.environ.get('PATH', '')}{os.pathsep}{os.defpath}".split(os.pathsep)
    path = os.pathsep.join(each for each in folders if any(Path(each).is_relative_to(system) for system in SYSTEM))
    return shutil.which(name, path=path) or name
