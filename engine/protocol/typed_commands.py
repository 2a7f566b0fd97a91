"""The commands that a person types, in the protocol and in `quietmove play`: a row each, their list, the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from quietmove.engine.games.base import Game
from quietmove.engine.games.rules import rules_of

WIDTH = 80  # a terminal has so many columns


@dataclass(frozen=True, slots=True)
class Command:
    """One row of a table of commands.

    :param usage: the line's form; the list of commands shows it.
    :param run: takes the dialect or the session that obeys, and what the line says.
    :param by_hand: meant for a person, and obeyed only at the start of a line.
    """

    usage: str
    help: str
    run: Callable[[Any, Any], None]
    by_hand: bool = False


def wrapped(text: str, first: str = "", others: str = "") -> list[str]:
    """Return the lines of a text, broken between words where they are longer than a terminal's; paths stay whole.

    :param first, others: what the first line begins with, and the others.
    """
    import textwrap  # a plain start does not wait for it: a person at a terminal alone needs it

    form = textwrap.TextWrapper(WIDTH, first, others, break_on_hyphens=False, break_long_words=False)
    return [part for line in text.split("\n") for part in form.wrap(line) or [""]]


def list_of_commands(commands: Iterable[Command], *others: tuple[str, str]) -> list[str]:
    """Return the lines that list the commands, below other rows of two columns."""
    rows = [*others, *((command.usage, command.help) for command in commands)]
    width = max(len(usage) for usage, _ in rows)
    return [line for usage, text in rows for line in wrapped(f"{usage:<{width}}  {text}", "  ", " " * (width + 4))]


def rules_text(game: Game) -> list[str]:
    """Return how a game is played, in lines."""
    found = rules_of(game)
    text = f"{found.title}. {found.text}" if found.text else f"{found.title}: it does not say"
    return wrapped(text + (f" After its name: {found.parameters}." if found.parameters else ""))
