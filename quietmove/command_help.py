"""What the help of every command is made with: examples, and names for a shell to complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

__all__ = ["complete_game", "examples"]


def examples(*commands: str) -> str:
    """Return the end of a help text that shows command lines as they are typed."""
    return "\n".join(["\b", "Examples:" if len(commands) > 1 else "Example:", *(f"  {line}" for line in commands)])


def complete_game(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of games that begin with what was typed."""
    from quietmove.engine.games.base import game_names

    return [name for name in game_names() if name.startswith(incomplete)]
