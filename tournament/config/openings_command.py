"""`quietmove-tournament openings`: an opening list that a search finds; no two are alike in the game's symmetries.

No other module of the tournament loads a search.
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
SETTINGS = Settings(selectivity=5)  # the engine plays with this selectivity too


@click.command(epilog=examples("quietmove-tournament openings --count 100 --depth 8 > openings.txt"))
@click.option("--game", default="othello", show_default=True, shell_complete=complete_game)
@number_option("--count", 200, "Openings to find.")
@number_option("--plies", 8, "Moves in each.", low=0)
@number_option("--depth", 10, "Plies the engine looks ahead.")
@number_option("--within", 150, "Greatest value, in hundredths.", low=0)
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Another seed finds other openings.")
def openings(game: str, count: int, plies: int, depth: int, within: int, seed: int) -> None:
    """Find openings that the engine itself values as nearly level, distinct modulo symmetry, and print the list.

    The list goes to standard output, one opening per line with its value for the side to move.
    """
    rules = get_game(game)
    click.echo(
        f"# {count} openings of {plies} plies: no two the same in any symmetry of the board, and each worth at most "
        f"{within / 100:.2f} {rules.point}s\n# to either side as the engine sees it {depth} plies ahead. Made by\n#\n"
        f"#   quietmove-tournament openings --game {shlex.quote(game)} --count {count} --plies {plies} "
        f"--depth {depth} --within {within} --seed {seed}\n#\n"
        f"# After each: its value for the side to move, in {rules.point}s."
    )
    separator = "" if game == "othello" else " "  # moves without blanks are read in Othello alone
    for moves, value in find_openings(rules, count, plies, depth, within, seed):
        click.echo(f"{separator.join(moves)}  # {value / 100:+.2f}")
        sys.stdout.flush()


def find_openings(
    game: Game, count: int, plies: int, depth: int, within: int, seed: int
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield ``count`` openings, each with its value for the side to move after it, in hundredths of the game's point.

    Random legal moves lead to a position; it is kept if it is new and a search values it as nearly level. The same
    arguments give the same openings.

    :param plies: moves in each of them.
    :param depth: plies that the search looks ahead.
    :param within: the greatest value of an opening for either side.
    :raises TournamentError: if not enough openings are found.
    """
    if game.kind != "perfect":
        raise TournamentError(f"openings: must be of a game without dice and deals, not {game.name}")
    lots = random.Random(seed)
    seen = set[str]()
    table = Table(HASH_MEGABYTES)
    found = tries = 0
    while found < count and tries < TRIES_PER_OPENING:
        tries += 1
        if (moves := random_moves(game, plies, lots, seen)) is None:
            continue
        *_, last = Deepening(position_after(game, moves), table, SETTINGS, Limits(depth=depth)).iterations()
        if abs(last.score.value) <= within:
            yield tuple(map(game.format_move, moves)), last.score.value
            found, tries = found + 1, 0
    if found < count:
        raise TournamentError(
            f"openings: found {found} of {count}, then none in {TRIES_PER_OPENING} tries; "
            "more plies or a greater --within allow more"
        )
