"""The output of a match: a line per game, the running and final score, and one JSON document."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from statistics import mean
from typing import TYPE_CHECKING, Any

import click

from quietmove.engine.common.text import printable
from quietmove.engine.protocol.describe import pluralize
from quietmove.referee.config.model import COLORS, Color
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.score import CONFIDENCE, GameForEngine, PairOfGames, Score, Tally, estimate

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

PARTS = 10  # a plain log shows the score after each tenth of the games
MIN_TOTAL = 20  # with fewer games, a plain log shows only the final score
UNKNOWN_PART = 100  # games from one score to the next if the total is unknown
SHARE_OF_TIME = 0.05  # computing the live score takes at most this share of the run


class Progress:
    """The progress of a run: its games, its speed and the time left.

    :ivar games: the number of games played, including earlier runs.
    :ivar total: the total number of games, or None while it is unknown. It can change.
    """

    def __init__(self, games: int, total: int | None, now: Callable[[], float] = time.monotonic) -> None:
        self.games = self._before = games
        self.total = total
        self._now = now
        self._begun = now()

    def add(self) -> bool:
        """Count a game and return whether it completes a part of the run, so that a log line is due."""
        self.games += 1
        if self.total is None:
            return self.games % UNKNOWN_PART == 0
        parts = self.games * PARTS // self.total
        return self.total >= MIN_TOTAL and self.games < self.total and parts > (self.games - 1) * PARTS // self.total

    @property
    def elapsed(self) -> float:
        """Seconds since the start of the run."""
        return self._now() - self._begun

    @property
    def games_per_second(self) -> float | None:
        """The games per second in this run, or None before its first game ends."""
        elapsed, played = self.elapsed, self.games - self._before
        return played / elapsed if played and elapsed > 0 else None

    def count_text(self) -> str:
        """Return the number of games played as text, such as ``3 of 12 games``."""
        return games_text(self.games, self.total)

    def times(self) -> str:
        """Return the speed and times as text, such as ``12.5 games/s, 0:42 elapsed, about 1:30 left``."""
        speed = self.games_per_second
        parts = [] if speed is None else [f"{speed:.3g} games/s" if speed >= 1 else f"{1 / speed:.3g} s/game"]
        parts.append(f"{clock(self.elapsed)} elapsed")
        if speed is not None and self.total is not None:
            parts.append(f"about {clock(max(0, self.total - self.games) / speed)} left")
        return ", ".join(parts)


def games_text(games: int, total: int | None) -> str:
    """Return a run's progress as text, such as ``3 of 12 games``; ``total`` is None if it is unknown."""
    return pluralize(games, "game") if total is None else f"{games} of {total} games"


def clock(seconds: float) -> str:
    """Format a duration: ``0:42`` or ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


DIGITS = 4  # decimal places of numbers in JSON


def game_line(index: int, total: int | None, record: GameRecord) -> str:
    """Return a game's result as one line; ``total`` is the number of games, or None if unknown."""
    number = f"{index + 1}" if total is None else f"{index + 1}/{total}"
    players = f"{record.spec.black.name} - {record.spec.white.name}"
    result = f"{record.result} ({record.margin_black:+d})"
    return printable(f"game {number}  {players}  {result}  {record.reason}: {record.detail}")


def score_lines(names: tuple[str, str], records: dict[int, GameRecord]) -> Iterator[str]:
    """Yield the first engine's score against the second, as lines of text.

    Points count all games; margin, pairs, Elo and likelihood count only the distinct ones.
    """
    score = score_of(records)
    yield f"{names[0]} against {names[1]}: {score.points:g} of {score.games} point{'' if score.games == 1 else 's'}"
    yield f"  won {score.wins}, drawn {score.draws}, lost {score.losses}"
    if score.distinct < score.games:
        yield f"  {score.distinct} of {score.games} games are distinct; the others repeat one of these exactly"
        yield "  (same opening, colours, moves and verdict) and are not counted below"
    if records:
        yield f"  margin {score.distinct_margin} per game"
    if (elo := estimate(score.pentanomial)) is not None:
        yield f"  pairs {'-'.join(map(str, score.pentanomial))} with 0, 1/2, 1, 3/2 and 2 points"
        yield from (f"  {line}" for line in elo.lines())
    for name, used in _times_used(records).items():
        yield f"  {name} used {mean(used):.0%} of its time per game, {min(used):.0%} to {max(used):.0%}"
    charged = ((record.spec.player(record.loser).name, record.reason) for record in records.values() if record.loser)
    for (name, reason), count in sorted(Counter(charged).items()):
        yield f"  {name} lost {count} by {reason}"


