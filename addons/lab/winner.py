"""``quietmove winner``: who has a line in a grid of tic-tac-toe or connect, whether or not a game can reach it."""

from __future__ import annotations

import sys

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.errors import PositionError
from quietmove.engine.games.in_a_row.game import InARow
from quietmove.engine.games.registry import get_game
from quietmove.engine.shared_options import complete_game

LETTERS = {"1": "X", "-1": "O", "0": "-"}


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog=examples(
        'quietmove winner "1 1 1 0 -1 0 0 -1 0"',
        "quietmove winner XXX-O--O-",
        'echo "1 1 1 0 -1 0 0 -1 0" | quietmove winner',
    ),
)
@click.argument("cells", nargs=-1)
@click.option("--game", default="tictactoe", show_default=True, shell_complete=complete_game, help="The game.")
def winner(cells: tuple[str, ...], game: str) -> None:
    """Print who has a line in CELLS: 1 for X, -1 for O, 0 for neither or both.

    CELLS are 1 (X), -1 (O) and 0 (empty), or one word of X, O and -, row by row from the top; without them, standard
    input contains them. If no game reaches these cells, a note on standard error says so.
    """
    rules = get_game(game)
    if not isinstance(rules, InARow):
        raise click.UsageError(f"--game: must be tictactoe or connect, of any size, not {game}")
    given = " ".join(cells) if cells else sys.stdin.read()
    words = given.replace(",", " ").split()
    text = words[0].upper() if len(words) == 1 else "".join(LETTERS.get(word, "?") for word in words)
    count = rules.columns * rules.rows
    if len(text) != count or set(text) - set("XO-"):
        raise click.UsageError(f"CELLS: expected {count} cells, as 1, -1 and 0 or as X, O and -, not {given.strip()!r}")
    notes = ["both players have a line"] if rules.has_line(text, "X") and rules.has_line(text, "O") else []
    try:
        rules.parse_position([text, "X" if text.count("X") <= text.count("O") else "O"])
    except PositionError as error:
        notes.insert(0, str(error))
    for note in notes:
        click.echo(f"note: no game reaches these cells: {note}", err=True)
    click.echo(rules.winner(text))
