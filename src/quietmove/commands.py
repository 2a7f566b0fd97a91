"""The command line except for the protocol loop: a table of commands, each imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from quietmove.engine.common.command_line import LazyGroup, examples, exit_status, show_error
from quietmove.engine.errors import OptionError
from quietmove.engine.protocol import dialects
from quietmove.engine.shared_options import version_option

if TYPE_CHECKING:
    from quietmove.engine.protocol.options import Option


def split_protocol(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Return the protocol named by ``--protocol``, or None, and the other arguments.

    The protocol is None if the arguments start with a command. ``--project`` is short for ``--protocol project``.
    """
    if arguments and not arguments[0].startswith("-"):
        return None, arguments
    for index, argument in enumerate(arguments):
        flag, equals, name = argument.partition("=")
        if argument == "--project":
            return "project", arguments[:index] + arguments[index + 1 :]
        if flag == "--protocol":
            end = index + (1 if equals else 2)
            return name if equals else "".join(arguments[index + 1 : end]), arguments[:index] + arguments[end:]
    return None, arguments


def dialect_command(name: str) -> click.Command:
    """Return the command that runs the dialect called ``name``.

    :raises click.UsageError: if the dialect does not exist.
    """
    try:
        entry = dialects.find_dialect(name)
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    dialect = entry.load()

    def speak(**chosen: Any) -> int:
        from quietmove.engine.protocol import runner, wire

        given = {field: value for field, value in chosen.items() if value is not None}
        settings = dialect.settings_type(**given)
        try:
            settings.check()
        except OptionError as error:
            raise click.UsageError(str(error)) from None
        return runner.run(entry, settings, sink=wire.own_output())

    flags: list[click.Parameter] = [flag_of(row) for row in dialect.rows]
    return click.Command(name, {"help_option_names": ["-h", "--help"]}, speak, flags, entry.help)


def flag_of(row: Option) -> click.Option:
    from quietmove.engine.protocol.options import Check, Combo, Time

    names = [row.name, row.field]
    text = f"{row.help[:1].upper()}{row.help[1:]}."
    if isinstance(row, Check):
        return click.Option(names, is_flag=True, help=text)

    def convert(text: str) -> object:
        try:
            return row.parse(text)
        except OptionError as error:
            raise click.UsageError(str(error)) from None

    metavar = "|".join(row.choices) if isinstance(row, Combo) else "TIME" if isinstance(row, Time) else "N"
    default = f"  [default: {row.default}]" if row.default else ""
    return click.Option(names, type=convert, metavar=metavar, help=f"{text}{default}")


def owners_of(flag: str) -> list[str]:
    return [entry.name for entry in dialects.all_dialects() if any(row.name == flag for row in entry.load().rows)]


COMMANDS = {
    "analyze": ("quietmove.referee.play.analyze_command:analyze", "Show what each move of a game cost."),
    "bench": ("quietmove.engine.tools.bench:bench", "Print the signature of the search."),
    "convert": ("quietmove.engine.tools.convert:convert", "Convert game files."),
    "doctor": ("quietmove.doctor:doctor", "Check this installation and suggest fixes."),
    "perft": ("quietmove.engine.tools.perft:perft", "Count the leaves of the game tree, or its positions."),
    "play": ("quietmove.referee.play.command:play", "Play a game in the terminal."),
}


class Quietmove(LazyGroup):
    """The group of all commands; its help lists the protocols, which may be those of add-ons."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Protocols"):
            formatter.write_dl([(entry.name, entry.help) for entry in dialects.all_dialects()])
        super().format_epilog(ctx, formatter)


def run_command(arguments: list[str]) -> int:
    """Run ``arguments`` and return the exit status."""
    protocol, rest = split_protocol(arguments)

    def run() -> object:
        command = quietmove if protocol is None else dialect_command(protocol)
        name = "quietmove" if protocol is None else f"quietmove --protocol {protocol}"
        return command.main(rest, prog_name=name, standalone_mode=False)

    return exit_status(run, show)


def show(error: click.ClickException) -> None:
    """Print a usage error. If an unknown flag belongs to certain dialects, name them."""
    if isinstance(error, click.NoSuchOption) and (names := owners_of(error.option_name)):
        error = click.UsageError(f"{error.option_name} needs --protocol {' or '.join(names)}", error.ctx)
    show_error(error)


def complete_protocol(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [entry.name for entry in dialects.all_dialects() if entry.name.startswith(incomplete)]


@click.group(
    cls=Quietmove,
    places=COMMANDS,
    program="quietmove",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "quietmove play --level 3",
        "quietmove analyze f5d6c3d3c4f4e6",
        "quietmove convert games.ggf games.txt",
    ),
)
@version_option
@click.option(
    "--protocol",
    metavar="NAME",
    expose_value=False,
    shell_complete=complete_protocol,
    help="Speak this protocol; add --help for its options.",
)
@click.option("--project", is_flag=True, expose_value=False, help="Short for --protocol project.")
def quietmove() -> None:
    """Play Othello. Without arguments, speak the UCI-style protocol described in protocol.md."""
