"""The thread of the searches, which lasts from one search to the next; the conversation has another thread."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

from quietmove.engine.search.root_search import AnySearch
from quietmove.engine.values import Limits


class Task:
    """What one ``go`` set off: the way to stop it, and what holds its answer back.

    :param gives_way: whether any other request ends it.
    """

    def __init__(self, limits: Limits, search: AnySearch | None = None, *, gives_way: bool = False) -> None:
        self.limits = limits
        self.gives_way = gives_way
        self.search = search
        self.is_stopped = False
        self.released = threading.Event() if limits.infinite or limits.ponder else None
        self._unanswered = threading.Lock()
        self._unanswered.acquire()

    def stop(self) -> None:
        """End the work and let the answer go."""
        self.is_stopped = True
        search = self.search
        if search is not None:
            search.stop()
        if self.released is not None:
            self.released.set()

    def ponderhit(self) -> None:
        """Turn a ponder search into a normal one; no effect on any other."""
        search = self.search
        if search is not None and self.limits.ponder:
            search.ponderhit()
            if self.released is not None and not self.limits.infinite:
                self.released.set()

    def answered(self) -> None:
        """Note that the answer has been given; to be called once. The search is forgotten, and with it its table."""
        self.search = None
        self._unanswered.release()

    def wait(self, seconds: float) -> bool:
        """Wait so many seconds until the answer has been given; return whether it has."""
        if not self._unanswered.acquire(timeout=seconds):
            return False
        self._unanswered.release()
        return True


Jobs = SimpleQueue[tuple[Task, Callable[[], None]] | None]


class SearchThread:
    """A daemon thread that works on one task after another. It ends with this object, or before.

    :ivar jobs: takes a task with the call that does its work; None ends the thread.
    :raises RuntimeError: if the system allows no further thread.
    """

    def __init__(self) -> None:
        self.jobs: Jobs = SimpleQueue()
        self._thread = threading.Thread(target=work, args=(self.jobs,), name="search", daemon=True)
        self._thread.start()

    def __del__(self) -> None:
        self.jobs.put(None)

    @property
    def is_current(self) -> bool:
        """Whether it is this thread that asks."""
        return threading.current_thread() is self._thread

    def end(self, seconds: float) -> None:
        """Let the thread end after the tasks that it has, and wait for that so many seconds."""
        self.jobs.put(None)
        self._thread.join(seconds)


def work(jobs: Jobs) -> None:
    """Do the work that comes, until None comes."""
    while (job := jobs.get()) is not None:
        task, run = job
        try:
            run()
        except Exception:  # a callback failed: that is reported as in a thread of its own, and the next search runs
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
        finally:
            task.answered()
        del job, task, run  # a waiting thread would keep the session of its last task alive
