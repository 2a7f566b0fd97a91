"""An engine as a process: its pipes, its lines with their times of arrival, and its end.

Every engine leads a session, and so a process group, of its own: a Ctrl-C in the terminal does not reach it. When it
has ended, nothing of it is left: its keeper (:mod:`quietmove.referee.process.keeper`) has killed whatever it started.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import json
import os
import signal
import termios
from collections.abc import Callable

from quietmove.engine.printable import printable
from quietmove.referee.process import keeper
from quietmove.referee.process.inbox import Inbox, Line
from quietmove.referee.process.launch import Launch, Pipe, start
from quietmove.referee.process.loop import arrival_time

__all__ = ["EngineProcess"]

MAX_STDERR_BYTES = 16 * 1024  # the end of it is kept, since the reason for a crash is there
MAX_LAST_LINE = 200  # characters of its last line that a verdict repeats
DRAIN_SECONDS = 0.2  # for output still in the pipe when the process has ended
QUIT_SECONDS = 1.0  # for an engine to end by itself when its input closes
LOOK_SECONDS = 0.001  # between two looks at whether the engine has read its input: the kernel sends no word of that
REAP_SECONDS = 5.0  # from SIGKILL to the end; only a process stuck in the kernel takes longer

Listener = Callable[[str, str], None]  # "<" or ">", and the line that came or went


class EngineProcess:
    """A running engine; :meth:`start` makes one, and the caller must :meth:`end` it.

    :ivar pid: of the process and of its group.
    :ivar inbox: its lines, and why nothing more is read from an engine that wrote too much.
    :ivar is_closed: whether no further line can come: the process has ended or closed its output.
    """

    pid: int
    _channel: asyncio.Transport
    _input: asyncio.WriteTransport
    _output: asyncio.ReadTransport
    _error: asyncio.ReadTransport

    def __init__(self, listener: Listener | None = None) -> None:
        self._listener = listener
        self.inbox = Inbox()
        self.is_closed = False
        self._stderr = bytearray()
        self._news = News()
        self._started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._reports = b""  # the beginning of a line of the keeper
        self._exited = asyncio.Event()
        self._stderr_closed = asyncio.Event()
        self._status: int | None = None
        self._breach = ""
        self._ignores_output = False
        self._is_paused = False  # is_reading() of a pipe came with Python 3.11.4
        self._has_ended = False

    @classmethod
    async def start(cls, launch: Launch, listener: Listener | None = None) -> EngineProcess:
        """Start an engine with pipes on all three ends.

        :raises OSError: if it cannot be started; ``filename`` is what could not be used, empty if it is no file.
        """
        process, loop = cls(listener), asyncio.get_running_loop()
        channel, writing, output, error = start(launch)
        process._input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, writing)
        process._output, _ = await loop.connect_read_pipe(
            lambda: Pipe(process.data_received, process.output_closed), output
        )
        process._error, _ = await loop.connect_read_pipe(
            lambda: Pipe(process.error_received, process.error_closed), error
        )
        process._channel, _ = await loop.create_unix_connection(
            lambda: Pipe(process.report_received, process.keeper_ended), sock=channel
        )
        try:
            process.pid = await process._started
        except BaseException:
            process._close()
            raise
        return process

    # ---- what the seats use

    @property
    def stderr(self) -> str:
        """The end of what the engine wrote to its standard error."""
        text = bytes(self._stderr[-MAX_STDERR_BYTES:]).decode("utf-8", "replace")
        return f"[...]{text}" if len(self._stderr) > MAX_STDERR_BYTES else text

    def send(self, *lines: str) -> None:
        """Write ``lines`` to the engine in one piece; a closed pipe is noticed when an answer is awaited."""
        self.write("".join(f"{line}\n" for line in lines).encode())
        if self._listener:  # afterwards, since the engine's clock may be running
            for line in lines:
                self._listener(">", line)

    def write(self, data: bytes) -> None:
        """Write bytes that need not be whole lines; no listener is told."""
        if not self._input.is_closing():
            self._input.write(data)

    def close_pipe(self, descriptor: int) -> None:
        """Close this end of the engine's input (0) or output (1)."""
        (self._input if descriptor == 0 else self._output).close()

    def begin_game(self, listener: Listener | None) -> None:
        """Begin another game: ``listener`` is told its lines, and its standard error is kept by itself."""
        self._listener = listener
        self._stderr.clear()
        self._order(keeper.GAME_BEGINS)

    async def read_line(self, deadline: float) -> Line | None:
        """Return the next line, or None if there will be none: at ``deadline``, when closed, or after a flood.

        :param deadline: in seconds of the event loop's time; a line that arrived later is not returned.
        """
        in_time = True
        while (line := self.inbox.take()) is None:
            if self.is_closed or self.inbox.flood or not in_time:
                return None
            self._resume_output()
            in_time = await self._news.wait(deadline)
            if not in_time:
                await asyncio.sleep(0)  # the loop looks once more, for a line that came in time and was not read yet
                await asyncio.sleep(0)
            self._news.clear()
        return line if line.at <= deadline else None

    async def wait_read(self, deadline: float) -> bool:
        """Wait until the engine has read its input, or has written a line or closed its output without that.

        :param deadline: in seconds of the event loop's time.
        :return: whether this came before the deadline.
        """
        loop = asyncio.get_running_loop()
        while not (self._has_read_input() or self.inbox.has_lines or self.is_closed or self.inbox.flood):
            if loop.time() >= deadline:
                return False
            await self._news.wait(min(loop.time() + LOOK_SECONDS, deadline))
        return True

    async def wait_closed(self, seconds: float) -> bool:
        """Give the process ``seconds`` to end or to close its output, reading on; tell whether it did."""
        self._ignore_output()
        deadline = asyncio.get_running_loop().time() + seconds
        while not self.is_closed and await self._news.wait(deadline):
            self._news.clear()
        return self.is_closed

    async def wait_ended(self, seconds: float) -> bool:
        """Give the process ``seconds`` to end, reading on; tell whether it did."""
        self._ignore_output()
        return await self._wait(self._exited, seconds)

    async def describe_end(self, when: str = "") -> str:
        """Return how the process ended, ``when``, and what it last wrote to its standard error.

        The process first gets a moment to end.
        """
        await self._wait(self._exited, DRAIN_SECONDS)
        status = self._status
        if self._breach:
            return self._breach + when
        if status is None:
            return f"closed its output but runs on{when}"
        await self._wait(self._stderr_closed, DRAIN_SECONDS)
        names = {each.value: each.name for each in signal.Signals}
        how = f"was ended by signal {-status} ({names.get(-status, 'unknown')})"
        if status >= 0:
            how = f"ended with status {status}"
        last_line = next((line.strip() for line in reversed(self.stderr.splitlines()) if line.strip()), "")
        return f"{how}{when}" + (
            f"; its standard error ends with: {printable(last_line, MAX_LAST_LINE)}" if last_line else ""
        )

    async def end(self, quit_line: str = "", *, patient: bool = True) -> None:
        """End the engine and all that it started; when this returns, all of it has ended or been killed.

        A patient end sends ``quit_line``, closes the engine's input and gives it time to end by itself; SIGKILL ends
        what is left in any case.
        """
        if self._has_ended:
            return
        self._ignore_output()
        try:
            if patient:
                if quit_line:
                    self.send(quit_line)
                self.close_pipe(0)
                await self._wait(self._exited, QUIT_SECONDS)
        finally:
            self._order(keeper.KILL)
        await self._wait(self._exited, REAP_SECONDS)
        self._has_ended = True
        self._close()

    # ---- what the pipes bring

    def data_received(self, data: bytes) -> None:
        """Cut output into lines with the time of this moment."""
        if self._ignores_output:
            return
        lines = self.inbox.feed(data, arrival_time())
        if self._listener:
            for line in lines:
                self._listener("<", line.decode("utf-8", "replace").strip("\r"))
        if self.inbox.is_full or self.inbox.flood:
            self._output.pause_reading()
            self._is_paused = True
        self._news.set()

    def output_closed(self) -> None:
        """Note that no further line can come."""
        self.is_closed = True
        self._news.set()

    def error_received(self, data: bytes) -> None:
        """Keep the end of standard error."""
        self._stderr += data
        if len(self._stderr) > 2 * MAX_STDERR_BYTES:
            del self._stderr[: -MAX_STDERR_BYTES - 1]

    def error_closed(self) -> None:
        """Note that standard error is complete."""
        self._stderr_closed.set()

    def report_received(self, data: bytes) -> None:
        """Take what the keeper says: that the engine was started or why not, and later how it ended."""
        *lines, self._reports = (self._reports + data).split(b"\n")
        for report in map(json.loads, lines):
            if "status" in report:
                self._note_end(report["status"], report["breach"])
            elif "pid" in report and not self._started.done():  # it is done where the start was cancelled
                self._started.set_result(report["pid"])
            elif not self._started.done():
                self._started.set_exception(OSError(report["errno"], os.strerror(report["errno"]), report["file"]))

    def keeper_ended(self) -> None:
        """Note that the keeper can say no more; if it was killed, so was the engine."""
        if not self._started.done():
            self._started.set_exception(OSError(errno.EAGAIN, os.strerror(errno.EAGAIN), ""))
        if self._status is None:
            self._note_end(-signal.SIGKILL)

    # ---- inside

    def _close(self) -> None:
        """Close our ends of all pipes."""
        for end in (self._input, self._output, self._error, self._channel):
            end.close()

    def _order(self, order: bytes) -> None:
        """Send the keeper one of its orders; nothing happens if the engine has ended."""
        if not self._channel.is_closing():
            self._channel.write(order)

    def _note_end(self, status: int, breach: str = "") -> None:
        """Note how the engine ended; nothing of it is left."""
        self._status, self._breach = status, breach
        self._exited.set()
        if not self.is_closed:  # the last lines are still in the pipe
            asyncio.get_running_loop().call_later(DRAIN_SECONDS, self.output_closed)

    def _has_read_input(self) -> bool:
        """Tell whether nothing of what was sent is left in the pipe; also where the system does not tell that."""
        if self._input.get_write_buffer_size():
            return False
        try:
            return not any(fcntl.ioctl(self._input.get_extra_info("pipe"), termios.FIONREAD, bytes(4)))
        except OSError:
            return True
        except ValueError:  # the engine has closed its end
            return False

    def _resume_output(self) -> None:
        if self._is_paused and not self._output.is_closing():
            self._output.resume_reading()
            self._is_paused = False

    def _ignore_output(self) -> None:
        """Read and discard all output, so that an engine that is blocked on a full pipe can go on and end."""
        self._ignores_output = True
        self._resume_output()

    @staticmethod
    async def _wait(event: asyncio.Event, seconds: float) -> bool:
        """Wait for ``event``; tell whether it came in time."""
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return event.is_set()
        return True


class News:
    """An event for one task at a time, which waits for it until a time; ``asyncio.timeout`` takes twice as long."""

    def __init__(self) -> None:
        self._is_set = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        """Wake the task that waits, or the next one that does."""
        self._is_set = True
        self._wake()

    def clear(self) -> None:
        """Let the next task wait."""
        self._is_set = False

    async def wait(self, until: float) -> bool:
        """Wait until :meth:`set` is called, or to a moment of the event loop's time; tell whether it was called."""
        if not self._is_set:
            loop = asyncio.get_running_loop()
            self._waiter = loop.create_future()
            timer = loop.call_at(until, self._wake)
            try:
                await self._waiter
            finally:
                timer.cancel()
                self._waiter = None
        return self._is_set

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
