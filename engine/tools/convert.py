"""``quietmove convert``: convert files of games between formats."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.common.entry import interrupted_by_requests
from quietmove.engine.errors import GameFileError
from quietmove.engine.games.othello.game_files.conversion import convert as convert_file
from quietmove.engine.protocol.describe import pluralize

STREAM = "-"
STREAM_KINDS = ("txt", "ggf", "sgf", "pgn", "jsonl", "obf")
KINDS = """\b
File formats, by extension:
  .txt    transcripts, one per line: f5d6c3, or 6 4 4 3 3 6
  .ggf    the Generic Game Format of the server GGS
  .sgf    the Smart Game Format, GM[2], as written by Quarry
  .pgn    tags, numbered moves, and the result last
  .wtb    WTHOR; players and tournaments are in a .jou and a .trn next to it
  .jsonl  JSON lines, as printed by 'quietmove-tournament games --json'
  .obf    positions, each with its move as a comment; only as OUT"""
EXAMPLES = examples(
    "quietmove convert WTH_2010.wtb games.txt",
    "quietmove-tournament games my.sqlite --json > my.jsonl",
    "quietmove convert my.jsonl my.ggf",
    "xz -dc old.ggf.xz | quietmove convert - - --to jsonl",
)


@click.command(epilog=f"{KINDS}\n\n{EXAMPLES}")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite OUT if it exists.")
@click.option("--to", type=click.Choice(STREAM_KINDS), help="Output format if OUT is -.  [default: txt]")
def convert(source: Path, target: Path, force: bool, to: str | None) -> None:
    """Convert the Othello games in the file IN to the file OUT; - is standard input or output.

    Files can be of any size. Anything that OUT cannot store is counted on standard error: games left out, such as games
    from another starting position in a transcript, and details dropped from the others, such as names, times and
    variations. Damaged games are skipped and listed with their location in IN, and the exit status is 2. OUT is written
    completely or not at all. GGF, SGF, PGN and JSON lines are recognised by the beginning of the file, whatever its
    extension.
    """
    is_stream = str(target) == STREAM
    if to and not is_stream:
        raise GameFileError(f"--to: only allowed if OUT is {STREAM}, not {target}")
    with interrupted_by_requests(), files_for(source, target, to or STREAM_KINDS[0]) as (read, written):
        done = convert_file(read, written, overwrite=force)
    click.echo(f"{target}: {pluralize(done.count, done.unit)}", err=is_stream)
    for loss, count in done.losses.counted():
        click.echo(f"{loss} ({pluralize(count, 'game')})", err=True)
    if problems := done.losses.named_problems(source):
        raise GameFileError(problems)


@contextmanager
def files_for(source: Path, target: Path, kind: str) -> Iterator[tuple[Path, Path]]:
    """Provide temporary files in place of streams, and copy the output to standard output at the end of the block.

    :raises GameFileError: from the block, with the temporary name replaced by ``-``.
    """
    with TemporaryDirectory(prefix="quietmove-") as folder:
        read = Path(folder) / "in.txt"
        written = Path(folder) / f"out.{kind}"
        if str(source) == STREAM:
            with read.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield read if str(source) == STREAM else source, written if str(target) == STREAM else target
        except GameFileError as error:
            raise GameFileError(re.sub(rf"{folder}/\w+\.\w+", STREAM, each) for each in error.problems) from None
        if str(target) == STREAM:
            with written.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
