"""Lines in and out of bare file descriptors."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from quietmove.engine.protocol.wire import LINE_LIMIT, LineWriter, read_lines


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for end in (reader, writer):
        with contextlib.suppress(OSError):
            os.close(end)


def at_once() -> bool:
    """Let a read wait for itself."""
    return True


def feed(pipe: tuple[int, int], data: bytes) -> list[str | None]:
    """Return the lines that come of ``data`` and an end of input."""

    def write() -> None:
        os.write(pipe[1], data) if len(data) < 1000 else LineWriter(pipe[1])(data.decode())
        os.close(pipe[1])

    thread = threading.Thread(target=write)
    thread.start()
    lines = list(read_lines(pipe[0], at_once))
    thread.join()
    return lines


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"uci\nisready\r\n\n  go\tdepth 3", ["uci", "isready\r", "", "  go\tdepth 3"]),
        (b"\xff\x00uci\n", ["\ufffd\x00uci"]),
        (b"x" * (LINE_LIMIT + 70_000) + b"\nuci", [None, "uci"]),
        (b"x" * (3 * LINE_LIMIT), [None]),
        (b"x" * LINE_LIMIT, ["x" * LINE_LIMIT]),
    ],
    ids=["no newlines", "no text", "too long", "endless", "the longest"],
)
def test_lines_come_without_their_newlines_and_never_too_long(
    pipe: tuple[int, int], data: bytes, lines: list[str | None]
) -> None:
    assert feed(pipe, data) == lines


def test_a_closed_descriptor_is_the_end_of_input(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    assert list(read_lines(pipe[0], at_once)) == []


def test_lines_of_several_threads_stay_whole(pipe: tuple[int, int]) -> None:
    write = LineWriter(pipe[1])
    pairs = [(f"{name} first", f"{name} second") for name in "abcdefgh"]

    def repeat(pair: tuple[str, str]) -> None:
        for _ in range(50):
            write(*pair)

    threads = [threading.Thread(target=repeat, args=(pair,)) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.close(pipe[1])
    lines = list(read_lines(pipe[0], at_once))
    assert len(lines) == 800
    assert set(zip(lines[::2], lines[1::2], strict=True)) == set(pairs)


def test_a_reader_that_has_gone_is_noticed_once(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    write = LineWriter(pipe[1])
    write("readyok")
    assert write.failure is not None
    write.check()  # readers such as `head` rely on this


def test_a_pipe_that_does_not_block_is_read_to_its_end(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[0], False)
    lines: list[str | None] = []
    tries: list[int] = []

    def readable() -> bool:
        """Let it look where there is nothing, then where there is a piece of a line, then at the end."""
        tries.append(len(lines))
        if len(tries) > 1:
            os.write(pipe[1], b"uci\nis") if len(tries) == 2 else os.close(pipe[1])
        return True

    lines += read_lines(pipe[0], readable)
    assert lines == ["uci", "is"]
    assert len(tries) == 3


def test_a_pipe_that_does_not_block_takes_more_than_it_holds(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    assert feed(pipe, b"x" * 300_000 + b"\n" + b"y" * 300_000) == ["x" * 300_000, "y" * 300_000]


def test_a_full_pipe_that_does_not_block_and_loses_its_reader_is_noticed(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    write = LineWriter(pipe[1])
    thread = threading.Thread(target=write, args=("x" * 300_000,))
    thread.start()
    os.read(pipe[0], 1)
    os.close(pipe[0])
    thread.join()
    assert write.failure is not None
    write.check()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the start is estimated")
def test_a_process_knows_when_it_was_started() -> None:
    tick = 1 / os.sysconf("SC_CLK_TCK")
    code = "from quietmove.engine.protocol.wire import process_start; print(process_start())"
    before = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        between = time.perf_counter()
        found = float(process.communicate()[0])
    assert before - 2 * tick < found < between + 2 * tick
