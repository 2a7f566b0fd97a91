"""What Ctrl-C and other requests to end do while a tournament is played."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

__all__ = ["Interrupts"]

REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # Ctrl-C, a program, a terminal that is closed
NOTICE = "no game is begun any more, and those that run are played to their end; Ctrl-C again stops them now"


class Interrupts:
    """A context manager: Ctrl-C lets the games that run end, a second one and other requests raise KeyboardInterrupt.

    What was ignored before, such as SIGHUP under ``nohup``, is ignored. To be used in the main thread.

    :ivar is_stopping: whether no further game is to be begun.
    """

    def __init__(self, notice: Callable[[str], None]) -> None:
        self.is_stopping = False
        self._notice = notice
        self._telling: threading.Thread | None = None

    def __enter__(self) -> Interrupts:
        self._before = {number: signal.getsignal(number) for number in REQUESTS}
        for number, handler in self._before.items():
            if handler != signal.SIG_IGN:
                signal.signal(number, self._finish if number == signal.SIGINT else self._stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._telling:
            self._telling.join()  # or the notice might come after what is said at the end

    def _finish(self, number: int, frame: FrameType | None) -> None:
        self.is_stopping = True
        signal.signal(number, self._stop)
        self._telling = threading.Thread(target=self._notice, args=(NOTICE,))
        self._telling.start()  # the main thread may be printing right now

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.is_stopping = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a third Ctrl-C does not wait for anything
        raise KeyboardInterrupt
