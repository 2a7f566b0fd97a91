"""Cuts the bytes of an engine's output into lines, and limits how many bytes are kept. Pure: it knows no process."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

MEBIBYTE = 1 << 20
MAX_LINE_BYTES = MEBIBYTE  # the longest line that is read; a long `info … pv` has a few hundred bytes
MAX_TURN_BYTES = 32 * MEBIBYTE  # output of one turn; hundreds of thousands of `info` lines
LINE_BYTES = 32  # each line counts as 32 bytes more than its text, for the time and memory that it takes


@dataclass(frozen=True, slots=True)
class Line:
    """A whole line without its end.

    :param at: the time at which its end arrived, in seconds of the event loop's time.
    """

    text: str
    at: float


class Inbox:
    """Lines that arrived and have not been read.

    :ivar flood: why no further line will be read, once a bound was passed; empty before.
    """

    def __init__(self) -> None:
        self.flood = ""
        self._lines: deque[tuple[bytes, float]] = deque()
        self._tail = b""
        self._turn_bytes = 0

    @property
    def has_lines(self) -> bool:
        """Whether there is a line to take."""
        return bool(self._lines)

    def feed(self, data: bytes, at: float) -> list[bytes]:
        """Add what arrived at the time ``at``; return the lines that it completed."""
        *lines, self._tail = (self._tail + data).split(b"\n")
        self._lines.extend((line, at) for line in lines)
        self._turn_bytes += len(data) + LINE_BYTES * len(lines)
        if len(self._tail) > MAX_LINE_BYTES or any(len(line) > MAX_LINE_BYTES for line in lines):
            self.flood = f"a line of more than {MAX_LINE_BYTES // MEBIBYTE} MiB"
        elif self._turn_bytes > MAX_TURN_BYTES:
            self.flood = f"more than {MAX_TURN_BYTES // MEBIBYTE} MiB without an answer"
        if self.flood:
            self._lines.clear()
        return lines

    def take(self) -> Line | None:
        """Return the next line, or None if there is none yet."""
        if not self._lines:
            return None
        data, at = self._lines.popleft()
        return Line(data.decode("utf-8", "replace").strip("\r"), at)

    def begin_turn(self, *, forget: bool) -> list[str]:
        """Start counting a new turn's output; ``forget`` drops the lines that nobody asked for and returns them."""
        forgotten = [data.decode("utf-8", "replace") for data, _ in self._lines] if forget else []
        if forget:
            self._lines.clear()
        if not self._lines:  # lines that came too early still count, so that their number has a bound
            self._turn_bytes = 0
        return forgotten
