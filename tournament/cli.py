"""The command ``quietmove-tournament``, whose subcommands are imported on first use."""

from __future__ import annotations

from typing import NoReturn

import click

from quietmove.engine.common.command_line import LazyGroup, examples, run_group
from quietmove.engine.common.entry import run_to_exit
from quietmove.engine.shared_options import version_option

COMMANDS = {
    "compare": ("quietmove.tournament.comparing:compare", "Find out which of two engines is better."),
    "export": ("quietmove.tournament.reporting.export_command:export", "Export the games for other programs."),
    "games": ("quietmove.tournament.reporting.games_command:games", "List the games, or print some."),
    "openings": ("quietmove.tournament.config.openings_command:openings", "Find openings for a tournament."),
    "resume": ("quietmove.tournament.playing.commands:resume", "Play the missing games."),
    "run": ("quietmove.tournament.playing.commands:run", "Play a tournament."),
    "schema": ("quietmove.tournament.config.schema:command", "Print the JSON schema of a configuration."),
    "standings": ("quietmove.tournament.reporting.games_command:standings", "Print the table."),
    "tune": ("quietmove.tournament.comparing:tune", "Tune an engine's options."),
    "verify": ("quietmove.tournament.reporting.games_command:verify", "Check a store: its games, schedule and table."),
}


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    program="quietmove-tournament",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=examples(
        'quietmove-tournament compare "Ordering=full" "Ordering=mobility"',
        "quietmove-tournament run my.toml",
        "quietmove-tournament standings my.sqlite",
        "quietmove-tournament resume my.sqlite",
    ),
)
@version_option
def commands() -> None:
    """Play tournaments between engines, and show with error bars which one is stronger."""


def main() -> NoReturn:
    """Run the process's command line, then exit."""
    run_to_exit(lambda: run_command_line(None))


def run_command_line(arguments: list[str] | None) -> int:
    """Run ``quietmove-tournament`` with ``arguments`` and return the exit status."""
    return run_group(commands, "quietmove-tournament", arguments)
