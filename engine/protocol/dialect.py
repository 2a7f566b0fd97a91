"""The interface of a dialect: a protocol by which a program or a person controls the engine.

A dialect is one module with a subclass of :class:`Dialect`, and one row in :mod:`quietmove.engine.protocol.dialects`,
which also names the other registries. Input and output, the end of input and process exit are handled by
:mod:`quietmove.engine.protocol.runner`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from typing import ClassVar

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.protocol.notation import ALGEBRAIC, Coordinates
from quietmove.engine.protocol.options import (
    OPTIONS,
    DialectSettings,
    Option,
    apply_option,
    find_option,
    read_setoption,
)
from quietmove.engine.protocol.wire import LINE_LIMIT
from quietmove.engine.session import Options, Session
from quietmove.engine.values import Limits, SearchResult

DEFAULT_DEPTH = 8  # plies; such a search takes a fraction of a second and is reproducible


class Dialect(ABC):
    """A conversation in one protocol. All methods run in one thread; callbacks from the session run in another.

    :cvar greeting: text printed first for a person at a terminal, or "".
    :cvar edited: whether to offer line editing and Tab completion if the terminal supports it.
    :cvar rows: the options of the command line; the ``holder`` of each is the class of :attr:`settings`.
    :cvar settings_type: the class of :attr:`settings`.
    :cvar counts_start: whether lines already waiting at the start are timed from the start of the process.
    :ivar settings: the values set on the command line.
    :ivar session: the engine.
    :ivar over: whether the conversation has ended. Once set, no method is called any more.
    :ivar arrival: the arrival time of the current line by ``time.perf_counter``, or None to use the current time.
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
        """Start the conversation.

        :param write: a thread-safe function that sends complete lines.
        :param settings: an instance of :attr:`settings_type`; default: its default values.
        :param post: a function that schedules a call in the conversation's thread, for callbacks from the session's
            thread. By default the call is made immediately.
        """
        self.session = Session()
        self.settings = settings or self.settings_type()
        self.over = False
        self.arrival: float | None = None
        self._write = write
        self._post = post
        self.open()

    def open(self) -> None:  # noqa: B027 (most dialects have no state of their own)
        """Initialise the dialect's own state. :attr:`settings` is already set."""

    @classmethod
    def knows(cls, word: str) -> bool:
        """Return whether a conversation can begin with this word."""
        return False

    @property
    def coordinates(self) -> Coordinates:
        """The notation for squares."""
        return ALGEBRAIC

    @abstractmethod
    def handle(self, line: str) -> None:
        """Handle one line.

        :raises QuietmoveError: to end the process with this error and exit status 1. Functions passed to ``post`` and
            :meth:`begin` may raise it too.
        """

    def begin(self) -> None:  # noqa: B027 (most dialects wait for input)
        """Send the opening lines, in dialects in which the engine speaks before the first line is read."""

    def skip_long_line(self) -> None:
        """Handle a line of more than :data:`LINE_LIMIT` bytes. By default it is an unknown command."""
        self.handle(f"a line of more than {LINE_LIMIT} bytes")

    def end(self) -> None:
        """Handle the end of input: let a search that has a limit finish, and stop any other.

        The process ends once :attr:`over` is set. Without such a search, this must happen within 100 milliseconds.
        """
        self.over = not self.session.follow_up(lambda: self._post(self.end))

    def complete(self, line: str) -> list[str]:
        """Return possible completions of a partial line, as complete lines."""
        return []

    def spell(self, move: int) -> str:
        """Return a move in the dialect's notation."""
        game = self.session.game
        return self.coordinates.write(game.grid, game.format_move(move))


class QueuedDialect(Dialect):
    """A dialect in which lines that arrive during a search are queued with their arrival time.

    Each of its searches has a limit, so at the end of input they finish, and all queued lines are handled.
    """

    def open(self) -> None:
        self._waiting: deque[tuple[str, float]] = deque()
        self._thinking = False
        self._ended = False

    @abstractmethod
    def take(self, line: str, arrival: float) -> None:
        """Handle a line that arrived at time ``arrival``. Implementations can start a search with :meth:`think`."""

    def clock(self) -> float:
        """Return the time in seconds, on the clock used by searches and :attr:`arrival`."""
        return self.session.clock()

    def handle(self, line: str) -> None:
        self._waiting.append((line, self.asked_at()))
        self._read_on()

    def asked_at(self) -> float:
        """Return the arrival time of the current line."""
        return self.clock() if self.arrival is None else self.arrival

    def end(self) -> None:
        self._ended = True
        self._read_on()

    def think(
        self, limits: Limits, answer: Callable[[SearchResult], None], failed: Callable[[Exception], None]
    ) -> None:
        """Start a search; when it ends, call ``answer`` and handle the queued lines.

        :param failed: called with the error if the search fails, before ``answer`` is called.
        :raises QuietmoveError: if the search cannot start.
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

    def _read_on(self) -> None:
        """Handle queued lines until a search starts."""
        while self._waiting and not self._thinking and not self.over:
            self.take(*self._waiting.popleft())
        if self._ended and not self._thinking:
            self.over = True


def set_option(dialect: Dialect, tokens: Sequence[str], options: Sequence[Option] = OPTIONS) -> None:
    """Handle a ``setoption`` line. After an error, nothing has changed.

    :raises OptionError, UnknownGameError: if there is no such option, or it rejects the value.
    :raises BusyError: if a search is running.
    """
    name, text = read_setoption(tokens)
    option = find_option(name, options)
    if option.holder is Options:
        apply_option(dialect.session, option, text)
    else:
        dialect.session.require_idle()
        dialect.settings = dialect.settings.changed(option.field, option.parse(text))
