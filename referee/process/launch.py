"""Starts engines through :mod:`quietmove.referee.process.keeper`, so that none outlives the referee."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import functools
import json
import os
import socket
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO

from quietmove.referee.process import keeper

__all__ = ["Launch", "start"]


@dataclass(frozen=True, slots=True)
class Launch:
    """How an engine's process is started.

    :param program: the file that is run.
    :param arguments: what it is told, with its own name first.
    :param cwd: its working directory.
    :param env: all of its environment.
    :param keys: what the engine's configuration says of its process, by the names of its keys.
    :param filter: what it can read from the handle :data:`~quietmove.referee.process.keeper.FILTER`, at most what a
        pipe holds.
    """

    program: str
    arguments: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    keys: Mapping[str, Any] = field(default_factory=dict)
    filter: bytes = b""


async def start(launch: Launch) -> tuple[socket.socket, BinaryIO, BinaryIO, BinaryIO]:
    """Have a keeper forked that starts an engine.

    :return: the channel to the keeper, and our ends of the engine's input, output and standard error.
    :raises OSError: if it cannot be started; ``filename`` is what could not be used, empty if it is no file.
    """
    with contextlib.ExitStack() as opened:
        channel, far = map(opened.enter_context, socket.socketpair())
        (their_input, ours), (output, their_output), (error, their_error) = (_pipe(opened) for _ in range(3))
        theirs: list[socket.socket | BinaryIO] = [far, their_input, their_output, their_error]
        if launch.filter:
            reading, writing = _pipe(opened)
            writing.write(launch.filter)
            writing.close()
            theirs.append(reading)
        _request_keeper([each.fileno() for each in theirs])
        for each in theirs:
            each.close()
        request = {name: value for name, value in asdict(launch).items() if name != "filter"}
        answer = await _ask(channel, json.dumps(request).encode() + b"\n")
        if answer != keeper.STARTED:
            number, file = json.loads(answer) if answer else (errno.EAGAIN, "")
            raise OSError(number, os.strerror(number), file)
        opened.pop_all()
    return channel, ours, output, error


def _pipe(opened: contextlib.ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """Return the end of a pipe to read from, and that to write to, which ``opened`` closes."""
    reading, writing = os.pipe()
    return opened.enter_context(os.fdopen(reading, "rb", 0)), opened.enter_context(os.fdopen(writing, "wb", 0))


async def _ask(channel: socket.socket, request: bytes) -> bytes:
    """Return what a keeper answers; nothing if there is none."""
    loop = asyncio.get_running_loop()
    channel.setblocking(False)
    try:
        await loop.sock_sendall(channel, request)
        answer = await loop.sock_recv(channel, 1)
        return answer if answer == keeper.STARTED else answer + await loop.sock_recv(channel, 1 << 16)
    except ConnectionError:
        return b""


_lock = threading.Lock()


def _request_keeper(handles: list[int]) -> None:
    """Have a keeper forked that gets ``handles``."""
    with _lock:
        try:
            socket.send_fds(_launcher(), [b"+"], handles)
        except ConnectionError:  # somebody has killed it
            _launcher().close()
            _launcher.cache_clear()
            socket.send_fds(_launcher(), [b"+"], handles)


@functools.cache
def _launcher() -> socket.socket:
    """Start the process that forks the keepers, and return the way to it; it ends when that is closed."""
    near, far = socket.socketpair()
    with far:
        files = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
        words = [sys.executable, "-I", "-S", keeper.__file__]
        standard_input = (os.POSIX_SPAWN_DUP2, far.fileno(), 0)
        os.posix_spawn(sys.executable, words, os.environ, file_actions=[*files, standard_input], setsid=True)
    return near
