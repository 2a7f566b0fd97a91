"""`quietmove-tournament compare` and `tune`: tournaments of two engines that the command line describes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from quietmove.common.command_line import Duration, examples
from quietmove.engine.shared_options import complete_game
from quietmove.tournament.comparing.questions import Games, comparison, tuning
from quietmove.tournament.definition import Tournament
from quietmove.tournament.options import STORE, json_option, setting_option, store_path
from quietmove.tournament.playing.commands import play
from quietmove.tournament.playing.place_options import place_options
from quietmove.tournament.playing.places import Place
from quietmove.tournament.store.store import Store

__all__ = ["compare", "tune"]

FILE = click.Path(path_type=Path, dir_okay=False)
LIMITS = ("tc", "movetime", "nodes", "depth")


def games_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add what both commands say of their games; the command is called with ``games``."""

    @click.option("--command", "program", default="quietmove", show_default=True, metavar="COMMAND", help="The engine.")
    @click.option(
        "--nodes",
        type=click.IntRange(1),
        metavar="N",
        help="Nodes for each move.  [default: 10000 if there is no other limit]",
    )
    @click.option("--depth", type=click.IntRange(1), metavar="N", help="Plies for each move.")
    @click.option(
        "--movetime", type=Duration("ms"), metavar="TIME", help="For each move: 500ms, 2s; a bare N is in ms."
    )
    @click.option("--tc", metavar="[MOVES/]SECONDS[+SECONDS]", help="A clock for the game.")
    @click.option("--game", default="othello", show_default=True, shell_complete=complete_game)
    @click.option(
        "--openings",
        metavar="random|built-in|FILE",
        help="So many at random as are needed, the list of this installation, or a file.  [default: random]",
    )
    @click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Another one plays other games.")
    @setting_option
    @wraps(command)
    def with_games(program: str, game: str, openings: str | None, seed: int, **options: Any) -> int:
        values = {name: options.pop(name) for name in LIMITS}
        limits = [f"{name}={value}" for name, value in values.items() if value is not None]
        if len(limits) > 1:
            raise click.UsageError(f"limit: must be one at most, not {' and '.join(limits)}")
        games = Games(program, limits[0] if limits else None, game, openings, seed, options.pop("settings"))
        return command(games=games, **options)

    return with_games


def play_or_resume(tournament: Tournament, store: Path | None, place: Place, as_json: bool) -> int:
    """Play what is missing of a tournament, in a new store or in that of the same command."""
    with Store.create_or_resume(store or store_path(tournament), tournament) as opened:
        return play(opened, place, brief=True, as_json=as_json)


@click.command(
    short_help="Say which of two is better.",
    epilog=examples(
        'quietmove-tournament compare "Ordering=full" "Ordering=mobility"',
        'quietmove-tournament compare quietmove "./other --level 3" --tc 10+0.1',
        "quietmove-tournament compare full mobility --config my.toml",
    ),
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--config", type=FILE, help="A and B are names of engines in this file.")
@games_options
@click.option("--elo0", type=float, metavar="N", help="H0: A is better by N Elo.  [default: 0]")
@click.option(
    "--elo1", type=float, metavar="N", help="H1: A is better by N Elo; a smaller one takes more games.  [default: 20]"
)
@click.option(
    "--alpha", type=float, metavar="N", help="How likely H1 may be accepted where H0 is true.  [default: 0.05]"
)
@click.option(
    "--beta", type=float, metavar="N", help="How likely H0 may be accepted where H1 is true.  [default: 0.05]"
)
@click.option(
    "--model", type=click.Choice(["normalized", "logistic", "bayesian"]), help="What Elo means.  [default: normalized]"
)
@click.option("--most-games", type=click.IntRange(2), metavar="N", help="How many games end it without an answer.")
@click.option("--store", type=STORE, help="File for the games.  [default: A-against-B.sqlite]")
@place_options
@json_option
def compare(
    first: str,
    second: str,
    config: Path | None,
    games: Games,
    store: Path | None,
    place: Place,
    as_json: bool,
    **test: Any,
) -> int:
    """Play A against B until a sequential test says whether A is better, and say so in a sentence.

    A and B are options of the engine (NAME=VALUE, with commas between several; "" for its defaults), or the commands of
    two engines. Each opening is played twice, with colours swapped. The same command plays on where it was stopped.
    """
    given = {name: value for name, value in test.items() if value is not None}
    tournament = comparison(first, second, replace(games, ask=place.ask), given, config)
    return play_or_resume(tournament, store, place, as_json)


@click.command(
    short_help="Tune options of an engine.",
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
    help="A whole number to tune; once for each. STEP is tried up and down, a twentieth of the range if left out.",
)
@click.option(
    "--games", "count", type=click.IntRange(2), default=2000, show_default=True, metavar="N", help="Games in all."
)
@click.option("--rate", type=float, metavar="N", help="Steps that a game moves the values in the end.  [default: 0.01]")
@click.option(
    "--pairs-at-once",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Pairs of games that may run at once.  [default: 8, but no more than a 25th of all]",
)
@games_options
@click.option("--store", type=STORE, help="File for the games.  [default: tune-NAMES.sqlite]")
@place_options
@json_option
def tune(
    options: tuple[str, ...],
    count: int,
    rate: float | None,
    pairs_at_once: int | None,
    games: Games,
    store: Path | None,
    place: Place,
    as_json: bool,
) -> int:
    """Tune options of an engine, or a game's own parameters, by games of the engine against itself (SPSA).

    In each pair of games all values are moved a step up or down at random for one side and the other way for the other;
    then they move towards those of the winner. So that N pairs can run at once, a pair is played with the values that
    stood N pairs before its results count; how many do run, --concurrency, changes nothing in the games. The same
    command plays on where it was stopped. At the end the values are printed, with the command that says whether they
    are better.
    """
    tournament = tuning(options, count // 2, replace(games, ask=place.ask), rate, pairs_at_once)
    return play_or_resume(tournament, store, place, as_json)
