"""What a match shows while it is played: a score that is redrawn on a terminal, lines elsewhere."""

from __future__ import annotations

import math
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import click

from quietmove.engine.printable import printable
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.output import game_line
from quietmove.referee.match.pairs import color_of_first, pair_of_records
from quietmove.referee.match.progress import Progress
from quietmove.referee.match.repeats import DistinctPairs
from quietmove.referee.match.score import OUTCOMES_OF_PAIR, estimate

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["RunningScore", "ScoreDisplay"]

REFRESH_PER_SECOND = 4


class RunningScore:
    """The score of the first engine against the second, counted game by game; the interval is by distinct pairs.

    :ivar progress: how far the match is.
    """

    def __init__(self, names: tuple[str, str], total: int) -> None:
        self.progress = Progress(0, total)
        self._names = names
        self._results = {1.0: 0, 0.5: 0, 0.0: 0}
        self._halves: dict[int, dict[int, GameRecord]] = {}  # pairs of which one game has been played
        self._distinct: DistinctPairs[float] = DistinctPairs()

    def add(self, index: int, record: GameRecord) -> bool:
        """Count a game; tell whether a log should say now how the match stands."""
        self._results[record.points(color_of_first(index))] += 1
        games = self._halves.pop(index // 2, {}) | {index: record}
        if len(games) == 2:
            points = sum(each.points(color_of_first(number)) for number, each in games.items())
            self._distinct.add(pair_of_records(games), points)
        else:
            self._halves[index // 2] = games
        return self.progress.add()

    def text(self) -> str:
        """Return the score, such as ``a 7.5 - 4.5 b: won 7, drawn 1, lost 4, Elo +89 (-20 to +210)``."""
        won, drawn, lost = self._results.values()
        first, second = self._names
        text = f"{first} {won + drawn / 2:g} - {lost + drawn / 2:g} {second}: won {won}, drawn {drawn}, lost {lost}"
        found = estimate([self._distinct.counts[outcome / 2] for outcome in range(OUTCOMES_OF_PAIR)])
        if found is None:
            return text
        elo, low, high = (_elo(value) for value in (found.elo, found.elo_low, found.elo_high))
        return f"{text}, Elo {elo} ({low} to {high})"

    def times(self) -> str:
        """Return how many games are played, how fast, and how long the others will take."""
        return f"{self.progress.counted()}, {self.progress.times()}"


class ScoreDisplay:
    """Shows each game as a line, and the score: below the lines on a terminal, now and then as a line elsewhere.

    :param to_stderr: standard output is for a document.
    """

    def __init__(self, names: tuple[str, str], total: int, *, to_stderr: bool) -> None:
        self._score = RunningScore(names, total)
        self._to_stderr = to_stderr
        stream = sys.stderr if to_stderr else sys.stdout
        self._terminal = _terminal(to_stderr) if total > 1 and stream.isatty() else None

    def shown(self) -> AbstractContextManager[object]:
        """Return the block in which the games are played; the score below them goes when it is left."""
        if self._terminal is None:
            return nullcontext()
        from rich.live import Live

        rate = REFRESH_PER_SECOND
        return Live(console=self._terminal, get_renderable=self._picture, refresh_per_second=rate, transient=True)

    def game_ended(self, index: int, record: GameRecord) -> None:
        """Show a game."""
        is_part = self._score.add(index, record)
        self._line(game_line(index, self._score.progress.total, record), err=self._to_stderr)
        if is_part and self._terminal is None:
            self._line(f"{self._score.text()}; {self._score.times()}", err=self._to_stderr)

    def notice(self, text: str) -> None:
        """Show a sentence."""
        self._line(f"note: {text}", err=True)

    def _line(self, text: str, *, err: bool) -> None:
        if self._terminal is None:
            click.echo(printable(text), err=err)
        else:
            self._terminal.print(printable(text), markup=False, highlight=False, soft_wrap=True)

    def _picture(self) -> RenderableType:
        from rich.text import Text

        lines = (self._score.text(), self._score.times())
        return Text("\n".join(map(printable, lines)), "bold", no_wrap=True, overflow="ellipsis")


def _terminal(to_stderr: bool) -> Console | None:
    """Return the terminal; ``None`` if it is one on which nothing can be redrawn."""
    from rich.console import Console

    made = Console(stderr=to_stderr)
    return made if made.is_terminal and not made.is_dumb_terminal else None


def _elo(value: float) -> str:
    return f"{value:+.0f}" if math.isfinite(value) else ("+infinite" if value > 0 else "-infinite")
