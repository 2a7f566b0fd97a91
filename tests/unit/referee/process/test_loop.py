"""Since when something was in a pipe: a clock that the test sets, and pipes of its own."""

from __future__ import annotations

import asyncio
import fcntl
import os
import selectors
import socket
import termios
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from quietmove.referee.config.model import EngineConfig
from quietmove.referee.process import loop as loop_module
from quietmove.referee.process.line_process import READ_BYTES, LineProcess, OutputLine
from quietmove.referee.process.loop import ArrivalSelector, RefereeLoop


class Time:
    """A clock, the seconds on a processor and those of waiting for one; all stand still until they are set."""

    now = 100.0
    ran = 0.0
    waited = 0.0


@pytest.fixture
def pipe() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def time() -> Time:
    return Time()


def set_clock(monkeypatch: pytest.MonkeyPatch, time: Time) -> None:
    """Let the selectors take the time from ``time``."""
    monkeypatch.setattr(loop_module, "time", SimpleNamespace(monotonic=lambda: time.now))
    monkeypatch.setattr(ArrivalSelector, "account", lambda _: (time.ran, time.waited))


@pytest.fixture
def selector(
    pipe: tuple[socket.socket, socket.socket], time: Time, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ArrivalSelector]:
    set_clock(monkeypatch, time)
    with ArrivalSelector() as made:
        made.register(pipe[0], selectors.EVENT_READ)
        yield made


def test_what_was_there_already_may_have_come_right_after_the_last_look(
    selector: ArrivalSelector, pipe: tuple[socket.socket, socket.socket], time: Time
) -> None:
    """The referee was busy for five seconds."""
    assert selector.select(0) == []
    pipe[1].send(b"bestmove")
    time.now = 105.0
    assert len(selector.select(10)) == 1
    assert selector.arrival == 100.0
    time.now = 106.0  # part of the output is still unread
    selector.select(10)
    assert selector.arrival == 105.0


@pytest.mark.parametrize(("waited", "arrival"), [(0.0, 107.0), (2.0, 105.0), (50.0, 100.0)])
def test_the_wait_for_a_processor_is_not_charged(
    selector: ArrivalSelector,
    pipe: tuple[socket.socket, socket.socket],
    time: Time,
    monkeypatch: pytest.MonkeyPatch,
    waited: float,
    arrival: float,
) -> None:
    """It sleeps from 100 on and runs again at 107; what it waited before it slept does not matter."""
    time.waited = 30.0
    look: Callable[..., object] = selectors.DefaultSelector.select

    def sleep(self: selectors.DefaultSelector, timeout: float | None = None) -> object:
        if timeout:
            pipe[1].send(b"bestmove")
            time.now, time.waited = 107.0, 30.0 + waited
        return look(self, timeout)

    monkeypatch.setattr(selectors.DefaultSelector, "select", sleep)
    assert len(selector.select(10)) == 1
    assert selector.arrival == arrival


@pytest.mark.parametrize(
    ("slept", "ran", "waited", "paused"),
    [(0.1, 0, 0, 0), (6.1, 0, 0, 6), (6.1, 4, 2, 0), (6.1, 3, 0, 3), (6.1, 0, 2.5, 3.5), (0.25, 0, 0, 0)],
)
def test_a_pause_is_time_in_which_the_loop_neither_slept_nor_ran_nor_waited_for_a_processor(
    selector: ArrivalSelector,
    time: Time,
    monkeypatch: pytest.MonkeyPatch,
    slept: float,
    ran: float,
    waited: float,
    paused: float,
) -> None:
    """A look sleeps a tenth of a second at most, and the test lets it take longer."""

    def sleep(self: selectors.DefaultSelector, timeout: float | None = None) -> list[object]:
        if timeout:
            time.now, time.ran, time.waited = time.now + slept, time.ran + ran, time.waited + waited
        return []

    monkeypatch.setattr(selectors.DefaultSelector, "select", sleep)
    for _ in range(3):
        before = selector.paused()
        selector.select(10)
        assert selector.paused() - before == pytest.approx(paused)


