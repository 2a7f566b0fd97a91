"""``quietmove book names``: the named openings."""

from __future__ import annotations

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.games.othello.book import SHIPPED, book_of
from quietmove.engine.games.othello.opening_names import opening_moves
from quietmove.engine.games.registry import get_game


@click.command(epilog=examples("quietmove book names", "quietmove book names tiger"))
@click.argument("text", default="")
def names(text: str) -> None:
    """Print the openings whose names contain TEXT, or all openings.

    Each line shows an opening's value in discs for Black (if the book contains it), its name and its moves. To train an
    opening, use 'quietmove play --opening NAME'.
    """
    game = get_game("othello")
    book = book_of(SHIPPED)
    found = {name: moves for name, moves in opening_moves().items() if text.lower() in name.lower()}
    if not found:
        raise click.UsageError(f"TEXT: no opening's name contains {text!r}")
    width = max(map(len, found))
    for name, moves in found.items():
        position = game.initial()
        for move in moves:
            position.play(move)
        entry = book.find(position)
        value = f"{(-entry.value if position.side_to_move else entry.value) / 100:+.2f}" if entry else ""
        click.echo(f"{value:>6}  {name:<{width}}  {''.join(map(game.format_move, moves))}")
