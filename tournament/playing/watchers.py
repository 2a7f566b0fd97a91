"""Displays for a running tournament: a live table on a terminal, lines elsewhere, JSON events for scripts."""

from __future__ import annotations

import json
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from quietmove.engine.common.text import printable
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.output import SHARE_OF_TIME, Progress, game_line
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame
from quietmove.tournament.reporting import terminal
from quietmove.tournament.reporting.document import document
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.timing import NO_TIMES, Times

REFRESH_PER_SECOND = 4


class Watcher(ABC):
    """A display that receives a running tournament's events. It always computes the results from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._plan = plan_of(store.tournament)
        results = store.results()
        self._progress = Progress(len(results), self._plan.planned(results))
        self._next_update = 0.0  # seconds of the monotonic clock

    def displaying(self) -> AbstractContextManager[object]:
        """Return a context manager that is open while the games are played."""
        return nullcontext()

    def document(self, times: Times) -> dict[str, Any]:
        """Return the standings, and schedule the next update so that updates do not slow the games down."""
        started = time.monotonic()
        report = document(self._store.tournament, self._store.results(), times, self._plan)
        self._next_update = time.monotonic() + (time.monotonic() - started) / SHARE_OF_TIME
        return report

    @abstractmethod
    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        """Handle a stored game."""

    @abstractmethod
    def notice(self, text: str) -> None:
        """Show a message. Can be called from any thread."""


def display(out: Console, store: Store) -> Watcher:
    """Return a live table for a terminal, or a line logger for a pipe."""
    return LiveTable(out, store) if out.is_terminal and not out.is_dumb_terminal else GameLines(store)


class LiveTable(Watcher):
    """The standings, redrawn as games finish."""

    def __init__(self, out: Console, store: Store) -> None:
        super().__init__(store)
        self._out = out
        self._last = "starting the engines"
        self._update()

    def displaying(self) -> AbstractContextManager[object]:
        return Live(
            console=self._out, get_renderable=self.picture, refresh_per_second=REFRESH_PER_SECOND, transient=True
        )

    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        self._progress.add()
        self._last = game_line(game.number - 1, self._progress.total, record)
        if time.monotonic() >= self._next_update:
            self._update()

    def notice(self, text: str) -> None:
        self._out.print(f"note: {printable(text)}", markup=False)

    def _update(self) -> None:
        self._found = self.document(NO_TIMES)
        self._progress.total = self._found["planned"]

    def picture(self) -> RenderableType:
        """Return the current display. The most important lines come first, because a low terminal cuts off the end."""
        progress, found = self._progress, self._found
        head = (_line(f"{found['tournament']}: {progress.count_text()}"), _line(progress.times()))
        bars = []
        if progress.total:
            bars.append(_bar("", progress.games / progress.total, f"{progress.games / progress.total:.0%}"))
        if "llr" in (facts := found["summary"]):
            lower, upper = facts["lower"], facts["upper"]
            bars.append(_bar(f"H0 {lower:+.2f}", (facts["llr"] - lower) / (upper - lower), f"{upper:+.2f} H1"))
        lines = (Text(printable(line)) for line in found["lines"])
        return Group(*head, *bars, *lines, terminal.table(found, out=self._out), _line(self._last, "dim"))


class GameLines(Watcher):
    """One line per game on standard error, with an occasional line about the progress."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._out = terminal.console(to_stderr=True)

    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        self._out.print(game_line(game.number - 1, self._progress.total, record), markup=False)
        if self._progress.add():
            facts = self._plan.summary(self._store.results()).facts
            line = f"{self._progress.count_text()}, {self._progress.times()}"
            if "llr" in facts:
                line += f", LLR {facts['llr']:+.2f} ({facts['lower']:+.2f} to {facts['upper']:+.2f})"
            self._out.print(line, markup=False)

    def notice(self, text: str) -> None:
        self._out.print(f"note: {printable(text)}", markup=False)


class EventLines(Watcher):
    """A display for scripts: events as JSON on standard output, one per line; tournament/README.md describes them."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._lock = threading.Lock()
        engines = list(store.tournament.names)
        self._write("begin", {"store": str(store.path), "engines": engines, **self.document(store.times())})
        self._next_update = 0.0

    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        event = {
            "number": game.number,
            "round": game.id.round,
            "black": game.id.black,
            "white": game.id.white,
            "opening": list(game.opening),
            "points_black": record.points_black,
            "margin_black": record.margin_black,
            "reason": record.reason,
            "loser": record.loser,
            "detail": record.detail,
            "moves": len(record.moves),
        }
        self._write("game", event)
        if self._progress.add() and time.monotonic() >= self._next_update:
            self._write("standings", self.document(self._store.times()))

    def notice(self, text: str) -> None:
        self._write("notice", {"text": text})

    def ended(self, *, finished: bool) -> None:
        self._write("end", {"finished": finished, **self.document(self._store.times())})

    def _write(self, event: str, values: Mapping[str, Any]) -> None:
        line = json.dumps({"event": event, **values}, separators=(",", ":"))
        with self._lock:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


def _bar(left: str, part: float, right: str) -> Table:
    made = Table.grid(padding=(0, 1), expand=True)
    made.add_column(no_wrap=True)
    made.add_column(ratio=1)
    made.add_column(no_wrap=True)
    made.add_row(left, ProgressBar(1, part), right)
    return made


def _line(text: str, style: str = "") -> Text:
    return Text(printable(text), style, no_wrap=True, overflow="ellipsis")
