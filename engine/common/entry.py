"""Process start and exit: signal handling without tracebacks, and robust standard streams."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from contextlib import contextmanager

TYPE_CHECKING = False  # importing typing is slow, and Ctrl-C prints a traceback until all imports are done
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from queue import SimpleQueue
    from typing import Any, NoReturn, TypeVar

    T = TypeVar("T")

BROKEN_OUTPUT, INTERRUPTED = 1, 130  # exit statuses
MIN_FILES = 16  # with fewer open files, imports and event loops fail at places that cannot report it
NO_MEMORY = "error: out of memory; check whether 'ulimit -v' sets a limit\n"
NO_MEMORY_WORDS = ("can't start new thread", "failed to map segment")
STANDARD_STREAMS = (0, 1, 2)
SIGNAL_SECONDS = 0.2  # longest delay of a signal that arrives just before a wait, which it does not interrupt
REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # sent by Ctrl-C, by kill and by a closing terminal


@contextmanager
def interrupted_by_requests() -> Iterator[None]:
    """Within the block, turn every termination signal into a KeyboardInterrupt, so that the block can clean up.

    A signal that is ignored, such as SIGHUP under ``nohup``, stays ignored.
    """
    numbers = [number for number in REQUESTS if signal.getsignal(number) != signal.SIG_IGN]
    with handled_by(signal.default_int_handler, numbers):
        yield


def ignore_requests() -> None:
    """Ignore termination signals from now on, because the process is about to exit."""
    for number in REQUESTS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore termination signals during a short block, such as cleaning up after Ctrl-C."""
    with handled_by(signal.SIG_IGN, REQUESTS):
        yield


@contextmanager
def handled_by(handler: Any, numbers: Iterable[int]) -> Iterator[None]:
    """Install a signal handler for the block. Does nothing outside the main thread, which alone handles signals."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)


def take(items: SimpleQueue[T]) -> T:
    """Wait for the next item of a queue, and handle signals in the meantime; ``items.get()`` can miss a signal."""
    from queue import Empty

    while True:
        try:
            return items.get(timeout=SIGNAL_SECONDS)
        except Empty:
            continue


def end_quietly_when_interrupted() -> None:
    """Make Ctrl-C end the process immediately, without a traceback, unless it is already ignored or handled.

    Code that must clean up or print something installs its own handler.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_to_exit(command: Callable[[], int]) -> NoReturn:
    """Run a command and exit with the status it returns.

    Characters that the output encoding lacks are written as escapes. A standard output that is closed from the start
    is an error; a pipe closed by its reader is not.
    """
    end_quietly_when_interrupted()
    has_output = sys.stdout is not None
    _prepare_streams()
    if not has_output:
        sys.stderr.write("error: standard output is closed\n")
        sys.exit(BROKEN_OUTPUT)
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files < MIN_FILES:
        sys.stderr.write(f"error: 'ulimit -n' must be at least {MIN_FILES} open files, not {files}\n")
        sys.exit(1)
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
    """Return whether an error was caused by a lack of memory.

    Also checks the members of an exception group and the error's context. Besides MemoryError, starting a thread fails
    if there is no memory for its stack, and importing a compiled module if there is none for its code; Python has no
    exception class for either.
    """
    if isinstance(error, MemoryError) or any(words in str(error) for words in NO_MEMORY_WORDS):
        return True
    others = [*getattr(error, "exceptions", ()), *filter(None, (error.__context__,))]
    return any(map(lacks_memory, others))


def flush_or_drop_output() -> None:
    """Flush standard output, or discard it if that fails; Python would otherwise retry at exit and report an error."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _prepare_streams() -> None:
    for descriptor in STANDARD_STREAMS:  # otherwise the next file opened would get a closed descriptor's number
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed when the process was started
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
