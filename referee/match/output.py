"""What a match shows: one line per game, the score, and the same as one JSON document."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import mean
from typing import Any

from quietmove.engine.printable import printable
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.pairs import color_of_first, distinct_games, tally_series
from quietmove.referee.match.score import CONFIDENCE, Estimate, Margin, elo_text, estimate

__all__ = ["document", "game_line", "score_lines"]


def game_line(index: int, total: int | None, record: GameRecord) -> str:
    """Return one game for a person; ``total`` is how many there will be, ``None`` if that is not known."""
    number = f"{index + 1}" if total is None else f"{index + 1}/{total}"
    players = f"{record.spec.black.name} - {record.spec.white.name}"
    result = f"{record.result} ({record.margin_black:+d})"
    return printable(f"game {number}  {players}  {result}  {record.reason}: {record.detail}")


def score_lines(names: tuple[str, str], records: dict[int, GameRecord]) -> Iterator[str]:
    """Yield the score of the first of ``names`` against the second, for a person.

    Points are of all games. Margin, pairs, Elo and likelihood are of the distinct ones.
    """
    of_distinct = distinct_games(records)
    score, distinct = tally_series(records), tally_series(of_distinct)
    yield f"{names[0]} against {names[1]}: {score.points:g} of {score.games} points"
    yield f"  won {score.wins}, drawn {score.draws}, lost {score.losses}"
    if distinct.games < score.games:
        yield f"  {distinct.games} of {score.games} games are distinct; the others repeat one of these exactly"
        yield "  (same opening, colours, moves and verdict) and are not counted below"
    if records:
        margin = _margin(of_distinct)
        error = "" if margin.error is None else f" ± {margin.error:.2f} (standard error)"
        yield f"  margin {margin.mean:+.2f}{error} a game"
    if (pairs := estimate(distinct.pairs)) is not None:
        yield f"  pairs {'-'.join(map(str, distinct.pairs))} with 0, 1/2, 1, 3/2 and 2 points"
        low, high = elo_text(pairs.elo_low), elo_text(pairs.elo_high)
        yield f"  Elo {elo_text(pairs.elo)}, {CONFIDENCE:.0%} between {low} and {high}"
        yield f"  normalized Elo {elo_text(pairs.normalized)} ± {pairs.normalized_error:.1f}"
        yield f"  likelihood of superiority {pairs.superiority:.1%}"
    for name, used in _times_used(records).items():
        yield f"  {name} used {mean(used):.0%} of its time a game, {min(used):.0%} to {max(used):.0%}"
    for (name, reason), count in sorted(_forfeits(records).items()):
        yield f"  {name} lost {count} by {reason}"


def document(names: tuple[str, str], records: dict[int, GameRecord], complete: bool) -> dict[str, Any]:
    """Return the match in JSON's own types; an infinite Elo is null.

    Margin, pairs and estimate are of the distinct games.
    """
    of_distinct = distinct_games(records)
    score, distinct, margin = tally_series(records), tally_series(of_distinct), _margin(of_distinct)
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
            "margin": margin.mean if records else None,
            "margin_error": margin.error,
            "estimate": _estimate_document(estimate(distinct.pairs)),
        },
        "games": [{"number": index + 1, **records[index].as_dict()} for index in sorted(records)],
    }


def _estimate_document(pairs: Estimate | None) -> dict[str, Any] | None:
    if pairs is None:
        return None
    elo = {name: getattr(pairs, name) for name in ("elo", "elo_low", "elo_high", "normalized", "normalized_error")}
    finite = {name: value if math.isfinite(value) else None for name, value in elo.items()}
    return {"score": pairs.score, **finite, "confidence": CONFIDENCE, "superiority": pairs.superiority}


def _margin(records: Mapping[int, GameRecord]) -> Margin:
    """Return the mean margin from the first engine's view; a pair of games is one observation."""
    signs = {"black": 1, "white": -1}
    pairs: dict[int, list[int]] = {}
    for index, record in records.items():
        pairs.setdefault(index // 2, []).append(signs[color_of_first(index)] * record.margin_black)
    return Margin.of([mean(margins) for margins in pairs.values()])


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
