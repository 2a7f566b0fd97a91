"""What a tournament would play, and how long that may take by the limits of its engines; nothing is played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING

from quietmove.engine.games.base import UNKNOWN_REMAINING
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import EngineConfig, TimeControl, split_opening
from quietmove.referee.process.programs import processors
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame

if TYPE_CHECKING:
    from quietmove.tournament.config.definition import Tournament

__all__ = ["Estimate", "duration", "estimate", "preview", "too_many_games"]

MOST_GAMES = 10_000_000  # of a tournament
SHOWN_GAMES = 6
SAMPLED_GAMES = 2000  # the first of the schedule, whose mean stands for all
NODES_A_SECOND = 1_000_000  # what is assumed where only nodes are limited
FEW = 10  # units, of which a tenth is shown
UNITS = (("year", 365 * 86400), ("day", 86400), ("hour", 3600), ("minute", 60))


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long a game may take.

    :param seconds: a mean; ``None`` where it cannot be said.
    :param reason: in words, what it rests on or why there is none.
    """

    seconds: float | None
    reason: str


def preview(tournament: Tournament, concurrency: int) -> Iterator[str]:
    """Yield what would be played, in lines for a person."""
    plan = plan_of(tournament)
    settings = ", ".join(f"{name} = {value}" for name, value in tournament.settings)
    yield f"{tournament.name}: {tournament.game}, {tournament.format} ({settings}), seed {tournament.seed}"
    concurrency = sum(1 for _ in islice(plan.next_games([]), concurrency))  # as many as may be begun at once
    yield (
        f"{len(tournament.engines)} engines, {len(tournament.openings)} openings in {tournament.openings_order} order, "
        f"{concurrency} games at once"
    )
    planned, games = plan.planned([]), islice(plan.next_games([]), SHOWN_GAMES)
    yield "how many games there will be depends on results; the first:" if planned is None else f"{planned:,} games:"
    yield from map(_line, games)
    if planned is not None and planned > SHOWN_GAMES:
        yield f"  and {planned - SHOWN_GAMES:,} more"
    yield _time(estimate(tournament), planned, concurrency)


def too_many_games(tournament: Tournament) -> list[tuple[str, str]]:
    """Return that a tournament is too large, with a key of its configuration; nothing if it is not."""
    planned = plan_of(tournament).planned([])
    if planned is None or planned <= MOST_GAMES:
        return []
    rounds = dict(tournament.settings).get("rounds")
    what = f"{len(tournament.engines):,} engines" + (f", {rounds:,} rounds" if isinstance(rounds, int) else "")
    game = estimate(tournament).seconds
    at_once = tournament.concurrency or processors()
    time = f", about {duration(planned * game / at_once)}" if game is not None else ""
    key = "rounds" if rounds is not None else "engine"
    return [(key, f"{what}: {planned:,} games{time}; at most {MOST_GAMES:,} games are allowed")]


def estimate(tournament: Tournament) -> Estimate:
    """Return how long a game may take by the limits of its engines; nothing is played."""
    left = get_game(tournament.game).initial().moves_left()
    if left >= UNKNOWN_REMAINING:
        return Estimate(None, f"{tournament.game} does not say how many moves a game has")
    engines = {engine.name: engine for engine in tournament.engines}
    if by_depth := sorted(name for name, engine in engines.items() if engine.limit.depth is not None):
        return Estimate(None, f"how long a search to a depth takes is not known before it is made ({by_depth[0]})")
    rules = tournament.adjudication
    seconds = []
    for game in islice(plan_of(tournament).next_games([]), SAMPLED_GAMES):
        played = min(left - rules.solve_empties, rules.max_plies) - len(split_opening(game.opening)[1])
        seconds.append(sum(_seconds(engines[name], max(1, played // 2)) for name in game.id.pair))
    if not seconds:
        return Estimate(None, "no game is to be played")
    nodes = f", {NODES_A_SECOND:,} nodes a second" if any(each.limit.nodes for each in engines.values()) else ""
    return Estimate(fmean(seconds), f"from the limits, if all time is used{nodes}; nothing was played for it")


def duration(seconds: float) -> str:
    """Return a length of time in words, in its largest unit."""
    for name, length in UNITS:
        if seconds >= length:
            number = seconds / length
            count = f"{number:,.1f}".removesuffix(".0") if number < FEW else f"{number:,.0f}"
            return f"{count} {name}{'' if count == '1' else 's'}"
    return f"{seconds:.1f} seconds" if seconds < FEW else f"{seconds:.0f} seconds"


def _line(game: ScheduledGame) -> str:
    opening = " ".join(game.opening) or "the initial position"
    return f"  game {game.number}, round {game.id.round}: {game.id.black} - {game.id.white} from {opening}"


def _time(found: Estimate, planned: int | None, concurrency: int) -> str:
    if found.seconds is None:
        return f"time: not known: {found.reason}"
    if planned is None:
        return f"time: about {duration(found.seconds)} a game ({found.reason})"
    return f"time: about {duration(planned * found.seconds / concurrency)} ({found.reason})"


def _seconds(engine: EngineConfig, moves: int) -> float:
    """Return how long ``engine`` may think in a game with so many moves of its own."""
    limit: TimeControl = engine.limit
    if limit.base_ms is not None:
        refills = (moves - 1) // limit.moves if limit.moves else 0
        return (limit.base_ms * (1 + refills) + limit.increment_ms * moves) / 1000
    if limit.movetime_ms is not None:
        return moves * limit.movetime_ms / 1000
    return moves * (limit.nodes or 0) / NODES_A_SECOND
