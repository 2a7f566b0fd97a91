"""What the help of every command is made with: examples, and names for a shell to complete."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

__all__ = ["complete_color", "complete_game", "complete_protocol", "examples"]


def examples(*commands: str) -> str:
    """Return the end of a help text that shows command lines as they are typed."""
    return "\n".join(["\b", "Examples:" if len(commands) > 1 else "Example:", *(f"  {line}" for line in commands)])


def complete_game(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of games that begin with what was typed."""
    from quietmove.engine.games.registry import game_names

    return [name for name in game_names() if name.startswith(incomplete)]


def complete_protocol(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of protocols that begin with what was typed."""
    from quietmove.engine.protocol.dialects import DIALECTS

    return [entry.name for entry in DIALECTS if entry.name.startswith(incomplete)]


def complete_color(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the sides of the game that was chosen before, which begin with what was typed in any case."""
    from quietmove.engine.errors import GameError
    from quietmove.engine.games.registry import get_game

    sides = ["first", "second", "random"]
    with contextlib.suppress(GameError):
        sides += get_game(ctx.params.get("name") or "othello").players
    return [side for side in sides if side.lower().startswith(incomplete.lower())]
