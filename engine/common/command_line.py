"""What the command lines have in common: groups of commands, numbers, examples in the help, errors, exit statuses.

A command is imported when it is used, so that ``--help`` stays quick.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from quietmove.engine.common.addons import SHIPPED, commands_of, load, load_added
from quietmove.engine.common.entry import INTERRUPTED, flush_or_drop_output
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import did_you_mean, explain, milliseconds, printable

FAILED = 1
WRONG_USAGE = 2
MOST_MILLISECONDS = 10**9
STANDARD_OUTPUT = 1


# Options of the commands that serve pages.
port_option = click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="The port; 0 takes a free one.  [default: 0]"
)
open_option = click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
proxies_option = click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy, or a network such as 10.0.0.0/8, that may say in X-Forwarded-For from where a request comes. May be"
    " repeated.",
)


class LazyGroup(click.Group):
    """Commands by name, before those that were added as usual.

    :param places: by its name, the place of each command (``module:name``) and its line in the list of commands, in
        the order of that list.
    :param program: the program to which add-ons may add commands; empty for a group that takes none.
    """

    def __init__(
        self, *arguments: Any, places: Mapping[str, tuple[str, str]], program: str = "", **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._core = places
        self._program = program

    @property
    def _places(self) -> dict[str, tuple[str, str]]:
        """The commands of the core and of the add-ons, in alphabetical order if there are add-ons."""
        own = dict(self._core)
        return dict(sorted({**own, **commands_of(self._program, own)}.items())) if self._program else own

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words of the command line; without any show the help."""
        if not (args or ctx.resilient_parsing):
            click.echo(ctx.get_help(), err=True)
            ctx.exit(WRONG_USAGE)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return [*self._places, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command; None if there is no such command."""
        is_core = cmd_name in self._core  # then no add-on is listed
        row = self._core[cmd_name] if is_core else self._places.get(cmd_name)
        if row is None:
            return super().get_command(ctx, cmd_name)
        command: click.Command = load(row[0]) if is_core else load_added(row[0])
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names.

        :raises click.UsageError: if it names none, with the nearest one.
        """
        if args[0] in self._core:
            return super().resolve_command(ctx, args)
        names = self.list_commands(ctx)
        if not (args[0] in names or args[0].startswith("-") or ctx.resilient_parsing):
            hint = did_you_mean(args[0], names) or f"; there is {', '.join(names)}"
            if addon := SHIPPED.get(self._program, {}).get(args[0]):
                hint = f": it belongs to the add-on {addon}, which is not installed"
            ctx.fail(f"no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands; no command is imported for it."""
        added = [(name, command.get_short_help_str()) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*((name, text) for name, (_, text) in self._places.items()), *sorted(added)])


def show_problem(text: str) -> None:
    """Print a mistake as one line on standard error; what is not printable in it is escaped."""
    click.echo(f"error: {printable(text)}", err=True)


def show_error(error: click.ClickException) -> None:
    """Print an error of a command line, and before it the command that lists what is allowed."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(f"'{error.ctx.command_path} --help' tells what is allowed", err=True)
    show_problem(error.format_message())


def run_group(group: click.Group, name: str, arguments: list[str] | None = None) -> int:
    """Run the command that ``arguments`` name, by default those of the process, and return the exit status.

    :param name: the name of the program.
    """
    return exit_status(lambda: group.main(arguments, prog_name=name, standalone_mode=False))


def exit_status(run: Callable[[], object], show: Callable[[click.ClickException], None] = show_error) -> int:
    """Run a command of click and return its exit status.

    Errors are shown. The status is 1 if a file cannot be written or the machine has no room, 2 for wrong usage, 130
    when interrupted.
    """
    try:
        status = run()
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        show(error)
        return error.exit_code
    except QuietmoveError as error:
        for problem in error.problems:
            show_problem(problem)
        return error.status
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        raise  # the reader of the output has closed it, which is no error
    except OSError as error:
        show_problem(explain(error))
        flush_or_drop_output()
        return FAILED


def terminal_columns(most: int) -> int:
    """Return how many columns a line of text may have: those of the terminal, and ``most`` in a file."""
    try:
        return min(most, os.get_terminal_size(STANDARD_OUTPUT).columns or most)
    except OSError:
        return most


def examples(*commands: str) -> str:
    """Return the end of a help text that shows command lines as they are typed."""
    return "\n".join(["\b", "Examples:" if len(commands) > 1 else "Example:", *(f"  {line}" for line in commands)])


def number_option(
    flag: str,
    default: int,
    text: str,
    low: int = 1,
    high: float | None = None,
    name: str = "",
    kind: Callable[..., Any] = click.IntRange,
) -> Callable[..., Any]:
    """Return an option that takes a number from ``low`` to ``high``.

    :param name: the name of the parameter, if it differs from that of the flag.
    :param kind: whole numbers, or :class:`Number` for all.
    """
    names, allowed = [flag, *filter(None, [name])], kind(low, high)
    return click.option(*names, type=allowed, default=default, show_default=True, metavar="N", help=text)


class Duration(click.IntRange):
    """A time such as ``500ms`` or ``2s``, in milliseconds.

    :param unit: the unit of a bare number, ``ms`` or ``s``.
    :param most: the greatest time, in milliseconds.
    """

    name = "time"

    def __init__(self, unit: str, most: int = MOST_MILLISECONDS) -> None:
        super().__init__(1, most)
        self._unit, self._most = unit, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the milliseconds."""
        found = milliseconds(str(value), self._unit)
        if found is None or not 1 <= round(found) <= self._most:
            self.fail(
                f"must be a time such as 500ms or 2s, from 1ms to {self._most // 1000}s, not {value!r}", param, ctx
            )
        return round(found)

    def _describe_range(self) -> str:
        """Return the range as help shows it, with units: a bare number is not in milliseconds everywhere."""
        return f"1ms<=x<={self._most // 1000}s"


class Number(click.FloatRange):
    """A number in a range, which is not ``nan``; a range of click accepts that."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not in the range {self._describe_range()}.", param, ctx)
        return number
