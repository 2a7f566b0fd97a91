"""Runs an engine in bubblewrap, where it sees nothing but its own files and can change none of them.

It has no network, namespaces of its own (process numbers, IPC, host name), a file system of its own that cannot be
written except for a ``/tmp`` in memory, a session of its own, and no capability. It may read the system's programs and
libraries (``/usr``), the folder of its program, the folders of the files that its command, its options and its game
name, the environment of a Python program, its working directory if it has one of its own, and what the configuration
adds. A folder that holds more than an engine, such as the user's home, is not among them: of it, only the file.

As an ordinary user bubblewrap makes a user namespace. Root needs none, and the engine gets a user number of its own
instead: the kernel does not count the processes of root.
"""

from __future__ import annotations

import functools
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from quietmove.referee.errors import SetupError
from quietmove.referee.process.keeper import FILTER
from quietmove.referee.process.launch import Launch
from quietmove.referee.process.seccomp import filter_program

__all__ = ["CPU_SECONDS", "MEMORY", "PROCESSES", "confined", "refusal"]

MEMORY = 2048  # MiB, unless the configuration has a cap of its own
CPU_SECONDS = 3600  # in a game, unless the configuration has a cap of its own
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
VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "TZ")  # of the referee's environment, which the engine is given
NAMESPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")  # root's
FIRST_USER = 1 << 30  # far above the users of a system
PROBE_SECONDS = 20.0


def confined(launch: Launch, named: Sequence[str], bind: Sequence[str], env: Sequence[tuple[str, str]]) -> Launch:
    """Return how to start an engine in a sandbox.

    :param launch: how it would be started without.
    :param named: words that may name files for it, beside its arguments.
    :param bind: paths that it may read too.
    :param env: its environment, beside what every program needs.
    :raises SetupError: if there can be no sandbox here.
    """
    if text := refusal():
        raise SetupError(text)
    arguments = [
        *_frame(),
        *(
            word
            for path in readable(launch.program, (*launch.arguments[1:], *named), launch.cwd, tuple(bind))
            for word in (*_folders(path), "--ro-bind", path, path)
        ),
        *("--seccomp", str(FILTER)),
        *_folders(f"{launch.cwd}/file"),  # empty, where it is not one of these
        *("--chdir", launch.cwd),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        "--",
        *_limits(),
        launch.program,
        *launch.arguments[1:],
    ]
    variables = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    return replace(
        launch,
        program=_program("bwrap"),
        arguments=tuple(arguments),
        cwd="/",
        env={**variables, "HOME": "/tmp", **dict(env)},
        keys={
            **launch.keys,
            "memory": launch.keys["memory"] or MEMORY,
            "cpu_seconds": launch.keys["cpu_seconds"] or CPU_SECONDS,
        },
        filter=filter_program(),
    )


@functools.cache
def refusal() -> str:
    """Return why there can be no sandbox on this machine, and what to do; empty if there can."""
    try:
        filter_program()
        command = [*_frame(), "--ro-bind", "/", "/", "--", *_limits(), _program("true")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, cwd="/", check=False)
        came = done.stderr.strip() or (f"exit status {done.returncode}" if done.returncode else "")
    except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        came = str(error)
    return came and f"sandbox: {NEEDS}, not {came!r}; without a sandbox play only engines that you trust"


@functools.lru_cache
def readable(program: str, words: tuple[str, ...], cwd: str, bind: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths that an engine may read beside the system's, a folder before what lies in it.

    :param words: what may name a file, by a path that begins at ``cwd``.
    """
    found = {os.path.abspath(path) for path in bind}  # noqa: PTH100
    for each in (program, *_interpreters(program)):
        for place in (Path(each), Path(each).resolve()):
            found |= {*_surroundings(place), *_python_environment(place)}
    for word in words:
        path = Path(cwd, word.partition("=")[2] if word.startswith("-") else word)
        if word and os.path.exists(path):  # noqa: PTH110  (which takes a text of any length)
            found |= {*_surroundings(path), *_surroundings(path.resolve())}
    kept: list[str] = []
    for each in sorted(found):
        if not any(Path(each).is_relative_to(above) for above in (*SYSTEM, *kept)):
            kept.append(each)
    return tuple(kept)


def _surroundings(path: Path) -> Iterator[str]:
    """Yield the folder of a file, or the file alone where its folder holds more than an engine; a folder itself."""
    if path.is_dir():
        yield from () if _is_broad(path) else (str(path),)
    else:
        yield str(path if _is_broad(path.parent) else path.parent)


def _is_broad(folder: Path) -> bool:
    """Tell whether a folder is one of the system's, or holds the user's home."""
    return str(folder) in BROAD or Path.home().is_relative_to(folder)


def _interpreters(program: str) -> Iterator[str]:
    """Yield the interpreter that the first line of a script names."""
    try:
        with Path(program).open("rb") as file:
            line = file.readline(512)
    except OSError:
        return
    words = os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []
    yield from words[:1]
    if words and Path(words[0]).name == "env":
        named = [found for word in words[1:] if not word.startswith("-") and (found := shutil.which(word))]
        yield from named[:1]


def _python_environment(program: Path) -> Iterator[str]:
    """Yield the folders of the Python environment of a program, with those that its ``.pth`` files name."""
    prefix = program.parent.parent
    libraries = sorted(prefix.glob("lib/python3*/site-packages"))
    if program.parent.name != "bin" or str(prefix) in SYSTEM or not libraries:
        return
    if (prefix / "pyvenv.cfg").is_file():
        yield str(prefix)
    else:
        yield from (str(prefix / "bin"), str(prefix / "lib"))
    for file in (file for folder in libraries for file in sorted(folder.glob("*.pth"))):
        lines = (Path(line) for line in file.read_text(encoding="utf-8", errors="replace").splitlines())
        yield from (str(line) for line in lines if line.is_absolute() and line.is_dir() and not _is_broad(line))


def _frame() -> list[str]:
    """Return the command that makes an empty sandbox with the system's files in it."""
    namespaces = NAMESPACES if os.geteuid() == 0 else ("--unshare-all", "--unshare-user", "--disable-userns")
    frame = [_program("bwrap"), *namespaces, "--die-with-parent", "--new-session"]
    for path in SYSTEM:
        if Path(path).is_symlink():
            frame += ["--symlink", str(Path(path).readlink()), path]
        else:
            frame += ["--ro-bind-try", path, path]
    for path in (*CONFIGURATION, *map(str, Path("/etc").glob("java*"))):
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
        user = [_program("setpriv"), f"--reuid={number}", f"--regid={number}", *drop]
    return [*user, _program("prlimit"), f"--nproc={PROCESSES}:{PROCESSES}", "--core=0:0", "--"]


def _program(name: str) -> str:
    return shutil.which(name) or name
