"""``quietmove perft``: the leaves of the game tree, counted."""

from __future__ import annotations

import time

import click

from quietmove.command_help import complete_game, examples
from quietmove.engine.games.registry import get_game
from quietmove.engine.perft import divide as count_by_move
from quietmove.engine.protocol.notation import both_notations

__all__ = ["perft"]


@click.command(epilog=examples("quietmove perft 9", "quietmove perft 6 --game 'connect 7x6x4' --divide"))
@click.argument("depth", type=click.IntRange(0, 60))
@click.option("--game", default="othello", show_default=True, shell_complete=complete_game, help="The game.")
@click.option("--position", metavar="FIELDS", help="As 'position fen' of the protocol: SQUARES, a blank, and X or O.")
@click.option("--divide", is_flag=True, help="Print the leaves behind each move.")
def perft(depth: int, game: str, position: str | None, divide: bool) -> None:
    """Count the leaves of the game tree DEPTH plies on."""
    played = get_game(game)
    root = played.initial() if position is None else played.parse_position(position.split())
    start = time.perf_counter()
    total = 0 if depth and not root.is_over() else 1
    for move, count in count_by_move(root, depth):
        total += count
        if divide:
            click.echo(f"{both_notations(played, [move])}: {count}")
    seconds = time.perf_counter() - start
    click.echo(
        f"perft {depth}: {total} leaves, {seconds:.3f} s, {total / max(seconds, 1e-6) / 1e6:.1f} million a second"
    )
