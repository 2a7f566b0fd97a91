"""Starts engines through :mod:`quietmove.referee.process.guardian`, so that none outlives the referee."""

from __future__ import annotations

import array
import asyncio
import atexit
import contextlib
import errno
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quietmove.referee.process import guardian

__all__ = ["Launch", "Pipe", "Started", "start"]


@dataclass(frozen=True, slots=True)
class Launch:
    """How an engine's process is started.

    :param program: the file that is run.
    :param arguments: what it is told, with its own name first.
    :param cwd: its working directory.
    :param env: all of its environment.
    :param cpus: the processors that it may run on; empty for all.
    :param memory: MiB that it and its children may hold; 0 for no cap.
    :param cpu_seconds: of processor time that they may use in a game; 0 for no cap.
    :param given: what it can read from the handle :data:`~quietmove.referee.process.guardian.GIVEN`, in hexadecimal.
    """

    program: str
    arguments: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    cpus: tuple[int, ...] = ()
    memory: int = 0
    cpu_seconds: int = 0
    given: str = ""


@dataclass(frozen=True, slots=True)
class Started:
    """An engine that runs, with the referee's handles on it.

    :param pid: of the engine and of its group.
    :param channel: to the process that keeps it.
    :param pipes: handles to its input, and from its output and its standard error.
    """

    pid: int
    reader: asyncio.StreamReader
    channel: asyncio.Transport
    pipes: tuple[int, int, int]

    def order(self, order: bytes) -> None:
        """Send one of the guardian's orders; nothing happens if the engine has ended."""
        if not self.channel.is_closing():
            self.channel.write(order)

    async def wait(self) -> tuple[int, str]:
        """Return how the engine ended, negative for a signal, and which cap it went over, once nothing of it is left.

        If its keeper was killed, so was the engine.
        """
        with contextlib.suppress(OSError, ValueError):
            if line := await self.reader.readline():
                report = json.loads(line)
                return report["status"], report["breach"]
        return -9, ""


class Pipe(asyncio.Protocol):
    """Hands on what comes from a pipe, and its end.

    The streams of asyncio keep the error that broke a connection, and report it as one that nobody has looked at.
    """

    def __init__(self, received: Callable[[bytes], None], closed: Callable[[], None]) -> None:
        self._received = received
        self._closed = closed

    def data_received(self, data: bytes) -> None:
        """Hand on what came."""
        self._received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell that the pipe is closed."""
        self._closed()


async def start(launch: Launch) -> Started:
    """Start an engine.

    :raises OSError: if it cannot be started; ``filename`` is what could not be used, empty if it is no file.
    """
    with contextlib.ExitStack() as given, contextlib.ExitStack() as kept:  # they close the handles
        channel, far = (stack.enter_context(end) for stack, end in zip((kept, given), socket.socketpair(), strict=True))
        pipes = []
        handles = [far.fileno()]
        for index in range(3):
            ends = os.pipe()
            near, engines = ends[::-1] if index == 0 else ends
            pipes.append(near)
            handles.append(engines)
            kept.callback(os.close, near)
            given.callback(os.close, engines)
        _guardian().send(handles)
        reader = asyncio.StreamReader()
        writer, _ = await asyncio.get_running_loop().create_unix_connection(
            lambda: Pipe(reader.feed_data, reader.feed_eof), sock=channel
        )
        kept.callback(writer.close)
        given.close()
        writer.write(json.dumps(asdict(launch)).encode() + b"\n")
        line = await reader.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"errno": errno.ECHILD, "step": "fork"}
        if "errno" in answer:
            raise _error(launch, answer)
        kept.pop_all()
    return Started(answer["pid"], reader, writer, (pipes[0], pipes[1], pipes[2]))


def _error(launch: Launch, answer: dict[str, Any]) -> OSError:
    names = {"cwd": launch.cwd, "start": launch.program, "cpus": f"cpus {','.join(map(str, launch.cpus))}"}
    return OSError(answer["errno"], os.strerror(answer["errno"]), names.get(answer["step"], ""))


class _Guardian:
    """The process that forks the engines' keepers; there is one for this process, from the first engine on."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._socket, far = socket.socketpair()
        with far:
            script = Path(guardian.__file__)
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(script), str(far.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[far.fileno()],
                start_new_session=True,  # out of reach of Ctrl-C in the terminal
            )
        atexit.register(self.close)

    @property
    def is_usable(self) -> bool:
        """Whether it runs, and was started by this process and not by the one that this was forked from."""
        return self.owner == os.getpid() and self._process.poll() is None

    def send(self, handles: list[int]) -> None:
        """Have a keeper forked that gets ``handles``."""
        with self._lock:
            self._socket.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", handles))])

    def close(self) -> None:
        """End it; the keepers that it has forked go on."""
        self._socket.close()
        if self.owner == os.getpid():
            self._process.kill()
            self._process.wait()


_lock = threading.Lock()
_current: list[_Guardian] = []


def _guardian() -> _Guardian:
    """Return the guardian of this process; start it where there is none, or where it was killed."""
    with _lock:
        if not _current or not _current[0].is_usable:
            for old in _current:
                atexit.unregister(old.close)
                old.close()
            _current[:] = [_Guardian()]
        return _current[0]
