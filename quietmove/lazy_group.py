"""A group of commands on a command line, each imported when it is used, so that ``--help`` stays quick."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """Commands by name, before those that were added as usual.

    :param places: where each command is, ``module:name``, in the order in which they are listed.
    """

    def __init__(self, *arguments: Any, places: Mapping[str, str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return [*self._places, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command; None if there is no such command."""
        if cmd_name not in self._places:
            return super().get_command(ctx, cmd_name)
        module, _, name = self._places[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command
