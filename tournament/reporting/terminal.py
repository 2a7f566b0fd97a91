"""Print a tournament's report as tables and lines, for terminals and files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from shlex import quote
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any

import click

from quietmove.engine.common.addons import SHIPPED, installed
from quietmove.engine.common.text import printable
from quietmove.referee.match.output import clock, games_text
from quietmove.referee.match.score import Margin, estimate, fixed, signed
from quietmove.tournament.reporting.document import document
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.timing import NO_TIMES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Document = Mapping[str, Any]  # the result of quietmove.tournament.reporting.document.document

CERTAIN = 0.95  # a likelihood of superiority is coloured if it is at least this
TITLES = ("", "Engine", "Games", "Points", "%", "W-D-L", "Elo", "±95%", "LOS", "Margin", "±SE")
# Columns omitted on a narrow terminal, in this order.
LESS_NEEDED = ("±SE", "%", "W-D-L", "Margin", "LOS")
MAX_CROSSTABLE = 100  # maximum number of engines in a crosstable
PLAIN_WIDTH = 1000  # width for files and pipes, so that tables are never wrapped
TEXT_WIDTH = 100  # maximum width of sentences


def console(*, to_stderr: bool = False) -> Console:
    """Return a console that draws on a terminal, and writes plain text of any width elsewhere."""
    from rich.console import Console

    made = Console(stderr=to_stderr, highlight=False, soft_wrap=False)
    return made if made.is_terminal else Console(stderr=to_stderr, highlight=False, width=PLAIN_WIDTH)


def next_steps(store: Path, game: str, played: int, seconds: float) -> list[str]:
    """Return the closing lines of a run: its games, its duration, and useful commands.

    :param played: the number of games played in this run.
    """
    took = f"{games_text(played, None)} played in {clock(seconds)}" if played else "no game was missing"
    steps = {f"standings {quote(str(store))}": "this table again"}
    if SHIPPED["quietmove-tournament"]["report"] in installed():
        steps[f"report {quote(str(store))}"] = "a page for a browser, with charts and the games"
    steps[f"games {quote(str(store))}"] = "the games; add a number to print one of them"
    if game == "othello":
        steps[f"games {quote(str(store))} --json > games.jsonl"] = "for 'quietmove convert' and 'quietmove analyze'"
    width = max(map(len, steps))
    lines = (f"  quietmove-tournament {step:<{width}}  {what}" for step, what in steps.items())
    return [printable(line) for line in (f"{took}; all games are in {store}. What next:", *lines)]


def print_standings(store: Store, as_json: bool) -> None:
    """Print a store's table, or one JSON object."""
    report = document(store.tournament, store.results(), store.times() if as_json else NO_TIMES)
    if as_json:
        click.echo(json.dumps(report, indent=2))
    else:
        print_report(console(), report)


def print_report(out: Console, report: Document) -> None:
    """Print the full report: the standings, the crosstable, and a legend of the columns."""
    plain = not out.is_terminal
    head = f"{report['tournament']}: {games_text(report['games'], report['planned'])}"
    if report["distinct"] < report["games"]:
        head += f", {report['distinct']} of them distinct"
    out.print(printable(f"{head}, seed {report['seed']}") + "\n", markup=False)
    _print_lines(out, report["lines"])
    _print_table(out, table(report, plain=plain, out=out))
    _print_lines(out, duel(report))
    count = len(report["standings"])
    options = out.options.update(max_width=PLAIN_WIDTH)
    cross = crosstable(report, plain=plain) if count <= MAX_CROSSTABLE else None
    if cross is None or out.measure(cross, options=options).maximum > out.width:
        out.print(f"The crosstable of {count} engines is omitted; --json has the score of each pair.\n")
    else:
        _print_table(out, cross)
    _print_lines(out, legend(report), end="")


def _print_lines(out: Console, lines: Sequence[str], end: str = "\n") -> None:
    """Print sentences wrapped at :data:`TEXT_WIDTH`, except commands, which stay on one line for copying."""
    wrapper = TextWrapper(min(out.width, TEXT_WIDTH), subsequent_indent="  ", break_on_hyphens=False)
    for line in map(printable, lines):
        text = line if "quietmove-tournament " in line else wrapper.fill(line)
        out.print(text, markup=False, soft_wrap=True)
    if lines:
        out.print(end, end="")


def _print_table(out: Console, made: Table) -> None:
    with out.capture() as capture:
        out.print(made)
    for line in [*capture.get().strip("\n").splitlines(), ""]:
        out.out(line.rstrip(), highlight=False)


def table(report: Document, *, plain: bool = False, out: Console | None = None) -> Table:
    """Return the table with one line per engine, best first.

    :param out: the console to print on; if it is too narrow, columns in :data:`LESS_NEEDED` are omitted.
    """
    for count in range(len(LESS_NEEDED) + 1):
        made = _table_without(report, plain, LESS_NEEDED[:count])
        if out is None or out.measure(made, options=out.options.update(max_width=PLAIN_WIDTH)).minimum <= out.width:
            break
    return made


