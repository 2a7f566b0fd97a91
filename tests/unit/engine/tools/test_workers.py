"""Tasks computed by worker processes: their order, their errors, and workers that are killed."""

from __future__ import annotations

import operator
import os
import signal
import threading
import time
from functools import partial

import pytest

from quietmove.engine.errors import WorkerError
from quietmove.engine.tools.workers import Workers, compute


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


def killed_soon(size: int) -> bytes:
    """Return so many bytes, and kill this process a moment later, while they are being written."""
    threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return bytes(size)


def test_a_worker_that_is_killed_while_it_writes_its_result_is_one_error() -> None:
    with pytest.raises(WorkerError, match="a worker process ended"):
        list(compute(killed_soon, [500_000_000], 2))


def test_an_error_of_a_task_is_its_own_and_leaves_no_result_behind() -> None:
    """A pool whose tasks were left unfinished takes no more; it never hands out their results for those of others."""
    with Workers(2) as workers:
        with pytest.raises(ConnectionRefusedError):
            list(workers.compute(refuse, range(2)))
        with pytest.raises(WorkerError):
            list(workers.compute(abs, [-100, -200]))


def refuse(number: int) -> int:
    if number == 0:
        raise ConnectionRefusedError
    time.sleep(60)
    return number
