"""The conversation on two file descriptors, in whatever dialect: reading, waiting, the end, the exit status."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Iterator

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.protocol.dialect import Dialect
from quietmove.engine.protocol.dialects import DEFAULT, Entry, detect
from quietmove.engine.protocol.rows import DialectSettings
from quietmove.engine.protocol.wire import LineWriter, Mailbox, read_lines

__all__ = ["run"]


def run(entry: Entry | None = None, settings: DialectSettings | None = None, source: int = 0, sink: int = 1) -> int:
    """Hold one conversation, by default on standard input and output, and return the exit status.

    A search that does not stop in time (a move of a slow game written in Python) must not keep the process alive, and
    the interpreter must not shut down while it runs: only in this case the process ends here, without a shutdown.

    :param entry: the dialect; None if the first line that is not empty tells it.
    :param settings: its settings; None for the defaults.
    :return: 0, or 1 after an error that ended the conversation.
    """
    with contextlib.closing(Mailbox()) as mailbox:
        conversation = Conversation(mailbox, source, sink)
        status = conversation.hold(entry, settings)
        if not conversation.close():
            os._exit(status)
    return status


class Conversation:
    """One dialect, and the two ends of the pipe."""

    def __init__(self, mailbox: Mailbox, source: int, sink: int) -> None:
        self._mailbox = mailbox
        self._source = source
        self._write = LineWriter(sink)
        self._interactive = os.isatty(source) and os.isatty(sink)
        self._dialect: Dialect | None = None  # until the first line has told it

    def hold(self, entry: Entry | None, settings: DialectSettings | None) -> int:
        """Hold the conversation and return the exit status."""
        if self._interactive and (greeting := (entry or DEFAULT).load().greeting):
            self._write(greeting)
        lines = read_lines(self._source, self._readable)
        if entry is None:
            first = next((line for line in lines if line is None or line.strip()), "")
            entry = detect(first or "")
            lines = itertools.chain([first], lines)
        self._dialect = entry.load()(self._write, self._interactive, settings, self._mailbox.post)
        try:
            self._converse(self._dialect, lines)
        except QuietmoveError as error:
            sys.stderr.write(f"quietmove: {error}\n")
            return 1
        return 0

    def close(self) -> bool:
        """End a search that still runs; return whether none does any more."""
        return self._dialect is None or self._dialect.session.close()

    def _converse(self, dialect: Dialect, lines: Iterator[str | None]) -> None:
        """Hand ``lines`` to the dialect until the conversation is over, or they end and it is over then."""
        dialect.begin()
        for line in lines:
            if line is None:
                dialect.skip_long_line()
            else:
                dialect.handle(line)
            if dialect.over:
                return
        if not dialect.over:
            dialect.end()
        while not dialect.over:
            self._mailbox.wait()

    def _readable(self) -> bool:
        """Wait for input and make the calls that are posted meanwhile; return False once the conversation is over."""
        while self._dialect is None or not self._dialect.over:
            if self._mailbox.wait(self._source):
                return True
        return False
