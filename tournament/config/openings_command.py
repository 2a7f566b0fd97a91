"""`quietmove-tournament openings` and `schema`, which print what configurations are made with."""

from __future__ import annotations

import sys

import click

from quietmove.command_help import complete_game, examples
from quietmove.engine.games.registry import get_game
from quietmove.tournament.config.openings import Opening, Recipe, find_openings
from quietmove.tournament.config.schema import schema_text

__all__ = ["openings", "schema"]


@click.command(
    short_help="Find openings for a tournament.",
    epilog=examples("quietmove-tournament openings --count 100 --depth 8 > openings.txt"),
)
@click.option("--game", default="othello", show_default=True, shell_complete=complete_game)
@click.option("--count", type=click.IntRange(1), default=200, show_default=True, help="Openings to find.")
@click.option("--plies", type=click.IntRange(0), default=8, show_default=True, help="Moves in each.")
@click.option("--depth", type=click.IntRange(1), default=10, show_default=True, help="Plies the engine looks ahead.")
@click.option("--within", type=click.IntRange(0), default=150, show_default=True, help="Greatest value, in hundredths.")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed finds other openings.")
def openings(game: str, count: int, plies: int, depth: int, within: int, seed: int) -> None:
    """Find openings that the engine itself values as nearly level, distinct modulo symmetry, and print the list.

    The list goes to standard output, one opening per line with its value for the side to move.
    """
    recipe = Recipe(game, count, plies, depth, within, seed)
    point = get_game(game).point

    def show(opening: Opening) -> None:
        separator = "" if recipe.game == "othello" else " "  # only squares of Othello are read run together
        click.echo(f"{separator.join(opening.moves)}  # {opening.value / 100:+.2f}")
        sys.stdout.flush()

    click.echo(
        f"# {count} openings of {plies} plies: no two the same in any symmetry of the board, and each worth at most "
        f"{within / 100:.2f} {point}s\n# to either side as the engine sees it {depth} plies ahead. Made by\n#\n"
        f"#   {recipe.command_line()}\n#\n# After each: its value for the side to move, in {point}s."
    )
    find_openings(recipe, show)


@click.command(
    short_help="Print the schema of a configuration.",
    epilog=examples("quietmove-tournament schema > tournament-schema.json"),
)
def schema() -> None:
    """Print the JSON schema of a configuration, by which editors complete and check its keys.

    An editor that knows schemas of TOML reads the file's first line: #:schema tournament-schema.json
    """
    click.echo(schema_text(), nl=False)
