"""Lines in and out of bare file descriptors."""

import contextlib
import os
import threading
from collections.abc import Iterator

import pytest

from quietmove.engine.errors import OutputError
from quietmove.engine.protocol.wire import LINE_LIMIT, LineWriter, read_lines


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for end in (reader, writer):
        with contextlib.suppress(OSError):
            os.close(end)


def feed(pipe: tuple[int, int], data: bytes) -> list[str | None]:
    """Return the lines that come of ``data`` and an end of input."""

    def write() -> None:
        os.write(pipe[1], data) if len(data) < 1000 else LineWriter(pipe[1])(data.decode())
        os.close(pipe[1])

    thread = threading.Thread(target=write)
    thread.start()
    lines = list(read_lines(pipe[0]))
    thread.join()
    return lines


def test_lines_come_without_their_newlines(pipe: tuple[int, int]) -> None:
    assert feed(pipe, b"uci\nisready\r\n\n  go\tdepth 3") == ["uci", "isready\r", "", "  go\tdepth 3"]


def test_no_input_is_no_line(pipe: tuple[int, int]) -> None:
    assert feed(pipe, b"") == []


def test_bytes_that_are_no_text_are_replaced(pipe: tuple[int, int]) -> None:
    assert feed(pipe, b"\xff\x00uci\n") == ["\ufffd\x00uci"]


def test_a_line_without_end_is_skipped_and_the_next_is_read(pipe: tuple[int, int]) -> None:
    assert feed(pipe, b"x" * (LINE_LIMIT + 70_000) + b"\nuci") == [None, "uci"]


def test_an_endless_last_line_is_skipped(pipe: tuple[int, int]) -> None:
    assert feed(pipe, b"x" * (3 * LINE_LIMIT)) == [None]


def test_the_longest_line_allowed_is_read(pipe: tuple[int, int]) -> None:
    assert feed(pipe, b"x" * LINE_LIMIT) == ["x" * LINE_LIMIT]


def test_a_closed_descriptor_is_the_end_of_input(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    assert list(read_lines(pipe[0])) == []


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
    lines = list(read_lines(pipe[0]))
    assert len(lines) == 800
    assert set(zip(lines[::2], lines[1::2], strict=True)) == set(pairs)


def test_a_reader_that_has_gone_is_noticed_once(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    write = LineWriter(pipe[1])
    write("readyok")
    assert write.failure is not None
    write.check()  # is what a reader such as `head` wants


def test_a_full_device_is_an_error() -> None:
    sink = os.open("/dev/full", os.O_WRONLY)
    write = LineWriter(sink)
    write("readyok")
    with pytest.raises(OutputError, match="standard output: No space left on device"):
        write.check()
    os.close(sink)
    write("dropped")
