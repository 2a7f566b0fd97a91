"""`quietmove-referee`: the commands, each imported when it is used."""

from __future__ import annotations

import importlib
import sys

import click

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.compilation import warn_if_uncompiled

__all__ = ["main"]

COMMANDS = {"match": "quietmove.referee.match_command:match"}
EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


class LazyGroup(click.Group):
    """Commands by name, imported one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="quietmove")
def referee() -> None:
    """Judge games between engine processes."""


def main() -> None:
    """Run the command line; exit with 0, 1 if a file cannot be written, 2 for wrong usage, 130 when interrupted."""
    warn_if_uncompiled()
    try:
        status = referee.main(prog_name="quietmove-referee", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except QuietmoveError as error:
        click.echo("\n".join(f"error: {line}" for line in str(error).splitlines()), err=True)
        status = EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        status = EXIT_INTERRUPTED
    except OSError as error:
        click.echo(f"error: {error}", err=True)
        status = EXIT_FAILURE
    sys.exit(status)
