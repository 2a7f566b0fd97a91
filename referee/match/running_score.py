"""What a match shows while it is played: a score that is redrawn on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import click

from quietmove.common.text import printable
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.output import game_line, score_of
from quietmove.referee.match.progress import SHARE_OF_TIME, Progress
from quietmove.referee.match.score import estimate

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = ["ScoreDisplay", "score_text"]

REFRESH_PER_SECOND = 4


def score_text(names: tuple[str, str], records: Mapping[int, GameRecord]) -> str:
    """Return the score, such as ``a 7.5 - 4.5 b: won 7, drawn 1, lost 4, +89 Elo (95%: -20 to +210)``."""
    score = score_of(records)
    text = f"{names[0]} {score.points:g} - {score.games - score.points:g} {names[1]}: "
    text += f"won {score.wins}, drawn {score.draws}, lost {score.losses}"
    found = estimate(score.pentanomial)
    return text if found is None else f"{text}, {found}"


class ScoreDisplay:
    """Shows each game as a line, and the score: below the lines on a terminal, now and then as a line elsewhere.

    :param to_stderr: standard output is for a document.
    """

    def __init__(self, names: tuple[str, str], total: int, *, to_stderr: bool) -> None:
        self._names = names
        self._records: dict[int, GameRecord] = {}
        self._score = score_text(names, {})
        self._progress = Progress(0, total)
        self._next_score = 0.0
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
        self._records[index] = record
        is_part, started = self._progress.add(), time.monotonic()
        if is_part or (self._terminal and started >= self._next_score):
            self._score = score_text(self._names, self._records)
            self._next_score = time.monotonic() + (time.monotonic() - started) / SHARE_OF_TIME
        self._line(game_line(index, self._progress.total, record), err=self._to_stderr)
        if is_part and self._terminal is None:
            self._line("; ".join(self._lines()), err=self._to_stderr)

    def notice(self, text: str) -> None:
        """Show a sentence."""
        self._line(f"note: {text}", err=True)

    def _line(self, text: str, *, err: bool) -> None:
        if self._terminal is None:
            click.echo(printable(text), err=err)
        else:
            self._terminal.print(printable(text), markup=False, highlight=False, soft_wrap=True)

    def _lines(self) -> tuple[str, str]:
        return self._score, f"{self._progress.counted()}, {self._progress.times()}"

    def _picture(self) -> RenderableType:
        from rich.text import Text

        return Text("\n".join(map(printable, self._lines())), "bold", no_wrap=True, overflow="ellipsis")


def _terminal(to_stderr: bool) -> Console | None:
    """Return the terminal; ``None`` if it is one on which nothing can be redrawn."""
    from rich.console import Console

    made = Console(stderr=to_stderr)
    return made if made.is_terminal and not made.is_dumb_terminal else None
