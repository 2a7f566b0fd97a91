"""The click command of an experiment, and its common options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from quietmove.addons.lab.searches import AFFORDABLE
from quietmove.addons.shared.plot import show, show_options
from quietmove.addons.shared.report import Report
from quietmove.engine.common.command_line import number_option


class Experiment(click.Command):
    """A command that runs an experiment.

    :ivar run: a function that builds the report from the values of all options.
    """

    run: Callable[..., Report]


depth_option = click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="N",
    help=f"Search depth in plies.  [default: as deep as minimax can search in {AFFORDABLE:,} nodes]",
)


position_option = click.option(
    "--position",
    metavar="FIELDS",
    help="A position, in the format that follows 'position fen'.  [default: the initial position]",
)


def seed_option(text: str = "Seed of the random moves.", default: int = 1) -> Callable[..., Any]:
    """Return the ``--seed`` option."""
    return number_option("--seed", default, text, 0)


def numbers_option(flag: str, text: str) -> Callable[..., Any]:
    """Return a repeatable option that takes a positive integer."""
    text = f"{text}; may be repeated."
    return click.option(flag, type=click.IntRange(1), multiple=True, metavar="N", help=text)


def experiment(name: str, measure: Callable[..., Report], *options: Callable[..., Any]) -> Experiment:
    """Return a command that runs ``measure`` and shows its report.

    :param options: click decorators, one per argument of ``measure``, whose docstring is the help text.
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
