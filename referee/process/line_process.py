"""An engine process: its pipes, its output lines with their arrival times, and its end.

Every engine leads its own session and process group, so Ctrl-C in the terminal does not reach it. When it ends, none of
its processes remain, because its supervisor (:mod:`quietmove.referee.process.supervisor`) kills everything it started.
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
from quietmove.referee.process.supervisor import is_running, processor_seconds

MEBIBYTE = 1 << 20
MAX_LINE_BYTES = MEBIBYTE  # maximum length of a line; a long `info … pv` has a few hundred bytes
MAX_TURN_BYTES = 32 * MEBIBYTE  # maximum output per turn, enough for hundreds of thousands of `info` lines
LINE_BYTES = 32  # extra bytes counted per line, for the time and memory it takes


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A complete line without its line ending.

    :param at: the arrival time of its end, in seconds of the event loop's clock.
    """

    text: str
    at: float


class Inbox:
    """An engine's unread output lines.

    :ivar flood: the limit that the output exceeded, so that no more lines are read, else "".
    """

    def __init__(self) -> None:
        self.flood = ""
        self._lines: deque[tuple[bytes, float]] = deque()
        self._tail = b""
        self._turn_bytes = 0

    @property
    def has_lines(self) -> bool:
        return bool(self._lines)

    @property
    def tail(self) -> bytes:
        """The start of a line whose end has not arrived."""
        return self._tail

    def feed(self, data: bytes, at: float) -> list[bytes]:
        """Add data that arrived at the time ``at``; return the lines it completed."""
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
        """Start counting a new turn's output. With ``forget``, drop the unread lines and return them."""
        forgotten = [data.decode("utf-8", "replace") for data, _ in self._lines] if forget else []
        if forget:
            self._lines.clear()
        if not self._lines:  # premature lines still count, to bound their number
            self._turn_bytes = 0
        return forgotten


MAX_STDERR_BYTES = 16 * 1024  # only the tail of stderr is kept, which contains the reason for a crash
MAX_LAST_LINE = 200  # maximum length of the last stderr line in a verdict, in characters
READ_BYTES = 4096  # maximum number of bytes per read; small, because all lines of one read get the same arrival time
DRAIN_SECONDS = 0.2  # time in seconds to read the rest of the pipe after the process has ended
QUIT_SECONDS = 1.0  # time in seconds for an engine to exit after its input was closed or it closed its output
LOOK_SECONDS = (
    0.001  # seconds between checks of whether the engine has read its input, which the kernel does not signal
)
PROCESSOR_LOOK_SECONDS = 0.05  # seconds between checks of whether the engine has used up its processor time
REAP_SECONDS = 5.0  # maximum time in seconds from SIGKILL to the end, unless a process is stuck in the kernel

LineListener = Callable[[str, str], None]  # called with "<" and a received line, or with ">" and a sent line


class Pipe(asyncio.Protocol):
    """The asyncio protocol for a pipe; it forwards the pipe's data and its end to callbacks.

    It replaces asyncio's streams, which store the error that broke a connection and report it as never retrieved.
    """

    def __init__(self, received: Callable[[bytes], None], closed: Callable[[], None]) -> None:
        self._received = received
        self._closed = closed

    def data_received(self, data: bytes) -> None:
        self._received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed()


class ProcessorTime:
    """The processor time that an engine's processes have used since this object was created.

    :param supervisor: the process ID of the engine's supervisor.
    :ivar most: the limit in seconds.
    """

    def __init__(self, supervisor: int, most: float) -> None:
        self._supervisor = supervisor
        self._before = processor_seconds(supervisor)
        self.most = most

    def used(self) -> float:
        """Return the seconds used."""
        return max(0.0, processor_seconds(self._supervisor) - self._before)

    def is_used_up(self) -> bool:
        return self.used() > self.most


