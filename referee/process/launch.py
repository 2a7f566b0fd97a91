"""Starts engines through :mod:`quietmove.referee.process.keeper`, so that none outlives the referee."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO

from quietmove.referee.process import keeper

__all__ = ["FILTER", "Launch", "Pipe", "start"]

FILTER = 3  # the handle from which the program can read the filter of its system calls


@dataclass(frozen=True, slots=True)
class Launch:
    """How an engine's process is started.

    :param program: the file that is run.
    :param arguments: what it is told, with its own name first.
    :param cwd: its working directory.
    :param env: all of its environment.
    :param keys: what the engine's configuration says of its process, by the names of its keys.
    :param filter: what it can read from the handle :data:`FILTER`, at most what a pipe holds.
    """

    program: str
    arguments: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    keys: Mapping[str, Any] = field(default_factory=dict)
    filter: bytes = b""


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


def start(launch: Launch) -> tuple[socket.socket, BinaryIO, BinaryIO, BinaryIO]:
    """Have a keeper forked that starts an engine; return the channel, which will tell whether it could.

    :return: the channel, and our ends of the engine's input, output and standard error.
    :raises OSError: if there are no more handles.
    """
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:  # they close the handles
        channel, far = socket.socketpair()
        ours.enter_context(channel)
        handles = [theirs.enter_context(far).fileno()]
        pipes = []
        for index in range(3):
            ends = os.pipe()
            theirs.callback(os.close, ends[0 if index == 0 else 1])
            handles.append(ends[0 if index == 0 else 1])
            pipe = os.fdopen(ends[1], "wb", 0) if index == 0 else os.fdopen(ends[0], "rb", 0)
            pipes.append(ours.enter_context(pipe))
        if launch.filter:
            reading, writing = os.pipe()
            theirs.callback(os.close, reading)
            with open(writing, "wb") as file:  # noqa: PTH123
                file.write(launch.filter)
            handles.append(reading)
        _request_keeper(handles)
        request = {name: value for name, value in asdict(launch).items() if name != "filter"}
        channel.sendall(json.dumps(request).encode() + b"\n")
        ours.pop_all()
    return channel, pipes[0], pipes[1], pipes[2]


_lock = threading.Lock()


def _request_keeper(handles: list[int]) -> None:
    """Have a keeper forked that gets ``handles``."""
    with _lock:
        try:
            socket.send_fds(_launcher().requests, [b"+"], handles)
        except ConnectionError:  # somebody has killed it
            _launcher().requests.close()
            _launcher.cache_clear()
            socket.send_fds(_launcher().requests, [b"+"], handles)


@dataclass(frozen=True, slots=True)
class _Launcher:
    """The process that forks the keepers; it ends when the last copy of ``requests`` is closed."""

    pid: int
    requests: socket.socket


@functools.cache
def _launcher() -> _Launcher:
    """Start the launcher, which stays as long as this process runs."""
    near, far = socket.socketpair()
    with far:
        files = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
        words = [sys.executable, "-I", "-S", keeper.__file__, "3"]
        duplicate = (os.POSIX_SPAWN_DUP2, far.fileno(), 3)
        pid = os.posix_spawn(sys.executable, words, os.environ, file_actions=[*files, duplicate], setsid=True)
    return _Launcher(pid, near)
