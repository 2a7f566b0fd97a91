"""``quietmove database show``: the moves played in a position, and the games that reached it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click

from quietmove.addons.library.database.add import database_option, default_database
from quietmove.addons.library.database.questions import Answer, Filter, ask, played
from quietmove.addons.library.database.store import GameDatabase
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.common.text import printable
from quietmove.engine.games.base import Game
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import pluralize
from quietmove.engine.protocol.notation import play_moves

SIDES = ("black", "white")


class Years(click.ParamType):  # type: ignore[type-arg]  # in click 8.1, the class is not generic
    """A Click parameter type for a year or a range of years."""

    name = "years"

    def convert(
        self, value: str | tuple[int, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return the first and the last year of the range."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d{4})(?:-(\d{4}))?", value, re.ASCII)
        if match is None:
            self.fail(f"expected a year, or a range such as 1985-2010, not {value!r}", param, ctx)
        first = int(match[1])
        last = int(match[2] or match[1])
        if first > last:
            self.fail(f"the first year must not be after the second: {value!r}", param, ctx)
        return first, last


@click.command(
    epilog=examples("quietmove database show f5d6", "quietmove database show f5d6c3 --player tamenori --games 5"),
)
@click.argument("moves", nargs=-1)
@click.option(
    "--position", metavar="FIELDS", help="A position in the format of 'position fen': SQUARES, a space, then X or O."
)
@database_option
@click.option("--player", default="", metavar="NAME", help="Only games of a player; part of the name is enough.")
@click.option("--color", type=click.Choice(SIDES), help="Only games in which the player had this color.")
@click.option("--years", type=Years(), metavar="YEARS", help="Only games of a year, or of a range such as 1985-2010.")
@number_option("--games", 0, "Number of matching games to print, most recently added first.", low=0)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(
    moves: tuple[str, ...],
    position: str | None,
    file: Path | None,
    player: str,
    color: str | None,
    years: tuple[int, int] | None,
    games: int,
    as_json: bool,
) -> None:
    """Print the moves played in the database's games after MOVES, most frequent first.

    MOVES are squares such as 'f5 d6' or 'f5d6', played from the start of the game or from --position. Wins and losses
    are from the point of view of the side making the move. The eight symmetric images of a position count as one, and
    so do symmetric moves. Positions after more than 40 moves are not indexed.
    """
    if color and not player:
        raise click.UsageError("--color needs --player")
    game = get_game("othello")
    root = game.initial() if position is None else game.parse_position(position.split())
    play_moves(game, root, moves)
    assert isinstance(root, OthelloPosition)
    wanted = Filter(player, SIDES.index(color) if color else None, years)
    with GameDatabase(file or default_database()) as database:
        answer = ask(database, root, wanted, games)
        found = list(played(database, answer.numbers))
    if as_json:
        click.echo(json.dumps(answer.as_object() | ({"played": found} if games else {})))
        return
    click.echo("\n".join(move_lines(game, root, answer)))
    for each in found:
        names = " - ".join(each[side] or "?" for side in SIDES)
        facts = ", ".join(fact for fact in (each["event"], each["date"]) if fact)
        click.echo(printable(f"{each['result'] or '*':>5}  {names}{f' ({facts})' if facts else ''}  {each['moves']}"))


def move_lines(game: Game, position: OthelloPosition, answer: Answer) -> Iterator[str]:
    over = position.is_over()
    side = "the game is over" if over else f"{game.players[position.side_to_move]} to move"
    yield f"{pluralize(answer.games, 'game')}; {side}"
    if not answer.moves:
        return
    yield f"{'move':<6}{'games':>9}{'share':>8}{'wins':>8}{'draws':>8}{'losses':>8}"
    for each in answer.moves:
        known = each.wins + each.draws + each.losses
        ends = (
            f"{100 * end / known:>6.1f} %" if known else f"{'-':>8}" for end in (each.wins, each.draws, each.losses)
        )
        share = f"{100 * each.games / answer.games:>6.1f} %"
        yield f"{game.format_move(each.move):<6}{each.games:>9,}{share}{''.join(ends)}"
