"""The standings for people and for programs: tables of rich, plain text, JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tournament.standings import Row, Standings

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from tournament.config import Tournament

__all__ = ["as_json", "console", "crosstable", "legend", "print_report", "table"]

PLAIN_WIDTH = 1000  # of output to a file or pipe: no line is ever broken there


def console(*, to_stderr: bool = False) -> Console:
    """Return a console that draws on a terminal and writes plain text of any width to everything else."""
    from rich.console import Console

    made = Console(stderr=to_stderr, highlight=False, soft_wrap=False)
    return made if made.is_terminal else Console(stderr=to_stderr, highlight=False, width=PLAIN_WIDTH)


def print_report(out: Console, tournament: Tournament, standings: Standings, scheduled: int) -> None:
    """Print everything: the standings, who scored what against whom, and what the columns mean."""
    out.print(f"{tournament.name}: {standings.games} of {scheduled} games, seed {tournament.seed}", markup=False)
    out.print(table(standings, plain=not out.is_terminal))
    cross = crosstable(standings, plain=not out.is_terminal)
    needed = out.measure(cross).minimum
    if needed <= out.width:
        out.print(cross)
    else:
        out.print(f"(The crosstable needs {needed} columns; this terminal has {out.width}.)\n")
    out.print(legend(standings), markup=False)


def table(standings: Standings, *, plain: bool = False) -> Table:
    """Return one line an engine, the best first."""
    has_forfeits = any(row.forfeits for row in standings.rows)
    made = _table(plain)
    for title in ("", "Engine", "Games", "Points", "%", "Elo", "±95%", "LOS", "Discs"):
        made.add_column(title, justify="left" if title == "Engine" else "right", no_wrap=True)
    if has_forfeits:
        made.add_column("Forfeits", justify="right", no_wrap=True)
    for place, row in enumerate(standings.rows, 1):
        cells = [str(place), _text(row.name), str(row.games), f"{row.points:g}", _percent(row), *_elo(row)]
        cells += ["" if row.superiority is None else f"{100 * row.superiority:.0f}%", f"{row.discs_per_game:+.1f}"]
        made.add_row(*cells, *([str(row.forfeits)] if has_forfeits else []))
    return made


def crosstable(standings: Standings, *, plain: bool = False) -> Table:
    """Return the points of every engine, in its line, against every other, in the column of its place."""
    names = [row.name for row in standings.rows]
    made = _table(plain)
    made.add_column("", justify="right", no_wrap=True)
    made.add_column("Points against", no_wrap=True)
    for place in range(1, len(names) + 1):
        made.add_column(str(place), justify="right", no_wrap=True)
    for place, name in enumerate(names, 1):
        made.add_row(str(place), _text(name), *(_score(standings, name, other) for other in names))
    return made


def legend(standings: Standings) -> str:
    """Return what the columns mean."""
    lines = [
        "Elo: against the average of the field; ±95%: half its 95 % interval, by pairs of games with colours swapped.",
        "LOS: likelihood of being stronger than the next engine. Discs: mean disc difference of a game.",
    ]
    if any(row.forfeits for row in standings.rows):
        lines.append("Forfeits: games lost by a crash, a timeout, an illegal move or a stall.")
    return "\n".join(lines)


def as_json(tournament: Tournament, standings: Standings, scheduled: int) -> str:
    """Return the standings as one JSON object; README.md describes its keys."""
    value: dict[str, Any] = {
        "tournament": tournament.name,
        "game": tournament.game,
        "seed": tournament.seed,
        "rounds": tournament.rounds,
        "games": standings.games,
        "scheduled": scheduled,
        "standings": [{"place": place, **asdict(row)} for place, row in enumerate(standings.rows, 1)],
        "meetings": [asdict(meeting) for meeting in standings.meetings],
    }
    return json.dumps(value, ensure_ascii=False, indent=2)


def _table(plain: bool) -> Table:
    from rich import box
    from rich.table import Table

    if plain:
        return Table(box=None, pad_edge=False, header_style="", padding=(0, 1))
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))


def _text(name: str) -> Any:
    from rich.text import Text

    return Text(name)  # a name is never markup


def _percent(row: Row) -> str:
    return f"{100 * row.points / row.games:.1f}" if row.games else ""


def _elo(row: Row) -> tuple[str, str]:
    return (f"{row.elo:+.0f}", f"{row.error:.0f}") if row.games else ("", "")


def _score(standings: Standings, name: str, other: str) -> str:
    if name == other:
        return "-"
    points, games = standings.meeting(name, other)
    return f"{points:g}" if games else ""
