"""A pool of worker processes that returns results in the order of the tasks.

Each worker has its own pipe, which closes when the worker ends. The pools of the standard library and of loky share one
pipe; in a test that killed 33 workers, one of them left such a pool waiting forever.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from quietmove.engine.common.processes import ignoring_planted_modules
from quietmove.engine.errors import WorkerError

T = TypeVar("T")
R = TypeVar("R")
TASKS_AHEAD = 4  # maximum number of tasks per process that are running or whose results have not been yielded
PARENT_CHECK = 0.5  # seconds between checks of whether the parent process still runs


class Workers:
    """A pool of worker processes, and a context manager that ends them on exit.

    :param processes: the number of workers; with 1, tasks run in this process.
    :param apart: whether to use a separate process even for a single worker.
    """

    def __init__(self, processes: int, *, apart: bool = False) -> None:
        self._pipes: list[Connection] = []
        self._processes: list[SpawnProcess] = []
        with ignoring_planted_modules():
            self._start(processes if processes > 1 or apart else 0)

    def _start(self, processes: int) -> None:
        context = get_context("spawn")
        resource_tracker.ensure_running()  # starting the tracker unblocks SIGINT, so start it before blocking
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # the workers inherit this mask
        try:
            for _ in range(processes):
                ours, theirs = context.Pipe()
                process = context.Process(target=serve, args=(theirs, os.getpid()), daemon=True)
                process.start()
                theirs.close()  # our end now closes with the worker
                self._pipes.append(ours)
                self._processes.append(process)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def compute(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Yield the result of each task in order. An exception raised by a task is raised here in its turn.

        :raises WorkerError: if a worker process ends early.
        """
        if not self._pipes:
            yield from map(function, tasks)
            return
        numbered = enumerate(tasks)
        begun: dict[Connection, int] = {}  # the number of each busy worker's task
        done: dict[int, tuple[bool, Any]] = {}  # whether the task raised an exception, and its result or exception
        turn = 0
        try:
            while True:
                while turn in done:
                    raised, result = done.pop(turn)
                    if raised:
                        raise result
                    turn += 1
                    yield result
                idle = [pipe for pipe in self._pipes if pipe not in begun]
                room = min(len(idle), TASKS_AHEAD * len(self._pipes) - len(begun) - len(done))
                for pipe, (number, task) in zip(idle, islice(numbered, room), strict=False):
                    with alive():
                        pipe.send((function, task))
                    begun[pipe] = number
                if not begun:
                    return
                ready = wait(begun)
                for pipe in [each for each in begun if each in ready]:
                    with alive():
                        done[begun.pop(pipe)] = pipe.recv()
        finally:
            if begun:  # otherwise the next call would receive the results of these tasks
                self.__exit__()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *details: object) -> None:
        for process in self._processes:
            process.kill()
            process.join()


@contextmanager
def alive() -> Iterator[None]:
    """Raise WorkerError if a worker ends during communication with it."""
    try:
        yield
    except (EOFError, OSError):  # a truncated message raises OSError
        raise WorkerError("a worker process ended early: it was killed or ran out of memory") from None


def compute(function: Callable[[T], R], tasks: Iterable[T], processes: int) -> Iterator[R]:
    """Yield the result of each task in order, using a temporary pool of :class:`Workers`.

    :raises WorkerError: if a worker process ends early.
    """
    with Workers(processes) as workers:
        yield from workers.compute(function, tasks)


def serve(pipe: Connection, parent: int) -> None:
    """Run tasks until the parent process ends. The parent handles Ctrl-C."""
    threading.Thread(target=end_after, args=(parent,), daemon=True).start()
    with suppress(EOFError, ConnectionError):  # the parent was killed, perhaps before it read a result
        while True:
            function, task = pipe.recv()
            try:
                pipe.send((False, function(task)))
            except Exception as error:
                pipe.send((True, error))


def end_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK)
    os._exit(1)
