"""A group of commands on a command line, each imported when it is used, so that ``--help`` stays quick."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.compilation import warn_if_uncompiled
from quietmove.engine.printable import explain, printable

__all__ = ["LazyGroup", "run_group", "show_error"]

FAILED = 1
INTERRUPTED = 130


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


def show_error(error: click.ClickException) -> None:
    """Print an error of a command line as all others are, behind the command that lists what is allowed."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(f"'{error.ctx.command_path} --help' tells what is allowed", err=True)
    click.echo(f"error: {printable(error.format_message())}", err=True)


def run_group(group: click.Group, name: str, arguments: list[str] | None = None) -> int:
    """Run the command that ``arguments`` name, by default those of the process, and return the exit status.

    Errors are shown. The status is 1 if a file cannot be written or the machine has no room, 2 for wrong usage, 130
    when interrupted.

    :param name: of the program.
    """
    warn_if_uncompiled()
    try:
        return group.main(arguments, prog_name=name, standalone_mode=False) or 0
    except click.ClickException as error:
        show_error(error)
        return error.exit_code
    except QuietmoveError as error:
        for problem in error.problems:
            click.echo(f"error: {printable(problem)}", err=True)
        return error.status
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        raise  # its reader has had enough; that is no error
    except OSError as error:
        click.echo(f"error: {explain(error)}", err=True)
        return FAILED
