"""The contract of a dialect: one language in which a program or a person drives the engine.

A dialect is one module with a subclass of :class:`Dialect`, and one row in :mod:`quietmove.engine.protocol.dialects`,
which also names the two registries of the referee.
What goes in and out, when the input ends and when the process does is the runner's part
(:mod:`quietmove.engine.protocol.runner`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import ClassVar

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.protocol.notation import ALGEBRAIC, Coordinates
from quietmove.engine.protocol.options import DialectSettings, Option
from quietmove.engine.protocol.wire import LINE_LIMIT
from quietmove.engine.session import Session
from quietmove.engine.values import Limits, SearchResult

DEFAULT_DEPTH = 8  # plies of a move that nothing limits: a fraction of a second, the same move everywhere


class Dialect(ABC):
    """One conversation. All methods are called by one thread; the session's callbacks come from another.

    :cvar greeting: what a person at a terminal is told first; empty for nothing.
    :cvar edited: whether a person edits the lines and completes them with Tab, where the terminal allows it.
    :cvar rows: the settings that the command line takes, each a row whose holder is the class of :attr:`settings`.
    :cvar settings_type: that class.
    :ivar settings: what the command line chose.
    :ivar session: the engine.
    :ivar over: whether the conversation has ended; once it is set, no method is called again.
    :cvar counts_start: whether a line that waits when the process has started is timed from that start.
    :ivar arrival: when the line to be handled came, by ``time.perf_counter``; None stands for now.
    """

    greeting: ClassVar[str] = ""
    edited: ClassVar[bool] = False
    counts_start: ClassVar[bool] = False
    rows: ClassVar[tuple[Option, ...]] = ()
    settings_type: ClassVar[type[DialectSettings]] = DialectSettings

    def __init__(
        self,
        write: Callable[..., None],
        settings: DialectSettings | None = None,
        post: Callable[[Callable[[], None]], None] = lambda call: call(),
    ) -> None:
        """Open the conversation.

        :param write: takes whole lines to send, from any thread.
        :param settings: of :attr:`settings_type`; None for its defaults.
        :param post: hands a function to the thread that calls the methods; a callback of the session, which runs in
            another thread, goes on with the conversation by it. The default calls the function at once.
        """
        self.session = Session()
        self.settings = settings or self.settings_type()
        self.over = False
        self.arrival: float | None = None
        self._write = write
        self._post = post
        self.open()

    def open(self) -> None:  # noqa: B027 (most dialects keep nothing of their own)
        """Prepare what the dialect keeps beside the session; :attr:`settings` are there."""

    @property
    def coordinates(self) -> Coordinates:
        """How squares are written."""
        return ALGEBRAIC

    @abstractmethod
    def handle(self, line: str) -> None:
        """Carry out one line.

        :raises QuietmoveError: what ends the process, with the error on standard error and exit status 1; a function
            given to ``post`` and :meth:`begin` may raise it too.
        """

    def begin(self) -> None:  # noqa: B027 (most dialects wait for the first line)
        """Do what comes before the first line; nothing, unless a dialect speaks first."""

    def skip_long_line(self) -> None:
        """Answer a line of more than :data:`LINE_LIMIT` bytes as a word that is no command."""
        self.handle(f"a line of more than {LINE_LIMIT} bytes")

    def end(self) -> None:
        """Take note that the input has ended.

        The process ends when :attr:`over` is set, which must not take longer than 100 milliseconds.
        """
        self.over = True

    def complete(self, line: str) -> list[str]:
        """Return the whole lines that the beginning of a line may become."""
        return []

    def spell(self, move: int) -> str:
        """Return a move as it is written in this dialect."""
        game = self.session.game
        return self.coordinates.write(game.grid, game.format_move(move))


class QueuedDialect(Dialect):
    """A dialect in which lines that come while the engine thinks wait for their turn, with the time of their arrival.

    :cvar cut_short_at_end: whether searches stop at the end of the input; else they go on to their limits.
    """

    cut_short_at_end: ClassVar[bool] = True

    def open(self) -> None:
        self._waiting: deque[tuple[str, float]] = deque()
        self._thinking = False
        self._ended = False

    @abstractmethod
    def take(self, line: str, arrival: float) -> None:
        """Carry out a line, which came at the time ``arrival``; it may begin to :meth:`think`."""

    def clock(self) -> float:
        """Return the time in seconds, by the clock of the searches and of :attr:`arrival`."""
        return self.session.clock()

    def handle(self, line: str) -> None:
        self._waiting.append((line, self.asked_at()))
        self._read_on()

    def asked_at(self) -> float:
        """Return when the line that is carried out now came."""
        return self.clock() if self.arrival is None else self.arrival

    def end(self) -> None:
        self._ended = True
        self._cut_short()
        self._read_on()

    def think(
        self, limits: Limits, answer: Callable[[SearchResult], None], failed: Callable[[Exception], None]
    ) -> None:
        """Search; when that has ended, call ``answer`` and read on.

        :param failed: is told why a search could not go on; ``answer`` follows in any case.
        :raises QuietmoveError: if the search cannot begin.
        """

        def finish(result: SearchResult) -> None:
            self._thinking = False
            answer(result)
            self._read_on()

        self._thinking = True
        try:
            self.session.go(limits, lambda _: None, lambda result: self._post(lambda: finish(result)), failed)
        except QuietmoveError:
            self._thinking = False
            raise
        if self._ended:
            self._cut_short()

    def _read_on(self) -> None:
        """Take the lines that wait, one after another, until the engine must think."""
        while self._waiting and not self._thinking and not self.over:
            self.take(*self._waiting.popleft())
        if self._ended and not self._thinking:
            self.over = True

    def _cut_short(self) -> None:
        """Stop a search that runs if :attr:`cut_short_at_end` says so; give up one that does not stop."""
        if self.cut_short_at_end and not self.session.close():
            self.over = True