def document(names: tuple[str, str], records: dict[int, GameRecord], complete: bool) -> dict[str, Any]:
    """Return the match as a dictionary for JSON; an infinite Elo is null.

    Margin, pairs and estimate count only the distinct games.
    """
    score = score_of(records)
    elo = estimate(score.pentanomial)
    return {
        "engines": list(names),
        "complete": complete,
        "score": {
            "games": score.games,
            "distinct": score.distinct,
            "points": score.points,
            "wins": score.wins,
            "draws": score.draws,
            "losses": score.losses,
            "pairs": list(score.pentanomial),
            "margin": score.distinct_margin.mean if records else None,
            "margin_error": score.distinct_margin.error,
            "estimate": {**rounded(asdict(elo)), "confidence": CONFIDENCE} if elo else None,
        },
        "games": [{"number": index + 1, **records[index].as_dict()} for index in sorted(records)],
    }


def rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    """Round ``values`` to four decimals, and replace numbers that JSON cannot represent with None."""
    return {key: rounded(value) if isinstance(value, dict) else _finite(value) for key, value in values.items()}


def _finite(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return round(value, DIGITS) if math.isfinite(value) else None


def _times_used(records: Mapping[int, GameRecord]) -> dict[str, list[float]]:
    """Return, for each engine, the fractions of its clock that it used in the games it did not forfeit."""
    used: dict[str, list[float]] = {}
    for _, record in sorted(records.items()):
        for color in COLORS:
            if color != record.loser and (part := record.time_used(color)) is not None:
                used.setdefault(record.spec.player(color).name, []).append(part)
    return used


def score_of(records: Mapping[int, GameRecord]) -> Score:
    """Return the first engine's score in the games of :func:`pair_games` played so far."""
    pairs: dict[int, dict[Color, GameForEngine]] = defaultdict(dict)
    for index, record in sorted(records.items()):
        color = COLORS[index % 2]  # the first engine plays Black in games with an even index
        margin = record.margin_black if color == "black" else -record.margin_black
        moves = ",".join(move.move for move in record.moves)
        pairs[index // 2][color] = GameForEngine(record.points(color), margin, moves, record.reason)
    openings = {index // 2: record.spec.opening for index, record in records.items()}
    return Score(**Tally.of([PairOfGames(openings[number], games) for number, games in pairs.items()]).score())


REFRESH_PER_SECOND = 4


def score_text(names: tuple[str, str], records: Mapping[int, GameRecord]) -> str:
    """Format the score, such as ``a 7.5 - 4.5 b: won 7, drawn 1, lost 4, +89 Elo (95%: -20 to +210)``."""
    score = score_of(records)
    text = f"{names[0]} {score.points:g} - {score.games - score.points:g} {names[1]}: "
    text += f"won {score.wins}, drawn {score.draws}, lost {score.losses}"
    elo = estimate(score.pentanomial)
    return text if elo is None else f"{text}, {elo}"


class ScoreDisplay:
    """The display of a match: a line per game, and the score, live on a terminal and otherwise printed now and then.

    :param to_stderr: whether to print to standard error, because standard output is for a JSON document.
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

    def displaying(self) -> AbstractContextManager[object]:
        """Return a context manager that shows the live score and removes it on exit."""
        if self._terminal is None:
            return nullcontext()
        from rich.live import Live

        rate = REFRESH_PER_SECOND
        return Live(console=self._terminal, get_renderable=self._picture, refresh_per_second=rate, transient=True)

    def game_ended(self, index: int, record: GameRecord) -> None:
        self._records[index] = record
        is_part = self._progress.add()
        started = time.monotonic()
        if is_part or (self._terminal and started >= self._next_score):
            self._score = score_text(self._names, self._records)
            self._next_score = time.monotonic() + (time.monotonic() - started) / SHARE_OF_TIME
        self._line(game_line(index, self._progress.total, record), err=self._to_stderr)
        if is_part and self._terminal is None:
            self._line("; ".join(self._lines()), err=self._to_stderr)

    def notice(self, text: str) -> None:
        """Print a note to standard error."""
        self._line(f"note: {text}", err=True)

    def _line(self, text: str, *, err: bool) -> None:
        if self._terminal is None:
            click.echo(printable(text), err=err)
        else:
            self._terminal.print(printable(text), markup=False, highlight=False, soft_wrap=True)

    def _lines(self) -> tuple[str, str]:
        return self._score, f"{self._progress.count_text()}, {self._progress.times()}"

    def _picture(self) -> RenderableType:
        from rich.text import Text

        return Text("\n".join(map(printable, self._lines())), "bold", no_wrap=True, overflow="ellipsis")


def _terminal(to_stderr: bool) -> Console | None:
    """Return the terminal, or None if it cannot redraw lines."""
    from rich.console import Console

    made = Console(stderr=to_stderr)
    return made if made.is_terminal and not made.is_dumb_terminal else None
