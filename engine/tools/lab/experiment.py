"""The command of an experiment, and how a report is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from quietmove.engine.tools.lab.plot import draw_to, plot_option
from quietmove.engine.tools.lab.report import Report, plain_text, to_json

__all__ = ["Experiment", "experiment", "show", "show_options"]


class Experiment(click.Command):
    """A command that runs an experiment.

    :ivar run: what makes the report from the values of all options.
    """

    run: Callable[..., Report]


def show_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how its report is shown."""
    return plot_option(
        click.option("--json", "as_json", is_flag=True, help="Print the data as one JSON document.")(command)
    )


def show(report: Report, as_json: bool, plot: Path | None) -> None:
    """Print a report, and draw its figure.

    :raises click.UsageError: if the file cannot be written.
    """
    if plot is not None:
        draw_to(report, plot)
    click.echo(to_json(report) if as_json else plain_text(report).rstrip())


def experiment(name: str, measure: Callable[..., Report], *options: Callable[..., Any]) -> Experiment:
    """Return the command that runs ``measure`` and shows its report.

    :param options: decorators of click, one for each argument of ``measure``; its docstring is the help.
    """

    def run(**arguments: Any) -> Report:
        return replace(measure(**arguments), parameters=arguments)

    def command(as_json: bool, plot: Path | None, **arguments: Any) -> None:
        show(run(**arguments), as_json, plot)

    for option in reversed(options):
        command = option(command)
    made = click.command(name, cls=Experiment, help=measure.__doc__)(show_options(command))
    made.run = run
    return made
