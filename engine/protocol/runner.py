"""The conversation loop for all dialects: reading lines, waiting, end of input, and exit status."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator

from quietmove.engine.common.entry import uninterrupted
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.protocol.dialect import Dialect
from quietmove.engine.protocol.dialects import DEFAULT, DialectEntry, detect
from quietmove.engine.protocol.options import DialectSettings
from quietmove.engine.protocol.wire import LineWriter, Mailbox, can_edit, can_read, process_start, read_lines


def run(
    entry: DialectEntry | None = None, settings: DialectSettings | None = None, source: int = 0, sink: int = 1
) -> int:
    """Hold a conversation, by default on standard input and output, and return the exit status.

    If a search does not stop in time (one move of a slow game written in Python), the process exits here directly,
    because the search must neither keep it alive nor continue while the interpreter shuts down.

    :param entry: the dialect, or None to detect it from the first non-empty line or, at a terminal, to use the default.
    :param settings: the dialect's settings, or None for the defaults.
    :return: 0, or 1 after an error that ended the conversation, or 130 after an interrupt from the keyboard.
    """
    with contextlib.closing(Mailbox()) as mailbox:
        runner = Runner(mailbox, source, sink)
        try:
            status = runner.hold(entry, settings)
        except KeyboardInterrupt:
            status = 130
        with uninterrupted():
            closed = runner.close()
        if not closed:
            os._exit(status)
    return status


class Runner:
    """A conversation in one dialect over a pair of pipes or a terminal."""

    def __init__(self, mailbox: Mailbox, source: int, sink: int) -> None:
        self._mailbox = mailbox
        self._source = source
        self._sink = sink
        writer = LineWriter(sink)
        self._write: Callable[..., None] = writer
        self._check = writer.check
        self._interactive = os.isatty(source) and os.isatty(sink)
        self._dialect: Dialect | None = None
        self._arrival: float | None = None  # arrival time of the last input, or None before the first input
        self._waited = False  # whether that input was already waiting, so that its arrival time is unknown

    def hold(self, entry: DialectEntry | None, settings: DialectSettings | None) -> int:
        """Hold the conversation and return the exit status.

        Without ``entry``, the first line selects the dialect; at a terminal, the default dialect starts immediately.
        """
        entry = entry or (DEFAULT if self._interactive else None)
        lines = read_lines(self._source, self._readable)
        if entry is None:
            first = next((line for line in lines if line is None or line.strip()), "")
            entry = detect(first or "")
            lines = itertools.chain([first], lines)
        dialect = entry.load(self._interactive)
        with contextlib.ExitStack() as terminal:
            if dialect.edited and can_edit(self._source, self._sink):
                lines = self._edited_lines(terminal)
            try:
                self._dialect = dialect(self._write, settings, self._mailbox.post)
                if self._interactive and dialect.greeting:
                    self._write(dialect.greeting)
                self._converse(lines)
            except QuietmoveError as error:
                sys.stderr.write(f"error: {error}\n")
                return 1
        return 0

    def close(self) -> bool:
        """Stop a running search, and return whether it has ended."""
        return self._dialect is None or self._dialect.session.close()

    def _edited_lines(self, terminal: contextlib.ExitStack) -> Iterator[str | None]:
        """Yield lines edited by a person. Until ``terminal`` is closed, output appears above the line being typed."""
        from quietmove.engine.protocol.editor import Editor  # imported on demand

        editor = terminal.enter_context(Editor(self._complete, self._source, self._sink))
        self._write, self._check = editor.write, editor.check

        def lines() -> Iterator[str | None]:
            while True:
                try:
                    yield editor.read()
                except EOFError:
                    return
                except KeyboardInterrupt:
                    self._interrupt()

        return lines()

    def _complete(self, line: str) -> list[str]:
        return [] if self._dialect is None else self._dialect.complete(line)

    def _converse(self, lines: Iterator[str | None]) -> None:
        """Pass ``lines`` to the dialect until the conversation is over."""
        assert self._dialect is not None
        dialect = self._dialect
        start = process_start() if dialect.counts_start else time.perf_counter()
        dialect.arrival = start
        dialect.begin()
        for line in lines:
            dialect.arrival = start if self._waited else self._arrival
            if line is None:
                dialect.skip_long_line()
            else:
                dialect.handle(line)
            self._check()
            if dialect.over:
                return
        if not dialect.over:
            dialect.end()
        while not dialect.over and not self._mailbox.wait(self._sink, 0):
            pass  # run posted calls until the dialect is done or the reader closes the output
        self._check()

    def _readable(self) -> bool:
        """Wait for input and return True, or return False once the conversation is over. Posted calls run meanwhile.

        The arrival time of lines already waiting at the start is unknown: they may be as old as the process.
        """
        self._waited = self._arrival is None and can_read(self._source)
        while self._dialect is None or not self._dialect.over:
            try:
                if self._mailbox.wait(self._source):
                    self._arrival = time.perf_counter()
                    return True
            except KeyboardInterrupt:
                self._interrupt()
        return False

    def _interrupt(self) -> None:
        """Handle Ctrl-C: stop the running search. Without one, or without a terminal, raise KeyboardInterrupt."""
        if not self._interactive or self._dialect is None or not self._dialect.session.thinking:
            raise KeyboardInterrupt
        self._dialect.session.stop()
