from __future__ import annotations

import asyncio
import os
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietmove.referee.process import line_process
from quietmove.referee.process.line_process import (
    LINE_BYTES,
    MAX_LINE_BYTES,
    MAX_TURN_BYTES,
    MEBIBYTE,
    Inbox,
    LineProcess,
    OutputLine,
)


def drain(inbox: Inbox) -> list[str]:
    lines = []
    while line := inbox.take():
        lines.append(line.text)
    return lines


@given(st.lists(st.text(alphabet="abc \t", max_size=5), max_size=8), st.integers(1, 7))
def test_lines_come_whole_however_they_are_cut(lines: list[str], size: int) -> None:
    data = "".join(f"{line}\r\n" for line in lines).encode()
    inbox = Inbox()
    for start in range(0, len(data), size):
        inbox.feed(data[start : start + size], 0.0)
    assert drain(inbox) == lines


def test_a_line_has_the_time_of_its_end() -> None:
    inbox = Inbox()
    assert inbox.feed(b"bestmove ", 1.0) == []
    assert inbox.take() is None
    assert inbox.feed(b"4 6\ninfo", 2.0) == [b"bestmove 4 6"]
    assert inbox.take() == OutputLine("bestmove 4 6", 2.0)
    assert inbox.take() is None


def test_bytes_that_are_no_text_do_not_matter() -> None:
    inbox = Inbox()
    inbox.feed(b"\xff\xfe\n", 0.0)
    assert drain(inbox) == ["\ufffd\ufffd"]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_beyond_the_bound_is_a_flood(end: bytes) -> None:
    inbox = Inbox()
    inbox.feed(b"good\n", 0.0)
    inbox.feed(b"a" * MAX_LINE_BYTES, 0.0)
    assert not inbox.flood
    inbox.feed(b"a" + end, 0.0)
    assert inbox.flood == "a line of more than 1 MiB"
    assert inbox.take() is None


@pytest.mark.parametrize("block", [b"x" * (65_536 - 1 - LINE_BYTES) + b"\n", b"\n" * 1024])
def test_a_turn_beyond_the_bound_is_a_flood_though_all_lines_are_read(
    monkeypatch: pytest.MonkeyPatch, block: bytes
) -> None:
    assert MAX_TURN_BYTES == 32 << 20, "the guide says so"
    monkeypatch.setattr(line_process, "MAX_TURN_BYTES", MEBIBYTE)
    inbox = Inbox()
    for _ in range(MEBIBYTE // (len(block) + LINE_BYTES * block.count(b"\n"))):
        inbox.feed(block, 0.0)
        drain(inbox)
    assert not inbox.flood
    inbox.feed(block, 0.0)
    assert inbox.flood == "more than 1 MiB without an answer"


def test_each_turn_counts_anew() -> None:
    inbox = Inbox()
    for _ in range(2 * MAX_TURN_BYTES // 100_000):
        inbox.begin_turn(forget=True)
        inbox.feed(b"x" * 99_999 + b"\n", 0.0)
    assert not inbox.flood


def test_lines_that_came_too_early_count_in_every_turn() -> None:
    inbox = Inbox()
    while not inbox.flood:
        inbox.begin_turn(forget=False)
        inbox.feed(b"x" * 99_999 + b"\n", 0.0)
        assert inbox._turn_bytes < 2 * MAX_TURN_BYTES


def test_what_came_unasked_is_forgotten_or_kept() -> None:
    inbox = Inbox()
    inbox.feed(b"one\n", 0.0)
    inbox.begin_turn(forget=False)
    assert drain(inbox) == ["one"]
    inbox.feed(b"two\nthr", 0.0)
    inbox.begin_turn(forget=True)
    inbox.feed(b"ee\n", 0.0)
    assert drain(inbox) == ["three"]


def test_only_the_end_of_standard_error_is_held() -> None:
    async def play() -> None:
        process, complaint = LineProcess(), b"x" * 65536
        tracemalloc.start()
        try:
            for _ in range(100):
                process.error_received(complaint)
            process.error_received(b"the end")
            assert tracemalloc.get_traced_memory()[0] < 4 * len(complaint)
        finally:
            tracemalloc.stop()
        assert process.stderr.startswith("[...]x")
        assert process.stderr.endswith("xthe end")

    asyncio.run(play())


def test_a_line_that_arrived_after_the_deadline_is_not_returned() -> None:
    async def read(deadline_after: float) -> OutputLine | None:
        process = LineProcess()
        deadline = time.monotonic() + deadline_after
        process.data_received(b"bestmove 4 6\n")
        return await process.read_line(deadline)

    assert asyncio.run(read(-0.001)) is None
    line = asyncio.run(read(1000))
    assert line is not None
    assert line.text == "bestmove 4 6"


@pytest.mark.parametrize("event", ["read", "line", "end"])
def test_a_program_has_started_when_it_has_read_its_input(event: str) -> None:
    """Or has written a line, or closed its output, without that."""
    reading, writing = os.pipe()

    async def play() -> None:
        process, loop = LineProcess(), asyncio.get_running_loop()
        process.input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(writing, "wb", 0))
        process.send("game B 1 0 0")
        assert not await process.wait_read(loop.time())
        os.read(reading, 5)
        assert not await process.wait_read(loop.time())
        waiting = asyncio.create_task(process.wait_read(loop.time() + 1000))
        if event == "read":
            os.read(reading, 100)
        elif event == "line":
            process.data_received(b"6 4\n")
        else:
            process.output_closed()
        assert await waiting
        process.input.close()

    try:
        asyncio.run(play())
    finally:
        os.close(reading)
