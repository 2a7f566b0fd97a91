"""What a person sees while a tournament runs: a live table on a terminal, one line per game elsewhere."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from quietmove.engine.text import printable
from quietmove.referee.output import game_line
from quietmove.referee.record import GameRecord
from quietmove.tournament import report
from quietmove.tournament.schedule import ScheduledGame
from quietmove.tournament.standings import standings
from quietmove.tournament.store import Store

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["GameLines", "LiveTable", "display"]

REFRESH_PER_SECOND = 4
SHARE_OF_TIME = 0.05  # the most that may be spent on recomputing the table: ratings of many players take a while


def display(out: Console, store: Store) -> LiveTable | GameLines:
    """Return what suits ``out``; it is told of every stored game."""
    return LiveTable(out, store) if out.is_terminal else GameLines(store.tournament.plan().planned(store.results()))


class LiveTable:
    """The standings, redrawn while games come in; always computed from the store."""

    def __init__(self, out: Console, store: Store) -> None:
        self._out = out
        self._store = store
        self._plan = store.tournament.plan()
        self._begun = time.monotonic()
        self._games_before = self._games = len(store.results())
        self._next_update = 0.0
        self._last = "starting the engines"
        self._update()

    def shown(self) -> AbstractContextManager[object]:
        """Show the table for the duration of a block; it leaves no trace."""
        from rich.live import Live

        return Live(
            console=self._out, get_renderable=self.picture, refresh_per_second=REFRESH_PER_SECOND, transient=True
        )

    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        """Note a stored game."""
        self._games += 1
        self._last = game_line(game.number - 1, self._planned, record)
        if time.monotonic() >= self._next_update:
            self._update()

    def notice(self, text: str) -> None:
        """Print a sentence above the table."""
        self._out.print(f"note: {printable(text)}", markup=False)

    def _update(self) -> None:
        started = time.monotonic()
        tournament, results = self._store.tournament, self._store.results()
        self._planned = self._plan.planned(results)
        self._summary = self._plan.summary(results)
        self._table = report.table(standings(tournament.names, results, self._summary.order), self._summary.columns)
        self._next_update = time.monotonic() + (time.monotonic() - started) / SHARE_OF_TIME

    def picture(self) -> RenderableType:
        """Return what is shown now."""
        from rich.console import Group
        from rich.text import Text

        elapsed = time.monotonic() - self._begun
        played = self._games - self._games_before
        left = elapsed / played * (self._planned - self._games) if played and self._planned is not None else None
        times = f"{report.clock(elapsed)} elapsed" + ("" if left is None else f", about {report.clock(left)} left")
        title = f"{self._store.tournament.name}: {report.progress(self._games, self._planned)}, {times}"
        last = Text(self._last, style="dim", no_wrap=True, overflow="ellipsis")
        lines = (Text(printable(line), no_wrap=True, overflow="ellipsis") for line in self._summary.lines)
        return Group(Text(printable(title), no_wrap=True, overflow="ellipsis"), *lines, self._table, last)


class GameLines:
    """One line for each game on standard error."""

    def __init__(self, planned: int | None) -> None:
        self._planned = planned
        self._out = report.console(to_stderr=True)

    def shown(self) -> AbstractContextManager[object]:
        """Do nothing around a block: the lines come by themselves."""
        return nullcontext()

    def game_finished(self, game: ScheduledGame, record: GameRecord) -> None:
        """Print the game."""
        self._out.print(game_line(game.number - 1, self._planned, record), markup=False)

    def notice(self, text: str) -> None:
        """Print a sentence."""
        self._out.print(f"note: {printable(text)}", markup=False)
