"""An engine as a process: its pipes, its lines with their times of arrival, and its end.

Every engine leads a session, and so a process group, of its own: a Ctrl-C in the terminal does not reach it. When it
has ended, nothing of it is left: its supervisor (:mod:`quietmove.referee.process.supervisor`) has killed whatever it
started.
"""

from __future__ import annotations

import asyncio
import fcntl
import math
import os
import termios
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from quietmove.engine.common.text import printable
from quietmove.referee.process import launch as launching
from quietmove.referee.process.launch import Launch
from quietmove.referee.process.loop import arrival_time

MEBIBYTE = 1 << 20
MAX_LINE_BYTES = MEBIBYTE  # the longest line that is read; a long `info … pv` has a few hundred bytes
MAX_TURN_BYTES = 32 * MEBIBYTE  # output of one turn; hundreds of thousands of `info` lines
LINE_BYTES = 32  # each line counts as 32 bytes more than its text, for the time and memory that it takes


@dataclass(frozen=True, slots=True)
class OutputLine:
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

    def take(self) -> OutputLine | None:
        """Return the next line, or None if there is none yet."""
        if not self._lines:
            return None
        data, at = self._lines.popleft()
        return OutputLine(data.decode("utf-8", "replace").strip("\r"), at)

    def begin_turn(self, *, forget: bool) -> list[str]:
        """Start counting a new turn's output; ``forget`` drops the lines that nobody asked for and returns them."""
        forgotten = [data.decode("utf-8", "replace") for data, _ in self._lines] if forget else []
        if forget:
            self._lines.clear()
        if not self._lines:  # lines that came too early still count, so that their number has a bound
            self._turn_bytes = 0
        return forgotten


MAX_STDERR_BYTES = 16 * 1024  # the end of it is kept, since the reason for a crash is there
MAX_LAST_LINE = 200  # characters of its last line that a verdict repeats
READ_BYTES = 4096  # one read takes at most so many bytes, since all its lines get one time of arrival
DRAIN_SECONDS = 0.2  # seconds to read what is still in the pipe when the process has ended
QUIT_SECONDS = 1.0  # seconds for an engine to end by itself when its input closes, or after it has closed its output
LOOK_SECONDS = 0.001  # the pause between two looks whether the engine has read its input: the kernel does not tell
REAP_SECONDS = 5.0  # seconds from SIGKILL to the end; only a process stuck in the kernel takes longer

LineListener = Callable[[str, str], None]  # "<" or ">", and the line that came or went


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
        self._closed()


