"""``quietmove convert``: games from one kind of file to another."""

from __future__ import annotations

from pathlib import Path

import click

from quietmove.common.command_line import examples
from quietmove.engine.games.othello.game_files.conversion import convert as convert_file
from quietmove.engine.protocol.describe import counted
from quietmove.engine.protocol.interrupts import interrupted_by_requests

__all__ = ["convert"]


KINDS = """\b
Kinds of files, by their endings:
  .txt    transcripts, one per line: f5d6c3, or 6 4 4 3 3 6
  .ggf    the Generic Game Format of the server GGS
  .wtb    WTHOR; players and tournaments are in a .jou and a .trn beside it
  .jsonl  JSON lines, as 'quietmove-tournament games --json' prints them
  .obf    positions, each with its move as a comment; as OUT alone"""
EXAMPLES = examples(
    "quietmove convert WTH_2010.wtb games.txt",
    "quietmove-tournament games my.sqlite --json > my.jsonl",
    "quietmove convert my.jsonl my.ggf",
)


@click.command(epilog=f"{KINDS}\n\n{EXAMPLES}")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite OUT if it exists.")
def convert(source: Path, target: Path, force: bool) -> None:
    """Write the games of Othello in the file IN to the file OUT.

    A file may have any size. What OUT cannot hold is counted on standard error: games that are left out, such as those
    from another start position in a transcript, and what is not kept of the others, such as names, times and
    variations. OUT is written whole or, after an error, not at all; the error names the place in IN.
    """
    with interrupted_by_requests():
        done = convert_file(source, target, overwrite=force)
    click.echo(f"{target}: {counted(done.count, done.unit)}")
    for loss, count in done.losses.counted():
        click.echo(f"{loss} ({counted(count, 'game')})", err=True)
