"""What is shown while a tournament runs: a table that is redrawn on a terminal, lines elsewhere, JSON for scripts."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from quietmove.engine.printable import printable
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.output import game_line
from quietmove.referee.match.progress import Progress
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame
from quietmove.tournament.reporting import terminal as report
from quietmove.tournament.statistics.standings import standings
from quietmove.tournament.statistics.summary import document
from quietmove.tournament.store.store import Store

__all__ = ["EventLines", "GameLines", "LiveTable", "Watcher", "display"]

REFRESH_PER_SECOND = 4
SHARE_OF_TIME = 0.05  # the most that may be spent on recomputing the table: ratings of many players take a while
BARS = {True: tuple("#-|*"), False: tuple("━─┼●")}  # done, to be done, zero, the value; in ASCII or not
GAUGE = 40  # columns at most of a bar between two bounds


class Watcher(Protocol):
    """Is told what happens in a running tournament."""

    def shown(self) -> AbstractContextManager[object]:
        """Return the block in which the games are played."""

    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        """Note a stored game."""

    def notice(self, text: str) -> None:
        """Show a sentence; it may come from another thread."""


def display(out: Console, store: Store) -> Watcher:
    """Return what suits ``out``."""
    return LiveTable(out, store) if out.is_terminal and not out.is_dumb_terminal else GameLines(store)


class LiveTable:
    """The standings, redrawn while games come in; always computed from the store."""

    def __init__(self, out: Console, store: Store) -> None:
        self._out = out
        self._store = store
        self._plan = plan_of(store.tournament)
        self._progress = Progress(store.count(), None)
        self._next_update = 0.0
        self._last = "starting the engines"
        self._update()

    def shown(self) -> AbstractContextManager[object]:
        """Show the table for the duration of a block; it leaves no trace."""
        return Live(
            console=self._out, get_renderable=self.picture, refresh_per_second=REFRESH_PER_SECOND, transient=True
        )

    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        """Note a stored game."""
        self._progress.add()
        self._last = game_line(game.number - 1, self._progress.total, record)
        if time.monotonic() >= self._next_update:
            self._update()

    def notice(self, text: str) -> None:
        """Print a sentence above the table."""
        self._out.print(f"note: {printable(text)}", markup=False)

    def _update(self) -> None:
        started = time.monotonic()
        tournament, results = self._store.tournament, self._store.results()
        self._progress.total = self._plan.planned(results)
        self._summary = self._plan.summary(results)
        self._standings = standings(tournament.names, results, self._summary.order)
        self._next_update = time.monotonic() + (time.monotonic() - started) / SHARE_OF_TIME

    def picture(self) -> RenderableType:
        """Return what is shown now. What is most important comes first: a low terminal cuts off the end."""
        progress, summary = self._progress, self._summary
        bars = [_bar(self._out, progress.games / progress.total)] if progress.total else []
        if gauge := llr_gauge(self._out, summary.facts):
            bars.append(gauge)
        head = (_line(f"{self._store.tournament.name}: {progress.counted()}"), _line(progress.times()))
        lines = (Text(printable(line)) for line in summary.lines)
        table = report.table(self._standings, summary.columns, out=self._out)
        return Group(*head, *bars, *lines, table, _line(self._last, "dim"))


class GameLines:
    """One line for each game on standard error, and now and then one that says how the run stands."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._plan = plan_of(store.tournament)
        results = store.results()
        self._progress = Progress(len(results), self._plan.planned(results))
        self._out = report.console(to_stderr=True)

    def shown(self) -> AbstractContextManager[object]:
        """Do nothing around a block: the lines come by themselves."""
        return nullcontext()

    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        """Print the game."""
        self._out.print(game_line(game.number - 1, self._progress.total, record), markup=False)
        if self._progress.add():
            facts = self._plan.summary(self._store.results()).facts
            line = f"{self._progress.counted()}, {self._progress.times()}"
            if "llr" in facts:
                line += f", LLR {facts['llr']:+.2f} ({facts['lower']:+.2f} to {facts['upper']:+.2f})"
            self._out.print(line, markup=False)

    def notice(self, text: str) -> None:
        """Print a sentence."""
        self._out.print(f"note: {printable(text)}", markup=False)


class EventLines:
    """What happens, as JSON for scripts: one object a line on standard output.

    Each has the key ``event``: ``begin``; ``game`` for each game when it is stored; ``notice``; ``standings`` after
    each tenth of the games (each hundred, where their number depends on results); ``end``, with ``finished``. Begin,
    standings and end have all of :func:`~quietmove.tournament.statistics.summary.document`. After an error there is no
    ``end``.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        results = store.results()
        self._progress = Progress(len(results), plan_of(store.tournament).planned(results))
        self._next_standings = 0.0
        engines = list(store.tournament.names)
        self._write("begin", {"store": str(store.path), "engines": engines, **self._document()})

    def shown(self) -> AbstractContextManager[object]:
        """Do nothing around a block."""
        return nullcontext()

    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        """Write the game, and the standings after each tenth of the run."""
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
        if self._progress.add() and time.monotonic() >= self._next_standings:
            started = time.monotonic()
            self._write("standings", self._document())
            self._next_standings = time.monotonic() + (time.monotonic() - started) / SHARE_OF_TIME

    def notice(self, text: str) -> None:
        """Write a sentence."""
        self._write("notice", {"text": text})

    def ended(self, *, finished: bool) -> None:
        """Write how it stands at the end."""
        self._write("end", {"finished": finished, **self._document()})

    def _document(self) -> dict[str, Any]:
        return document(self._store.tournament, self._store.results(), self._store.timings())

    def _write(self, event: str, values: Mapping[str, Any]) -> None:
        line = json.dumps({"event": event, **values}, separators=(",", ":"))
        with self._lock:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


def llr_gauge(out: Console, facts: Mapping[str, Any]) -> Text | None:
    """Return a log-likelihood ratio between its bounds as a bar; ``None`` where a format's facts have none."""
    if "llr" not in facts:
        return None

    value, lower, upper = (float(facts[name]) for name in ("llr", "lower", "upper"))
    ends = f"H0 {lower:+.2f} ", f" {upper:+.2f} H1"
    width = max(3, min(GAUGE, out.width - len("".join(ends)) - 1))

    def column(number: float) -> int:
        return round(max(0.0, min(1.0, (number - lower) / (upper - lower))) * (width - 1))

    _, rest, zero, mark = BARS[out.options.ascii_only]
    track = [rest] * width
    track[column(0)] = zero
    track[column(value)] = mark
    at, style = column(value), "bold green" if value > 0 else "bold red"
    cells = ((cell, style if number == at else "dim") for number, cell in enumerate(track))
    return Text.assemble(ends[0], *cells, ends[1])


def _bar(out: Console, part: float) -> Text:
    """Return a bar of the width of the terminal, of which a part is filled."""
    full, rest, *_ = BARS[out.options.ascii_only]
    percent = f" {100 * part:3.0f}%"
    width = out.width - len(percent) - 1
    done = round(part * width)
    return Text.assemble((full * done, "green"), (rest * (width - done), "dim"), percent)


def _line(text: str, style: str = "") -> Text:
    """Return a line that is cut off where the terminal ends."""
    return Text(printable(text), style, no_wrap=True, overflow="ellipsis")