@pytest.mark.parametrize("length", [0.05, 0.1, 0.15, 0.2, 0.25, 0.29, 0.31, 0.35])
@pytest.mark.parametrize("into_sleep", [0.0, 0.03, 0.07, 0.1])
def test_a_pause_is_seen_or_is_within_the_margin_of_an_engine(
    selector: ArrivalSelector, time: Time, monkeypatch: pytest.MonkeyPatch, length: float, into_sleep: float
) -> None:
    """It begins at any moment of a look's sleep, which ends at its own time or with the pause."""

    def sleep(self: selectors.DefaultSelector, timeout: float | None = None) -> list[object]:
        if timeout:
            time.now += max(timeout, into_sleep + length)
        return []

    monkeypatch.setattr(selectors.DefaultSelector, "select", sleep)
    selector.select(10)
    assert selector.paused() > 0 or length * 1000 <= EngineConfig("a", ("a",)).margin_ms


def test_a_pause_between_two_looks_is_one_too(selector: ArrivalSelector, time: Time) -> None:
    time.now, time.ran = 105.0, 1.0
    assert selector.paused() == pytest.approx(4)


def test_many_short_waits_of_a_busy_loop_are_no_pause(
    selector: ArrivalSelector, pipe: tuple[socket.socket, socket.socket], time: Time
) -> None:
    """There is always something to read, and another thread of this process has Python's lock most of the time."""
    pipe[1].send(b"info")
    for _ in range(20):
        time.now, time.ran = time.now + 0.06, time.ran + 0.01
        selector.select(10)
    assert selector.paused() == 0
    time.now += 3
    assert selector.paused() == pytest.approx(3)


def read_line(pipe: tuple[socket.socket, socket.socket], time: Time, first: Callable[[], None]) -> OutputLine | None:
    """Read from a pipe until 105 by the clock, in a loop of the referee that does ``first`` before it waits."""
    pipe[0].setblocking(False)

    async def read() -> OutputLine | None:
        process, loop = LineProcess(), asyncio.get_running_loop()
        await process.connect_output(pipe[0].makefile("rb", 0))
        loop.call_soon(first)
        try:
            return await process.read_line(105.0)
        finally:
            process.output.close()

    class SetLoop(RefereeLoop):
        def time(self) -> float:
            return time.now

    with pytest.MonkeyPatch.context() as patch:
        set_clock(patch, time)
        with asyncio.Runner(loop_factory=SetLoop) as runner:
            return runner.run(read())


@pytest.mark.parametrize(("held_up_at", "is_read"), [(104.0, True), (106.0, False)])
def test_a_busy_referee_does_not_forfeit_an_answer_that_was_in_time(
    pipe: tuple[socket.socket, socket.socket], time: Time, held_up_at: float, is_read: bool
) -> None:
    """It is held up until 200, with the answer in the pipe."""

    def hold_up() -> None:
        pipe[1].send(b"bestmove 4 6\n")
        time.now = 200.0

    def wait() -> None:
        time.now = held_up_at
        asyncio.get_running_loop().call_soon(hold_up)

    assert (read_line(pipe, time, wait) is not None) == is_read


def test_a_deadline_is_followed_by_one_more_look(
    pipe: tuple[socket.socket, socket.socket], time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right after a look that found nothing the answer comes, and the referee has no processor until 200."""
    look: Callable[..., object] = ArrivalSelector.select

    def look_and_lose_the_processor(self: ArrivalSelector, timeout: float | None = None) -> object:
        if not timeout:
            return look(self, timeout)
        monkeypatch.undo()
        look(self, 0)
        pipe[1].send(b"bestmove 4 6\n")
        time.now = 200.0
        return []

    monkeypatch.setattr(ArrivalSelector, "select", look_and_lose_the_processor)
    assert read_line(pipe, time, lambda: None) is not None


def test_an_answer_behind_a_flood_is_not_dated_before_it_was_written(time: Time) -> None:
    """The engine fills its pipe; each byte of that costs the referee a hundredth of a second to take."""
    reading, writing = os.pipe()
    os.write(writing, b"\n" * 10 * READ_BYTES)
    written: list[float] = []

    class SlowProcess(LineProcess):
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            time.now += len(data) / 100
            if not written and not any(fcntl.ioctl(reading, termios.FIONREAD, bytes(4))):  # all output has been read
                written.append(time.now)
                os.write(writing, b"bestmove 4 6\n")

    async def read() -> OutputLine:
        process = SlowProcess()
        await process.connect_output(os.fdopen(reading, "rb", 0))
        try:
            while line := await process.read_line(1e9):
                if line.text:
                    return line
        finally:
            process.output.close()
            os.close(writing)
        raise AssertionError("the answer did not come")

    with pytest.MonkeyPatch.context() as patch:
        set_clock(patch, time)
        with asyncio.Runner(loop_factory=RefereeLoop) as runner:
            assert runner.run(read()).at >= written[0] - READ_BYTES / 100
