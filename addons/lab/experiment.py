"""The command of an experiment, and how a report is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from quietmove.addons.lab.searches import AFFORDABLE
from quietmove.engine.common.command_line import number_option
from quietmove.engine.tools.plot import show, show_options
from quietmove.engine.tools.report import Report


class Experiment(click.Command):
    """A command that runs an experiment.

    :ivar run: makes the report from the values of all options.
    """

    run: Callable[..., Report]


depth_option = click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="N",
    help=f"Plies.  [default: as many as take minimax at most {AFFORDABLE:,} nodes]",
)


position_option = click.option("--position", metavar="FIELDS", help="As after 'position fen'.  [default: the start]")


def seed_option(text: str = "Of the random moves.", default: int = 1) -> Callable[..., Any]:
    """Return the option ``--seed``."""
    return number_option("--seed", default, text, 0)


def numbers_option(flag: str, text: str) -> Callable[..., Any]:
    """Return an option that takes a whole number from 1 on, and may be given more than once."""
    text = f"{text}; may be given more than once."
    return click.option(flag, type=click.IntRange(1), multiple=True, metavar="N", help=text)


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
