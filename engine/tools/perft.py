"""``quietmove perft``: count the leaves or the positions of the game tree."""

from __future__ import annotations

import time

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.perft import divide as count_by_move
from quietmove.engine.protocol.notation import both_notations
from quietmove.engine.shared_options import game_option


@click.command(epilog=examples("quietmove perft 9", "quietmove perft 9 --game tictactoe --positions"))
@click.argument("depth", type=click.IntRange(0, 60))
@game_option("othello", "Game to play.")
@click.option(
    "--position", metavar="FIELDS", help="Start from this position: SQUARES, a space, and X or O, as in 'position fen'."
)
@click.option("--divide", is_flag=True, help="Print the number of leaves below each move.")
@click.option("--positions", is_flag=True, help="Count the distinct reachable positions, ply by ply.")
def perft(depth: int, game: str, position: str | None, divide: bool, positions: bool) -> None:
    """Count the leaves of the game tree at DEPTH, or with --positions the distinct positions up to that depth."""
    if divide and positions:
        raise click.UsageError("--divide cannot be combined with --positions")
    played = get_game(game)
    root = played.initial() if position is None else played.parse_position(position.split())
    if positions:
        count_positions(played, root, depth)
        return
    start = time.perf_counter()
    total = 0 if depth and not root.is_over() else 1
    for move, count in count_by_move(root, depth):
        total += count
        if divide:
            click.echo(f"{both_notations(played, [move])}: {count}")
    seconds = time.perf_counter() - start
    factor = f", branching factor {total ** (1 / depth):.2f}" if depth else ""
    speed = f"{seconds:.3f} s, {total / max(seconds, 1e-6) / 1e6:.1f} million a second"
    click.echo(f"perft {depth}: {total} leaves, {speed}{factor}")


def count_positions(game: Game, root: Position, depth: int) -> None:
    """Print the number of distinct positions at each ply and in total, and how many are distinct under symmetry.

    A position counts at the first ply that reaches it.
    """
    known = {root.key}
    images = {game.canonical(root)}
    here = [root]
    for ply in range(depth + 1):
        click.echo(f"ply {ply}: {len(here)} positions")
        following = []
        for position in here if ply < depth else []:
            for move in position.legal_moves():
                position.play(move)
                if position.key not in known:
                    known.add(position.key)
                    images.add(game.canonical(position))
                    following.append(position.copy())
                position.undo()
        if not following:
            break
        here = following
    squares = game.squares(root)
    boards = f" of {3 ** len(squares)} fillings of {len(squares)} squares" if squares else ""
    alike = f", {len(images)} but for symmetry" if len(images) < len(known) else ""
    click.echo(f"total: {len(known)} positions{boards}{alike}")
