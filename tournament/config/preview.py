"""``run --dry-run``: show the games a tournament would play, and estimate the time from the engines' limits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from statistics import fmean

from quietmove.engine.games.base import UNKNOWN_REMAINING
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import EngineConfig, split_opening
from quietmove.referee.match.output import clock
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of

LISTED_GAMES = 6  # number of games of the schedule to list
SAMPLED_GAMES = 2000  # the mean time of this many games is used for all
NODES_A_SECOND = 1_000_000  # assumed speed, if only nodes are limited


def preview(tournament: Tournament, concurrency: int) -> Iterator[str]:
    """Yield a description of the tournament, line by line."""
    plan = plan_of(tournament)
    settings = ", ".join(f"{name} = {value}" for name, value in tournament.settings)
    yield f"{tournament.name}: {tournament.game}, {tournament.format} ({settings}), seed {tournament.seed}"
    concurrency = sum(1 for _ in islice(plan.next_games([]), concurrency))  # the format may allow fewer
    yield (
        f"{len(tournament.engines)} engines, {len(tournament.openings)} openings in {tournament.openings_order} order, "
        f"{concurrency} games at once"
    )
    planned = plan.planned([])
    games = islice(plan.next_games([]), LISTED_GAMES)
    yield "the number of games depends on the results; the first are:" if planned is None else f"{planned:,} games:"
    for game in games:
        opening = " ".join(game.opening) or "the initial position"
        yield f"  game {game.number}, round {game.id.round}: {game.id.black} - {game.id.white} from {opening}"
    if planned is not None and planned > LISTED_GAMES:
        yield f"  and {planned - LISTED_GAMES:,} more"
    if (seconds := estimate(tournament)) is None:
        yield "time: cannot be estimated from the limits"
    elif planned is None:
        yield f"time: about {clock(seconds)} per game, if all time is used"
    else:
        yield f"time: about {clock(planned * seconds / concurrency)}, if all time is used"


def estimate(tournament: Tournament) -> float | None:
    """Return the seconds that a game takes if all time is used, or None if that cannot be computed.

    The result is None if an engine has a depth limit, or if the game's length is unknown.
    """
    left = get_game(tournament.game).initial().moves_left()
    engines = {engine.name: engine for engine in tournament.engines}
    if left >= UNKNOWN_REMAINING or any(engine.limit.depth is not None for engine in engines.values()):
        return None
    rules = tournament.adjudication
    seconds = []
    for game in islice(plan_of(tournament).next_games([]), SAMPLED_GAMES):
        played = min(left - rules.solve_empties, rules.max_plies) - len(split_opening(game.opening)[1])
        seconds.append(sum(_seconds(engines[name], max(1, played // 2)) for name in game.id.pair))
    return fmean(seconds) if seconds else None


def _seconds(engine: EngineConfig, moves: int) -> float:
    milliseconds = engine.limit.time_ms(moves)
    return moves * (engine.limit.nodes or 0) / NODES_A_SECOND if milliseconds is None else milliseconds / 1000