class LineProcess:
    """A running engine; :meth:`start` makes one, and the caller must :meth:`end` it.

    :ivar inbox: its lines, and why nothing more is read from an engine that wrote too much.
    :ivar input, output: our ends of its input and its output.
    :ivar has_written: whether anything came from it, be it a part of a line.
    :ivar is_closed: whether the process has ended or closed its output; False if it wrote too much before that.
    """

    input: asyncio.WriteTransport
    output: asyncio.ReadTransport
    _error: asyncio.ReadTransport
    _channel: asyncio.Transport

    def __init__(self, listener: LineListener | None = None) -> None:
        self._listener = listener
        self.inbox = Inbox()
        self.is_closed = self.has_written = False
        self._stderr = self._report = b""
        self._how_ended = ""  # an end in words, such as "ended with status 0"; empty as long as it runs
        self._news = asyncio.Event()

    @classmethod
    async def start(cls, launch: Launch, listener: LineListener | None = None) -> LineProcess:
        """Start an engine with pipes on all three ends.

        :raises OSError: if it cannot be started; ``filename`` is what could not be used, empty if it is no file.
        """
        process = cls(listener)
        loop = asyncio.get_running_loop()
        channel, handles = await asyncio.to_thread(launching.start, launch)  # a program may be slow to load
        writing, output, error = (os.fdopen(*each, 0) for each in zip(handles, ("wb", "rb", "rb"), strict=True))
        process.input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, writing)
        await process.connect_output(output)
        process._error, _ = await loop.connect_read_pipe(lambda: Pipe(process.error_received, process._news.set), error)
        process._channel, _ = await loop.create_unix_connection(
            lambda: Pipe(process.report_received, process.supervisor_ended), sock=channel
        )
        return process

    async def connect_output(self, output: IO[bytes]) -> None:
        """Begin to read what the engine writes."""
        self.output, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: Pipe(self.data_received, self.output_closed), output
        )
        self.output.max_size = READ_BYTES  # type: ignore[attr-defined]  # asyncio's pipes have it

    # ---- what the seats use

    @property
    def stderr(self) -> str:
        """The end of what the engine wrote to its standard error."""
        text = self._stderr[-MAX_STDERR_BYTES:].decode("utf-8", "replace")
        return f"[...]{text}" if len(self._stderr) > MAX_STDERR_BYTES else text

    def send(self, *lines: str) -> None:
        """Write ``lines`` to the engine in one piece; a closed pipe is noticed when an answer is awaited."""
        if not self.input.is_closing():
            self.input.write("".join(f"{line}\n" for line in lines).encode())
        if self._listener:  # afterwards, since the engine's clock may be running
            for line in lines:
                self._listener(">", line)

    def begin_game(self, listener: LineListener | None) -> None:
        """Begin another game: ``listener`` is told its lines, and its standard error is kept by itself."""
        self._listener = listener
        self._stderr = b""
        if not self._channel.is_closing():
            self._channel.write(b"G")

    async def read_line(self, deadline: float) -> OutputLine | None:
        """Return the next line, or None if there will be none: at the deadline, when closed, or after a flood.

        :param deadline: a time in seconds of the event loop; a line that arrived later is not returned.
        """
        if not await self._until(self._has_output, deadline):
            await asyncio.sleep(0)  # the loop looks once more, for a line that came in time and was not read yet
            await asyncio.sleep(0)
        line = self.inbox.take()
        return line if line and line.at <= deadline else None

    async def wait_read(self, deadline: float) -> bool:
        """Wait until the engine has read its input, or has written a line or closed its output without that.

        :param deadline: a time in seconds of the event loop.
        :return: whether this came before the deadline.
        """
        return await self._until(lambda: self._has_read_input() or self._has_output(), deadline, LOOK_SECONDS)

    async def wait_closed(self, seconds: float) -> bool:
        """Give the process ``seconds`` to end or to close its output; return :attr:`is_closed`."""
        await self._within(seconds, lambda: self.is_closed or bool(self.inbox.flood))
        return self.is_closed

    async def wait_ended(self, seconds: float) -> bool:
        """Give the process ``seconds`` to end, and all that it started; tell whether it did."""
        return await self._within(seconds, lambda: bool(self._how_ended))

    async def describe_end(self, when: str = "") -> str:
        """Return how the process ended, ``when``, and what it last wrote to its standard error.

        The process first gets a moment to end.
        """
        if not await self.wait_ended(QUIT_SECONDS):
            return f"closed its output but runs on{when}"
        await self._within(DRAIN_SECONDS, self._error.is_closing)
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        said = f"; its standard error ends with: {printable(lines[-1], MAX_LAST_LINE)}" if lines else ""
        return f"{self._how_ended}{when}{said}"

    async def end(self, quit_line: str = "", *, patient: bool = True) -> None:
        """End the engine and all that it started; when this returns, all of it has ended or been killed.

        A patient end sends ``quit_line``, closes the engine's input and gives it time to end by itself; SIGKILL ends
        what is left in any case.
        """
        try:
            if patient:
                if quit_line:
                    self.send(quit_line)
                self._listener = None  # the game is over, whatever is written now
                self.input.close()
                await self.wait_ended(QUIT_SECONDS)
        finally:
            self._channel.write_eof()  # the supervisor then kills all that is left
        await self.wait_ended(REAP_SECONDS)
        for each in (self.input, self.output, self._error, self._channel):
            each.close()

    # ---- what the pipes bring

    def data_received(self, data: bytes) -> None:
        """Cut output into lines with the time of this moment."""
        lines = self.inbox.feed(data, arrival_time())
        self.has_written = True
        if self._listener:
            for line in lines:
                self._listener("<", line.decode("utf-8", "replace").strip("\r"))
        if self.inbox.flood:
            self.output.close()
        self._news.set()

    def output_closed(self) -> None:
        """Note that no further line can come."""
        self.is_closed = not self.inbox.flood
        self._news.set()

    def error_received(self, data: bytes) -> None:
        """Keep the end of standard error."""
        self._stderr = (self._stderr + data)[-MAX_STDERR_BYTES - 1 :]

    def report_received(self, data: bytes) -> None:
        """Take what the supervisor says: how the engine ended."""
        self._report += data

    def supervisor_ended(self) -> None:
        """Note that nothing of the engine is left; a supervisor that was killed says nothing, and so was the engine."""
        self._how_ended = self._report.decode() or "was ended by signal 9 (SIGKILL)"
        self._news.set()

    # ---- inside

    async def _within(self, seconds: float, condition: Callable[[], bool]) -> bool:
        """Wait ``seconds`` at most until ``condition`` holds; tell whether it does."""
        return await self._until(condition, asyncio.get_running_loop().time() + seconds)

    async def _until(self, condition: Callable[[], bool], deadline: float, pause: float = math.inf) -> bool:
        """Wait until ``condition`` holds, at most to ``deadline``; tell whether it does.

        :param deadline: a time in seconds of the event loop.
        :param pause: seconds after which it is looked at again though nothing has come.
        """
        loop = asyncio.get_running_loop()
        while not condition() and (now := loop.time()) < deadline:
            self._news.clear()
            timer = loop.call_at(min(deadline, now + pause), self._news.set)  # asyncio.timeout takes twice as long
            try:
                await self._news.wait()
            finally:
                timer.cancel()
        return condition()

    def _has_output(self) -> bool:
        """Tell whether there is a line, or can be none."""
        return self.inbox.has_lines or self.is_closed or bool(self.inbox.flood)

    def _has_read_input(self) -> bool:
        """Tell whether nothing of what was sent is left in the pipe; also where the system does not tell that."""
        if self.input.get_write_buffer_size():
            return False
        try:
            return not any(fcntl.ioctl(self.input.get_extra_info("pipe"), termios.FIONREAD, bytes(4)))
        except OSError:
            return True
        except ValueError:  # the engine has closed its end
            return False
