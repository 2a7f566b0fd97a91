"""The command line beside the protocol loop: one row and one file a command, imported when the command is used.

What a command needs in turn is imported when it runs, so that ``--help`` stays quick.
"""

from __future__ import annotations

import importlib
from typing import Any

import click

from quietmove import __version__
from quietmove.engine.errors import QuietmoveError

__all__ = ["COMMANDS", "run_command"]

COMMANDS = {
    "bench": "quietmove.engine.commands.bench:bench",
    "classify": "quietmove.engine.commands.classify:classify",
    "lab": "quietmove.engine.commands.lab:lab",
    "perft": "quietmove.engine.commands.perft:perft",
}

NEEDS_COLOR = ("depth", "move_time", "game_time")
NEEDS_PROJECT = ("coordinates", "color", "milliseconds", *NEEDS_COLOR)


def run_command(arguments: list[str]) -> int:
    """Run ``arguments`` and return the exit status."""
    try:
        status = quietmove.main(arguments, prog_name="quietmove", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return 130
    except QuietmoveError as error:
        click.echo(f"quietmove: {error}", err=True)
        return 2
    except OSError as error:  # the output cannot be written
        click.echo(f"quietmove: {error}", err=True)
        return 1
    return status if isinstance(status, int) else 0


class LazyGroup(click.Group):
    """Commands by name, imported one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command; None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="Quietmove %(version)s")
@click.option("--project", is_flag=True, help="Play one game as an Othello-project program.")
@click.option("--coordinates", type=click.Choice(["slide", "zero"]), help="slide: 1-8, row from the bottom (default).")
@click.option("--color", type=click.Choice(["B", "W"]), help="Start without line one, as Black or White.")
@click.option("--milliseconds", is_flag=True, help="Time limits are in milliseconds, not in seconds.")
@click.option("--move-time", type=click.FloatRange(min=0), metavar="S", help="With --color: limit for a move.")
@click.option("--game-time", type=click.FloatRange(min=0), metavar="S", help="With --color: limit for the game.")
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="With --color: depth limit.  [4 if no limit]")
@click.pass_context
def quietmove(context: click.Context, /, project: bool, **options: Any) -> int | None:
    """Play Othello: without an argument by the UCI-style protocol of protocol.md."""
    if project:
        if context.invoked_subcommand:
            raise click.UsageError(f"--project takes no command, {context.invoked_subcommand!r} came")
        return play_project(**options)
    for name in NEEDS_PROJECT:
        if options[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --project")
    if context.invoked_subcommand is None:
        from quietmove.engine.protocol import uci, wire

        uci.run(sink=wire.own_output())
    return None


def play_project(
    coordinates: str | None,
    color: str | None,
    milliseconds: bool,
    move_time: float | None,
    game_time: float | None,
    depth: int | None,
) -> int:
    """Play one game of the Othello project; return 1 if the opponent sent what is not allowed."""
    from quietmove.engine.protocol import project

    unit = 1 if milliseconds else 1000
    terms = None
    if color is not None:
        move_ms, game_ms = (max(1, round(limit * unit)) if limit else None for limit in (move_time, game_time))
        default = project.PHASE_ONE_DEPTH if move_ms is None and game_ms is None else None
        terms = project.Terms("BW".index(color), depth or default, move_ms, game_ms)
    elif any(limit is not None for limit in (move_time, game_time, depth)):
        raise click.UsageError(
            "--depth, --move-time and --game-time need --color; without it line one gives the limits"
        )
    try:
        project.run(terms, coordinates or "slide", unit)
    except QuietmoveError as error:
        click.echo(f"quietmove: {error}", err=True)
        return 1
    return 0
