"""A switch that breaks games off from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Interrupt"]


class Interrupt:
    """Thrown once, it calls back everybody who watches it, and at once whoever begins to watch later."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watchers: dict[int, Callable[[], object]] = {}
        self._is_set = False

    def is_set(self) -> bool:
        """Tell whether it was thrown."""
        return self._is_set

    def set(self) -> None:
        """Throw it; from any thread, and as often as one likes."""
        with self._lock:
            self._is_set = True
            watchers = list(self._watchers.values())
            self._watchers.clear()
            for callback in watchers:
                callback()

    @contextmanager
    def watched_by(self, callback: Callable[[], object]) -> Iterator[None]:
        """Call ``callback``, from the thread that throws the switch, if that happens inside the block.

        The callback must be quick and must not use this switch.
        """
        key = id(callback)
        with self._lock:
            if self._is_set:
                callback()
            else:
                self._watchers[key] = callback
        try:
            yield
        finally:
            with self._lock:
                self._watchers.pop(key, None)
