"""``quietmove lab``: the experiments, a group of commands of its own."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["lab"]


@click.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def lab(arguments: tuple[str, ...]) -> Any:
    """Run an experiment of the laboratory; 'quietmove lab --help' lists them."""
    from quietmove.engine.lab.cli import laboratory

    return laboratory.main(list(arguments), prog_name="quietmove lab", standalone_mode=False)
