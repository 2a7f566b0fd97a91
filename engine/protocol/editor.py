"""Line input at a terminal, with editing, Tab completion and history.

Input is echoed only while a line is being read; anything typed earlier goes into the next line. Import this module
only if both ends are a terminal, because its library takes a tenth of a second to load.
"""

from __future__ import annotations

import os
import termios
import threading
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle, PromptSession

from quietmove.engine.protocol.wire import LineWriter

if TYPE_CHECKING:
    from prompt_toolkit.document import Document

LOCAL_FLAGS = 3  # index of the local flags in the list that termios.tcgetattr returns
Complete = Callable[[str], Iterable[str]]


class Editor:
    """A line editor that prints output from any thread above the line being typed.

    A context manager that restores the terminal on exit.

    :param complete: returns possible completions of a partial line, as complete lines.
    """

    def __init__(self, complete: Complete, source: int = 0, sink: int = 1) -> None:
        self._source = source
        self._out = LineWriter(sink)
        self._lock = threading.RLock()
        self._pending: list[str] = []  # output not shown yet because a line is being typed
        self._asking = False
        self._saved = termios.tcgetattr(source)
        self._session: PromptSession[str] = PromptSession(
            completer=WholeLines(complete),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            color_depth=ColorDepth.DEPTH_1_BIT,  # no colours: otherwise an abandoned line turns grey
            input=create_input(os.fdopen(source, closefd=False)),
            output=Vt100_Output(
                os.fdopen(sink, "w", closefd=False), lambda: size_of(sink), enable_bell=False, enable_cpr=False
            ),
        )

    def __enter__(self) -> Editor:
        attributes: list[Any] = termios.tcgetattr(self._source)
        attributes[LOCAL_FLAGS] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(self._source, termios.TCSADRAIN, attributes)
        return self

    def __exit__(self, *details: object) -> None:
        with suppress(termios.error):  # the terminal was closed
            termios.tcsetattr(self._source, termios.TCSADRAIN, self._saved)

    def read(self, prompt: str = "> ") -> str:
        """Return the next line.

        :raises EOFError: at the end of input, or on Ctrl-D in an empty line.
        :raises KeyboardInterrupt: on Ctrl-C.
        """
        with self._lock:
            self._asking = True
        try:
            return self._session.prompt(prompt, pre_run=self._show)
        except CancelledError:  # raised by asyncio if Ctrl-C arrives just before its event loop starts
            raise KeyboardInterrupt from None
        finally:
            with self._lock:
                self._asking = False
                self._flush()

    def write(self, *lines: str) -> None:
        """Print complete lines. Can be called from any thread."""
        with self._lock:
            self._pending += lines
            loop = self._session.app.loop
            if not self._asking:
                self._flush()
            elif loop is not None:
                with suppress(RuntimeError):  # the loop has closed after a complete line: read() prints the output
                    loop.call_soon_threadsafe(self._show)

    def check(self) -> None:
        """Check that all output could be written.

        :raises OutputError: if some output could not be written.
        """
        self._out.check()

    def _show(self) -> None:
        """Print pending output above the line being typed. Runs in the reading thread."""
        with self._lock:
            if self._pending:
                self._session.app.renderer.erase()
                self._flush()
                self._session.app.invalidate()

    def _flush(self) -> None:
        lines, self._pending = self._pending, []
        if lines:
            self._out(*lines)


class WholeLines(Completer):
    """A completer for whole lines, which lists only the part from the current word on."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Yield a completion for each line, followed by a space if there is only one."""
        typed = document.text_before_cursor
        start = typed.rfind(" ") + 1
        lines = list(self._complete(typed))
        for line in lines:
            yield Completion(line[start:] + " " * (len(lines) == 1), start - len(typed))


def size_of(descriptor: int) -> Size:
    """Return the size of a terminal, by default 24 rows of 80 columns."""
    columns, rows = os.get_terminal_size(descriptor)
    return Size(rows or 24, columns or 80)
