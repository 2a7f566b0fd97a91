"""The two ends of the pipe: lines in, lines out, on bare file descriptors.

``sys.stdin`` and ``sys.stdout`` would each bring a lock that a daemon thread may hold while the process ends, and the
interpreter aborts over that. Here a thread that is stuck in a read or a write can be left behind.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

__all__ = ["LINE_LIMIT", "LineWriter", "own_output", "read_lines"]

LINE_LIMIT = 1 << 20  # bytes; the longest sensible line, a game's moves, has some hundreds
CHUNK = 1 << 16


class LineWriter:
    """Writes whole lines at once, whichever thread they come from.

    :ivar broken: nobody reads any more; what is written since is dropped.
    """

    def __init__(self, descriptor: int = 1) -> None:
        self.broken = False
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def __call__(self, *lines: str) -> None:
        """Write ``lines``, with no line of another thread between them."""
        data = memoryview("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
        with self._lock:
            while data and not self.broken:
                try:
                    data = data[os.write(self._descriptor, data) :]
                except OSError:
                    self.broken = True


def own_output() -> int:
    """Return a descriptor of standard output that is the protocol's alone.

    What else is printed in this process, by the code of somebody's game, goes to standard error from now on.
    """
    output = os.dup(1)
    os.dup2(2, 1)
    return output


def read_lines(descriptor: int = 0) -> Iterator[str | None]:
    """Yield each line without its end, the last one even if it has none; None for a line above :data:`LINE_LIMIT`.

    Bytes that are not UTF-8 are replaced. A terminal that hangs up, or a closed descriptor, ends the input.
    """
    pending, too_long = b"", False
    while chunk := _read(descriptor):
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            yield None if too_long or len(line) > LINE_LIMIT else line.decode("utf-8", "replace")
            too_long = False
        if len(pending) > LINE_LIMIT:
            pending, too_long = b"", True
    if pending or too_long:
        yield None if too_long else pending.decode("utf-8", "replace")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK)
    except OSError:
        return b""
