"""What a run of a suite found, as lines of text, as one JSON document and as a figure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from quietmove.engine.tools.report import Cell, Figure, Report, columns
from quietmove.engine.tools.suite.outcomes import Outcome, Summary
from quietmove.engine.tools.suite.problems import OTHELLO


def outcome_line(outcome: Outcome) -> str:
    """Return one line of fixed columns: what a search found, and what the file lists."""
    loss = "?" if outcome.loss is None else f"{outcome.loss / 100:g}"
    return (
        f"line {outcome.problem.line:>4}  {OTHELLO.format_move(outcome.move):>4} {outcome.score / 100:+7.2f}"
        f"  listed {outcome.problem.best // 100:+3d}  error {outcome.error / 100:5.2f}  loss {loss:>2}"
        f"  depth {outcome.depth:>2}  {outcome.nodes:>13,} nodes  {outcome.cpu_seconds:9.3f} s"
    )


def wrong_lines(path: Path, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a line for each outcome of an exact search that is not what the file says."""
    for outcome in outcomes:
        if outcome.error or not outcome.found:
            value = outcome.problem.values.get(outcome.move)
            listed = "no value" if value is None else f"{value // 100:+d}"
            yield (
                f"{path}:{outcome.problem.line}: the best value listed is {outcome.problem.best // 100:+d}; "
                f"{OTHELLO.format_move(outcome.move)} with {outcome.score // 100:+d} was found, which is listed with "
                f"{listed}"
            )


def as_lines(title: str, summary: Summary) -> list[str]:
    """Return the figures for a person."""
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
    """Return a count as ``12 of 17, 70.6 %``."""
    return f"{count} of {of}, {100 * count / of:.1f} %"


def as_json(path: Path, parameters: Mapping[str, Cell], outcomes: Sequence[Outcome], summary: Summary) -> str:
    """Return everything as one JSON document; values, scores, errors and losses in discs."""
    found = [as_object(outcome) for outcome in outcomes]
    return json.dumps({"file": str(path), "parameters": parameters, **asdict(summary), "outcomes": found}, indent=2)


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
    """Return what is drawn: each score over the listed value, and the nodes of each position."""
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
            Figure("position", ("nodes",), "nodes", "position of the file", "points"),
        ),
        parameters=parameters,
    )
