"""``quietmove suite``: search positions with known move values and compare the results."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from quietmove.addons.measure import yardstick as fixed_search
from quietmove.addons.measure.problems import OTHELLO, Outcome, Summary, read_problems, solve_all, summarise
from quietmove.addons.shared.plot import draw_to
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.engine.common.command_line import examples, number_option, show_problem
from quietmove.engine.common.progress import with_progress
from quietmove.engine.protocol.describe import pluralize
from quietmove.engine.tools.plot import plot_option
from quietmove.engine.values import Limits
from quietmove.referee.play.analyze_command import read_settings, search_option


def outcome_line(outcome: Outcome) -> str:
    """Format an outcome as one line in fixed columns: the search result and the listed value."""
    loss = "?" if outcome.loss is None else f"{outcome.loss / 100:g}"
    return (
        f"line {outcome.problem.line:>4}  {OTHELLO.format_move(outcome.move):>4} {outcome.score / 100:+7.2f}"
        f"  listed {outcome.problem.best // 100:+3d}  error {outcome.error / 100:5.2f}  loss {loss:>2}"
        f"  depth {outcome.depth:>2}  {outcome.nodes:>13,} nodes  {outcome.cpu_seconds:9.3f} s"
    )


def wrong_lines(path: Path, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield an error line for each exact search whose result differs from the file."""
    for outcome in outcomes:
        if outcome.error or not outcome.found:
            value = outcome.problem.values.get(outcome.move)
            listed = "no value" if value is None else f"{value // 100:+d}"
            yield (
                f"{path}:{outcome.problem.line}: the best listed value is {outcome.problem.best // 100:+d}, but the "
                f"search found {OTHELLO.format_move(outcome.move)} with {outcome.score // 100:+d}, which is listed "
                f"with {listed}"
            )


def as_lines(title: str, summary: Summary) -> list[str]:
    """Format the summary as readable lines."""
    rows = [
        ("best move found", count_and_percent(summary.best_moves, summary.positions)),
        ("within 3 discs", count_and_percent(summary.within_3_discs, summary.positions)),
        ("mean absolute error", f"{summary.mean_absolute_error:.2f} discs"),
        ("mean loss of the move", "unknown" if summary.mean_loss is None else f"{summary.mean_loss:.2f} discs"),
        ("nodes", f"{summary.nodes:,}"),
        ("nodes a CPU second", f"{summary.nodes_per_second:,}"),
        ("CPU seconds", f"{summary.cpu_seconds:.2f}"),
        ("seconds", f"{summary.seconds:.2f}"),
    ]
    if summary.yardsticks is not None:
        rows.append(("yardsticks", f"{summary.yardsticks:.2f} of {summary.yardstick_seconds:.3f} CPU seconds"))
    return [title, "", *(f"{name:<22} {text}" for name, text in rows)]


def count_and_percent(count: int, of: int) -> str:
    """Format a count as ``12 of 17, 70.6 %``."""
    return f"{count} of {of}, {100 * count / of:.1f} %"


def as_json(path: Path, parameters: Mapping[str, Cell], outcomes: Sequence[Outcome], summary: Summary) -> str:
    """Return the results as one JSON document, with values, scores, errors and losses in discs."""
    objects = [as_object(outcome) for outcome in outcomes]
    return json.dumps({"file": str(path), "parameters": parameters, **asdict(summary), "outcomes": objects}, indent=2)


def as_object(outcome: Outcome) -> dict[str, Any]:
    return {
        "line": outcome.problem.line,
        "move": OTHELLO.format_move(outcome.move),
        "score": outcome.score / 100,
        "listed": outcome.problem.best / 100,
        "best_move": outcome.found,
        "error": outcome.error / 100,
        "loss": None if outcome.loss is None else outcome.loss / 100,
        "depth": outcome.depth,
        "nodes": outcome.nodes,
        "cpu_seconds": outcome.cpu_seconds,
        "seconds": outcome.seconds,
    }


