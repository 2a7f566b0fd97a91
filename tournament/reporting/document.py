"""What the games of a tournament say, as one document in JSON's own types: for scripts, pages and reports. Pure.

:func:`document` describes it. Names and other texts in it are those of the store: whoever shows them escapes them.
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
from quietmove.tournament.statistics.standings import standings
from quietmove.tournament.store.timing import NO_TIMES, Times, Used, pace


def document(
    tournament: Tournament, results: Sequence[Result], times: Times = NO_TIMES, plan: Format | None = None
) -> dict[str, Any]:
    """Return the document of a tournament after ``results``, which are in the order of their numbers.

    - ``tournament``, ``game``, ``point`` (what a margin counts), ``seed``, ``format``, ``settings``: what is played.
    - ``games``, ``distinct``, ``planned`` (null where results decide), ``progress``: games a second, seconds that are
      left, when the first and the last game ended (seconds since 1970); null where that is not known.
    - ``summary``: the format's own facts, such as ``llr``, ``lower``, ``upper``, ``accepted`` and ``trajectory`` of an
      sprt; ``lines``: the same for a person; ``columns``: what it adds to the standings, each with title, key and help.
    - ``standings``: a row for each engine, best first: place, name, games, distinct, wins, draws, losses, points,
      pentanomial; elo and error against the average of the field, superiority over the next row; margin,
      distinct_margin (mean, error) and margins, how many games ended with each margin from its view; forfeits, and
      verdicts, how many of each kind; used, the moves, seconds, longest move and nodes of all its games; the format's
      columns by their keys.
    - ``meetings``: for each two engines that met, from the view of the first: games, distinct, wins, draws, losses,
      points, pentanomial, margin, distinct_margin, and estimate of these games alone (an infinite Elo is null).
    - ``verdicts``: how many games ended for each reason.

    Elo, error, superiority, distinct_margin, pentanomial and estimate are of the distinct games.

    :param times: the times of the same games; without them there is no speed, and no engine has used time.
    :param plan: the plan of this tournament. If the caller keeps it, a sequential test follows only the new results.
    """
    plan = plan or plan_of(tournament)
    planned = plan.planned(results)
    summary = plan.summary(results)
    table = standings(tournament.names, results, summary.order, summary.zero)
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
        for place, row in enumerate(table.rows, 1)
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
    """Return what a margin counts, such as ``disc``; a store may be looked at where its game is not installed."""
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
