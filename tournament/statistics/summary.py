"""What the games of a tournament say, as one document in JSON's own types: for scripts, pages and reports. Pure.

:func:`document` describes it. Names and other texts in it are those of the store: whoever shows them escapes them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import get_game
from quietmove.referee.match.score import estimate
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import Result
from quietmove.tournament.statistics.standings import Row, standings
from quietmove.tournament.store.timing import Timing, Used, pace

__all__ = ["document", "point_of", "rounded"]

DIGITS = 4  # after the point


def document(tournament: Tournament, results: Sequence[Result], timings: Sequence[Timing] = ()) -> dict[str, Any]:
    """Return the document of a tournament after ``results``, which are in the order of their numbers.

    - ``tournament``, ``game``, ``point`` (what a margin counts), ``seed``, ``format``, ``settings``: what is played.
    - ``games``, ``distinct``, ``planned`` (null where results decide), ``progress``: games a second, seconds that are
      left, when the first and the last game ended (seconds since 1970); null where that is not known.
    - ``summary``: the format's own facts, such as ``llr``, ``lower``, ``upper``, ``accepted`` and ``trajectory`` of an
      sprt; ``lines``: the same for a person; ``columns``: what it adds to the standings, each with title, key and help.
    - ``standings``: a row for each engine, best first: place, name, games, distinct, wins, draws, losses, points; elo
      and error against the average of the field, superiority over the next row; margin, distinct_margin (mean, error)
      and margins, how many games ended with each margin from its view; forfeits, and verdicts, how many of each kind;
      used, the moves, seconds, longest move and nodes of all its games; the format's columns by their keys.
    - ``meetings``: for each two engines that met, from the view of the first: games, distinct, wins, draws, losses,
      points, pentanomial, margin, distinct_margin, and estimate of these games alone (an infinite Elo is null).
    - ``verdicts``: how many games ended for each reason.

    Elo, error, superiority, distinct_margin, pentanomial and estimate are of the distinct games.

    :param timings: of the same games; without them there is no speed, and nobody has used time.
    """
    plan = plan_of(tournament)
    planned, summary = plan.planned(results), plan.summary(results)
    table = standings(tournament.names, results, summary.order)
    margins, verdicts, used = _margins(results), _verdicts(results), _used(results, timings)
    rows = [
        {
            "place": place,
            **rounded(asdict(row)),
            **_of_engine(row, margins[row.name], verdicts[row.name], used[row.name]),
            **{column.key: column.values[row.name] for column in summary.columns},
        }
        for place, row in enumerate(table.rows, 1)
    ]
    return {
        "tournament": tournament.name,
        "game": tournament.game,
        "point": point_of(tournament.game),
        "seed": tournament.seed,
        "format": tournament.format,
        "settings": dict(tournament.settings),
        "games": table.games,
        "distinct": table.distinct,
        "planned": planned,
        "progress": _progress(table.games, planned, timings),
        "summary": dict(summary.facts),
        "lines": list(summary.lines),
        "columns": [{"title": each.title, "key": each.key, "help": each.help} for each in summary.columns],
        "standings": rows,
        "meetings": [
            {**rounded(asdict(meeting)), "estimate": _estimate(meeting.pentanomial)} for meeting in table.meetings
        ],
        "verdicts": dict(Counter(result.reason for result in results)),
    }


def point_of(game: str) -> str:
    """Return what a margin counts, such as ``disc``; a store may be looked at where its game is not installed."""
    try:
        return get_game(game).point
    except UnknownGameError:
        return "point"


def rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``values`` rounded to four decimals, with None for numbers that JSON cannot write."""
    return {key: rounded(value) if isinstance(value, dict) else _finite(value) for key, value in values.items()}


def _finite(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return round(value, DIGITS) if math.isfinite(value) else None


def _of_engine(row: Row, margins: Counter[int], verdicts: Counter[str], used: Used) -> dict[str, Any]:
    return {
        "margins": [[margin, margins[margin]] for margin in sorted(margins)],
        "verdicts": dict(verdicts),
        "used": rounded(asdict(used)),
    }


def _estimate(pentanomial: Sequence[int]) -> dict[str, Any] | None:
    """Return what the complete pairs of one meeting say by themselves; an infinite Elo is null."""
    found = estimate(pentanomial)
    return None if found is None else rounded(asdict(found))


def _progress(games: int, planned: int | None, timings: Sequence[Timing]) -> dict[str, Any]:
    speed = pace(timings)
    left = (planned - games) / speed if planned is not None and speed else None
    ends = [timing.finished for timing in timings]
    return rounded(
        {
            "games_per_second": speed,
            "seconds_left": left,
            "first_ended": min(ends, default=None),
            "last_ended": max(ends, default=None),
        }
    )


def _margins(results: Iterable[Result]) -> dict[str, Counter[int]]:
    """Return how many games ended with each margin, from the view of each engine."""
    margins: dict[str, Counter[int]] = defaultdict(Counter)
    for result in results:
        margins[result.id.black][result.margin_black] += 1
        margins[result.id.white][-result.margin_black] += 1
    return margins


def _verdicts(results: Iterable[Result]) -> dict[str, Counter[str]]:
    """Return what each engine was charged with."""
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        if result.forfeited_by is not None:
            verdicts[result.forfeited_by][result.reason] += 1
    return verdicts


def _used(results: Iterable[Result], timings: Iterable[Timing]) -> dict[str, Used]:
    by_number = {timing.number: timing for timing in timings}
    used: dict[str, Used] = defaultdict(Used)
    for result in results:
        if timing := by_number.get(result.number):
            used[result.id.black] += timing.black
            used[result.id.white] += timing.white
    return used
