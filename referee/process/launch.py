"""Start an engine's process: find its program, check that it can run, and start it under a supervisor.

Supervisors are forked by the launcher, which is :mod:`quietmove.referee.process.supervisor` run as a program.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import json
import os
import shutil
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from quietmove.engine.common.processes import inherited_environment, python_command
from quietmove.engine.common.processors import usable_processors
from quietmove.referee.config.model import OWN_ENGINE, PROCESS_KEYS, SEED_PLACE, EngineConfig
from quietmove.referee.errors import SetupError
from quietmove.referee.process import sandbox, supervisor


def resolve(command: Sequence[str]) -> tuple[str, ...]:
    """Return ``command`` with :data:`OWN_ENGINE` replaced by this installation's script or, without one, its module.

    This finds the engine even if its environment is not activated.

    :raises SetupError: if there is no command.
    """
    if not command:
        raise SetupError("command: must be given")
    if command[0] != OWN_ENGINE:
        return tuple(command)
    script = Path(sys.executable).with_name(OWN_ENGINE)
    own = [str(script)] if script.is_file() else python_command(OWN_ENGINE)
    return (*own, *command[1:])


def is_there(command: Sequence[str]) -> bool:
    """Return whether the program exists and can be executed."""
    return shutil.which(resolve(command)[0]) is not None


def with_seed(engine: EngineConfig, seed: int) -> EngineConfig:
    """Return ``engine`` with the seed placeholder in its command and options replaced by the seed of its game."""
    return replace(
        engine,
        command=tuple(word.replace(SEED_PLACE, str(seed)) for word in engine.command),
        options=tuple((name, value.replace(SEED_PLACE, str(seed))) for name, value in engine.options),
    )


def start_objections(config: EngineConfig) -> Iterator[str]:
    """Yield the reasons why an engine's process cannot be started as configured."""
    if not is_there(config.command):
        yield f"there is no program {config.command[0]!r}, or it is not executable"
    if config.cwd and not (os.path.isdir(config.cwd) and os.access(config.cwd, os.X_OK)):
        yield f"cwd: there is no folder {config.cwd!r}, or it cannot be entered"
    if absent := sorted(set(config.cpus) - (usable := usable_processors())):
        allowed = ", ".join(map(str, sorted(usable)))
        yield f"cpus: must be among {allowed}, not {', '.join(map(str, absent))}"
    if config.sandbox:
        try:
            launch_of(config, "")
        except SetupError as error:
            yield str(error)
    for path in config.sandbox_bind:
        if not os.path.exists(path):  # noqa: PTH110 (accepts strings of any length)
            yield f"sandbox_bind: there is no {path!r}"


def _program(words: Sequence[str]) -> str:
    """Return a program's path without resolving links, because the Python of a virtual environment is a link."""
    return os.path.abspath(shutil.which(words[0]) or words[0])  # noqa: PTH100


@dataclass(frozen=True, slots=True)
class Launch:
    """The program, arguments, environment and limits with which to start an engine's process.

    :param program: the file to run.
    :param arguments: its arguments, starting with its own name.
    :param cwd: its working directory.
    :param env: its whole environment.
    :param keys: values for the supervisor: the configuration fields in ``PROCESS_KEYS``, the process cap and, in a
        sandbox, the default caps and the temporary folders.
    :param handles: contents that the program reads from file descriptors, keyed by the option that takes the number.
    """

    program: str
    arguments: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    keys: Mapping[str, Any] = field(default_factory=dict)
    handles: Mapping[str, str] = field(default_factory=dict)


def launch_of(config: EngineConfig, game: str) -> Launch:
    """Return the program, arguments, environment and limits with which to start an engine for ``game``.

    :raises OSError: if this process's working directory no longer exists.
    :raises SetupError: if there is no command, or the engine requires a sandbox and none is available.
    """
    words, cwd = resolve(config.command), os.path.abspath(config.cwd)  # noqa: PTH100
    program = _program(words)
    keys = {name: getattr(config, name) for name in PROCESS_KEYS}
    keys["processes"] = sandbox.PROCESSES
    if not config.sandbox:
        return Launch(program, words, cwd, {**inherited_environment(), **dict(config.env)}, keys)
    keys.update((name, keys[name] or cap) for name, cap in sandbox.CAPS.items())
    keys["temporary"] = sandbox.TEMPORARY_PLACES
    # Like arguments, options and the game can name files.
    named = [*(value for _, value in config.options), game.partition(" ")[0]]
    binds = [*config.sandbox_bind]
    if config.command[0] == OWN_ENGINE:  # in an editable installation, the package is elsewhere
        package = Path(__file__).parents[2]
        binds += [str(package), *(str(each.resolve()) for each in package.iterdir() if each.is_symlink())]
    inside = (sandbox.real_program(program), *words[1:])
    env = dict(config.env)
    refused = {"pinned": bool(config.cpus), "single": config.clock == "processor"}
    command, handles = sandbox.confined(inside, named, config.cwd, binds, env, keys["memory"], **refused)
    return Launch(command[0], command, "/", sandbox.environment(program, config.cwd), keys, handles)


def start(launch: Launch) -> tuple[socket.socket, list[int], int]:
    """Start an engine under a new supervisor, and wait until it has started.

    :return: the channel to the supervisor; descriptors of the engine's stdin, stdout and stderr; the supervisor's PID.
    :raises OSError: if it cannot be started; ``filename`` is the unusable file, or "" if the cause is not a file.
    """
    with contextlib.ExitStack() as opened:
        channel, far = map(opened.enter_context, socket.socketpair())
        _request_supervisor(far)
        far.close()
        answer = b""
        handles = list[int]()
        with contextlib.suppress(ConnectionError):  # the machine is out of processes
            channel.sendall(json.dumps(asdict(launch)).encode() + b"\n")
            if channel.recv(1):
                answer, handles, _, _ = socket.recv_fds(channel, 1 << 16, 3, socket.MSG_CMSG_CLOEXEC)
                if not answer:  # neither the descriptors nor an error arrived
                    raise OSError(errno.ECHILD, "the engine killed or stopped its supervisor", "")
        if len(handles) == 3:
            opened.pop_all()
            return channel, handles, int(answer.removeprefix(supervisor.STARTED))
        for handle in handles:
            os.close(handle)
        refusal = (errno.EMFILE if answer else errno.EAGAIN, "")  # fewer descriptors arrived than were sent
        is_started = not answer or answer.startswith(supervisor.STARTED)
        number, file = refusal if is_started else json.loads(answer)
        raise OSError(number, os.strerror(number), file)


_lock = threading.Lock()


def _request_supervisor(channel: socket.socket) -> None:
    with _lock:
        try:
            socket.send_fds(_launcher(), [b"+"], [channel.fileno()])
        except ConnectionError:  # the launcher was killed
            _launcher().close()
            _launcher.cache_clear()
            socket.send_fds(_launcher(), [b"+"], [channel.fileno()])


@functools.cache
def _launcher() -> socket.socket:
    """Start the launcher and return the socket to it; closing the socket ends the launcher."""
    near, far = socket.socketpair()
    with far:
        files = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
        words = [sys.executable, "-I", "-S", supervisor.__file__]
        standard_input = (os.POSIX_SPAWN_DUP2, far.fileno(), 0)
        os.posix_spawn(sys.executable, words, os.environ, file_actions=[*files, standard_input], setsid=True)
    atexit.register(near.close)
    return near
