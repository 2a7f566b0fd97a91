"""`quietmove-tournament bench`: measure the games per second that a coordinator can assign and store."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

import click

from quietmove.addons.measure.referee_bench import random_game
from quietmove.engine.common.command_line import examples, number_option
from quietmove.referee.config.model import COLORS, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.record import GameRecord, MoveRecord, Observer
from quietmove.referee.match.running import Pool
from quietmove.tournament.definition import Tournament
from quietmove.tournament.playing.missing_games import play_missing
from quietmove.tournament.store.store import Store

OPENINGS = (("f5", "d6"), ("f5", "f6"), ("f5", "f4"))


@click.command(epilog=examples("quietmove-tournament bench", "quietmove-tournament bench --games 100000 --workers 64"))
@number_option("--games", 4000, "Number of games, in pairs.", 2, 10_000_000)
@number_option("--workers", 8, "Number of concurrent games.", high=10_000)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bench(games: int, workers: int, as_json: bool) -> None:
    """Play a tournament whose workers return a whole game of Othello immediately, without starting an engine.

    This measures the coordinator: asking the format for games and storing the results. The store is temporary.
    """
    moves = tuple(MoveRecord(move, COLORS[ply % 2], elapsed_ms=12) for ply, move in enumerate(random_game(1, None)))

    def begin(spec: GameSpec, observers: Sequence[Observer], played: Sequence[MoveRecord]) -> Future[GameRecord]:
        future: Future[GameRecord] = Future()
        future.set_result(GameRecord(spec, moves, "finished", None, 1.0, 10, "Black wins by 10"))
        return future

    engines = tuple(EngineConfig(name, ("quietmove",), limit=TimeControl(depth=1)) for name in "ab")
    tournament = Tournament("bench", "othello", 1, OPENINGS, engines, settings=(("rounds", games // 2),))
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder, "bench.sqlite"), tournament) as store:
        began = time.perf_counter()
        cpu = time.process_time()
        played = sum(1 for _ in play_missing(store, Pool(workers, begin)))
        seconds = time.perf_counter() - began
        cpu = time.process_time() - cpu
    figures = {
        "games": played,
        "workers": workers,
        "games_per_second": round(played / seconds, 1),
        "cpu_ms_per_game": round(1000 * cpu / played, 3),
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }
    text = (
        f"{played} games, {workers} at once: {played / seconds:.0f} games a second, "
        f"{1000 * cpu / played:.2f} ms of the coordinator a game, {figures['memory_mb']} MB at most"
    )
    click.echo(json.dumps(figures) if as_json else text)
