"""What every experiment's command has in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from quietmove.engine.tools.lab.report import Report, print_report, to_json

__all__ = ["experiment"]

PLOT = "Draw the figure; FILE ends in .svg or .png."


def experiment(name: str, measure: Callable[..., Report], *options: Callable[..., Any]) -> click.Command:
    """Return the command that runs ``measure`` and shows its report.

    :param options: decorators of click, one for each argument of ``measure``; its docstring is the help.
    """

    def command(as_json: bool, plot: Path | None, **arguments: Any) -> None:
        if plot is not None:
            from quietmove.engine.tools.lab.plot import require_plots

            require_plots(plot)
        report = measure(**arguments)
        if plot is not None:
            draw_to(report, plot)
        if as_json:
            click.echo(to_json(report))
        else:
            print_report(report)

    for option in reversed(options):
        command = option(command)
    command = click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help=PLOT)(
        click.option("--json", "as_json", is_flag=True, help="Print the data as one JSON document.")(command)
    )
    return click.command(name, help=measure.__doc__)(command)


def draw_to(report: Report, path: Path) -> None:
    """Draw the figure of ``report``.

    :raises click.UsageError: if the file cannot be written.
    """
    from quietmove.engine.tools.lab.plot import draw

    try:
        draw(report, path)
    except OSError as error:
        raise click.UsageError(f"--plot: {path}: {error.strerror or error}") from None