class LineProcess:
    """A running engine process, created by :meth:`start`. The caller must :meth:`end` it.

    :ivar inbox: its lines, and the reason if reading stopped because it wrote too much.
    :ivar input, output: this process's ends of its input and output pipes.
    :ivar processor_time: the engine's processor time, or None if its clock counts wall time. When it is used up,
        :meth:`read_line` stops waiting.
    :ivar has_written: whether it has written anything, even part of a line.
    :ivar is_closed: whether the process has ended or closed its output; False if it wrote too much before that.
    """

    input: asyncio.WriteTransport
    output: asyncio.ReadTransport
    _error: asyncio.ReadTransport
    _channel: asyncio.Transport
    _supervisor: int

    def __init__(self, listener: LineListener | None = None) -> None:
        self._listener = listener
        self.inbox = Inbox()
        self.is_closed = self.has_written = False
        self._stderr = self._report = b""
        self._how_ended = ""  # how the process ended, such as "ended with status 0", or "" while it runs
        self._news = asyncio.Event()
        self.processor_time: ProcessorTime | None = None

    @classmethod
    async def start(cls, launch: Launch, listener: LineListener | None = None) -> LineProcess:
        """Start an engine with pipes for its input, output and standard error.

        :raises OSError: if it cannot be started; ``filename`` is the unusable file, or "" if the cause is not a file.
        """
        process = cls(listener)
        loop = asyncio.get_running_loop()
        # In a thread, because a program may be slow to load.
        channel, handles, process._supervisor = await asyncio.to_thread(launching.start, launch)
        writing, output, error = (os.fdopen(*each, 0) for each in zip(handles, ("wb", "rb", "rb"), strict=True))
        process.input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, writing)
        await process.connect_output(output)
        process._error, _ = await loop.connect_read_pipe(lambda: Pipe(process.error_received, process._news.set), error)
        process._channel, _ = await loop.create_unix_connection(
            lambda: Pipe(process.report_received, process.supervisor_ended), sock=channel
        )
        return process

    async def connect_output(self, output: IO[bytes]) -> None:
        """Start reading the engine's output."""
        self.output, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: Pipe(self.data_received, self.output_closed), output
        )
        self.output.max_size = READ_BYTES  # type: ignore[attr-defined]  # exists in asyncio's pipes

    # ---- used by seats

    @property
    def stderr(self) -> str:
        """The last part of the engine's standard error."""
        text = self._stderr[-MAX_STDERR_BYTES:].decode("utf-8", "replace")
        return f"[...]{text}" if len(self._stderr) > MAX_STDERR_BYTES else text

    def send(self, *lines: str) -> None:
        """Write ``lines`` to the engine in a single write. A closed pipe is noticed when the reply is awaited."""
        if not self.input.is_closing():
            self.input.write("".join(f"{line}\n" for line in lines).encode())
        if self._listener:  # after writing, because the engine's clock may be running
            for line in lines:
                self._listener(">", line)

    def begin_game(self, listener: LineListener | None) -> None:
        """Start another game with a new ``listener`` and an empty record of standard error."""
        self._listener = listener
        self._stderr = b""
        if not self._channel.is_closing():
            self._channel.write(b"G")

    def is_computing(self, seconds: float) -> bool:
        """Return whether the engine uses a processor now, or has used one for a quarter of ``seconds``."""
        return is_running(self._supervisor) or processor_seconds(self._supervisor) > seconds / 4

    def count_processor_time(self, most: float) -> None:
        """Start counting the engine's processor time, with a limit of ``most`` seconds."""
        self.processor_time = ProcessorTime(self._supervisor, most)

    async def read_line(self, deadline: float) -> OutputLine | None:
        """Return the next line, or None if the deadline passes, the output is closed or there is too much of it.

        :param deadline: a time in seconds of the event loop's clock; lines that arrive later are not returned.
        """
        if not await self._answers_or_is_late(deadline):
            await asyncio.sleep(0)  # let the loop read once more, for a line that arrived in time
            await asyncio.sleep(0)
        line = self.inbox.take()
        return line if line and line.at <= deadline else None

    def has_read_input(self) -> bool:
        """Return whether the engine has read all input sent to it, or the system cannot tell."""
        if self.input.get_write_buffer_size():
            return False
        try:
            return not any(fcntl.ioctl(self.input.get_extra_info("pipe"), termios.FIONREAD, bytes(4)))
        except OSError:
            return True
        except ValueError:  # the engine has closed its end
            return False

    async def wait_read(self, deadline: float) -> bool:
        """Wait until the engine has read its input, has written a line, or has closed its output.

        :param deadline: a time in seconds of the event loop's clock.
        :return: whether this happened before the deadline.
        """
        return await self._until(lambda: self.has_read_input() or self._has_output(), deadline, LOOK_SECONDS)

    async def wait_closed(self, seconds: float) -> bool:
        """Wait up to ``seconds`` until the process ends, or closes or floods its output; return :attr:`is_closed`."""
        await self._within(seconds, lambda: self.is_closed or bool(self.inbox.flood))
        return self.is_closed

    async def wait_ended(self, seconds: float) -> bool:
        """Wait up to ``seconds`` for the process and its children to end; return whether they did."""
        return await self._within(seconds, lambda: bool(self._how_ended))

    async def describe_end(self, when: str = "") -> str:
        """Return a description of how the process ended, then ``when`` and the last line of its standard error.

        Of a Java stack trace, this is the line with the exception. If the process is still running, wait up to a second
        for its end.
        """
        if not await self.wait_ended(QUIT_SECONDS):
            return f"closed its output but is still running{when}"
        await self._within(DRAIN_SECONDS, self._error.is_closing)
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        lines = [line for line in lines if not line.startswith(("at ", "... "))] or lines  # a Java stack trace
        note = f"; its standard error ends with: {printable(lines[-1], MAX_LAST_LINE)}" if lines else ""
        return f"{self._how_ended}{when}{note}"

    async def end(self, quit_line: str = "", *, patient: bool = True) -> None:
        """End the engine and its children. When this returns, all have ended, unless one is stuck in the kernel.

        With ``patient``, send ``quit_line``, close the engine's input and give it time to exit. What remains is killed.
        """
        try:
            if patient:
                if quit_line:
                    self.send(quit_line)
                self._listener = None  # the game is over; ignore further output
                self.input.close()
                await self.wait_ended(QUIT_SECONDS)
        finally:
            self._channel.write_eof()  # makes the supervisor kill everything that is left
        await self.wait_ended(REAP_SECONDS)
        for each in (self.input, self.output, self._error, self._channel):
            each.close()

    # ---- callbacks of the pipes

    def data_received(self, data: bytes) -> None:
        """Split new output into lines with their arrival time."""
        lines = self.inbox.feed(data, arrival_time())
        self.has_written = True
        if self._listener:
            for line in lines:
                self._listener("<", line.decode("utf-8", "replace").strip("\r"))
        if self.inbox.flood:
            self.output.close()
        self._news.set()

    def output_closed(self) -> None:
        """Handle the end of the output: no more lines can arrive."""
        self.is_closed = not self.inbox.flood
        self._news.set()

    def error_received(self, data: bytes) -> None:
        """Append to the stored standard error, and keep only its tail."""
        self._stderr = (self._stderr + data)[-MAX_STDERR_BYTES - 1 :]

    def report_received(self, data: bytes) -> None:
        """Append ``data`` to the supervisor's report on how the engine ended."""
        self._report += data

    def supervisor_ended(self) -> None:
        """Handle the end of all processes. A supervisor that sent no report was killed, and its engine with it."""
        self._how_ended = self._report.decode() or "was ended by signal 9 (SIGKILL)"
        self._news.set()

    # ---- internals

    async def _answers_or_is_late(self, deadline: float) -> bool:
        """Wait for output or the end of the processor time; return whether this happened before the deadline."""
        counted = self.processor_time
        if counted is None:
            return await self._until(self._has_output, deadline)
        return await self._until(lambda: self._has_output() or counted.is_used_up(), deadline, PROCESSOR_LOOK_SECONDS)

    async def _within(self, seconds: float, condition: Callable[[], bool]) -> bool:
        return await self._until(condition, asyncio.get_running_loop().time() + seconds)

    async def _until(self, condition: Callable[[], bool], deadline: float, pause: float = math.inf) -> bool:
        """Wait for ``condition`` until ``deadline``; return whether it holds.

        :param deadline: a time in seconds of the event loop's clock.
        :param pause: the interval in seconds between checks while no data arrives.
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
        """Return whether there is a line, or no more lines can arrive."""
        return self.inbox.has_lines or self.is_closed or bool(self.inbox.flood)
