"""Where the lines of a game by hand come from and go to: an edited line at a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, Union

from quietmove.engine.protocol.wire import LineWriter, can_edit

if TYPE_CHECKING:
    from quietmove.engine.protocol.editor import Editor

Console: TypeAlias = Union["Editor", "PlainConsole"]


class PlainConsole:
    """Standard input and output as they are, with the methods of an Editor; a prompt is written only for a person."""

    def __init__(self) -> None:
        self.write = LineWriter()
        self.check = self.write.check
        self._asks = os.isatty(0) and os.isatty(1)

    def read(self, prompt: str) -> str:
        if self._asks:
            os.write(1, prompt.encode("utf-8", "backslashreplace"))
        line = sys.stdin.buffer.readline() if sys.stdin else b""
        if not line:
            raise EOFError
        return line.decode("utf-8", "replace")


@contextmanager
def open_console(complete: Callable[[str], Iterable[str]]) -> Iterator[Console]:
    """Open the console, an edited one where there is a terminal for it.

    :param complete: returns the whole lines that the beginning of a line may become.
    """
    if not can_edit():
        yield PlainConsole()
        return
    from quietmove.engine.protocol.editor import Editor

    with Editor(complete) as editor:
        yield editor
