"""A report on a tournament as one JSON-compatible document, for scripts, pages and terminals. Pure functions.

:func:`document` describes it. It contains names and other texts from the store, which must be escaped for display.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import known_game
from quietmove.referee.match.output import rounded
from quietmove.referee.match.score import estimate
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import Format, plan_of
from quietmove.tournament.games import Result
from quietmove.tournament.statistics.standings import shared_places, standings
from quietmove.tournament.store.timing import NO_TIMES, Times, Used, pace


def document(
    tournament: Tournament, results: Sequence[Result], times: Times = NO_TIMES, plan: Format | None = None
) -> dict[str, Any]:
    """Return the report on a tournament after ``results``, which are in numerical order.

    - ``tournament``, ``game``, ``point`` (the unit of margins), ``seed``, ``format``, ``settings``: the tournament.
    - ``games``, ``distinct``, ``planned`` (null if it depends on results), ``progress``: games per second, seconds
      left, and the end times of the first and last game (seconds since 1970); null if unknown.
    - ``summary``: the format's own facts, such as ``llr``, ``lower``, ``upper``, ``accepted`` and ``trajectory`` of an
      sprt; ``lines``: the same as text; ``columns``: its additional columns, each with title, key and help.
    - ``standings``: a row for each engine, best first: place (exact ties share the best of their places), name,
      games, distinct, wins, draws, losses, points, pentanomial; elo and error against the average of the field,
      superiority over the next row; margin, distinct_margin (mean, error) and margins, the number of its games that
      ended with each margin; forfeits, and verdicts, the number of each kind; used, the moves, seconds, longest
      move and nodes of all its games; the format's columns by their keys.
    - ``meetings``: for each pair of engines that met, from the first one's point of view: games, distinct, wins, draws,
      losses, points, pentanomial, margin, distinct_margin, and estimate from these games alone (infinite Elo is null).
    - ``verdicts``: the number of games that ended for each reason.

    Elo, error, superiority, distinct_margin, pentanomial and estimate use the distinct games.

    :param times: the times of the same games; without them, speed and used time are missing.
    :param plan: this tournament's plan. Passing the same plan again lets a sequential test process only new results.
    """
    plan = plan or plan_of(tournament)
    planned = plan.planned(results)
    summary = plan.summary(results)
    table = standings(tournament.names, results, summary.order, summary.zero)
    ranks = [
        round(row.elo, 6) if summary.order is None else tuple(each.values[row.name] for each in summary.columns)
        for row in table.rows
    ]
    margins = defaultdict[str, Counter[int]](Counter)
    verdicts = defaultdict[str, Counter[str]](Counter)
    for result in results:
        margins[result.id.black][result.margin_black] += 1
        margins[result.id.white][-result.margin_black] += 1
        if result.forfeited_by is not None:
            verdicts[result.forfeited_by][result.reason] += 1
    rows = [
        {
            "place": place,
            **rounded(asdict(row)),
            "margins": [list(each) for each in sorted(margins[row.name].items())],
            "verdicts": dict(verdicts[row.name]),
            "used": rounded(asdict(times.used.get(row.name, Used()))),
            **{column.key: column.values[row.name] for column in summary.columns},
        }
        for place, row in zip(shared_places(ranks), table.rows, strict=True)
    ]
    meetings = []
    for meeting in table.meetings:
        alone = estimate(meeting.pentanomial)
        meetings.append({**rounded(asdict(meeting)), "estimate": None if alone is None else rounded(asdict(alone))})
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
        "progress": _progress(table.games, planned, times),
        "summary": dict(summary.facts),
        "lines": list(summary.lines),
        "columns": [{"title": each.title, "key": each.key, "help": each.help} for each in summary.columns],
        "standings": rows,
        "meetings": meetings,
        "verdicts": dict(Counter(result.reason for result in results)),
    }


def point_of(game: str) -> str:
    """Return the unit of margins, such as ``disc``, or ``point`` if the game is not installed."""
    try:
        return known_game(game).point
    except UnknownGameError:
        return "point"


def _progress(games: int, planned: int | None, times: Times) -> dict[str, Any]:
    speed = pace(times.ends)
    left = (planned - games) / speed if planned is not None and speed else None
    return rounded(
        {
            "games_per_second": speed,
            "seconds_left": left,
            "first_ended": times.first,
            "last_ended": max(times.ends, default=None),
        }
    )
