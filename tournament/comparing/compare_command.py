"""`quietmove-tournament compare`, which says whether one is better than the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from quietmove.command_help import examples
from quietmove.tournament.comparing.comparison import Question
from quietmove.tournament.comparing.game_options import limit_options, start_options
from quietmove.tournament.running.options import STORE, json_option, place_options, setting_option, store_path
from quietmove.tournament.running.places import Place
from quietmove.tournament.running.playing import play
from quietmove.tournament.store.store import Store

__all__ = ["compare"]


@click.command(
    epilog=examples(
        'quietmove-tournament compare "Ordering=full" "Ordering=mobility"',
        'quietmove-tournament compare quietmove "./other --level 3" --tc 10+0.1',
        "quietmove-tournament compare full mobility --config my.toml",
    ),
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--config", type=click.Path(path_type=Path, dir_okay=False), help="A and B are names of engines in this file."
)
@click.option(
    "--command", default="quietmove", show_default=True, metavar="COMMAND", help="The engine that A and B set up."
)
@limit_options
@click.option("--elo0", type=float, metavar="ELO", help="H0: A is better by this; 0.")
@click.option("--elo1", type=float, metavar="ELO", help="H1: A is better by this; 20. A smaller one takes more games.")
@click.option("--alpha", type=float, metavar="P", help="How likely H1 may be accepted where H0 is true; 0.05.")
@click.option("--beta", type=float, metavar="P", help="How likely H0 may be accepted where H1 is true; 0.05.")
@click.option("--model", type=click.Choice(["normalized", "logistic", "bayesian"]), help="What Elo means; normalized.")
@click.option("--most-games", type=click.IntRange(2), metavar="N", help="How many games end it without an answer.")
@start_options
@click.option("--store", type=STORE, help="File for the games; by default A-against-B.sqlite, here.")
@place_options
@setting_option
@json_option
def compare(
    first: str,
    second: str,
    config: Path | None,
    command: str,
    game: str,
    openings: Path | None,
    seed: int,
    store: Path | None,
    place: Place,
    limit: str | None,
    settings: tuple[str, ...],
    as_json: bool,
    **test: Any,
) -> int:
    """Play A against B until a sequential test says whether A is better, and say so in a sentence.

    A and B are options of the engine (NAME=VALUE, with commas between several; "" for its defaults), or the commands of
    two engines. Each opening is played twice, with colours swapped. The same command plays on where it was stopped.
    """
    given = {name: value for name, value in test.items() if value is not None}
    question = Question(first, second, config, command, limit, game, openings, seed, given, settings)
    tournament = question.tournament()
    path = store or store_path(tournament)
    with Store.create_or_resume(path, tournament) as opened:
        return play(opened, place, brief=True, as_json=as_json)
