"""Batches of short games: one Dask task plays several of them, which keeps the cost of scheduling low."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from quietmove.referee.config.model import GameSpec
from quietmove.referee.game.record import GameRecord, MoveRecord, Observer

TASK_SECONDS = 1.0  # target length of a task in seconds; a worker that dies loses about this much work
MAX_GAMES = 64  # maximum number of games per task
SHARE_OF_LAST = 0.5  # weight of the latest task in the moving average of game length

Call = tuple[GameSpec, Sequence[MoveRecord]]  # a game to play, and the moves already played


@dataclass(frozen=True, slots=True)
class Played:
    """The result of a task.

    :param outcomes: a record or an exception for each game, in order. A task stops at the first exception, so there
        may be fewer outcomes than games.
    :param seconds: the task's run time in its worker.
    """

    outcomes: Sequence[GameRecord | Exception]
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    call: Call
    record: Future[GameRecord] = field(default_factory=Future)


class Batches:
    """A queue that distributes games over a cluster: one task per slot, with as many games as fill ``TASK_SECONDS``.

    :param submit: a function that starts a task that plays the given games.
    :param faults: a function that yields the faults in the record of a game.
    :param leave_out: a function that excludes the machine that sent the task's result, because of the given fault. The
        task's games are then played again.
    """

    def __init__(
        self,
        submit: Callable[[list[Call]], Future[Played]],
        faults: Callable[[Call, GameRecord], Iterator[str]],
        leave_out: Callable[[Future[Played], str], None],
    ) -> None:
        self._submit = submit
        self._faults = faults
        self._leave_out = leave_out
        self._lock = threading.Lock()
        self._places = 1
        self._tasks = 0  # number of running tasks
        self._seconds = TASK_SECONDS  # average length of a game, in seconds
        self._waiting: deque[_Waiting] = deque()

    def begin(self, spec: GameSpec, observers: Sequence[Observer], played: Sequence[MoveRecord]) -> Future[GameRecord]:
        """Queue a game and return a future for its record. It can be cancelled until a task starts it."""
        waiting = _Waiting((spec, played))
        self._waiting.append(waiting)
        self._hand_out()
        return waiting.record

    def ahead(self, places: int) -> int:
        """Allow ``places`` simultaneous tasks, and return the number of games to queue beyond one per task.

        Short games need one full batch running and another waiting for each slot.
        """
        with self._lock:
            self._places = places
            games = self._games_a_task()
        self._hand_out()
        return 0 if games == 1 else places * (2 * games - 1)

    def _games_a_task(self) -> int:
        return min(MAX_GAMES, max(1, int(TASK_SECONDS / self._seconds)))

    def _hand_out(self) -> None:
        while batch := self._take():
            try:
                task = self._submit([each.call for each in batch])
            except Exception as error:  # the client was closed
                task = Future()
                task.set_exception(error)
            task.add_done_callback(partial(self._ended, batch))

    def _take(self) -> list[_Waiting]:
        """Return the games for the next task, or none if no games are waiting or every slot is busy.

        Batches shrink near the end of a run.
        """
        batch: list[_Waiting] = []
        with self._lock:
            if self._tasks >= self._places:
                return batch
            games = min(self._games_a_task(), math.ceil(len(self._waiting) / self._places))
            while self._waiting and len(batch) < games:
                waiting = self._waiting.popleft()
                if waiting.record.running() or waiting.record.set_running_or_notify_cancel():
                    batch.append(waiting)
            self._tasks += bool(batch)
        return batch

    def _fault(self, batch: Sequence[_Waiting], played: object) -> str:
        """Return the first fault in the result of a task, or "" if there is none."""
        outcomes: Any = getattr(played, "outcomes", None)
        seconds: Any = getattr(played, "seconds", None)
        if not isinstance(outcomes, list) or not isinstance(seconds, float) or not 0 <= seconds < math.inf:
            return "it is not a list of records with a time"
        if not 0 < len(outcomes) <= len(batch):
            return f"it must have 1 to {len(batch)} games, not {len(outcomes)}"
        for waiting, outcome in zip(batch, outcomes, strict=False):
            if isinstance(outcome, Exception):
                continue
            if not isinstance(outcome, GameRecord):
                return "it is not a record of a game"
            if fault := next(self._faults(waiting.call, outcome), ""):
                return fault
        return ""

    def _ended(self, batch: list[_Waiting], task: Future[Played]) -> None:
        error = CancelledError() if task.cancelled() else task.exception()
        played = Played([], 0.0) if error else task.result()
        if not error and (fault := self._fault(batch, played)):
            played = Played([], 0.0)
            try:
                self._leave_out(task, fault)
            except Exception as gone:  # the scheduler does not answer
                error = gone
        with self._lock:
            self._tasks -= 1
            if not error:
                self._waiting.extendleft(reversed(batch[len(played.outcomes) :]))
            if played.outcomes:
                last = max(played.seconds, 1e-6) / len(played.outcomes)
                self._seconds += SHARE_OF_LAST * (last - self._seconds)
        self._hand_out()
        for waiting, outcome in zip(batch, [error] * len(batch) if error else played.outcomes, strict=False):
            if isinstance(outcome, GameRecord):
                waiting.record.set_result(outcome)
            else:
                waiting.record.set_exception(outcome)
