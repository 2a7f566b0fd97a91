"""Tasks computed by worker processes: their order, their errors, and workers that are killed."""

from __future__ import annotations

import multiprocessing
import operator
import signal
from functools import partial

import pytest

from quietmove.engine.errors import WorkerError
from quietmove.engine.tools.workers import Worker, compute

WAIT = 120  # seconds after which a worker that does nothing fails the test


def test_results_come_in_the_order_of_the_tasks() -> None:
    assert list(compute(partial(operator.mul, 3), range(40), 2)) == [3 * each for each in range(40)]
    assert not multiprocessing.active_children()


def test_what_a_task_raises_is_raised() -> None:
    found = compute(int, ["1", "2", "x", "4"], 2)
    assert [next(found), next(found)] == [1, 2]
    with pytest.raises(ValueError, match="invalid literal"):
        next(found)
    assert not multiprocessing.active_children()


def test_a_worker_that_is_killed_is_one_error() -> None:
    with pytest.raises(WorkerError, match="one of the 2 worker processes ended"):
        list(compute(signal.raise_signal, [signal.SIGKILL], 2))
    assert not multiprocessing.active_children()


def test_a_worker_that_is_killed_while_it_writes_its_result_is_missed() -> None:
    """The pipe holds a small part of the result, and breaks in its middle: nobody else has its other end."""
    worker, other = Worker.start(), Worker.start()
    try:
        worker.pipe.send((bytes, 50_000_000))
        assert worker.pipe.poll(WAIT)
        worker.process.kill()
        with pytest.raises((EOFError, OSError)):
            worker.pipe.recv()
        assert other.process.is_alive()
    finally:
        for each in (worker, other):
            each.process.kill()
            each.process.join()
            each.pipe.close()
