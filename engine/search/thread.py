"""The search thread, which runs one search after another, separately from the protocol's thread."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

from quietmove.engine.search.root_search import AnySearch
from quietmove.engine.values import Limits


class Task:
    """The work started by one ``go``: it can be stopped, and its result can be held back.

    :param gives_way: whether any other request interrupts it.
    :param is_limited: whether it ends without being stopped, once its result is not held back.
    """

    def __init__(
        self, limits: Limits, search: AnySearch | None = None, *, gives_way: bool = False, is_limited: bool = False
    ) -> None:
        self.limits = limits
        self.gives_way = gives_way
        self._is_limited = is_limited
        self.search = search
        self.is_stopped = False
        self.released = threading.Event() if limits.infinite or limits.ponder else None
        self._unanswered = threading.Lock()
        self._unanswered.acquire()

    @property
    def ends(self) -> bool:
        """Whether the search ends by itself, without :meth:`stop`."""
        return self._is_limited and (self.released is None or self.released.is_set())

    def stop(self) -> None:
        """Stop the work and release the result."""
        self.is_stopped = True
        search = self.search
        if search is not None:
            search.stop()
        if self.released is not None:
            self.released.set()

    def ponderhit(self) -> None:
        """Turn a ponder search into a normal one. Has no effect on other searches."""
        search = self.search
        if search is not None and self.limits.ponder:
            search.ponderhit()
            if self.released is not None and not self.limits.infinite:
                self.released.set()

    def answered(self) -> None:
        """Record that the result has been delivered, and release the search with its table. Call this only once."""
        self.search = None
        self._unanswered.release()

    def wait(self, seconds: float) -> bool:
        """Wait at most ``seconds`` for the result to be delivered; return whether it has been."""
        if not self._unanswered.acquire(timeout=seconds):
            return False
        self._unanswered.release()
        return True


Jobs = SimpleQueue[tuple[Task, Callable[[], None]] | None]


class SearchThread:
    """A daemon thread that runs one task after another. It ends when this object is deleted or :meth:`end` is called.

    :ivar jobs: the queue of tasks, each with the function to run; None ends the thread.
    :raises RuntimeError: if the system cannot start a thread.
    """

    def __init__(self) -> None:
        self.jobs: Jobs = SimpleQueue()
        self._thread = threading.Thread(target=work, args=(self.jobs,), name="search", daemon=True)
        self._thread.start()

    def __del__(self) -> None:
        self.jobs.put(None)

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in this thread."""
        return threading.current_thread() is self._thread

    def end(self, seconds: float) -> None:
        """Let the thread end after its queued tasks, and wait at most ``seconds`` for its end."""
        self.jobs.put(None)
        self._thread.join(seconds)


def work(jobs: Jobs) -> None:
    """Run queued tasks until None arrives."""
    while (job := jobs.get()) is not None:
        task, run = job
        try:
            run()
        except Exception:  # a callback failed: report it like any error in a thread, and continue with the next search
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
        finally:
            task.answered()
        del job, task, run  # otherwise the waiting thread would keep the last task's session alive
