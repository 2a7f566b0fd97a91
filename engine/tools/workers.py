"""Tasks computed by worker processes, and their results in the order of the tasks."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from loky.process_executor import BrokenProcessPool, ProcessPoolExecutor

from quietmove.engine.errors import WorkerError

__all__ = ["Workers", "compute"]

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 4  # tasks handed out for each process before the result of the first is taken
PARENT_CHECK = 0.5  # seconds


class Workers:
    """A pool of worker processes; a context manager, at whose end they end.

    :param processes: 1 for this process alone.
    :param apart: a single worker is a process of its own too.
    """

    def __init__(self, processes: int, *, apart: bool = False) -> None:
        self._ahead = AHEAD * processes
        self._pool: ProcessPoolExecutor | None = None
        if processes > 1 or apart:
            self._pool = ProcessPoolExecutor(processes, initializer=prepare, initargs=(os.getpid(),))

    def compute(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Yield the result of each task, in order.

        :raises WorkerError: if a worker process ends before its work is done.
        """
        if self._pool is None:
            yield from map(function, tasks)
            return
        pending: deque[Future[R]] = deque()
        try:
            for task in tasks:
                pending.append(self._pool.submit(function, task))
                if len(pending) == self._ahead:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BrokenProcessPool:
            raise WorkerError("a worker process ended before its work was done: killed, or out of memory") from None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: object, *details: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(kill_workers=kind is not None)


def compute(function: Callable[[T], R], tasks: Iterable[T], processes: int) -> Iterator[R]:
    """Yield the result of each task, in order, computed by so many :class:`Workers`.

    :raises WorkerError: if a worker process ends before its work is done.
    """
    with Workers(processes) as workers:
        yield from workers.compute(function, tasks)


def prepare(parent: int) -> None:
    """Leave Ctrl-C to the process that hands out the work, and let this one end when that process has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_after, args=(parent,), daemon=True).start()


def end_after(parent: int) -> None:
    """End this process as soon as its parent has ended."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK)
    os._exit(1)
