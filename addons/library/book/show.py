"""``quietmove book show``: a position's book moves, and statistics of a book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.othello.book import SHIPPED, OthelloBook, book_of
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.search.book import expected_line

FIRST_DISCS = 4


@click.command(
    epilog=examples("quietmove book show f5d6", "quietmove book show --file my.book --stats"),
)
@click.argument("moves", nargs=-1)
@click.option(
    "--position", metavar="FIELDS", help="A position in the format of 'position fen': SQUARES, a space, then X or O."
)
@click.option(
    "--file", type=click.Path(path_type=Path), metavar="FILE", help="The book file.  [default: the shipped book]"
)
@click.option("--stats", is_flag=True, help="Print the book's statistics.")
def show(moves: tuple[str, ...], position: str | None, file: Path | None, stats: bool) -> None:
    """Print the book moves after MOVES, best first.

    MOVES are squares such as 'f5 d6' or 'f5d6', played from the start of the game or from --position. Each move is
    printed with its value in discs, the search depth of the position after it, the number of book positions reachable
    from there, and the best line.
    """
    if stats and (moves or position is not None):
        raise click.UsageError("--stats cannot be combined with MOVES or --position")
    game = get_game("othello")
    root = game.initial() if position is None else game.parse_position(position.split())
    play_moves(game, root, moves)
    book = book_of(str(file) if file is not None else SHIPPED)
    click.echo("\n".join(stats_lines(book) if stats else move_lines(game, book, root)))


def move_lines(game: Game, book: OthelloBook, position: Position) -> Iterator[str]:
    side = game.players[position.side_to_move]
    known = book.moves(position)
    if not known:
        found = book.find(position)
        value = f"; it values the position at {found.value / 100:+.2f} for {side}" if found is not None else ""
        yield f"{side} to move: the book has no move here{value}"
        return
    yield f"{side} to move: {len(known)} of {len(position.legal_moves())} moves known"
    yield f"{'move':<6}{'value':>7}{'depth':>7}{'positions':>11}  line"
    for each in known:
        line = " ".join(map(game.format_move, expected_line(book, position, each.move)[1:]))
        depth = "exact" if each.exact else str(each.depth)
        yield f"{game.format_move(each.move):<6}{each.value / 100:>+7.2f}{depth:>7}{each.below:>11,}  {line}".rstrip()


def stats_lines(book: OthelloBook) -> Iterator[str]:
    book.check()
    size = Path(book.path).stat().st_size
    yield f"{book.path}: {len(book):,} positions, {size:,} bytes"
    yield f"searched {book.depth} plies, or to the end of the game with at most {book.exact} empty squares"
    positions: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    for entry in book.entries():
        made = (entry.own | entry.opp).bit_count() - FIRST_DISCS
        positions[made] += 1
        answered[made] += entry.below > 0
    yield f"{'after moves':<12}{'positions':>10}{'with moves':>12}"
    for made in sorted(positions):
        yield f"{made:<12}{positions[made]:>10,}{answered[made]:>12,}"
    yield f"{'all':<12}{len(book):>10,}{sum(answered.values()):>12,}"
