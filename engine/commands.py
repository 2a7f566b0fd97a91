"""The command line beside the protocol loop: one row and one file per command, imported when the command is used.

What a command needs in turn is imported when it runs, so that ``--help`` stays quick.
"""

from __future__ import annotations

import click

from quietmove import __version__
from quietmove.command_help import complete_protocol, examples
from quietmove.engine.dialect_command import dialect_command, owners_of, split_protocol
from quietmove.engine.errors import OutputError, QuietmoveError
from quietmove.engine.printable import printable_lines
from quietmove.engine.protocol.dialects import DIALECTS
from quietmove.lazy_group import LazyGroup

__all__ = ["COMMANDS", "run_command"]

COMMANDS = {
    "analyze": "quietmove.engine.tools.analysis.command:analyze",
    "bench": "quietmove.engine.tools.bench_command:bench",
    "book": "quietmove.engine.tools.book.command:book",
    "classify": "quietmove.engine.tools.classify_command:classify",
    "convert": "quietmove.engine.tools.convert_command:convert",
    "lab": "quietmove.engine.tools.lab.cli:laboratory",
    "perft": "quietmove.engine.tools.perft_command:perft",
    "play": "quietmove.referee.play.command:play",
    "suite": "quietmove.engine.tools.suite.command:suite",
    "train": "quietmove.engine.tools.training.command:train",
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
    protocol, rest = split_protocol(arguments, list(COMMANDS))
    try:
        if protocol is None:
            status = quietmove.main(arguments, prog_name="quietmove", standalone_mode=False)
        else:
            command = dialect_command(protocol)
            status = command.main(rest, prog_name=f"quietmove --protocol {protocol}", standalone_mode=False)
    except click.ClickException as error:
        show(error)
        return error.exit_code
    except click.Abort:
        return 130
    except OutputError:
        raise
    except QuietmoveError as error:
        click.echo(f"quietmove: {printable_lines(str(error))}", err=True)
        return 2
    except OSError as error:  # the output cannot be written
        click.echo(f"quietmove: {printable_lines(str(error))}", err=True)
        return 1
    return status if isinstance(status, int) else 0


def show(error: click.ClickException) -> None:
    """Print a usage error; a flag that belongs to dialects is told which."""
    if isinstance(error, click.NoSuchOption) and (names := owners_of(error.option_name)):
        error = click.UsageError(f"{error.option_name} needs --protocol {' or '.join(names)}", error.ctx)
    error.show()


@click.group(cls=LazyGroup, places=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.version_option(__version__, message="Quietmove %(version)s")
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
