"""What a match shows: one line per game, the score, and the same as one JSON document."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import mean
from typing import Any

from quietmove.engine.text import printable
from quietmove.referee.config import COLORS
from quietmove.referee.record import GameRecord
from quietmove.referee.score import CONFIDENCE, Estimate, estimate
from quietmove.referee.series import color_of_first, distinct_games, tally_series

__all__ = ["document", "game_line", "score_lines"]


def game_line(index: int, total: int | None, record: GameRecord) -> str:
    """Return one game for a person; ``total`` is how many there will be, ``None`` if that is not known."""
    number = f"{index + 1}" if total is None else f"{index + 1}/{total}"
    players = f"{record.spec.black.name} - {record.spec.white.name}"
    result = f"{record.result} ({record.margin_black:+d})"
    return printable(f"game {number}  {players}  {result}  {record.reason}: {record.detail}")


def score_lines(names: tuple[str, str], records: dict[int, GameRecord]) -> Iterator[str]:
    """Yield the score of the first of ``names`` against the second, for a person.

    Points and margin are of all games. Pairs, Elo and likelihood are of the distinct ones.
    """
    score, distinct = tally_series(records), tally_series(distinct_games(records))
    yield f"{names[0]} against {names[1]}: {score.points:g} of {score.games} points"
    yield f"  won {score.wins}, drawn {score.draws}, lost {score.losses}"
    if records:
        yield f"  margin {_mean_margin(records):+.2f} a game"
    if distinct.games < score.games:
        yield f"  {distinct.games} of {score.games} games are distinct; the others repeat one of these exactly"
        yield "  (same opening, colours, moves and verdict) and are not counted below"
    if (pairs := estimate(distinct.pairs)) is not None:
        yield f"  pairs {'-'.join(map(str, distinct.pairs))} with 0, 1/2, 1, 3/2 and 2 points"
        yield f"  Elo {_elo(pairs.elo)}, {CONFIDENCE:.0%} between {_elo(pairs.elo_low)} and {_elo(pairs.elo_high)}"
        yield f"  likelihood of superiority {pairs.superiority:.1%}"
    for name, used in _times_used(records).items():
        yield f"  {name} used {mean(used):.0%} of its time a game, {min(used):.0%} to {max(used):.0%}"
    for (name, reason), count in sorted(_forfeits(records).items()):
        yield f"  {name} lost {count} by {reason}"


def document(names: tuple[str, str], records: dict[int, GameRecord], complete: bool) -> dict[str, Any]:
    """Return the match in JSON's own types; an infinite Elo is null. Pairs and estimate are of the distinct games."""
    score, distinct = tally_series(records), tally_series(distinct_games(records))
    return {
        "engines": list(names),
        "complete": complete,
        "score": {
            "games": score.games,
            "distinct": distinct.games,
            "points": score.points,
            "wins": score.wins,
            "draws": score.draws,
            "losses": score.losses,
            "pairs": list(distinct.pairs),
            "margin": _mean_margin(records) if records else None,
            "estimate": _estimate_document(estimate(distinct.pairs)),
        },
        "games": [{"number": index + 1, **records[index].as_dict()} for index in sorted(records)],
    }


def _estimate_document(pairs: Estimate | None) -> dict[str, Any] | None:
    if pairs is None:
        return None
    elo = {name: getattr(pairs, name) for name in ("elo", "elo_low", "elo_high")}
    finite = {name: value if math.isfinite(value) else None for name, value in elo.items()}
    return {"score": pairs.score, **finite, "confidence": CONFIDENCE, "superiority": pairs.superiority}


def _mean_margin(records: Mapping[int, GameRecord]) -> float:
    """Return the mean margin from the first engine's view."""
    signs = {"black": 1, "white": -1}
    return sum(signs[color_of_first(index)] * record.margin_black for index, record in records.items()) / len(records)


def _times_used(records: Mapping[int, GameRecord]) -> dict[str, list[float]]:
    """Return for each engine the part of its clock that it used in each game that it has not forfeited."""
    used: dict[str, list[float]] = {}
    for _, record in sorted(records.items()):
        for color in COLORS:
            if color != record.loser and (part := record.time_used(color)) is not None:
                used.setdefault(record.spec.player(color).name, []).append(part)
    return used


def _forfeits(records: Mapping[int, GameRecord]) -> Counter[tuple[str, str]]:
    charged = (record for record in records.values() if record.loser is not None)
    return Counter((record.spec.player(record.loser).name, record.reason) for record in charged if record.loser)


def _elo(value: float) -> str:
    return f"{value:+.1f}" if math.isfinite(value) else ("+infinite" if value > 0 else "-infinite")
