"""What commands have in common: numbers, examples in their help, and names for a shell to complete."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import click

from quietmove.engine.durations import milliseconds
from quietmove.engine.errors import GameError
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.protocol.dialects import DIALECTS

__all__ = [
    "Duration",
    "Number",
    "complete_color",
    "complete_game",
    "complete_protocol",
    "examples",
    "game_option",
    "number_option",
    "version_option",
]

MOST_MILLISECONDS = 10**9


def examples(*commands: str) -> str:
    """Return the end of a help text that shows command lines as they are typed."""
    return "\n".join(["\b", "Examples:" if len(commands) > 1 else "Example:", *(f"  {line}" for line in commands)])


def complete_game(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of games that begin with what was typed."""
    return [name for name in game_names() if name.startswith(incomplete)]


def complete_protocol(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of protocols that begin with what was typed."""
    return [entry.name for entry in DIALECTS if entry.name.startswith(incomplete)]


def complete_color(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the sides of the game that was chosen before, which begin with what was typed in any case."""
    sides = ["first", "second", "random"]
    with contextlib.suppress(GameError):
        sides += get_game(ctx.params.get("name") or "othello").players
    return [side for side in sides if side.lower().startswith(incomplete.lower())]


def game_option(default: str, text: str = "The game, from its start.") -> Callable[..., Any]:
    """Return the option ``--game``."""
    return click.option("--game", default=default, show_default=True, shell_complete=complete_game, help=text)


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

    :param name: of the parameter, if it is not that of the flag.
    :param kind: whole numbers, or :class:`Number` for all.
    """
    names, allowed = [flag, *filter(None, [name])], kind(low, high)
    return click.option(*names, type=allowed, default=default, show_default=True, metavar="N", help=text)


class Duration(click.IntRange):
    """A time such as ``500ms`` or ``2s``, in milliseconds.

    :param unit: of a bare number, ``ms`` or ``s``.
    :param most: milliseconds.
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
        """Return what help says is allowed, with units: a bare number is not in milliseconds everywhere."""
        return f"1ms<=x<={self._most // 1000}s"


class Number(click.FloatRange):
    """A number in a range; a range of click's own lets ``nan`` through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not in the range {self._describe_range()}.", param, ctx)
        return number


def show_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        from quietmove.version import version_text  # here: it costs `--help` 40 ms

        click.echo(version_text())
        ctx.exit()


version_option = click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version, and which code runs here.",
)
