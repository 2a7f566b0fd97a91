"""The command ``quietmove-tournament``. Each subcommand is a module that is imported when it is used."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from quietmove.command_help import examples
from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.compilation import warn_if_uncompiled
from quietmove.engine.printable import explain, printable
from quietmove.entry import run_to_exit
from quietmove.lazy_group import LazyGroup
from quietmove.referee.errors import ShortageError

__all__ = ["main"]

COMMANDS = {
    "compare": ("quietmove.tournament.comparing.commands:compare", "Say which of two is better."),
    "export": ("quietmove.tournament.reporting.export_command:export", "Write the games for other programs."),
    "games": ("quietmove.tournament.reporting.games_command:games", "List the games, or print some."),
    "openings": ("quietmove.tournament.config.openings_command:openings", "Find openings for a tournament."),
    "report": ("quietmove.tournament.reporting.report_command:report", "Write a page with everything, for a browser."),
    "resume": ("quietmove.tournament.running.run_command:resume", "Play the games that are missing."),
    "run": ("quietmove.tournament.running.run_command:run", "Play a tournament."),
    "schema": ("quietmove.tournament.config.schema:command", "Print the schema of a configuration."),
    "standings": ("quietmove.tournament.reporting.games_command:standings", "Print the table."),
    "tune": ("quietmove.tournament.comparing.commands:tune", "Tune options of an engine."),
    "verify": ("quietmove.tournament.reporting.games_command:verify", "Check a store: its games, schedule and table."),
}
FAILURE = 1
BAD_USAGE = 2
INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line and end the process with its status."""
    run_to_exit(lambda: run_command_line(sys.argv[1:]))


def run_command_line(arguments: list[str]) -> int:
    """Return the exit status of ``quietmove-tournament`` with ``arguments``."""
    warn_if_uncompiled()
    try:
        return commands.main(arguments, prog_name="quietmove-tournament", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return BAD_USAGE
    except QuietmoveError as error:
        click.echo("\n".join(f"error: {printable(line)}" for line in str(error).splitlines()), err=True)
        return FAILURE if isinstance(error, ShortageError) else BAD_USAGE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        raise  # its reader has had enough; that is no error
    except OSError as error:
        click.echo(f"error: {explain(error)}", err=True)
        return FAILURE


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=examples(
        'quietmove-tournament compare "Ordering=full" "Ordering=mobility"',
        "quietmove-tournament run my.toml",
        "quietmove-tournament standings my.sqlite",
        "quietmove-tournament resume my.sqlite",
    ),
)
@click.version_option(package_name="quietmove")
def commands() -> None:
    """Play tournaments between engines, and say with error bars which one is stronger."""
