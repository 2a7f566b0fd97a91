"""Times scaled to this machine's speed, so that games on machines of different speeds can be compared.

The factor is the speed of a reference machine divided by the speed of this one, both in nodes a second of
``quietmove bench``. As many benchmarks run concurrently as games will, because busy processors are slower.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import click

from quietmove.engine.common.processors import usable_processors
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.store.store import Store

scale_option = click.option(
    "--scale",
    type=click.Choice(["bench"]),
    help="Give slower machines more time: multiply all times by reference_speed divided by this machine's speed.",
)


def scaled(tournament: Tournament, concurrency: int, store: Path | None = None) -> Tournament:
    """Return the tournament with all times multiplied by a factor for this machine.

    :param concurrency: the number of concurrent games.
    :param store: the store of an interrupted run; if it exists, its factor is reused.
    :raises TournamentError: if no engine has a time limit.
    """
    if all(engine.limit.time_ms(1) is None for engine in tournament.engines):
        limits = ", ".join(sorted({str(engine.limit) for engine in tournament.engines}))
        raise TournamentError(f"--scale: needs a time limit (movetime or tc), not {limits}")
    if store is not None and store.exists():
        with Store.open_to_read(store) as opened:
            factor = opened.tournament.time_scale
    else:
        speed = measure_speed(min(concurrency, len(usable_processors())))
        factor = round(tournament.reference_speed / speed, 2) or 0.01
        rates = f"{speed:,.0f} nodes a second, the reference machine {tournament.reference_speed:,}"
        click.echo(f"note: this machine searches {rates}; all times are multiplied by {factor:g}", err=True)
    engines = tuple(replace(engine, limit=engine.limit.scaled(factor)) for engine in tournament.engines)
    return replace(tournament, engines=engines, time_scale=factor)


def measure_speed(searches: int) -> float:
    """Return the mean speed of this many simultaneous benchmarks, in nodes a second."""
    from quietmove.engine.tools.bench import run  # loads the search, which a runner does not need

    with ThreadPoolExecutor(searches) as pool:
        results = list(pool.map(lambda _: run(), range(searches)))
    return fmean(nodes / seconds for nodes, seconds in results)
