"""Requests to end the process: what they interrupt, and what they do not."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from quietmove.engine.common import entry


@pytest.mark.parametrize("number", entry.REQUESTS)
def test_a_request_interrupts_one_block_and_waits_in_another(number: int) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), entry.interrupted_by_requests():
        os.kill(os.getpid(), number)
    with entry.interrupted_by_requests():
        with entry.uninterrupted():
            os.kill(os.getpid(), number)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


@pytest.mark.parametrize("number", entry.REQUESTS)
def test_a_request_that_nohup_or_a_shell_ignores_stays_ignored(number: int) -> None:
    with entry.handled_by(signal.SIG_IGN, [number]), entry.interrupted_by_requests():
        os.kill(os.getpid(), number)


def test_only_the_main_thread_handles_signals() -> None:
    failed: list[BaseException] = []

    def hold() -> None:
        try:
            with entry.uninterrupted():
                pass
        except ValueError as error:
            failed.append(error)

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert not failed
