"""``quietmove-tournament run`` and ``resume``, and code shared by all commands that play games."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from types import FrameType

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.common.entry import INTERRUPTED
from quietmove.engine.common.text import printable
from quietmove.engine.games.registry import get_game
from quietmove.referee.errors import ShortageError, StartError
from quietmove.referee.match.output import games_text
from quietmove.referee.process.shortage import Notice
from quietmove.referee.seats.pool import objections
from quietmove.tournament.config.config import DEFAULT_CONFIG, load_config
from quietmove.tournament.config.preview import preview
from quietmove.tournament.errors import ClusterError, StoreError, TournamentError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.options import STORE, json_option, sandbox_option, setting_option, store_argument, store_path
from quietmove.tournament.playing import missing_games, watchers
from quietmove.tournament.playing.backends import GameBackend, backend_options
from quietmove.tournament.playing.scale import scale_option, scaled
from quietmove.tournament.playing.snapshot import FINISH, Snapshot
from quietmove.tournament.reporting import terminal
from quietmove.tournament.store.database import programs
from quietmove.tournament.store.store import Store

FAILURE = 1  # exit status of a run that could not continue
STOPPING = "no new games are started, and running games are finished; press Ctrl-C again to stop them now"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # Ctrl-C, a request to terminate, a closed terminal
SANDBOXES = ("each.sandbox=true",)  # the setting behind --sandbox
STRANGERS = "belongs to another user, or was created or changed on another machine"


@click.command(
    epilog=examples("quietmove-tournament run", "quietmove-tournament run my.toml --concurrency 2 --seed 7"),
)
@click.argument("config", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--store", type=STORE, help="File for the games.  [default: NAME.sqlite, where NAME is the tournament's name]"
)
@backend_options
@click.option("--seed", type=int, metavar="N", help="Override the configuration's seed of openings and engines.")
@setting_option
@scale_option
@click.option("--dry-run", is_flag=True, help="Play no games; print the first ones, their number and the likely time.")
@sandbox_option
@json_option
def run(
    config: Path | None,
    store: Path | None,
    backend: GameBackend,
    seed: int | None,
    settings: tuple[str, ...],
    scale: str | None,
    dry_run: bool,
    sandbox: bool,
    as_json: bool,
) -> int:
    """Play the tournament described by CONFIG, by default the built-in comparison of move orderings.

    CONFIG is a TOML file. 'quietmove-tournament schema --text' explains its keys.
    """
    if dry_run and as_json:
        raise click.UsageError("--json cannot be combined with --dry-run, which plays no games")
    tournament = load_config(
        config or DEFAULT_CONFIG, seed, (*settings, *SANDBOXES) if sandbox else settings, backend.ask
    )
    if scale:
        tournament = scaled(tournament, backend.size(tournament.concurrency))
    for remark in plan_of(tournament).remarks():
        click.echo(f"note: {printable(remark)}", err=True)
    if dry_run:
        for line in preview(tournament, backend.size(tournament.concurrency)):
            click.echo(printable(line))
        return 0
    with Store.create(store or store_path(tournament), tournament) as new:
        return play(new, backend, as_json=as_json)


@click.command(epilog=examples("quietmove-tournament resume my.sqlite --concurrency 2"))
@store_argument
@backend_options
@sandbox_option
@click.option(
    "--yes",
    is_flag=True,
    help="Run the store's programs even if it comes from another user or machine, or was changed.",
)
@json_option
def resume(store: Path, backend: GameBackend, sandbox: bool, yes: bool, as_json: bool) -> int:
    """Play the games that are missing from STORE, whatever stopped its tournament.

    A game in which an engine has more than a minute for thirty moves continues after its last move.

    A store names the programs to run. If the file belongs to another user, or was created or changed on another
    machine, these programs are listed, and none is run before you agree.
    """
    with Store.open_to_write(store) as opened:
        if not opened.is_own():
            _agree(opened, yes)
        get_game(opened.tournament.game)  # may execute the game's file; the user has named it or has just agreed
        if sandbox:
            opened.tournament = opened.tournament.in_sandboxes()
        if problems := objections(opened.tournament.engines, opened.tournament.game, backend.ask):
            raise TournamentError(objection.text for objection in problems)
        return play(opened, backend, as_json=as_json)


def _agree(store: Store, yes: bool) -> None:
    """Ask whether an untrusted store's programs may be run; raise a StoreError if not, or if there is no terminal."""
    lines = list(programs(store.tournament))
    if not yes and not sys.stdin.isatty():
        what = "; ".join(lines)
        raise StoreError(f"store: {store.path} {STRANGERS}; pass --yes to run {what}")
    click.echo(f"{store.path} {STRANGERS}. It would run", err=True)
    for line in lines:
        click.echo(f"  {line}", err=True)
    if not yes and not click.confirm("Run this?", err=True):
        raise StoreError(f"store: {store.path}: nothing was run")
    store.make_own()


