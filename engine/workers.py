"""Tasks computed on several cores, and their results in the order of the tasks."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import TypeVar

from quietmove.engine.errors import WorkerError

__all__ = ["Workers", "compute"]

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 4  # tasks handed out to each process before the first of them is taken back


class Workers:
    """Worker processes; a context manager, at whose end they end.

    They are started anew, not forked, and each ends by itself once this process is gone.

    :param processes: 1 for this process alone.
    """

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self._pool: ProcessPoolExecutor | None = None
        if processes > 1:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(processes, mp_context=context, initializer=follow_parent)

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
                if len(pending) == AHEAD * self.processes:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BrokenProcessPool:
            raise WorkerError(
                f"one of the {self.processes} worker processes ended before its work was done: killed, or out of memory"
            ) from None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: object, *details: object) -> None:
        if self._pool is None:
            return
        self._pool.shutdown(wait=kind is None, cancel_futures=True)
        for worker in multiprocessing.active_children():
            worker.terminate()


def compute(function: Callable[[T], R], tasks: Iterable[T], processes: int) -> Iterator[R]:
    """Yield the result of each task, in order, computed by so many :class:`Workers`.

    :raises WorkerError: if a worker process ends before its work is done.
    """
    with Workers(processes) as workers:
        yield from workers.compute(function, tasks)


def follow_parent() -> None:
    """Leave Ctrl-C to the process that hands out the work, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_after_parent, daemon=True).start()


def end_after_parent() -> None:
    """End this process as soon as its parent has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
