"""`quietmove-referee bench`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from quietmove.command_help import examples
from quietmove.engine.processors import usable_processors

if TYPE_CHECKING:
    from quietmove.referee.bench import Report

__all__ = ["bench"]

KINDS = ("in-process", "process", "clock", "overhead")
EXIT_FAULT = 1


@click.command(
    epilog=examples("quietmove-referee bench", "quietmove-referee bench in-process --games 100000"),
)
@click.argument("kinds", nargs=-1, type=click.Choice(KINDS), metavar="[KIND]...")
@click.option(
    "--games", type=click.IntRange(1), default=1000, show_default=True, metavar="N", help="Games of each kind."
)
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes of the referee.")
@click.option("--concurrency", type=click.IntRange(1), metavar="N", help="Games at once in each.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per kind.")
def bench(kinds: tuple[str, ...], games: int, workers: int | None, concurrency: int | None, as_json: bool) -> int:
    """Play many fast games of Othello, and print how many a second and what each move costs the referee.

    KIND is in-process (engines in the referee's own process, which look one move ahead), process (the same in engine
    processes that are kept from game to game), clock (engine processes that play at once and have a clock) or overhead
    (players that answer at once, so that all the time is the referee's); without it, all of them.

    The exit status is 1 if a game did not end on the board, or if memory, open files or threads of the referee grew
    after the first fifth of the games.
    """
    from quietmove.referee.bench import measure

    cores = len(usable_processors())
    sound = True
    for kind in kinds or KINDS:
        most = workers or (cores if kind == "in-process" else 1)
        at_once = concurrency or (2 * cores if kind in ("process", "clock") else 1)
        report = measure(kind, games, most, at_once, lambda done: _progress(done, games))
        click.echo(json.dumps(_values(report)) if as_json else "\n".join(_lines(report)))
        sound = sound and not _faults(report)
    return 0 if sound else EXIT_FAULT


def _progress(done: Report, games: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{done.kind}: {done.games:,} of {games:,} games", err=True, nl=False)
        if done.games == games:
            click.echo("\r\033[K", err=True, nl=False)


def _values(report: Report) -> dict[str, object]:
    return {
        "kind": report.kind,
        "games": report.games,
        "moves": report.moves,
        "seconds": round(report.seconds, 3),
        "games_per_second": round(report.games / report.seconds, 1),
        "processor_ms_per_move": round(1000 * report.processor / report.moves, 4),
        "verdicts": dict(report.verdicts),
        "memory_mb": [round(growth.memory / (1 << 20), 1) for growth in report.last.values()],
        "handles": [growth.handles for growth in report.last.values()],
        "faults": _faults(report),
    }


def _lines(report: Report) -> list[str]:
    rate, cost = report.games / report.seconds, 1000 * report.processor / report.moves
    verdicts = ", ".join(f"{reason} {count:,}" for reason, count in sorted(report.verdicts.items()))
    memory = max(growth.memory for growth in report.last.values()) >> 20
    handles = max(growth.handles for growth in report.last.values())
    return [
        f"{report.kind}: {report.games:,} games in {report.seconds:.1f} s, {rate:.0f} a second",
        f"  {report.moves:,} moves; {cost:.3f} ms of the referee's processor time each",
        f"  verdicts: {verdicts}",
        f"  at the end: {memory} MB, {handles} open files",
        *(f"  fault: {text}" for text in _faults(report)),
    ]


def _faults(report: Report) -> list[str]:
    lost = report.games - report.verdicts["finished"]
    return [*([f"{lost} games did not end on the board"] if lost else []), *report.grown]
