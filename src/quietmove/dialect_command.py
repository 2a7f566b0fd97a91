"""``quietmove --protocol NAME``: the command line of a dialect, with a flag for each setting that it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from quietmove.engine.errors import OptionError
from quietmove.engine.protocol import dialects

if TYPE_CHECKING:
    from quietmove.engine.protocol.options import Option


def split_protocol(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Return the name that ``--protocol`` gives, or None if the first argument is a command, and the other arguments.

    ``--project`` is short for ``--protocol project``.
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
    """Return the command that speaks the dialect of that name.

    :raises click.UsageError: if there is none.
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
    """Return the names of the dialects that have a setting of that name."""
    return [entry.name for entry in dialects.DIALECTS if any(row.name == flag for row in entry.load().rows)]
