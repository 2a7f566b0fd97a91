"""The engine as a real process, driven with pexpect over pipes or on a terminal of its own."""

import contextlib
import re
import sys
from collections.abc import Callable, Iterator

import pexpect
import pytest
from pexpect.popen_spawn import PopenSpawn

from tests.fakes.processes import WAIT

COMMAND = [sys.executable, "-m", "quietmove"]


class Piped:
    """An engine at the other end of two pipes."""

    def __init__(self, *arguments: str) -> None:
        self._spawn = PopenSpawn([*COMMAND, *arguments], timeout=WAIT, encoding="utf-8", codec_errors="replace")

    def send(self, *lines: str) -> None:
        for line in lines:
            self._spawn.send(line + "\n")

    def expect(self, pattern: str) -> "re.Match[str]":
        """Wait for a whole line that matches ``pattern`` and return it; ``skipped`` holds the lines before it."""
        self._spawn.expect(re.compile(rf"^{pattern}\n", re.MULTILINE))
        match: re.Match[str] = self._spawn.match
        self.skipped = self._spawn.before.splitlines()
        return match

    def answers(self, command: str, pattern: str) -> "re.Match[str]":
        self.send(command)
        return self.expect(pattern)

    def say_nothing(self) -> None:
        """Fail if anything was written that has not been read: an answer to isready is the next line."""
        self.answers("isready", "readyok")
        assert self.skipped == []

    def end(self) -> tuple[list[str], int]:
        """Close the input; return what was still written, and the exit status."""
        self._spawn.sendeof()
        return self.rest()

    def rest(self) -> tuple[list[str], int]:
        self._spawn.expect(pexpect.EOF)
        return self._spawn.before.splitlines(), self._spawn.proc.wait(WAIT)

    def interrupt(self, signal: int) -> None:
        self._spawn.kill(signal)

    def close(self) -> None:
        process = self._spawn.proc
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            process.stdin.close()
        self._spawn._read_thread.join(WAIT)
        process.stdout.close()


@pytest.fixture
def start() -> Iterator[Callable[..., Piped]]:
    """Return a function that starts an engine; all of them are gone when the test ends."""
    with contextlib.ExitStack() as stack:

        def begin(*arguments: str) -> Piped:
            return stack.enter_context(contextlib.closing(Piped(*arguments)))

        yield begin


@pytest.fixture
def engine(start: Callable[..., Piped]) -> Piped:
    return start()
