"""`quietmove-tournament tune`, which looks for better values of an engine's options."""

from __future__ import annotations

from pathlib import Path

import click

from quietmove.command_help import examples
from quietmove.tournament.comparing.game_options import limit_options, start_options
from quietmove.tournament.comparing.tuning import Search
from quietmove.tournament.running.options import STORE, json_option, place_options, setting_option, store_path
from quietmove.tournament.running.places import Place
from quietmove.tournament.running.playing import play
from quietmove.tournament.store.store import Store

__all__ = ["tune"]


@click.command(
    epilog=examples(
        'quietmove-tournament tune --option "Exploration=70:10:300:20" --games 2000 \\',
        "  --set each.options.Algorithm=mcts --nodes 1000",
    ),
)
@click.option(
    "--option",
    "options",
    multiple=True,
    required=True,
    metavar="NAME=START:LEAST:MOST[:STEP]",
    help="A whole number to tune; once for each. STEP is tried up and down; by default a twentieth of the range.",
)
@click.option("--games", type=click.IntRange(2), default=2000, show_default=True, metavar="N", help="Games in all.")
@click.option("--rate", type=float, metavar="R", help="Steps that a game moves the values in the end; 0.01.")
@click.option(
    "--pairs-at-once",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Pairs of games that may run at once; by default 8, and no more than a 25th of all.",
)
@click.option("--command", default="quietmove", show_default=True, metavar="COMMAND", help="The engine.")
@limit_options
@start_options
@click.option("--store", type=STORE, help="File for the games; by default tune-NAMES.sqlite, here.")
@place_options
@setting_option
@json_option
def tune(
    options: tuple[str, ...],
    games: int,
    rate: float | None,
    pairs_at_once: int | None,
    command: str,
    game: str,
    openings: Path | None,
    seed: int,
    store: Path | None,
    place: Place,
    limit: str | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Tune options of an engine, or a game's own parameters, by games of the engine against itself (SPSA).

    In each pair of games all values are moved a step up or down at random for one side and the other way for the other;
    then they move towards those of the winner. So that N pairs can run at once, a pair is played with the values that
    stood N pairs before its results count; how many do run, --concurrency, changes nothing in the games. The same
    command plays on where it was stopped. At the end the values are printed, with the command that says whether they
    are better.
    """
    search = Search(options, games // 2, rate, command, limit, game, openings, seed, settings, pairs_at_once)
    tournament = search.tournament()
    with Store.create_or_resume(store or store_path(tournament), tournament) as opened:
        return play(opened, place, brief=True, as_json=as_json)
