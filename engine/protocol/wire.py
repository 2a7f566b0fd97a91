"""Line-based input and output on bare file descriptors.

``sys.stdin`` and ``sys.stdout`` have locks, and the interpreter aborts if a daemon thread holds one at exit. Here, a
thread blocked in a read or a write can be abandoned.
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

LINE_LIMIT = 1 << 20  # bytes; the longest sensible line, the moves of a game, has a few hundred
CHUNK = 1 << 16


class LineWriter:
    """A thread-safe writer of complete lines. Lines written by one call stay together.

    :ivar failure: the error that broke the output, or None. Lines after an error are dropped.
    """

    def __init__(self, descriptor: int = 1) -> None:
        self.failure: OSError | None = None
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def __call__(self, *lines: str) -> None:
        """Write ``lines`` without lines of other threads in between."""
        data = memoryview("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
        with self._lock:
            while data and self.failure is None:
                try:
                    data = data[os.write(self._descriptor, data) :]
                except BlockingIOError:  # a non-blocking pipe is full
                    select.select([], [self._descriptor], [])
                except OSError as error:
                    self.failure = error

    def check(self) -> None:
        """Check that everything was written. A closed pipe is not an error: its reader may have seen enough.

        :raises OutputError: if writing failed, for example because the disk is full.
        """
        if self.failure is not None and self.failure.errno != errno.EPIPE:
            raise OutputError(f"standard output: {self.failure.strerror}")


class Mailbox:
    """A queue of calls that other threads post to the controlling thread, which may be waiting for input."""

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._reader, self._writer = os.pipe()  # one byte per call

    def post(self, call: Callable[[], None]) -> None:
        """Post a call, from any thread."""
        self._calls.append(call)
        os.write(self._writer, b"\0")

    def wait(self, descriptor: int | None = None, events: int = select.POLLIN) -> bool:
        """Wait for a posted call, run it and return False, or return True if ``descriptor`` has input or has ended.

        :param events: 0 to wait only until the other end of ``descriptor`` is closed.
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
        """Close the pipe. No calls may be posted after that."""
        os.close(self._reader)
        os.close(self._writer)


def can_edit(source: int = 0, sink: int = 1) -> bool:
    """Return whether input and output are a terminal that supports cursor movement."""
    return os.isatty(source) and os.isatty(sink) and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")


def can_read(descriptor: int) -> bool:
    """Return whether unread input is available, or the input has ended."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def process_start() -> float:
    """Return the start time of this process on the clock of ``time.perf_counter``, at most 10 ms too early."""
    try:
        with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 (pathlib would slow the start)
            ticks = int(file.read().rpartition(b")")[2].split()[19])  # `starttime` in proc(5)
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError):  # macOS: a starting process uses the CPU nearly all the time
        age = time.process_time()
    return time.perf_counter() - age


def own_output() -> int:
    """Reserve standard output for the protocol, and return a new descriptor for it.

    Anything else printed in this process, for example by a user's game, goes to standard error.

    :raises OutputError: if standard output is closed.
    """
    try:
        output = os.dup(1)
        os.dup2(2, 1)
    except OSError as error:
        raise OutputError(f"standard output: {error.strerror}") from None
    return output


def read_lines(descriptor: int, readable: Callable[[], bool]) -> Iterator[str | None]:
    """Yield each line without its newline, or None for a line longer than :data:`LINE_LIMIT`.

    The last line may be unterminated. Bytes that are not UTF-8 are replaced. A terminal hangup or a closed descriptor
    ends the input.

    :param readable: called before each read to wait for input; if it returns False, the input ends.
    """
    pending, too_long = b"", False
    while readable():
        try:
            chunk = os.read(descriptor, CHUNK)
        except BlockingIOError:  # a non-blocking descriptor with nothing to read yet
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
