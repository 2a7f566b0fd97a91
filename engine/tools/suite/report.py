"""What a run of a suite found, as lines of text, as one JSON document and as a figure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quietmove.engine.protocol.describe import counted
from quietmove.engine.tools.lab.report import Cell, Column, Figure, Report
from quietmove.engine.tools.suite.outcomes import Outcome, Summary
from quietmove.engine.tools.suite.problems import OTHELLO

__all__ = ["Run", "as_figure", "as_json", "as_lines", "outcome_line", "wrong_lines"]


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run.

    :param effort: what each search was given: ``exact``, ``depth 8``, ``10000 nodes``.
    :param parameters: what it was run with, so that it can be run again.
    :param yardstick: CPU seconds of the yardstick on this machine; None where it was not measured.
    """

    path: Path
    effort: str
    parameters: dict[str, Cell]
    outcomes: Sequence[Outcome]
    summary: Summary
    yardstick: float | None = None

    @property
    def yardsticks(self) -> float | None:
        """The CPU time in yardsticks, a figure that machines agree on."""
        return None if self.yardstick is None else self.summary.cpu_seconds / self.yardstick


def outcome_line(outcome: Outcome) -> str:
    """Return what a search found, and what the file says, in one line of fixed columns."""
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
            move = OTHELLO.format_move(outcome.move)
            best = outcome.problem.best // 100
            value = outcome.problem.values.get(outcome.move)
            listed = "no value" if value is None else f"{value // 100:+d}"
            yield (
                f"{path}:{outcome.problem.line}: the best value listed is {best:+d}; "
                f"{move} with {outcome.score // 100:+d} was found, which is listed with {listed}"
            )


def as_lines(run: Run) -> list[str]:
    """Return the figures for a person."""
    summary = run.summary
    rows = [
        ("best move found", _share(summary.best_moves, summary.positions)),
        ("within 3 discs", _share(summary.within_3_discs, summary.positions)),
        ("mean absolute error", f"{summary.mean_absolute_error:.2f} discs"),
        ("mean loss of the move", "unknown" if summary.mean_loss is None else f"{summary.mean_loss:.2f} discs"),
        ("nodes", f"{summary.nodes:,}"),
        ("nodes a CPU second", f"{summary.nodes_per_second:,}"),
        ("CPU seconds", f"{summary.cpu_seconds:.2f}"),
        ("seconds", f"{summary.seconds:.2f}"),
    ]
    if run.yardstick is not None:
        rows.append(("yardsticks", f"{run.yardsticks:.2f} of {run.yardstick:.3f} CPU seconds"))
    return [
        f"{run.path.name}: {counted(summary.positions, 'position')}, {run.effort}",
        "",
        *(f"{name:<22} {text}" for name, text in rows),
    ]


def _share(count: int, of: int) -> str:
    return f"{count} of {of}, {100 * count / of:.1f} %"


def as_json(run: Run) -> str:
    """Return everything as one JSON document; values, scores, errors and losses in discs."""
    document = {"file": str(run.path), "parameters": run.parameters, **asdict(run.summary)}
    document |= {
        "nodes_per_second": run.summary.nodes_per_second,
        "yardstick_seconds": run.yardstick,
        "yardsticks": run.yardsticks,
        "outcomes": [_record(outcome) for outcome in run.outcomes],
    }
    return json.dumps(document, indent=2)


def _record(outcome: Outcome) -> dict[str, Any]:
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


def as_figure(run: Run) -> Report:
    """Return what is drawn: each score over the listed value, and the nodes of each position."""
    rows = tuple(
        (number, outcome.problem.best / 100, outcome.score / 100, max(1, outcome.nodes))
        for number, outcome in enumerate(run.outcomes, 1)
    )
    return Report(
        "suite",
        f"{run.path.name}: {counted(len(rows), 'position')}, {run.effort}, "
        f"best move {_share(run.summary.best_moves, len(rows))}",
        tuple(map(Column, ("position", "listed", "score", "nodes"))),
        rows,
        (
            Figure("listed", ("score",), "score found (discs)", "best listed value (discs)", "points", log=False),
            Figure("position", ("nodes",), "nodes", "position of the file", "points"),
        ),
        parameters=run.parameters,
    )
