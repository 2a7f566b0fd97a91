"""Tasks computed on several cores, and their results in the order of the tasks."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, cast

from quietmove.engine.errors import WorkerError

__all__ = ["Workers", "compute"]

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 4  # tasks handed out to each process before the first of them is taken back


class Workers:
    """Worker processes; a context manager, at whose end they end.

    They are started anew, not forked, and each ends by itself once this process is gone. Each has a pipe of its own,
    which breaks with it: the pool of the standard library waits for ever if a worker is killed while it writes its
    result into the pipe that all of them share.

    :param processes: 1 for this process alone.
    :param apart: a single worker is a process of its own too.
    """

    def __init__(self, processes: int, *, apart: bool = False) -> None:
        self.processes = processes
        self._is_here = processes == 1 and not apart
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="worker")
        self._workers: list[Worker] = []
        self._idle: SimpleQueue[Worker] = SimpleQueue()

    def compute(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Yield the result of each task, in order.

        :raises WorkerError: if a worker process ends before its work is done.
        """
        if self._is_here:
            yield from map(function, tasks)
            return
        self._start()
        pending: deque[Future[R]] = deque()
        for task in tasks:
            pending.append(self._threads.submit(self._call, function, task))
            if len(pending) == AHEAD * self.processes:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    def _start(self) -> None:
        while len(self._workers) < self.processes:
            worker = Worker.start()
            self._workers.append(worker)
            self._idle.put(worker)

    def _call(self, function: Callable[[T], R], task: T) -> R:
        """Have the worker that is idle longest compute a task; there is one for each thread."""
        worker = self._idle.get()
        try:
            worker.pipe.send((function, task))
            answer: Answer[R] = worker.pipe.recv()
        except (EOFError, OSError):
            raise WorkerError(f"{self._name} ended before its work was done: killed, or out of memory") from None
        finally:
            self._idle.put(worker)
        return answer.result()

    @property
    def _name(self) -> str:
        return "the worker process" if self.processes == 1 else f"one of the {self.processes} worker processes"

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: object, *details: object) -> None:
        if kind is not None:
            for worker in self._workers:
                worker.process.terminate()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.pipe.close()  # which ends the worker
            worker.process.join()


@dataclass(frozen=True)
class Answer(Generic[R]):
    """What came of a task: its value, or an error."""

    value: R | None = None
    error: Exception | None = None

    def result(self) -> R:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return cast("R", self.value)


@dataclass(frozen=True)
class Worker:
    """A process that computes what its pipe brings."""

    process: SpawnProcess
    pipe: Connection[Any, Any]

    @staticmethod
    def start() -> Worker:
        """Start one."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()  # so that the pipe breaks when the worker ends
        return Worker(process, ours)


def compute(function: Callable[[T], R], tasks: Iterable[T], processes: int) -> Iterator[R]:
    """Yield the result of each task, in order, computed by so many :class:`Workers`.

    :raises WorkerError: if a worker process ends before its work is done.
    """
    with Workers(processes) as workers:
        yield from workers.compute(function, tasks)


def serve(pipe: Connection[Any, Any]) -> None:
    """Compute task after task, in a process of its own, which leaves Ctrl-C to the one that hands out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_after_parent, daemon=True).start()
    with suppress(EOFError, OSError):  # of a pipe that has been closed
        while True:
            function, task = pipe.recv()
            pipe.send(answer_of(function, task))


def answer_of(function: Callable[[T], R], task: T) -> Answer[R]:
    """Return what comes of a task."""
    try:
        return Answer(function(task))
    except Exception as error:
        return Answer(error=error)


def end_after_parent() -> None:
    """End this process as soon as its parent has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
