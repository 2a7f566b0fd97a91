"""The command group ``quietmove lab``: an experiment's module is imported when it is asked for."""

from __future__ import annotations

import importlib

import click

__all__ = ["EXPERIMENTS", "laboratory"]

EXPERIMENTS = (
    "pruning",
    "ordering",
    "knuth-moore",
    "table",
    "budget",
    "pvs",
    "horizon",
    "nim",
    "dice",
    "deals",
    "trace",
)


class Laboratory(click.Group):
    """A group whose commands are modules of this package."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of a lecture."""
        return list(EXPERIMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the experiment of that name, or None."""
        if cmd_name not in EXPERIMENTS:
            return None
        command: click.Command = importlib.import_module(f"quietmove.engine.lab.{cmd_name.replace('-', '_')}").command
        return command


laboratory = Laboratory(
    "lab",
    help="Experiments with the search; each prints a table, its data with --json, and draws it with --plot FILE.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
