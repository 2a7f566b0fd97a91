"""The command line beside the protocol loop: one row per command, whose module is imported when it is used."""

from __future__ import annotations

import click

from quietmove.dialect_command import dialect_command, owners_of, split_protocol
from quietmove.engine.common.command_line import LazyGroup, examples, exit_status, show_error
from quietmove.engine.protocol.dialects import DIALECTS
from quietmove.engine.shared_options import version_option

COMMANDS = {
    "analyze": ("quietmove.engine.tools.analysis.command:analyze", "Show what each move of a game was worth."),
    "bench": ("quietmove.engine.tools.bench:bench", "Print the signature of the search."),
    "convert": ("quietmove.engine.tools.convert:convert", "Convert files of games."),
    "doctor": ("quietmove.doctor:doctor", "Show what this machine has and lacks."),
    "perft": ("quietmove.engine.tools.perft:perft", "Count the leaves of the game tree, or its positions."),
    "play": ("quietmove.referee.play.command:play", "Play a game by hand."),
    "suite": ("quietmove.engine.tools.suite.command:suite", "Search positions with known values, and compare."),
}

EPILOG = "\n".join(
    [
        "\b",
        "Protocols:",
        *(f"  {entry.name:<8} {entry.help}" for entry in DIALECTS),
        "",
        examples(
            "quietmove play --level 3",
            "quietmove analyze f5d6c3d3c4f4e6",
            "quietmove convert games.ggf games.txt",
            "quietmove suite problems.obf --exact",
        ),
    ]
)


def run_command(arguments: list[str]) -> int:
    """Run ``arguments`` and return the exit status."""
    protocol, rest = split_protocol(arguments)

    def run() -> object:
        command = quietmove if protocol is None else dialect_command(protocol)
        name = "quietmove" if protocol is None else f"quietmove --protocol {protocol}"
        return command.main(rest, prog_name=name, standalone_mode=False)

    return exit_status(run, show)


def show(error: click.ClickException) -> None:
    """Print a usage error; a flag that belongs to dialects is told which."""
    if isinstance(error, click.NoSuchOption) and (names := owners_of(error.option_name)):
        error = click.UsageError(f"{error.option_name} needs --protocol {' or '.join(names)}", error.ctx)
    show_error(error)


def complete_protocol(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [entry.name for entry in DIALECTS if entry.name.startswith(incomplete)]


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    program="quietmove",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
)
@version_option
@click.option(
    "--protocol",
    metavar="NAME",
    expose_value=False,
    shell_complete=complete_protocol,
    help="Speak this protocol; --help after it tells more.",
)
@click.option("--project", is_flag=True, expose_value=False, help="The same as --protocol project.")
def quietmove() -> None:
    """Play Othello: without an argument by the UCI-style protocol of protocol.md."""
