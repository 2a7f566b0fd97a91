"""Runs a program, such as a compiler or an engine check, with a time limit, and collects its output."""

from __future__ import annotations

import os
import selectors
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from quietmove.referee.process import launch as launching
from quietmove.referee.process.launch import Launch

READ_BYTES = 1 << 16
END_SECONDS = 10.0  # seconds to wait until all processes of a run have exited


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a run. ``how`` describes how it ended, such as ``ended with status 0``."""

    output: bytes
    error: bytes
    how: str

    @property
    def is_good(self) -> bool:
        """Whether the program exited by itself with status 0."""
        return self.how == "ended with status 0"


class Confined:
    """A run of a program. Its supervisor stops all processes of the run, even if this process is killed."""

    def __init__(self, launch: Launch, seconds: float, most_output: int, most_error: int, given: bytes = b"") -> None:
        """Prepare a run.

        :param given: the program's standard input, which must fit into a pipe.
        """
        self._launch = launch
        self._given = given
        self._seconds = seconds
        self._most = (most_output, most_error)
        self._lock = threading.Lock()
        self._channel: socket.socket | None = None
        self._is_stopped = False

    def run(self) -> Ended:
        """Run the program and return its result. Call it only once.

        :raises OSError: if the program cannot be started.
        """
        channel, handles, _ = launching.start(self._launch)
        with self._lock:
            self._channel = channel
            if self._is_stopped:
                channel.shutdown(socket.SHUT_WR)
        with suppress(BrokenPipeError):  # the program may have exited
            os.write(handles[0], self._given)
        os.close(handles[0])
        try:
            texts, wrong = self._read(handles[1:])
        finally:
            for handle in handles[1:]:
                os.close(handle)
        report = "" if wrong else _report(channel)
        with self._lock:
            self._channel = None
            channel.shutdown(socket.SHUT_WR)
        report = report or _report(channel)
        channel.close()
        return Ended(texts[0], texts[1], wrong or report or "was ended")

    def stop(self) -> None:
        """Stop the program. Can be called from any thread."""
        with self._lock:
            self._is_stopped = True
            if self._channel is not None:
                self._channel.shutdown(socket.SHUT_WR)

    def _read(self, handles: list[int]) -> tuple[list[bytes], str]:
        """Return standard output, standard error, and the reason why reading stopped early, or "" if it did not.

        Standard error is cut at its limit.
        """
        texts = [b"", b""]
        deadline = time.monotonic() + self._seconds
        with selectors.DefaultSelector() as selector:
            for index, handle in enumerate(handles):
                selector.register(handle, selectors.EVENT_READ, index)
            while selector.get_map():
                if not (events := selector.select(max(0.0, deadline - time.monotonic()))):
                    return texts, f"did not end within {self._seconds:g} s"
                for key, _ in events:
                    data = os.read(key.fd, READ_BYTES)
                    if not data:
                        selector.unregister(key.fd)
                    elif len(texts[key.data]) + len(data) <= self._most[key.data]:
                        texts[key.data] += data
                    elif key.data == 0:
                        return texts, f"wrote more than {self._most[0]:,} bytes"
        return texts, ""


def _report(channel: socket.socket) -> str:
    """Return the supervisor's final report, or "" if it does not arrive within END_SECONDS."""
    channel.settimeout(END_SECONDS)
    try:
        return b"".join(iter(lambda: channel.recv(READ_BYTES), b"")).decode()
    except OSError:
        return ""
