"""The command ``quietmove-tournament``. Whatever a subcommand needs, it imports itself: ``--help`` stays quick."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from engine.errors import QuietmoveError

if TYPE_CHECKING:
    from tournament.store import Store

__all__ = ["main"]

BAD_USAGE = 2
INTERRUPTED = 130
STORE = click.Path(path_type=Path, dir_okay=False)

store_argument = click.argument("store", type=STORE)
concurrency_option = click.option(
    "--concurrency", type=click.IntRange(1), metavar="K", help="Games at once; by default one a processor."
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Play on the workers of this Dask scheduler, such as tcp://10.0.0.1:8786."
)


def main() -> NoReturn:
    """Run the command line and end the process with its status."""
    sys.exit(run_command_line(sys.argv[1:]))


def run_command_line(arguments: list[str]) -> int:
    """Return the exit status of ``quietmove-tournament`` with ``arguments``."""
    try:
        return commands.main(arguments, prog_name="quietmove-tournament", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return BAD_USAGE
    except QuietmoveError as error:
        click.echo(f"quietmove-tournament: {error}", err=True)
        return BAD_USAGE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="quietmove")
def commands() -> None:
    """Play tournaments between engines, and say with error bars which one is stronger."""


@commands.command()
@click.argument("config", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--store", type=STORE, help="File for the games; by default NAME.sqlite, after the tournament, here.")
@concurrency_option
@click.option("--seed", type=int, metavar="N", help="Other openings and seeds than the configuration's.")
@cluster_option
def run(config: Path | None, store: Path | None, concurrency: int | None, seed: int | None, cluster: str | None) -> int:
    """Play the tournament that CONFIG describes; without it, the built-in comparison of move orderings."""
    from tournament.config import DEFAULT_CONFIG, load_config
    from tournament.store import Store

    tournament = load_config(config or DEFAULT_CONFIG, seed)
    path = store or Path(re.sub(r"[^\w.-]+", "-", tournament.name) + ".sqlite")
    with Store.create(path, tournament) as new:
        return _play(new, concurrency, cluster)


@commands.command()
@store_argument
@concurrency_option
@cluster_option
def resume(store: Path, concurrency: int | None, cluster: str | None) -> int:
    """Play the games that are missing from STORE, however its tournament came to be broken off."""
    from tournament.runner import check_programs
    from tournament.store import Store

    with Store.open_to_write(store) as opened:
        if not cluster:
            check_programs(opened.tournament)
        return _play(opened, concurrency, cluster)


@commands.command()
@store_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def standings(store: Path, as_json: bool) -> int:
    """Print the table of STORE, while it is being played or later."""
    from tournament.store import Store

    with Store.open_to_read(store) as opened:
        _print_standings(opened, as_json)
    return 0


@commands.command()
@store_argument
@click.argument("numbers", nargs=-1, type=click.IntRange(1), metavar="[NUMBER]...")
@click.option("--json", "as_json", is_flag=True, help="Print every record whole, one JSON object a line.")
def games(store: Path, numbers: tuple[int, ...], as_json: bool) -> int:
    """List the games of STORE, one a line; with NUMBERs print their transcripts."""
    from tournament.live import describe
    from tournament.store import Store

    with Store.open_to_read(store) as opened:
        found = [(game, record) for game, record in opened.games() if not numbers or game.number in numbers]
    for game, record in found:
        if as_json:
            click.echo(record.to_json())
        elif numbers:
            click.echo(f"Number   {game.number}, round {game.id.round}, seed {game.seed}\n{record.transcript()}")
        else:
            click.echo(f"{game.number:5}  round {game.id.round}  {describe(game, record)}")
    if absent := sorted(set(numbers) - {game.number for game, _ in found}):
        raise click.UsageError(f"{store} holds no game {', '.join(map(str, absent))}")
    return 0


def _play(store: Store, concurrency: int | None, cluster: str | None) -> int:
    from tournament import report, runner
    from tournament.live import display

    scheduled = len(store.tournament.schedule())
    out = report.console()
    watcher = display(out, store, scheduled)
    place = runner.cluster(cluster) if cluster else runner.threads(concurrency or store.tournament.concurrency)
    try:
        with place as pool, watcher.shown():
            for game, record in runner.play_missing(store, pool):
                watcher.game_finished(game, record)
    except KeyboardInterrupt:
        done = len(store.results())
        click.echo(
            f"Stopped after {done} of {scheduled} games. Play on with: quietmove-tournament resume {store.path}",
            err=True,
        )
        return INTERRUPTED
    _print_standings(store, as_json=False)
    return 0


def _print_standings(store: Store, as_json: bool) -> None:
    from tournament import report
    from tournament.standings import standings as compute

    table = compute(store.tournament.names, store.results())
    scheduled = len(store.tournament.schedule())
    if as_json:
        click.echo(report.as_json(store.tournament, table, scheduled))
    else:
        report.print_report(report.console(), store.tournament, table, scheduled)
