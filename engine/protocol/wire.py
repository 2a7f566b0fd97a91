"""The two ends of the pipe: lines in, lines out, on bare file descriptors.

``sys.stdin`` and ``sys.stdout`` would each bring a lock that a daemon thread may hold while the process ends, and the
interpreter aborts over that. Here a thread that is stuck in a read or a write can be left behind.
"""

from __future__ import annotations

import errno
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

from quietmove.engine.errors import OutputError

LINE_LIMIT = 1 << 20  # bytes; the longest sensible line, a game's moves, has some hundreds
CHUNK = 1 << 16


class LineWriter:
    """Writes whole lines at once, whichever thread they come from.

    :ivar failure: why nothing can be written any more; what is written since is dropped.
    """

    def __init__(self, descriptor: int = 1) -> None:
        self.failure: OSError | None = None
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def __call__(self, *lines: str) -> None:
        """Write ``lines``, with no line of another thread between them."""
        data = memoryview("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
        with self._lock:
            while data and self.failure is None:
                try:
                    data = data[os.write(self._descriptor, data) :]
                except BlockingIOError:  # a pipe that does not block is full
                    select.select([], [self._descriptor], [])
                except OSError as error:
                    self.failure = error

    def check(self) -> None:
        """Return if all could be written, or the reader has gone, which may be what it wants.

        :raises OutputError: if not, as on a full disk.
        """
        if self.failure is not None and self.failure.errno != errno.EPIPE:
            raise OutputError(f"standard output: {self.failure.strerror}")


class Mailbox:
    """Calls that other threads ask the controlling thread to make, even while it waits for its input."""

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._reader, self._writer = os.pipe()  # one byte for each call

    def post(self, call: Callable[[], None]) -> None:
        """Ask for ``call``; for any thread."""
        self._calls.append(call)
        os.write(self._writer, b"\0")

    def wait(self, descriptor: int | None = None, events: int = select.POLLIN) -> bool:
        """Wait until a call is posted or ``descriptor`` can be read, or is closed; make the call, or return True.

        :param events: 0 to wait until the other end of ``descriptor`` is closed, and for nothing else of it.
        """
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        if descriptor is not None:
            poll.register(descriptor, events)
        if self._reader not in dict(poll.poll()):
            return True
        os.read(self._reader, 1)
        self._calls.popleft()()
        return False

    def close(self) -> None:
        """Give the pipe back; nothing may be posted any more."""
        os.close(self._reader)
        os.close(self._writer)


def can_edit(source: int = 0, sink: int = 1) -> bool:
    """Tell whether there is a terminal on both ends, and it can move its cursor."""
    return os.isatty(source) and os.isatty(sink) and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")


def can_read(descriptor: int) -> bool:
    """Tell whether something has come that was not read, or the input has ended."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def process_start() -> float:
    """Return when this process was started, by ``time.perf_counter``; it may have been up to 10 ms later."""
    try:
        with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 (a program that starts has no use for pathlib)
            ticks = int(file.read().rpartition(b")")[2].split()[19])  # `starttime` in proc(5)
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError):  # macOS: a start needs the processor nearly all the time
        age = time.process_time()
    return time.perf_counter() - age


def own_output() -> int:
    """Return a descriptor of standard output that is the protocol's alone.

    What else is printed in this process, by the code of somebody's game, goes to standard error from now on.

    :raises OutputError: if it is closed.
    """
    try:
        output = os.dup(1)
        os.dup2(2, 1)
    except OSError as error:
        raise OutputError(f"standard output: {error.strerror}") from None
    return output


def read_lines(descriptor: int, readable: Callable[[], bool]) -> Iterator[str | None]:
    """Yield each line without its end, the last one even if it has none; None for a line above :data:`LINE_LIMIT`.

    Bytes that are not UTF-8 are replaced. A terminal that hangs up, or a closed descriptor, ends the input.

    :param readable: called before each read; it waits until something can be read, and the input ends if it returns
        False.
    """
    pending, too_long = b"", False
    while readable():
        try:
            chunk = os.read(descriptor, CHUNK)
        except BlockingIOError:  # a descriptor that does not block has nothing yet
            continue
        except OSError:
            break
        if not chunk:
            break
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            yield None if too_long or len(line) > LINE_LIMIT else line.decode("utf-8", "replace")
            too_long = False
        if len(pending) > LINE_LIMIT:
            pending, too_long = b"", True
    if pending or too_long:
        yield None if too_long else pending.decode("utf-8", "replace")
