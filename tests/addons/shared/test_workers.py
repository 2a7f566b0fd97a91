"""Tasks computed by worker processes: their order, their errors, and workers that are killed."""

from __future__ import annotations

import operator
import os
import signal
import time
from functools import partial
from multiprocessing import get_context

import pytest

from quietmove.addons.shared.workers import Workers, compute, serve
from quietmove.engine.errors import WorkerError
from tests.fakes.processes import WAIT


def test_results_come_in_the_order_of_the_tasks() -> None:
    assert list(compute(partial(operator.mul, 3), range(40), 2)) == [3 * each for each in range(40)]


def test_what_a_task_raises_is_raised() -> None:
    found = compute(int, ["1", "2", "x", "4"], 2)
    assert [next(found), next(found)] == [1, 2]
    with pytest.raises(ValueError, match="invalid literal"):
        next(found)


def test_a_worker_that_is_killed_is_one_error() -> None:
    with pytest.raises(WorkerError, match="a worker process ended"):
        list(compute(signal.raise_signal, [signal.SIGKILL], 2))


def test_a_worker_that_is_killed_while_it_writes_its_result_is_one_error() -> None:
    kill = "__import__('threading').Timer(0.01, __import__('signal').raise_signal, [9]).start()"
    with pytest.raises(WorkerError, match="a worker process ended"):
        list(compute(eval, [f"({kill}, bytes(200_000_000))"], 2))


def test_an_error_of_a_task_is_its_own_and_leaves_no_result_behind() -> None:
    """A pool whose tasks were left unfinished takes no more; it never hands out their results for those of others."""
    with Workers(2) as workers:
        with pytest.raises(FileNotFoundError):
            list(workers.compute(eval, ["open('/proc/self/nothing')", "__import__('time').sleep(60)"]))
        with pytest.raises(WorkerError):
            list(workers.compute(abs, [-100, -200]))


@pytest.mark.parametrize("is_read", [True, False], ids=["while it computes", "before the result is read"])
def test_a_worker_whose_parent_is_killed_ends_without_a_traceback(is_read: bool) -> None:
    """Closing a pipe with unread data resets the connection, which is another error than the end of the file."""
    ours, theirs = get_context("spawn").Pipe()
    worker = get_context("spawn").Process(target=serve, args=(theirs, os.getpid()))
    worker.start()
    theirs.close()
    ours.send((time.sleep, 0))
    assert ours.poll(WAIT)
    if is_read:
        assert ours.recv() == (False, None)
        ours.send((time.sleep, 0.2))
    ours.close()
    worker.join(WAIT)
    assert worker.exitcode == 0
