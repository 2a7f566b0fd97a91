"""How a command begins and ends: without a traceback when a signal interrupts it, and whatever its output is."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager

TYPE_CHECKING = False  # typing is not imported: until the imports here have ended, Ctrl-C prints a traceback
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, NoReturn

BROKEN_OUTPUT, INTERRUPTED = 1, 130  # exit statuses
NO_MEMORY = "error: there is no memory left for this; ulimit -v tells whether it is limited\n"
NO_MEMORY_WORDS = ("can't start new thread", "failed to map segment")
STANDARD_STREAMS = (0, 1, 2)
REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # Ctrl-C, a program and a closed terminal send these


@contextmanager
def interrupted_by_requests() -> Iterator[None]:
    """Let every request to end raise KeyboardInterrupt in the block, as Ctrl-C does, so that it can clean up."""
    with handled_by(signal.default_int_handler, REQUESTS):
        yield


def ignore_requests() -> None:
    """Ignore these signals from now on, since the process is about to end."""
    for number in REQUESTS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let no request to end interrupt the block, which is short: one Ctrl-C has come, and another may follow."""
    with handled_by(signal.SIG_IGN, REQUESTS):
        yield


@contextmanager
def handled_by(handler: Any, numbers: Iterable[int]) -> Iterator[None]:
    """Handle signals so in the block; in any thread but the main one, which alone gets signals, nothing changes."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)


def end_quietly_when_interrupted() -> None:
    """Let Ctrl-C end the process at once, without a traceback, unless Ctrl-C is ignored.

    Code that has something to clean up or to print handles the signal itself meanwhile.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_to_exit(command: Callable[[], int]) -> NoReturn:
    """Run a command and end the process with the status that it returns.

    A character that the encoding of the output does not have is written as an escape. To start with a closed standard
    output is an error; that the reader of a pipe has closed it is none.
    """
    end_quietly_when_interrupted()
    has_output = sys.stdout is not None
    _prepare_streams()
    if not has_output:
        sys.stderr.write("error: standard output: it is closed\n")
        sys.exit(BROKEN_OUTPUT)
    status = 0
    try:
        status = command()
    except BrokenPipeError:  # the reader of the output, such as `head`, has closed it
        flush_or_drop_output()
    except Exception as error:
        if not lacks_memory(error):
            raise
        sys.stderr.write(NO_MEMORY)
        status = 1
    sys.exit(status)


def lacks_memory(error: BaseException) -> bool:
    """Tell whether an error says that memory is short.

    So may an error of its group, or the error that was handled when it was raised. A thread needs memory for its stack,
    and a compiled module for its code; Python has no class for either error.
    """
    if isinstance(error, MemoryError) or any(words in str(error) for words in NO_MEMORY_WORDS):
        return True
    others = [*getattr(error, "exceptions", ()), *filter(None, (error.__context__,))]
    return any(map(lacks_memory, others))


def flush_or_drop_output() -> None:
    """Write buffered output, or discard it if that fails: Python would try again at exit, and report a second error."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _prepare_streams() -> None:
    for descriptor in STANDARD_STREAMS:  # the next file that is opened would get the number of a closed one
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free, which is this one
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # the process was started without it
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
