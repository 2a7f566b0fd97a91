"""Measure what the worker processes of Dask cost: the same fast games by threads and by as many workers.

    python scripts/measure_places.py [GAMES]

For 1, 2 and 4 games at once: the seconds to the first game, and games a second from the eleventh on.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.process.shortage import ignore_notice
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.config.openings import random_openings
from quietmove.tournament.running.options import open_place
from quietmove.tournament.running.runner import play_on
from quietmove.tournament.store.store import Store

SETTLED = 10  # games, after which the engines of all workers run
SIZES = (1, 2, 4)


def measure(workers: int | None, concurrency: int, rounds: int) -> tuple[float, float]:
    """Return the seconds to the first game, and how many games a second were played afterwards."""
    limit, options = TimeControl(nodes=1000), (("Hash", "1"),)
    engines = tuple(
        EngineConfig(name, ("quietmove",), options=(*options, ("Ordering", name)), limit=limit)
        for name in ("full", "mobility")
    )
    wanted = Tournament(
        "speed", "othello", 1, random_openings("othello", rounds, 8, 1), engines, settings=(("rounds", rounds),)
    )
    ended: list[float] = []
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder, "speed.sqlite"), wanted) as store:
        begun = time.monotonic()
        with open_place(None, workers, concurrency, ignore_notice) as place, place.pool(wanted, ignore_notice) as pool:
            ended.extend(time.monotonic() for _ in play_on(store, pool))
    return ended[0] - begun, (len(ended) - SETTLED) / (ended[-1] - ended[SETTLED - 1])


def main() -> None:
    """Print one line for each size and place."""
    rounds = int(sys.argv[1]) // 2 if len(sys.argv) > 1 else 200
    for size in SIZES:
        for name, workers in (("threads", None), ("workers", size)):
            first, rate = measure(workers, size, rounds)
            sys.stdout.write(f"{size} {name}: first game after {first:.1f} s, then {rate:.1f} games a second\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