def _table_without(report: Document, plain: bool, left_out: Sequence[str]) -> Table:
    rows = [_cells(row) for row in report["standings"]]
    added = {column["title"]: column["key"] for column in report["columns"]}
    if report["distinct"] < report["games"]:
        added["Distinct"] = "distinct"
    if any(row["forfeits"] for row in report["standings"]):
        added["Forfeits"] = "forfeits"
    titles = [title for title in TITLES if title not in left_out]
    made = _table(plain, gap=1 if report["columns"] or left_out else 2)
    for title in (*titles, *added):
        is_name = title == "Engine"  # the only column that can shrink
        made.add_column(title, justify="left" if is_name else "right", no_wrap=not is_name, min_width=8 * is_name)
    for row, cells in zip(report["standings"], rows, strict=True):
        more = (_styled(f"{row[key]:g}", "red" if key == "forfeits" and row[key] else "") for key in added.values())
        style = "bold" if row["place"] == 1 and row["games"] else ""
        made.add_row(*(cells[title] for title in titles), *more, style=style)
    return made


def _cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the standard cells of a line, keyed by title; most are empty before the engine's first game."""
    cells: list[Any] = [str(row["place"]), _styled(row["name"]), str(row["games"]), f"{row['points']:g}"]
    if row["games"]:
        margin, deviation = row["distinct_margin"]["mean"], row["distinct_margin"]["error"]
        superiority = row["superiority"]
        cells += [
            fixed(100 * row["points"] / row["games"], 1),
            f"{row['wins']}-{row['draws']}-{row['losses']}",
            _styled(signed(row["elo"]), _shade(row["elo"], row["error"])),
            fixed(row["error"]),
            "" if superiority is None else _styled(f"{fixed(100 * superiority)}%", "green" * (superiority >= CERTAIN)),
            _styled(signed(margin, 1), "" if deviation is None else _shade(margin, 2 * deviation)),
            "" if deviation is None else fixed(deviation, 1),
        ]
    return dict(zip_longest(TITLES, cells, fillvalue=""))


def duel(report: Document) -> list[str]:
    """Return lines that compare two engines, or [] if there are more engines or no complete pairs of games yet."""
    if len(report["standings"]) != 2 or not report["meetings"]:
        return []
    (meeting,) = report["meetings"]
    shown = estimate(meeting["pentanomial"])
    if shown is None:
        return []
    return [
        f"{meeting['first']} against {meeting['second']}: {shown}; {shown.normalized_text()}; "
        f"likelihood of superiority {fixed(100 * shown.superiority)} %",
        f"pairs {'-'.join(map(str, meeting['pentanomial']))} with 0, 1/2, 1, 3/2 and 2 points; "
        f"margin {Margin(**meeting['distinct_margin'])} in {report['point']}s per game",
    ]


def crosstable(report: Document, *, plain: bool = False) -> Table:
    """Return the table of points: each engine in a row, its opponents in the columns."""
    names = [row["name"] for row in report["standings"]]
    made = _table(plain, gap=1)
    made.add_column("", justify="right", no_wrap=True)
    made.add_column("Engine")
    points = {}
    for each in report["meetings"]:
        points[each["first"], each["second"]] = f"{each['points']:g}"
        points[each["second"], each["first"]] = f"{each['games'] - each['points']:g}"
    for place in range(1, len(names) + 1):
        made.add_column(str(place), justify="right", no_wrap=True)
    for place, name in enumerate(names, 1):
        cells = ("-" if other == name else points.get((name, other), "") for other in names)
        made.add_row(str(place), _styled(name), *cells)
    return made


def legend(report: Document) -> list[str]:
    """Return the lines of the legend, which explain the columns."""
    lines = [
        "W-D-L: games won, drawn and lost.",
        "Elo: against the average of the field; ±95%: half its 95 % interval, by pairs of games with colours swapped.",
        "LOS: likelihood of being stronger than the next engine.",
        f"Margin: mean over pairs of games, in {report['point']}s per game; ±SE: its standard error.",
        *(f"{column['title']}: {column['help']}." for column in report["columns"]),
    ]
    if report["distinct"] < report["games"]:
        lines += [
            "Distinct: games that repeat another (same engines, colours, opening, moves and verdict) count once.",
            "Elo, ±95%, LOS, Margin and ±SE use the distinct games only; the other columns use all games.",
        ]
    if any(row["forfeits"] for row in report["standings"]):
        lines.append("Forfeits: games lost by a crash, a timeout, an illegal move or a stall.")
    return lines


def _table(plain: bool, gap: int = 2) -> Table:
    from rich import box
    from rich.table import Table

    if plain:
        return Table(box=None, pad_edge=False, header_style="", padding=(0, gap, 0, 0))
    return Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold", padding=(0, gap - 1, 0, 0))


def _styled(text: str, style: str = "") -> Any:
    """Return a cell whose text is not interpreted as markup."""
    from rich.text import Text

    return Text(printable(text), style)


def _shade(value: float, error: float) -> str:
    """Return the style of a number: coloured if it exceeds its error bar."""
    return "green" if value > error else "red" if value < -error else ""
