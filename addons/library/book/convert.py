"""``quietmove book convert``: convert books between the formats of Quietmove, Edax and Egaroucid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import click

from quietmove.addons.library.book import edax, egaroucid
from quietmove.addons.library.book.foreign import FIRST_DISCS, LATE, Collection, Losses, Record, WholeBook, book_from
from quietmove.addons.library.book.graph import SearchedValue
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.common.entry import interrupted_by_requests
from quietmove.engine.common.progress import with_progress
from quietmove.engine.errors import BookError
from quietmove.engine.files import open_regular, refuse_special, write_whole, written_whole
from quietmove.engine.games.othello.book import SMALL, BookWriter, OthelloBook, pack_book
from quietmove.engine.protocol.describe import pluralize

OURS = ".book"
KINDS: dict[str, tuple[Callable[[BinaryIO], Iterator[Record]], Callable[[WholeBook, Losses], tuple[bytes, int]]]] = {
    ".dat": (edax.read, edax.write),
    ".egbk3": (egaroucid.read, egaroucid.write),
}
ALLOWED = ", ".join((OURS, *KINDS))
EPILOG = """\b
Book formats by file extension:
  .book   Quietmove
  .dat    Edax
  .egbk3  Egaroucid"""
EXAMPLES = examples(
    "quietmove book convert book.egbk3 my.book --moves 14",
    "quietmove book convert my.book book.dat",
)


@click.command(epilog=f"{EPILOG}\n\n{EXAMPLES}")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@number_option("--moves", 60, "Leave out positions after more than N moves.", 0, 60)
@click.option("--force", is_flag=True, help="Overwrite OUT if it exists.")
def convert(source: Path, target: Path, moves: int, force: bool) -> None:
    """Convert the Othello opening book IN to OUT.

    Data that OUT's format cannot represent is dropped, and the number of positions affected is printed to standard
    error. If the conversion fails, OUT is not changed. If IN is invalid, the error names the position.
    """
    with interrupted_by_requests():
        count, losses = convert_book(source, target, moves, overwrite=force)
    click.echo(f"{target}: {pluralize(count, 'position')}")
    for loss, number in losses.items():
        click.echo(f"{loss} ({pluralize(number, 'position')})", err=True)


def convert_book(source: Path, target: Path, moves: int = 60, *, overwrite: bool = False) -> tuple[int, Losses]:
    """Convert a book from one file to another; the extensions determine the formats.

    :param moves: positions after more moves are left out.
    :param overwrite: whether ``target`` may already exist.
    :returns: the number of positions written, and the losses.
    :raises BookError: naming the file, if the conversion fails. ``target`` is then unchanged. If ``source`` is invalid,
        the message also names the position.
    """
    for path in (source, target):
        if path.suffix.lower() not in (OURS, *KINDS):
            raise BookError(f"book: {path}: must end in {ALLOWED}")
    if target.exists():
        refuse_special(target, BookError, "book: ")
        if source.exists() and target.samefile(source):
            raise BookError(f"book: {target}: must not be the input file")
        if not overwrite:
            raise BookError(f"book: {target}: already exists; use --force to overwrite it")
    losses = Losses()
    to_ours = target.suffix.lower() == OURS
    book = read_book(source, moves, losses, may_be_large=to_ours)
    try:
        if isinstance(book, Collection):
            count = write_large(book, target)
        elif to_ours:
            count = len(book.entries)
            write_whole(target, pack_book(book.entries.values(), book.searches.depth, book.searches.exact))
        else:
            data, count = KINDS[target.suffix.lower()][1](book, losses)
            write_whole(target, data)
    except BookError as error:
        raise BookError(f"book: {source}: {error}") from None
    except OSError as error:
        raise BookError(f"book: {target}: {error.strerror}") from None
    return count, +losses  # the unary plus drops losses with count 0


def write_large(book: Collection, target: Path) -> int:
    """Write a book in our format without loading it into memory, and return its number of positions."""
    with written_whole([target]) as (file,):
        writer = BookWriter(file)
        for entry in with_progress(book.entries(), len(book), "positions written"):
            writer.add(entry)
        writer.finish(book.searches.depth, book.searches.exact)
    return writer.count


def read_book(path: Path, moves: int, losses: Losses, *, may_be_large: bool) -> WholeBook | Collection:
    """Return the book in a file. A large book is returned as a collection if ``may_be_large``.

    :raises BookError: naming the file and the position in it, if the file is invalid or cannot be read.
    """
    ours = OthelloBook(str(path)) if path.suffix.lower() == OURS else None
    try:
        if ours is not None:
            return read_ours(ours, moves, losses)
        collection = Collection(moves, losses)
        with open_regular(path) as file:
            for record in with_progress(KINDS[path.suffix.lower()][0](file), None, "positions read"):
                collection.add(record)
            at = file.tell()
            if file.read(1):
                raise BookError(f"byte {at}: expected the end of the file after its last position")
        return collection if may_be_large and len(collection) > SMALL else collection.book()
    except BookError as error:
        raise BookError(f"book: {path}: {error}") from None
    except OSError as error:
        raise BookError(f"book: {path}: {error.strerror}") from None


def read_ours(book: OthelloBook, moves: int, losses: Losses) -> WholeBook:
    """Return a Quietmove book without positions after more than ``moves`` moves."""
    book.check()
    kept = [each for each in book.entries() if (each.own | each.opp).bit_count() <= FIRST_DISCS + moves]
    losses[LATE] += len(book) - len(kept)
    positions = {(each.own, each.opp): SearchedValue(each.value, each.depth, each.exact) for each in kept}
    return book_from(positions, [(each.own, each.opp) for each in kept if each.below])
