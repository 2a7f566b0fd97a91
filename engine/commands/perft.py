"""``quietmove perft``: the leaves of the game tree, counted."""

from __future__ import annotations

import time

import click

__all__ = ["perft"]


@click.command()
@click.argument("depth", type=click.IntRange(0, 60))
@click.option("--position", metavar='"SQUARES SIDE"', help="64 squares X O - (a1 b1 ... h8), a blank, and X or O.")
@click.option("--divide", is_flag=True, help="Print the leaves behind each move.")
def perft(depth: int, position: str | None, divide: bool) -> None:
    """Count the leaves of the game tree DEPTH plies on."""
    from quietmove.engine.games.base import get_game
    from quietmove.engine.perft import divide as count_by_move
    from quietmove.engine.protocol.notation import both_notations

    game = get_game("othello")
    root = game.initial() if position is None else game.parse_position(position.split())
    start = time.perf_counter()
    total = 0 if depth and not root.is_over() else 1
    for move, count in count_by_move(root, depth):
        total += count
        if divide:
            click.echo(f"{both_notations(game, [move])}: {count}")
    seconds = time.perf_counter() - start
    click.echo(
        f"perft {depth}: {total} leaves, {seconds:.3f} s, {total / max(seconds, 1e-6) / 1e6:.1f} million a second"
    )
