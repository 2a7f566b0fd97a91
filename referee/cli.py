"""The commands of ``quietmove-referee``, each imported on first use."""

from __future__ import annotations

from typing import NoReturn

import click

from quietmove.engine.common.command_line import LazyGroup, examples, run_group
from quietmove.engine.common.entry import run_to_exit
from quietmove.engine.shared_options import version_option

COMMANDS = {
    "match": ("quietmove.referee.match.command:match", "Play a match between two engines."),
}


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    program="quietmove-referee",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog=examples(
        "quietmove-referee match --engine cmd=quietmove --engine cmd=./my_engine",
    ),
)
@version_option
def referee() -> None:
    """Run games between engine processes."""


def main() -> NoReturn:
    """Run the process's command line, then exit."""
    run_to_exit(lambda: run_group(referee, "quietmove-referee"))
