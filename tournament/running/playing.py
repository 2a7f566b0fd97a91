"""What the commands that play have in common: the games, what is shown meanwhile and at the end, and the status."""

from __future__ import annotations

import json
import time
from shlex import quote
from typing import TYPE_CHECKING

import click

from quietmove.engine.printable import printable
from quietmove.referee.errors import ShortageError

if TYPE_CHECKING:
    from quietmove.tournament.running.live import Watcher
    from quietmove.tournament.running.places import Place
    from quietmove.tournament.store.store import Store

__all__ = ["play", "print_standings"]

FAILURE = 1
INTERRUPTED = 130


def play(store: Store, place: Place, *, brief: bool = False, as_json: bool = False) -> int:
    """Play the games that are missing, print how it ended, and return the exit status.

    :param brief: print what the format says alone, without the table.
    :param as_json: print what happens as JSON lines, and nothing else.
    """
    from quietmove.tournament.formats import plan_of
    from quietmove.tournament.reporting import terminal as report
    from quietmove.tournament.running import live

    out = report.console()
    events = live.EventLines(store) if as_json else None
    begun, before = time.monotonic(), store.count()
    status = _play_missing(store, place, events or live.display(out, store))
    if events:
        events.ended(finished=status == 0)
    if status:
        return _stopped(store, status)
    if events:
        return 0
    if brief:
        lines = plan_of(store.tournament).summary(store.results()).lines
        out.print("\n".join(map(printable, lines)), markup=False, soft_wrap=True)
    else:
        print_standings(store, as_json=False)
    took = time.monotonic() - begun
    steps = report.next_steps(store.path, store.tournament.game, store.count() - before, took)
    click.echo("\n".join(steps), err=True)
    return 0


def _play_missing(store: Store, place: Place, watcher: Watcher) -> int:
    """Play the games that are missing; return the exit status, 0 if none is missing any more."""
    from quietmove.tournament.errors import ClusterError
    from quietmove.tournament.running import runner
    from quietmove.tournament.running.interrupts import Interrupts
    from quietmove.tournament.running.snapshot import Snapshot

    games_at_once = place.pool(store.tournament, watcher.notice)
    interrupts, snapshot = Interrupts(watcher.notice), Snapshot(store.path, watcher.notice)

    def may_begin() -> bool:
        return not interrupts.is_stopping

    try:
        with interrupts, games_at_once as pool, snapshot, watcher.shown():
            for game, record in runner.play_on(store, pool, watcher.notice, may_begin, snapshot.observer):
                watcher.game_finished(game, record)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ShortageError, ClusterError) as error:
        click.echo(f"error: {printable(str(error))}", err=True)
        return FAILURE
    return INTERRUPTED if interrupts.is_stopping and not runner.is_over(store) else 0


def _stopped(store: Store, status: int) -> int:
    """Say how far a tournament has come and how to play on; return the exit status."""
    from quietmove.tournament.formats import plan_of
    from quietmove.tournament.reporting import terminal as report

    results = store.results()
    progress = report.progress(len(results), plan_of(store.tournament).planned(results))
    command = f"quietmove-tournament resume {quote(str(store.path))}"
    click.echo(f"Stopped after {progress}. Play on with: {command}", err=True)
    return status


def print_standings(store: Store, as_json: bool) -> None:
    """Print the table, or one JSON object."""
    from quietmove.tournament.formats import plan_of
    from quietmove.tournament.reporting import terminal as report
    from quietmove.tournament.statistics.standings import standings as compute
    from quietmove.tournament.statistics.summary import document

    results = store.results()
    if as_json:
        click.echo(json.dumps(document(store.tournament, results, store.timings()), indent=2))
        return
    plan = plan_of(store.tournament)
    planned, summary = plan.planned(results), plan.summary(results)
    table = compute(store.tournament.names, results, summary.order)
    report.print_report(report.console(), store.tournament, table, planned, summary)
