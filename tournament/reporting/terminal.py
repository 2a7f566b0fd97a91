"""The standings for people and for programs: tables of rich, plain text, JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from quietmove.engine.printable import printable
from quietmove.referee.match.progress import clock
from quietmove.referee.match.score import elo_text, estimate
from quietmove.tournament.formats import Column, Summary
from quietmove.tournament.statistics.rating import Contrast
from quietmove.tournament.statistics.standings import Row, Standings
from quietmove.tournament.statistics.summary import point_of, rounded

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from quietmove.tournament.config.definition import Tournament

__all__ = [
    "comparison",
    "comparison_json",
    "console",
    "crosstable",
    "duel",
    "legend",
    "next_steps",
    "print_report",
    "progress",
    "table",
]

CERTAIN = 0.95  # likelihood
TITLES = ("", "Engine", "Games", "Points", "%", "Elo", "±95%", "LOS", "Margin", "±SE")
LESS_NEEDED = ("±SE", "%", "Margin", "LOS")  # columns that a narrow terminal goes without, the first to go first
MOST_CROSSED = 100  # engines
NOTHING_MORE = Summary()
PLAIN_WIDTH = 1000  # of output to a file or pipe: no line is ever broken there


def console(*, to_stderr: bool = False) -> Console:
    """Return a console that draws on a terminal and writes plain text of any width to everything else."""
    from rich.console import Console

    made = Console(stderr=to_stderr, highlight=False, soft_wrap=False)
    return made if made.is_terminal else Console(stderr=to_stderr, highlight=False, width=PLAIN_WIDTH)


def progress(games: int, planned: int | None) -> str:
    """Return how far a tournament is, such as ``3 of 12 games``; ``planned`` is ``None`` where that is not known."""
    return f"{games} game{'s' * (games != 1)}" if planned is None else f"{games} of {planned} games"


def next_steps(store: Path, game: str, played: int, seconds: float) -> list[str]:
    """Return lines for the end of a tournament: where its games are, how long they took, and what can be done now.

    :param played: games that were played just now.
    """
    program, name = "quietmove-tournament", quote(str(store))
    took = f"{played} game{'s' * (played != 1)} played in {clock(seconds)}" if played else "no game was missing"
    commands = {
        f"{program} standings {name}": "this table again",
        f"{program} report {name}": "a page for a browser, with charts and the games",
        f"{program} games {name}": "the games; with a number behind it, one of them",
    }
    if game == "othello":
        commands[f"{program} games {name} --json > games.jsonl"] = "for 'quietmove convert' and 'quietmove analyze'"
    width = max(map(len, commands))
    lines = [f"  {command:<{width}}  {what}" for command, what in commands.items()]
    return [printable(line) for line in (f"{took}; all games are in {store}. What next:", *lines)]


def print_report(
    out: Console, tournament: Tournament, standings: Standings, planned: int | None, summary: Summary = NOTHING_MORE
) -> None:
    """Print everything: the standings, who scored what against whom, and what the columns mean."""
    plain = not out.is_terminal
    head = f"{tournament.name}: {progress(standings.games, planned)}"
    if standings.distinct < standings.games:
        head += f", {standings.distinct} of them distinct"
    out.print(printable(f"{head}, seed {tournament.seed}") + "\n", markup=False)
    if summary.lines:
        out.print("\n".join(map(printable, summary.lines)) + "\n", markup=False)
    _print_table(out, table(standings, summary.columns, plain=plain, out=out))
    if lines := duel(standings, tournament.game):
        out.print("\n".join(map(printable, lines)) + "\n", markup=False)
    _print_crosstable(out, standings)
    out.print(legend(standings, tournament.game, summary.columns), markup=False)


def _print_crosstable(out: Console, standings: Standings) -> None:
    if len(standings.rows) > MOST_CROSSED:
        out.print(f"The crosstable of {len(standings.rows)} engines is left out; --json has what each pair scored.\n")
        return
    cross = crosstable(standings, plain=not out.is_terminal)
    needed = out.measure(cross, options=out.options.update(max_width=PLAIN_WIDTH)).maximum
    if needed <= out.width:
        _print_table(out, cross)
    else:
        out.print(f"The crosstable needs {needed} columns; this terminal has {out.width}.\n")


def _print_table(out: Console, made: Table) -> None:
    with out.capture() as capture:
        out.print(made)
    for line in [*capture.get().strip("\n").splitlines(), ""]:
        out.out(line.rstrip(), highlight=False)


def table(
    standings: Standings, columns: Sequence[Column] = (), *, plain: bool = False, out: Console | None = None
) -> Table:
    """Return one line per engine, the best first.

    :param columns: those that the format adds.
    :param out: where it will be shown; the columns of :data:`LESS_NEEDED` are left out as far as it is too narrow.
    """
    for count in range(len(LESS_NEEDED) + 1):
        made = _whole_table(standings, columns, plain, set(LESS_NEEDED[:count]))
        if out is None or out.measure(made, options=out.options.update(max_width=PLAIN_WIDTH)).minimum <= out.width:
            break
    return made


def _whole_table(standings: Standings, columns: Sequence[Column], plain: bool, left_out: Collection[str]) -> Table:
    has_repeats = standings.distinct < standings.games
    has_forfeits = any(row.forfeits for row in standings.rows)
    made = _table(plain, gap=1 if columns or left_out else 2)
    added = [*(column.title for column in columns), *["Distinct"] * has_repeats, *["Forfeits"] * has_forfeits]
    titles = [title for title in TITLES if title not in left_out]
    for title in (*titles, *added):
        is_name = title == "Engine"  # the only column that may be narrowed
        made.add_column(title, justify="left" if is_name else "right", no_wrap=not is_name, min_width=8 * is_name)
    for place, row in enumerate(standings.rows, 1):
        of_row = dict(zip(TITLES, (str(place), *_cells(row)), strict=True))
        cells = [f"{column.values[row.name]:g}" for column in columns] + [str(row.distinct)] * has_repeats
        forfeits = _styled(str(row.forfeits), "red" if row.forfeits else "dim")
        style = "bold" if place == 1 and row.games else ""
        made.add_row(*(of_row[title] for title in titles), *cells, *[forfeits] * has_forfeits, style=style)
    return made


def _cells(row: Row) -> list[Any]:
    """Return what stands in every table, from the name on."""
    cells: list[Any] = [_styled(row.name), str(row.games), f"{row.points:g}", _percent(row)]
    elo, error = _elo(row)
    cells += [_styled(elo, _shade(row.elo, row.error) if row.games else ""), error, _superiority(row)]
    margin, deviation = row.distinct_margin.mean, row.distinct_margin.error
    shade = "" if deviation is None else _shade(margin, 2 * deviation)
    return [
        *cells,
        _styled(f"{margin:+z.1f}", shade) if row.games else "",
        "" if deviation is None else f"{deviation:.1f}",
    ]


def duel(standings: Standings, game: str) -> list[str]:
    """Return what the games of two engines say about them; nothing of more engines, or before the first pair."""
    if len(standings.rows) != 2 or not standings.meetings:
        return []
    (meeting,) = standings.meetings
    found = estimate(meeting.pentanomial)
    if found is None:
        return []
    margin = meeting.distinct_margin
    spread = "" if margin.error is None else f" ± {margin.error:.2f}"
    return [
        f"{meeting.first} against {meeting.second}: Elo {elo_text(found.elo)}, 95 % between "
        f"{elo_text(found.elo_low)} and {elo_text(found.elo_high)}; normalized Elo {elo_text(found.normalized)} ± "
        f"{found.normalized_error:.1f}; likelihood of superiority {found.superiority:.1%}",
        f"pairs {'-'.join(map(str, meeting.pentanomial))} with 0, 1/2, 1, 3/2 and 2 points; "
        f"margin {margin.mean:+.2f}{spread} {point_of(game)}s a game (standard error, by pairs)",
    ]


def crosstable(standings: Standings, *, plain: bool = False) -> Table:
    """Return the points of every engine, in its line, against every other, in the column of its place."""
    names = [row.name for row in standings.rows]
    made = _table(plain, gap=1)
    made.add_column("", justify="right", no_wrap=True)
    made.add_column("Points against")
    for place in range(1, len(names) + 1):
        made.add_column(str(place), justify="right", no_wrap=True)
    points = {names: f"{points:g}" for names, points in standings.crosstable().items()}
    for place, name in enumerate(names, 1):
        cells = ("-" if other == name else points.get((name, other), "") for other in names)
        made.add_row(str(place), _styled(name), *cells)
    return made


def legend(standings: Standings, game: str, columns: Sequence[Column] = ()) -> str:
    """Return what the columns mean."""
    lines = [
        "Elo: against the average of the field; ±95%: half its 95 % interval, by pairs of games with colours swapped.",
        "LOS: likelihood of being stronger than the next engine.",
        f"Margin: mean of the pairs of games, in {point_of(game)}s a game; ±SE: its standard error.",
        *(f"{column.title}: {column.help}." for column in columns),
    ]
    if standings.distinct < standings.games:
        lines += [
            "Distinct: games that repeat another (same engines, colours, opening, moves and verdict) are counted once.",
            "Elo, ±95%, LOS, Margin and ±SE take the distinct games alone; the other columns take all games.",
        ]
    if any(row.forfeits for row in standings.rows):
        lines.append("Forfeits: games lost by a crash, a timeout, an illegal move or a stall.")
    return "\n".join(lines)


def comparison(chosen: Sequence[str], contrast: Contrast) -> str:
    """Return how a group of engines stands against all others, for a person."""
    return (
        f"{', '.join(chosen)} against the rest, mean against mean:\n"
        f"Elo {contrast.elo:+.0f} ± {contrast.error:.0f}, likelihood of superiority {contrast.superiority:.1%}"
    )


def comparison_json(chosen: Sequence[str], contrast: Contrast) -> str:
    """Return the same as one JSON object."""
    return json.dumps({"group": list(chosen), **rounded(asdict(contrast))})


def _table(plain: bool, gap: int = 2) -> Table:
    """Return an empty table whose columns are ``gap`` blanks apart."""
    from rich import box
    from rich.table import Table

    if plain:
        return Table(box=None, pad_edge=False, header_style="", padding=(0, gap, 0, 0))
    return Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold", padding=(0, gap - 1, 0, 0))


def _styled(text: str, style: str = "") -> Any:
    """Return a cell whose text is never markup, such as a name."""
    from rich.text import Text

    return Text(printable(text), style)


def _shade(value: float, error: float) -> str:
    """Return the style of a number: a colour where it is beyond its error bar."""
    return "green" if value > error else "red" if value < -error else ""


def _superiority(row: Row) -> Any:
    """Return the likelihood of being stronger than the next, which stands out where it is 95 % or more."""
    if row.superiority is None:
        return ""
    return _styled(f"{100 * row.superiority:.0f}%", "green" if row.superiority >= CERTAIN else "")


def _percent(row: Row) -> str:
    return f"{100 * row.points / row.games:.1f}" if row.games else ""


def _elo(row: Row) -> tuple[str, str]:
    return (f"{row.elo:+z.0f}", f"{row.error:.0f}") if row.games else ("", "")
