"""Bare ``quietmove`` with a terminal on both ends: edited lines, moves by themselves, Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import termios
from collections.abc import Iterator
from typing import Any

import pexpect
import pytest

from tests.fakes.processes import WAIT

COMMAND = [sys.executable, "-m", "quietmove"]

# Send Ctrl-C as soon as asyncio handles it, before its event loop runs. In that case asyncio raises CancelledError.
INTERRUPTED_EARLY = """
import asyncio, signal, sys
from quietmove.cli import main

def trace(frame, event, arg):
    if signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, signal.SIG_IGN):
        sys.settrace(None)
        signal.raise_signal(signal.SIGINT)
    return trace

def run(runner, coroutine):
    sys.settrace(trace)
    return run_before(runner, coroutine)

run_before, asyncio.Runner.run = asyncio.Runner.run, run
sys.exit(main())
"""
READY = r"\x1b\[\?2004h.*\x1b\[\?25h"  # bracketed paste is on and the cursor is visible: the prompt is ready
TERMS = ("xterm", "dumb")


@pytest.fixture
def terminal(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return the engine at a terminal of the kind that the test asks for."""
    term = getattr(request, "param", "xterm")
    spawn = pexpect.spawn(
        COMMAND[0],
        COMMAND[1:],
        timeout=WAIT,
        encoding="utf-8",
        echo=False,
        dimensions=(24, 80),
        env={**os.environ, "TERM": term},
    )
    spawn.expect("'help' lists the commands, 'quit' exits")
    if term == "xterm":
        spawn.expect(READY)
    yield spawn
    spawn.kill(signal.SIGKILL)
    spawn.wait()
    spawn.close()


def status_of(terminal: Any) -> int:
    terminal.expect(pexpect.EOF)
    terminal.wait()
    terminal.close()
    return int(terminal.exitstatus)


@pytest.mark.parametrize("terminal", TERMS, indirect=True)
def test_answers_are_played_and_an_interrupt_stops_the_search_and_at_rest_leaves(terminal: Any) -> None:
    terminal.sendline("f5")
    terminal.expect("O \\(White\\) to move; X 4, O 1 discs")
    terminal.sendline("go depth 2")
    terminal.expect("bestmove (\\w\\d) ")
    terminal.sendline("play")
    terminal.expect("X \\(Black\\) to move; X \\d, O \\d discs")
    terminal.sendline("undo")
    terminal.expect("O \\(White\\) to move; X 4, O 1 discs")
    terminal.sendline("go infinite")
    terminal.expect("info depth 3 ")
    terminal.sendintr()
    terminal.expect("bestmove \\w\\d")
    terminal.sendline("isready")
    terminal.expect("readyok")
    terminal.sendintr()
    assert status_of(terminal) == 130


def test_an_interrupt_while_the_line_for_a_command_appears_leaves() -> None:
    environment = {**os.environ, "TERM": "xterm"}
    terminal = pexpect.spawn(sys.executable, ["-c", INTERRUPTED_EARLY], timeout=WAIT, encoding="utf-8", env=environment)
    assert status_of(terminal) == 130
    assert "Traceback" not in terminal.before


def test_commands_are_answered_above_the_line_while_the_engine_thinks(terminal: Any) -> None:
    terminal.sendline("go infinite")
    terminal.expect("info depth 3 ")
    terminal.send("isr")
    terminal.expect("info depth \\d+ ")
    terminal.send("\t\r")
    terminal.expect("readyok")
    terminal.sendline("stop")
    terminal.expect("bestmove \\w\\d")


def test_completion_and_history(terminal: Any) -> None:
    terminal.send("seto\tna\tmulti\tval\t3\r")
    terminal.send("go depth 1\r")
    terminal.expect("multipv 3 ")
    terminal.expect("bestmove")
    terminal.send("\x1b[A\x1b[A\x7f2\r")
    terminal.send("\x1b[A\x1b[A\r")
    terminal.expect("multipv 2 ")
    terminal.expect("bestmove")
    assert "multipv 3" not in terminal.before
    terminal.sendline("quit")
    assert status_of(terminal) == 0


def test_the_terminal_is_left_as_it_was(terminal: Any) -> None:
    assert not termios.tcgetattr(terminal.child_fd)[3] & termios.ICANON
    terminal.send("\x04")
    terminal.expect(pexpect.EOF)
    assert termios.tcgetattr(terminal.child_fd)[3] & termios.ICANON
    assert status_of(terminal) == 0