def as_figure(title: str, parameters: Mapping[str, Cell], outcomes: Sequence[Outcome], summary: Summary) -> Report:
    """Return plots of each score against the listed value, and of the nodes searched per position."""
    return Report(
        "suite",
        f"{title}, best move {count_and_percent(summary.best_moves, summary.positions)}",
        columns("position; listed; score; nodes"),
        [
            (number, outcome.problem.best / 100, outcome.score / 100, max(1, outcome.nodes))
            for number, outcome in enumerate(outcomes, 1)
        ],
        (
            Figure("listed", ("score",), "score found (discs)", "best listed value (discs)", "points", log=False),
            Figure("position", ("nodes",), "nodes", "position in the file", "points"),
        ),
        parameters=parameters,
    )


@click.command(
    epilog=examples(
        "quietmove suite problems.obf --exact", "quietmove suite problems.obf --depth 8 --option Selectivity=0"
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--exact", is_flag=True, help="Search each position to the end of the game, and fail on a wrong value.")
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="Search each position to depth N.")
@click.option("--nodes", type=click.IntRange(1, 10**15), metavar="N", help="Search each position for N nodes.")
@search_option
@number_option("--threads", 1, "Number of positions to search in parallel.", high=256)
@number_option("--hash", 64, "Size of each thread's table in MB.", 0, 65536, "megabytes")
@click.option("--yardstick", is_flag=True, help="Also report the CPU time in yardsticks (a fixed search, timed first).")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each position.")
@click.option("--json", "json_output", is_flag=True, help="Print one JSON object.")
@plot_option
def suite(
    file: Path,
    exact: bool,
    depth: int | None,
    nodes: int | None,
    words: tuple[str, ...],
    threads: int,
    megabytes: int,
    yardstick: bool,
    verbose: bool,
    json_output: bool,
    plot: Path | None,
) -> int:
    """Search every position of FILE and compare the results with the listed values.

    FILE is in OBF format, with one Othello position per line: 64 squares (X, O, -) in the order a1 b1 ... h8, the side
    to move, and legal moves, each with the disc difference under best play: 'F5:+4; D6:-2;'. Text after % and lines
    starting with # are comments. Exactly one of --exact, --depth and --nodes must be given; each position is searched
    with an empty table.

    The summary counts the positions whose best move is found, and those whose score is within 3 discs; "error" is the
    error of the score, "loss" the loss of the chosen move. CPU seconds only include the searches. A yardstick is the
    CPU time of a fixed search without a table, so figures in yardsticks can be compared between machines.

    The exit status is 1 if --exact finds wrong values or moves (each is reported), and 2 for a usage error.
    """
    given = [name for name, value in (("--exact", exact), ("--depth", depth), ("--nodes", nodes)) if value]
    if len(given) != 1:
        chosen = " and ".join(given) if given else "none"
        raise click.UsageError(f"expected one of --exact, --depth and --nodes, got {chosen}")
    limits = Limits(depth=depth, nodes=nodes, goal="solve" if exact else "move")
    settings = read_settings(words, ("multipv", "deals", "seed", "move_overhead"))
    if threads > 1 < settings.threads:
        raise click.UsageError(f"--threads: must be 1 if option Threads is {settings.threads}, not {threads}")
    problems = read_problems(file)
    unit = fixed_search.measure() if yardstick else None
    began = time.perf_counter()
    run = solve_all(problems, settings, limits, megabytes, threads)
    outcomes = []
    for outcome in with_progress(run, len(problems), "positions"):
        outcomes.append(outcome)
        if verbose and not json_output:
            click.echo(outcome_line(outcome))
    summary = summarise(outcomes, time.perf_counter() - began, unit)
    effort = "exact" if exact else f"depth {depth}" if depth is not None else f"{nodes:,} nodes"
    title = f"{file.name}: {pluralize(len(outcomes), 'position')}, {effort}"
    parameters: dict[str, Cell] = {"exact": exact, "depth": depth, "nodes": nodes, "options": " ".join(words)}
    parameters |= {"threads": threads, "hash": megabytes}
    if plot is not None:
        draw_to(as_figure(title, parameters, outcomes, summary), plot)
    if json_output:
        click.echo(as_json(file, parameters, outcomes, summary))
    else:
        click.echo("\n".join(as_lines(title, summary)))
    wrong = list(wrong_lines(file, outcomes)) if exact else []
    for line in wrong:
        show_problem(line)
    return 1 if wrong else 0
