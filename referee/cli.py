"""`quietmove-referee`: the commands, each imported when it is used."""

from __future__ import annotations

from typing import NoReturn

import click

from quietmove.command_help import examples
from quietmove.engine.errors import QuietmoveError, WorkerError
from quietmove.engine.games.compilation import warn_if_uncompiled
from quietmove.engine.printable import explain, printable
from quietmove.entry import run_to_exit
from quietmove.lazy_group import LazyGroup
from quietmove.referee.errors import ShortageError

__all__ = ["main"]

COMMANDS = {
    "match": ("quietmove.referee.match.command:match", "Play a match between two engines."),
    "check": ("quietmove.referee.check.command:check", "Examine an engine's manners."),
    "bench": ("quietmove.referee.bench_command:bench", "Measure the referee on fast games."),
    "serve": ("quietmove.referee.web.command:serve", "Play and watch games in a browser."),
}
EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=examples(
        "quietmove-referee match --engine cmd=quietmove --engine cmd=./my_engine",
        "quietmove-referee check 'python3 engine.py'",
    ),
)
@click.version_option(package_name="quietmove")
def referee() -> None:
    """Judge games between engine processes, and examine engines."""


def main() -> NoReturn:
    """Run the command line that the process was given, and exit."""
    run_to_exit(run_command_line)


def run_command_line() -> int:
    """Return the exit status.

    It is 0, 1 if a file cannot be written or the machine has no room, 2 for wrong usage, 130 when interrupted.
    """
    warn_if_uncompiled()
    try:
        return referee.main(prog_name="quietmove-referee", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except QuietmoveError as error:
        click.echo("\n".join(f"error: {printable(line)}" for line in str(error).splitlines()), err=True)
        return EXIT_FAILURE if isinstance(error, (ShortageError, WorkerError)) else EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:
        click.echo(f"error: {explain(error)}", err=True)
        return EXIT_FAILURE