def play(store: Store, backend: GameBackend, *, brief: bool = False, as_json: bool = False) -> int:
    """Play the missing games, print the result, and return the exit status.

    :param brief: whether to print only the format's summary, without the table.
    :param as_json: whether to print events as JSON lines, and nothing else.
    """
    out = terminal.console()
    events = watchers.EventLines(store) if as_json else None
    begun = time.monotonic()
    before = store.count()
    status = _play_missing(store, backend, events or watchers.display(out, store))
    if events:
        events.ended(finished=status == 0)
    if status:
        return _explain_stop(store, status)
    if events:
        return 0
    if brief:
        lines = plan_of(store.tournament).summary(store.results()).lines
        out.print("\n".join(map(printable, lines)), markup=False, soft_wrap=True)
    else:
        terminal.print_standings(store, as_json=False)
    took = time.monotonic() - begun
    steps = terminal.next_steps(store.path, store.tournament.game, store.count() - before, took)
    click.echo("\n".join(steps), err=True)
    return 0


def _play_missing(store: Store, backend: GameBackend, watcher: watchers.Watcher) -> int:
    """Play the missing games; return the exit status, 0 if none is missing afterwards."""
    snapshot = Snapshot(store.path, watcher.notice)
    try:
        with (
            interrupts(watcher.notice) as stopping,
            backend.pool(store.tournament, watcher.notice) as pool,
            snapshot,
            watcher.displaying(),
        ):
            for game, record in missing_games.play_missing(store, pool, watcher.notice, stopping, snapshot.observer):
                watcher.game_finished(game, record)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ShortageError, StartError, ClusterError) as error:
        click.echo(f"error: {printable(str(error))}", err=True)
        return FAILURE
    has_ended = plan_of(store.tournament).has_ended(store.results())
    return INTERRUPTED if stopping.is_set() and not has_ended else 0


@contextmanager
def interrupts(notice: Notice) -> Iterator[threading.Event]:
    """Yield an event that the first Ctrl-C sets, so that no new games are started. Use it in the main thread.

    FINISH sets it too. A second Ctrl-C and other termination signals raise KeyboardInterrupt. Signals that were
    ignored, such as SIGHUP under ``nohup``, stay ignored.
    """
    stopping = threading.Event()
    telling = threading.Thread(target=notice, args=(STOPPING,))  # the signal may interrupt the main thread's printing

    def finish(number: int, frame: FrameType | None) -> None:
        if not stopping.is_set():
            stopping.set()
            telling.start()
        elif number == signal.SIGINT:
            stop(number, frame)

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a third Ctrl-C kills the process
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in (*SIGNALS, FINISH)}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, finish if number in (signal.SIGINT, FINISH) else stop)
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if telling.ident is not None:
            telling.join()  # otherwise the notice could appear after the last lines


def _explain_stop(store: Store, status: int) -> int:
    results = store.results()
    unfinished = len(store.games_in_progress())
    if status == FAILURE and store.is_new and not (results or unfinished):
        store.discard()  # no game was played, so the same command can be repeated
        return status
    progress = games_text(len(results), plan_of(store.tournament).planned(results))
    command = f"quietmove-tournament resume {quote(str(store.path))}"
    middle = f" and in the middle of {unfinished}" if unfinished else ""
    click.echo(f"Stopped after {progress}{middle}. To continue: {command}", err=True)
    return status
