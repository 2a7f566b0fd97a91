"""`quietmove-tournament export`, which writes the games of a store for other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from quietmove.command_help import examples

__all__ = ["export"]

FORMATS = ("ggf", "wthor", "transcript", "csv", "json")
FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(
    epilog=examples(
        "quietmove-tournament export my.sqlite --format csv > games.csv",
        "quietmove-tournament export my.sqlite -o games.wtb",
        "quietmove-tournament export my.sqlite -o full.ggf --engine full --round 1",
    ),
)
@click.argument("store", type=FILE)
@click.option("--format", "kind", type=click.Choice(FORMATS), help="Without it, what the ending of the file says.")
@click.option("--output", "-o", type=FILE, help="The file: .ggf, .wtb, .txt, .csv or .jsonl; standard output without.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option("--engine", "engines", multiple=True, metavar="NAME", help="Its games; twice: those of these two.")
@click.option("--round", "round_number", type=click.IntRange(1), metavar="N", help="The games of this round.")
def export(
    store: Path,
    kind: str | None,
    output: Path | None,
    force: bool,
    engines: tuple[str, ...],
    round_number: int | None,
) -> None:
    """Write the games of STORE as GGF, WTHOR, transcripts (a line of moves each), CSV or JSON lines.

    GGF, WTHOR and transcripts are for games of Othello on its usual board. WTHOR is three files: .wtb, and .jou and
    .trn beside it with the names. A CSV has a line for each game; a record of JSON has all that is known of it.
    What a format cannot hold is counted on standard error.
    """
    from quietmove.engine.games.othello.game_files.conversion import require_free, written_whole
    from quietmove.engine.games.othello.game_files.game import Losses
    from quietmove.tournament.reporting.export import ENDINGS, Choice, files_of
    from quietmove.tournament.reporting.export import export as write
    from quietmove.tournament.store.store import Store

    kind = kind or ENDINGS.get(output.suffix.lower() if output else "")
    if kind is None:
        ending = f"the ending {output.suffix!r}" if output else "no --output"
        raise click.UsageError(f"--format: allowed: {', '.join(FORMATS)}; none came, and {ending} says none")
    if kind == "wthor" and output is None:
        raise click.UsageError("--format wthor: it is three files; --output is needed")
    targets = files_of(output, kind) if output else []
    losses = Losses()
    with Store.open_to_read(store) as opened:
        require_free(targets, [store], force)
        choice = Choice(opened.tournament.names, engines, round_number)
        if targets:
            with written_whole(targets) as files:
                count = write(opened, kind, files, choice, losses)
        else:
            count = write(opened, kind, [sys.stdout.buffer], choice, losses)
            sys.stdout.flush()
    click.echo(f"{output or 'standard output'}: {_counted(count)}", err=True)
    for loss, games in losses.counted():
        click.echo(f"{loss} ({_counted(games)})", err=True)


def _counted(games: int) -> str:
    return f"{games:,} game{'s' * (games != 1)}"
