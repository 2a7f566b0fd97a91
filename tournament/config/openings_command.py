"""``quietmove-tournament openings``: search for balanced openings, all different under the game's symmetries.

No other module of the tournament loads the search.
"""

from __future__ import annotations

import random
import shlex
import sys
from collections.abc import Iterator

import click

from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.shared_options import complete_game
from quietmove.engine.values import Limits, Settings
from quietmove.referee.config.openings import TRIES_PER_OPENING, position_after, random_moves
from quietmove.tournament.errors import TournamentError

HASH_MEGABYTES = 16
SETTINGS = Settings(selectivity=5)  # the engine's default selectivity


@click.command(epilog=examples("quietmove-tournament openings --count 100 --depth 8 > openings.txt"))
@click.option("--game", default="othello", show_default=True, shell_complete=complete_game)
@number_option("--count", 200, "Number of openings to find.")
@number_option("--plies", 8, "Number of moves in each opening.", low=0)
@number_option("--depth", 10, "Search depth in plies.")
@number_option("--within", 150, "Maximum value for either side, in hundredths.", low=0)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="Random seed; each seed finds different openings.",
)
def openings(game: str, count: int, plies: int, depth: int, within: int, seed: int) -> None:
    """Find and print openings that the engine considers balanced, all different under the game's symmetries.

    The output has one opening per line with its value for the side to move.
    """
    rules = get_game(game)
    click.echo(
        f"# {count} openings of {plies} plies: no two the same in any symmetry of the board, and each worth at most "
        f"{within / 100:.2f} {rules.point}s\n# to either side as the engine sees it {depth} plies ahead. Made by\n#\n"
        f"#   quietmove-tournament openings --game {shlex.quote(game)} --count {count} --plies {plies} "
        f"--depth {depth} --within {within} --seed {seed}\n#\n"
        f"# After each: its value for the side to move, in {rules.point}s."
    )
    separator = "" if game == "othello" else " "  # only Othello's moves can be written without blanks
    for moves, value in find_openings(rules, count, plies, depth, within, seed):
        click.echo(f"{separator.join(moves)}  # {value / 100:+.2f}")
        sys.stdout.flush()


def find_openings(
    game: Game, count: int, plies: int, depth: int, within: int, seed: int
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield ``count`` openings, each with the value for the side to move after the opening, in hundredths of a point.

    Each candidate is a position reached by random legal moves; it is used if it is new and the search finds it
    balanced. The same arguments give the same openings.

    :param plies: the number of moves in each opening.
    :param depth: the search depth in plies.
    :param within: the maximum value of an opening for either side.
    :raises TournamentError: if not enough openings are found.
    """
    if game.kind != "perfect":
        raise TournamentError(f"openings: must be for a game without dice and deals, not {game.name}")
    lots = random.Random(seed)
    seen = set[str]()
    table = Table(HASH_MEGABYTES)
    count_found = tries = 0
    while count_found < count and tries < TRIES_PER_OPENING:
        tries += 1
        if (moves := random_moves(game, plies, lots, seen)) is None:
            continue
        *_, last = Deepening(position_after(game, moves), table, SETTINGS, Limits(depth=depth)).iterations()
        if abs(last.score.value) <= within:
            yield tuple(map(game.format_move, moves)), last.score.value
            count_found, tries = count_found + 1, 0
    if count_found < count:
        raise TournamentError(
            f"openings: found {count_found} of {count}, then none in {TRIES_PER_OPENING} tries; "
            "use more plies or a larger --within"
        )
