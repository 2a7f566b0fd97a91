"""A group of commands on a command line, each imported when it is used, so that ``--help`` stays quick."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """Commands by name, before those that were added as usual.

    :param places: where each command is, ``module:name``, and what the list of commands says of it, in its order.
    """

    def __init__(self, *arguments: Any, places: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return [*self._places, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command; None if there is no such command."""
        if cmd_name not in self._places:
            return super().get_command(ctx, cmd_name)
        module, _, name = self._places[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, for which none of them is imported."""
        added = [(name, command.get_short_help_str()) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*((name, text) for name, (_, text) in self._places.items()), *sorted(added)])
