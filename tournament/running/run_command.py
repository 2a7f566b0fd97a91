"""`quietmove-tournament run` and `resume`, which play."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from quietmove.command_help import examples
from quietmove.engine.printable import printable
from quietmove.tournament.config.config import DEFAULT_CONFIG, load_config
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.config.preview import preview
from quietmove.tournament.config.schema import describe_keys
from quietmove.tournament.errors import StoreError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.running.options import (
    STORE,
    json_option,
    place_options,
    sandbox_option,
    setting_option,
    store_argument,
    store_path,
)
from quietmove.tournament.running.places import Place
from quietmove.tournament.running.playing import play
from quietmove.tournament.running.runner import check_engines
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.trust import programs

__all__ = ["resume", "run"]

SANDBOXES = ("each.sandbox=true",)  # what --sandbox sets
STRANGERS = "is another user's or was begun on another machine"


class RunCommand(click.Command):
    """A command whose help lists the keys of a configuration."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the keys as the configuration itself knows them."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(f"CONFIG is TOML; an example is {DEFAULT_CONFIG}. Its keys:")
        for title, keys in describe_keys():
            with formatter.section(title):
                formatter.write_dl(keys)


@click.command(
    cls=RunCommand,
    short_help="Play a tournament.",
    epilog=examples("quietmove-tournament run", "quietmove-tournament run my.toml --concurrency 2 --seed 7"),
)
@click.argument("config", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--store", type=STORE, help="File for the games.  [default: NAME.sqlite, after the tournament]")
@place_options
@click.option("--seed", type=int, metavar="N", help="Other openings and seeds than the configuration's.")
@setting_option
@click.option("--dry-run", is_flag=True, help="Play nothing: print the first games, how many, and about how long.")
@sandbox_option
@json_option
def run(
    config: Path | None,
    store: Path | None,
    place: Place,
    seed: int | None,
    settings: tuple[str, ...],
    dry_run: bool,
    sandbox: bool,
    as_json: bool,
) -> int:
    """Play the tournament that CONFIG describes; without it, the built-in comparison of move orderings."""
    if dry_run and as_json:
        raise click.UsageError("--json: must be without --dry-run, which plays no game")
    tournament = load_config(
        config or DEFAULT_CONFIG, seed, (*settings, *SANDBOXES) if sandbox else settings, place.ask
    )
    for remark in plan_of(tournament).remarks():
        click.echo(f"note: {printable(remark)}", err=True)
    if dry_run:
        return _show_plan(tournament, place)
    with Store.create(store or store_path(tournament), tournament) as new:
        return play(new, place, as_json=as_json)


@click.command(
    short_help="Play the games that are missing.",
    epilog=examples("quietmove-tournament resume my.sqlite --concurrency 2"),
)
@store_argument
@place_options
@sandbox_option
@click.option("--yes", is_flag=True, help="Run what a store says that is another user's or another machine's.")
@json_option
def resume(store: Path, place: Place, sandbox: bool, yes: bool, as_json: bool) -> int:
    """Play the games that are missing from STORE, whatever stopped its tournament.

    A game in which an engine has more than a minute for thirty moves goes on after its last move.

    A store says which programs play. If the file is another user's, or was begun on another machine, they are shown,
    and none is run before you agree.
    """
    with Store.open_to_write(store) as opened:
        if not opened.is_own():
            _agree(opened, yes)
        if sandbox:
            opened.tournament = opened.tournament.in_sandboxes()
        check_engines(opened.tournament, place.ask)
        return play(opened, place, as_json=as_json)


def _show_plan(tournament: Tournament, place: Place) -> int:
    for line in preview(tournament, place.size(tournament.concurrency)):
        click.echo(printable(line))
    return 0


def _agree(store: Store, yes: bool) -> None:
    """Ask whether what a stranger's store runs may be run.

    :raises StoreError: if not, or if nobody can be asked.
    """
    lines = list(programs(store.tournament))
    if not yes and not sys.stdin.isatty():
        what = "; ".join(lines)
        raise StoreError(f"store: {store.path} {STRANGERS}; --yes lets it run {what}")
    click.echo(f"{store.path} {STRANGERS}. It runs", err=True)
    for line in lines:
        click.echo(f"  {line}", err=True)
    if not yes and not click.confirm("Run this?", err=True):
        raise StoreError(f"store: {store.path}: nothing was run")
    store.make_own()
