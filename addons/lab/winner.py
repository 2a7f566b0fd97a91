"""``quietmove winner``: report who has a line in a grid, the grid's value and best move, or who wins at Nim."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import reduce
from operator import xor

import click

from quietmove.addons.lab.searches import search_once
from quietmove.engine.common.command_line import examples
from quietmove.engine.errors import PositionError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.in_a_row.game import InARow
from quietmove.engine.games.parsing import read_count
from quietmove.engine.games.registry import get_game
from quietmove.engine.shared_options import complete_game
from quietmove.engine.values import Settings

LETTERS = {"1": "X", "-1": "O", "0": "-"}
MAX_PILE = 10**9 - 1  # stones in a pile of Nim, whose value is known without a table
MAX_EMPTY = 9  # maximum number of empty cells for a search, which then takes milliseconds


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog=examples(
        'quietmove winner "1 1 1 0 -1 0 0 -1 0"',
        "quietmove winner XXX-O--O-",
        'echo "1 1 1 0 -1 0 0 -1 0" | quietmove winner',
        "quietmove winner 3,4,5 --game nim",
    ),
)
@click.argument("cells", nargs=-1)
@click.option("--game", default="tictactoe", show_default=True, shell_complete=complete_game, help="The game.")
@click.option("--value", "asked", flag_value="value", help="Print the value for X under best play: 1, 0 or -1.")
@click.option(
    "--move",
    "asked",
    flag_value="move",
    help="Print the best cell, numbered from 0 at the upper left (in connect, the best column).",
)
def winner(cells: tuple[str, ...], game: str, asked: str | None) -> None:
    """Print who has a line in CELLS: 1 for X, -1 for O, 0 for neither or both.

    CELLS are 1 (X), -1 (O) and 0 (empty), or one word of X, O and -, row by row from the top. If none are given, they
    are read from standard input. The player to move, 1 or -1, may follow the cells. If no game reaches these cells, a
    note on standard error says so.

    With --game nim or subtraction, CELLS are the piles, and the result is True if the side to move wins, else False.
    """
    rules = get_game(game)
    if not isinstance(rules, InARow) and rules.name.split()[0] not in ("nim", "subtraction"):
        raise click.UsageError(f"--game: must be tictactoe, connect, nim or subtraction, of any size, not {game}")
    given = " ".join(cells) if cells else sys.stdin.read()
    words = given.replace(",", " ").split()
    if not isinstance(rules, InARow):
        if asked:
            raise click.UsageError(f"--{asked}: cannot be combined with --game {game}")
        click.echo(wins(rules, words))
        return
    count = rules.columns * rules.rows
    player = LETTERS.get(words.pop(), "-") if len(words) == count + 1 else ""
    text = words[0].upper() if len(words) == 1 else "".join(LETTERS.get(word, "?") for word in words)
    if len(text) != count or set(text) - set("XO-") or player == "-":
        raise click.UsageError(
            f"CELLS: expected {count} cells, as 1, -1 and 0 or as X, O and -, and perhaps the player, 1 or -1, not "
            f"{given.strip()!r}"
        )
    side = "X" if text.count("X") <= text.count("O") else "O"
    if player not in ("", side):
        raise click.UsageError(
            f"CELLS: the player to move must be {'1' if side == 'X' else '-1'} ({side}), not {player}"
        )
    if asked:
        click.echo(best(rules.parse_position([text, side]))[asked == "move"])
        return
    notes = ["both players have a line"] if rules.has_line(text, "X") and rules.has_line(text, "O") else []
    try:
        rules.parse_position([text, side])
    except PositionError as error:
        notes.insert(0, str(error))
    for note in notes:
        click.echo(f"note: no game reaches these cells: {note}", err=True)
    click.echo(rules.winner(text))


def wins(rules: Game, piles: Sequence[str]) -> bool:
    """Return whether the side to move wins from these piles, which is the case if the XOR of their values is not 0.

    :raises PositionError: if a pile is not a number of stones.
    :raises click.UsageError: if there are no piles.
    """
    if not piles:
        raise click.UsageError("CELLS: expected the number of stones in each pile, such as 3,4,5")
    from quietmove.addons.games.subtraction import MAX_HEAP, Subtraction, solved  # tic-tac-toe needs no other add-on

    most = MAX_HEAP if isinstance(rules, Subtraction) else MAX_PILE
    stones = [read_count(f"pile {index}", word, 0, most) for index, word in enumerate(piles, 1)]
    if isinstance(rules, Subtraction):
        grundy = solved(max(stones), rules.mask).grundy
        stones = [grundy[heap] for heap in stones]
    return reduce(xor, stones) != 0


def best(position: Position) -> tuple[int, str]:
    """Return the value for X (1, 0 or -1) and the best move, or "none" if the game is over.

    The quickest win is best; of equally good moves, the lowest-numbered one.

    :raises click.UsageError: if too many cells are empty.
    """
    if position.moves_left() > MAX_EMPTY:
        raise click.UsageError(f"CELLS: must have at most {MAX_EMPTY} empty cells, not {position.moves_left()}")
    value = value_for_x(position)
    sign = (value > 0) - (value < 0)
    if position.is_over():
        return sign, "none"
    values = {}
    for move in sorted(position.legal_moves()):
        reached = position.copy()
        reached.play(move)
        values[move] = value_for_x(reached)
    choose = min if position.side_to_move else max
    return sign, str(choose(values, key=values.__getitem__))


def value_for_x(position: Position) -> int:
    """Return the exact value of a position for X, in hundredths."""
    if position.is_over():
        return position.result()
    value = search_once(position, MAX_EMPTY, Settings()).value
    return -value if position.side_to_move else value
