"""What the commands that play have in common: the games, what is shown meanwhile and at the end, and the status."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote
from types import FrameType

import click

from quietmove.engine.printable import printable
from quietmove.referee.errors import ShortageError, StartError
from quietmove.referee.match.progress import counted
from quietmove.referee.process.shortage import Notice
from quietmove.tournament.errors import ClusterError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.reporting import terminal as report
from quietmove.tournament.running import live, runner
from quietmove.tournament.running.places import Place
from quietmove.tournament.running.snapshot import Snapshot
from quietmove.tournament.statistics.summary import document
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.timing import NO_TIMES

__all__ = ["interrupts", "play", "print_standings"]

FAILURE = 1
INTERRUPTED = 130
STOPPING = "no game is begun any more, and those that run are played to their end; Ctrl-C again stops them now"
REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # Ctrl-C, a program, a terminal that is closed


def play(store: Store, place: Place, *, brief: bool = False, as_json: bool = False) -> int:
    """Play the games that are missing, print how it ended, and return the exit status.

    :param brief: print what the format says alone, without the table.
    :param as_json: print what happens as JSON lines, and nothing else.
    """
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


def _play_missing(store: Store, place: Place, watcher: live.Watcher) -> int:
    """Play the games that are missing; return the exit status, 0 if none is missing any more."""
    snapshot = Snapshot(store.path, watcher.notice)
    try:
        with (
            interrupts(watcher.notice) as stopping,
            place.pool(store.tournament, watcher.notice) as pool,
            snapshot,
            watcher.shown(),
        ):
            for game, record in runner.play_on(store, pool, watcher.notice, stopping, snapshot.observer):
                watcher.game_finished(game, record)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ShortageError, StartError, ClusterError) as error:
        click.echo(f"error: {printable(str(error))}", err=True)
        return FAILURE
    return INTERRUPTED if stopping.is_set() and not runner.is_over(store) else 0


@contextmanager
def interrupts(notice: Notice) -> Iterator[threading.Event]:
    """Yield an event that the first Ctrl-C sets, after which no game is to be begun; to be used in the main thread.

    A second Ctrl-C and other requests to end raise KeyboardInterrupt. What was ignored before, such as SIGHUP under
    ``nohup``, is ignored.
    """
    stopping = threading.Event()
    telling = threading.Thread(target=notice, args=(STOPPING,))  # the main thread may be printing when the signal comes

    def finish(number: int, frame: FrameType | None) -> None:
        stopping.set()
        signal.signal(signal.SIGINT, stop)
        telling.start()

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a third Ctrl-C does not wait for anything
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in REQUESTS}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, finish if number == signal.SIGINT else stop)
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if telling.ident is not None:
            telling.join()  # or the notice might come after what is said at the end


def _stopped(store: Store, status: int) -> int:
    """Say how far a tournament has come and how to play on; return the exit status."""
    results, kept = store.results(), len(store.kept_games())
    if status == FAILURE and store.is_new and not (results or kept):
        store.discard()  # no game could be played: the same command begins anew
        return status
    progress = counted(len(results), plan_of(store.tournament).planned(results))
    command = f"quietmove-tournament resume {quote(str(store.path))}"
    middle = f" and in the middle of {kept}" if kept else ""
    click.echo(f"Stopped after {progress}{middle}. Play on with: {command}", err=True)
    return status


def print_standings(store: Store, as_json: bool) -> None:
    """Print the table, or one JSON object."""
    found = document(store.tournament, store.results(), store.times() if as_json else NO_TIMES)
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        report.print_report(report.console(), found)
