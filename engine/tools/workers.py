"""Tasks computed by worker processes, and their results in the order of the tasks.

Each worker has a pipe of its own, whose end tells that the worker has ended. The pools of the standard library and of
loky share one pipe: of 33 workers that were killed, one left such a pool waiting for ever.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from quietmove.engine.common.processes import ignoring_planted_modules
from quietmove.engine.errors import WorkerError

T = TypeVar("T")
R = TypeVar("R")
TASKS_AHEAD = 4  # each process may have begun so many tasks before the result of the first is taken
PARENT_CHECK = 0.5  # seconds


class Workers:
    """A pool of worker processes; a context manager, at whose end they end.

    :param processes: 1 for this process alone.
    :param apart: a single worker is a process of its own too.
    """

    def __init__(self, processes: int, *, apart: bool = False) -> None:
        self._pipes: list[Connection] = []
        self._processes: list[SpawnProcess] = []
        with ignoring_planted_modules():
            self._start(processes if processes > 1 or apart else 0)

    def _start(self, processes: int) -> None:
        context = get_context("spawn")
        resource_tracker.ensure_running()  # the tracker's start lets SIGINT through: it comes before the block
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # the workers inherit it
        try:
            for _ in range(processes):
                ours, theirs = context.Pipe()
                process = context.Process(target=serve, args=(theirs, os.getpid()), daemon=True)
                process.start()
                theirs.close()  # ours now ends with the worker
                self._pipes.append(ours)
                self._processes.append(process)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def compute(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Yield the result of each task, in order; what a task raises is raised in its turn.

        :raises WorkerError: if a worker process ends before its work is done.
        """
        if not self._pipes:
            yield from map(function, tasks)
            return
        numbered = enumerate(tasks)
        begun: dict[Connection, int] = {}  # the task of each busy worker
        done: dict[int, tuple[bool, Any]] = {}  # whether a task raised, and what came of it
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
            if begun:  # later tasks would get the results of these
                self.__exit__()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *details: object) -> None:
        for process in self._processes:
            process.kill()
            process.join()


@contextmanager
def alive() -> Iterator[None]:
    """Raise a WorkerError if the worker that the block talks to has ended."""
    try:
        yield
    except (EOFError, OSError):  # a message that was cut short is an OSError
        raise WorkerError("a worker process ended before its work was done: killed, or out of memory") from None


def compute(function: Callable[[T], R], tasks: Iterable[T], processes: int) -> Iterator[R]:
    """Yield the result of each task, in order, computed by so many :class:`Workers`.

    :raises WorkerError: if a worker process ends before its work is done.
    """
    with Workers(processes) as workers:
        yield from workers.compute(function, tasks)


def serve(pipe: Connection, parent: int) -> None:
    """Compute tasks until the process that hands them out has ended; Ctrl-C is left to that process."""
    threading.Thread(target=end_after, args=(parent,), daemon=True).start()
    while True:
        try:
            function, task = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((False, function(task)))
        except Exception as error:
            pipe.send((True, error))


def end_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK)
    os._exit(1)
