"""`quietmove-tournament report`, which writes a tournament as a page that needs no server."""

from __future__ import annotations

from pathlib import Path

import click

from quietmove.common.command_line import examples
from quietmove.engine.errors import GameFileError
from quietmove.engine.files import written_whole
from quietmove.engine.games.othello.game_files.conversion import require_free
from quietmove.tournament.report_page import figures as drawing
from quietmove.tournament.report_page.page import html_report
from quietmove.tournament.reporting.document import document
from quietmove.tournament.store.store import Store

__all__ = ["report"]

STORE = click.Path(path_type=Path, dir_okay=False)


@click.command(
    epilog=examples(
        "quietmove-tournament report my.sqlite",
        "quietmove-tournament report my.sqlite -o page.html --games 100",
        "quietmove-tournament report my.sqlite --figures pictures --figure-format svg",
    ),
)
@click.argument("store", type=STORE)
@click.option("--output", "-o", type=STORE, help="The HTML file.  [default: the store's name with .html]")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option(
    "--games",
    type=click.IntRange(0, 100_000),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many games can be replayed in it; each takes about 2 kB.",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the charts as pictures into this folder too; that needs matplotlib.",
)
@click.option("--figure-format", type=click.Choice(["png", "svg"]), default="png", show_default=True)
def report(store: Path, output: Path | None, force: bool, games: int, figures: Path | None, figure_format: str) -> None:
    """Write STORE as one HTML file: the answer, all tables and charts, and games to replay.

    The file needs nothing else, no server and no network. The tournament may still be running.
    """
    target = output or Path(store.with_suffix(".html").name)
    if figures:
        drawing.require_matplotlib()
    with Store.open_to_read(store) as opened:
        found = document(opened.tournament, opened.results(), opened.times())
        pictures = list(drawing.figure_files(found, figures, figure_format).values()) if figures else []
        require_free([target, *pictures], [store], force)
        text = html_report(opened, found, games)
    if figures:
        drawing.write_figures(found, figures, figure_format)
    with written_whole([target], GameFileError) as (file,):
        file.write(text.encode("utf-8", errors="backslashreplace"))
    click.echo(f"{target}: {len(text) / 1e6:.1f} MB", err=True)
