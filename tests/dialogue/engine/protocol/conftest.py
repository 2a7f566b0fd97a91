"""What goes in and out of a loop that runs on file descriptors."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator

import pytest

from quietmove.engine.protocol.wire import LineWriter


@pytest.fixture
def pipes() -> Iterator[Callable[[str], tuple[int, int, Callable[[], str]]]]:
    """Return a function from an input to a descriptor to read it, one to write on, and a function that reads that."""
    open_ends: set[int] = set()
    threads: list[threading.Thread] = []

    def pipe() -> tuple[int, int]:
        ends = os.pipe()
        open_ends.update(ends)
        return ends

    def close(end: int) -> None:
        open_ends.discard(end)
        os.close(end)

    def feed(end: int, text: str) -> None:
        LineWriter(end)(text)
        os.close(end)

    def connect(text: str) -> tuple[int, int, Callable[[], str]]:
        (source, feeder), (reader, sink) = pipe(), pipe()
        if text:
            open_ends.discard(feeder)  # from here on, only the thread closes this end
            threads.append(threading.Thread(target=feed, args=(feeder, text.removesuffix("\n"))))
            threads[-1].start()
        else:
            close(feeder)

        def written() -> str:
            close(sink)
            with contextlib.closing(os.fdopen(os.dup(reader), encoding="utf-8")) as lines:
                return lines.read()

        return source, sink, written

    yield connect
    for end in tuple(open_ends):
        with contextlib.suppress(OSError):
            close(end)
    for thread in threads:
        thread.join()
