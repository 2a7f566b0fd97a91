"""Helpers shared by all command lines: lazy groups, numeric options, help examples, errors and exit statuses.

Each command is imported on first use, so that ``--help`` stays fast.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from quietmove.engine.common.addons import SHIPPED, commands_of, load, load_added, missing_addon
from quietmove.engine.common.entry import INTERRUPTED, flush_or_drop_output
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import did_you_mean, explain, milliseconds, printable

FAILED = 1
WRONG_USAGE = 2
MAX_MILLISECONDS = 10**9
STANDARD_OUTPUT = 1


# The option of commands that play games, beside --concurrency.
force_concurrency_option = click.option(
    "--force-concurrency",
    "forced",
    is_flag=True,
    help="Allow more concurrent games than this machine's processors.",
)

# Options for commands that start a web server.
port_option = click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="The port; 0 picks a free one.  [default: 0]"
)
open_option = click.option("--open", "opens", is_flag=True, help="Open the page in a web browser.")
proxies_option = click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Address of a proxy, or a network such as 10.0.0.0/8, whose X-Forwarded-For header is trusted. Can be"
    " repeated.",
)


# Options of fastchess and cutechess-cli, with which people try first
RUNNERS_OPTIONS = {"-concurrency", "-each", "-engine", "-games", "-openings", "-rounds", "-sprt", "-tournament"}
WORDS_TO_USE = (
    "options have two dashes: quietmove-referee match --engine cmd=./a --engine cmd=./b --each tc=10+0.1 --games 100, "
    "or, for an SPRT, quietmove-tournament compare ./a ./b --tc 10+0.1; tournament/README.md lists the others"
)


class LazyGroup(click.Group):
    """A command group that imports each command on first use. Commands added in the usual way are listed last.

    :param places: the location (``module:name``) and help line of each command, by name, in listing order.
    :param program: the program that add-ons may extend with commands, or "" if they may not.
    """

    def __init__(
        self, *arguments: Any, places: Mapping[str, tuple[str, str]], program: str = "", **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._core = places
        self._program = program

    @property
    def _places(self) -> dict[str, tuple[str, str]]:
        """The commands of the core and of add-ons, sorted by name if add-ons may contribute."""
        own = dict(self._core)
        return dict(sorted({**own, **commands_of(self._program, own)}.items())) if self._program else own

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. If there are none, print the help and exit with the status for wrong usage."""
        if not (args or ctx.resilient_parsing):
            click.echo(ctx.get_help(), err=True)
            ctx.exit(WRONG_USAGE)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._places, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or return None if there is no such command."""
        is_core = cmd_name in self._core  # core commands need no search for add-ons
        row = self._core[cmd_name] if is_core else self._places.get(cmd_name)
        if row is None:
            return super().get_command(ctx, cmd_name)
        command: click.Command = load(row[0]) if is_core else load_added(row[0])
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the command named by the first argument.

        :raises click.UsageError: if there is no such command; the message suggests the nearest name.
        """
        if args[0] in self._core:
            return super().resolve_command(ctx, args)
        names = self.list_commands(ctx)
        if not (args[0] in names or args[0].startswith("-") or ctx.resilient_parsing):
            hint = did_you_mean(args[0], names) or f"; the commands are {', '.join(names)}"
            if addon := SHIPPED.get(self._program, {}).get(args[0]):
                hint = f": it belongs to the add-on {addon}, which is not installed"
            ctx.fail(f"no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        added = [(name, command.get_short_help_str()) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*((name, text) for name, (_, text) in self._places.items()), *sorted(added)])


def show_problem(text: str) -> None:
    """Print an error message as one line on standard error, with unprintable characters escaped."""
    click.echo(f"error: {printable(text)}", err=True)


def show_error(error: click.ClickException) -> None:
    """Print a command-line error, preceded by a hint to use ``--help``."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(f"try '{error.ctx.command_path} --help'", err=True)
    show_problem(_with_bounds(error))


def _with_bounds(error: click.ClickException) -> str:
    """Return an error's message. For text instead of an integer, add the bounds, which click omits."""
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param else None
    message = error.format_message()
    if not isinstance(kind, click.IntRange):
        return message
    bounds = "".join(f" {word} {bound}" for word, bound in (("from", kind.min), ("to", kind.max)) if bound is not None)
    return message.replace("a valid integer range", f"a whole number{bounds}")


def run_group(group: click.Group, name: str, arguments: list[str] | None = None) -> int:
    """Run a subcommand and return the exit status.

    :param name: the program's name.
    :param arguments: the command line; default: the arguments of this process.
    """

    def show(error: click.ClickException) -> None:
        words = sys.argv[1:] if arguments is None else arguments
        if isinstance(error, click.NoSuchOption) and not RUNNERS_OPTIONS.isdisjoint(words):
            error = click.UsageError(WORDS_TO_USE, error.ctx)
        show_error(error)

    return exit_status(lambda: group.main(arguments, prog_name=name, standalone_mode=False), show)


def exit_status(run: Callable[[], object], show: Callable[[click.ClickException], None] = show_error) -> int:
    """Run a click command, print any error, and return the exit status.

    The status is 1 for a system error such as a full disk, 2 for a usage error, and 130 if the command was interrupted.
    A :class:`QuietmoveError` contains its own status.
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
    except ModuleNotFoundError as error:  # an add-on that needs a deleted one, which its command imports
        if (name := missing_addon(error)) is None:
            raise
        show_problem(f"this command needs the add-on {name}, which is not installed")
        return FAILED
    except BrokenPipeError:
        raise  # the reader closed the pipe, which is not an error
    except OSError as error:
        show_problem(explain(error))
        flush_or_drop_output()
        return FAILED


def terminal_columns(most: int) -> int:
    """Return the width of the terminal, at most ``most`` columns, or ``most`` if the output is not a terminal."""
    try:
        return min(most, os.get_terminal_size(STANDARD_OUTPUT).columns or most)
    except OSError:
        return most


def examples(*commands: str) -> str:
    """Return the epilogue of a help text: example command lines, not reflowed."""
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
    """Return a decorator that adds an option for a number from ``low`` to ``high``.

    :param name: the parameter's name, if it differs from the flag's.
    :param kind: the click type: integers by default, :class:`Number` for floats.
    """
    names = [flag, *filter(None, [name])]
    allowed = kind(low, high)
    return click.option(*names, type=allowed, default=default, show_default=True, metavar="N", help=text)


class Duration(click.IntRange):
    """A click type for durations such as ``500ms`` or ``2s``, converted to milliseconds.

    :param unit: the unit of a bare number, ``ms`` or ``s``.
    :param most: the longest duration, in milliseconds.
    """

    name = "time"

    def __init__(self, unit: str, most: int = MAX_MILLISECONDS) -> None:
        super().__init__(1, most)
        self._unit, self._most = unit, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        duration = milliseconds(str(value), self._unit)
        if duration is None or not 1 <= round(duration) <= self._most:
            self.fail(
                f"must be a duration such as 500ms or 2s, from 1ms to {self._most // 1000}s, not {value!r}", param, ctx
            )
        return round(duration)

    def _describe_range(self) -> str:
        """Return the range for the help text with explicit units, since a bare number may be in ms or in s."""
        return f"1ms<=x<={self._most // 1000}s"


class Number(click.FloatRange):
    """A click type for a float in a range. Unlike click's own, it rejects ``nan``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not in the range {self._describe_range()}.", param, ctx)
        return number
