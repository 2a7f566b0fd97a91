"""Results, scores, losses, commands and rules in words for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from quietmove.engine.games.base import DECISIVE, WIN, Game, Position
from quietmove.engine.games.rules import rules_of
from quietmove.engine.values import Bound

SIGNS: dict[Bound, str] = {"exact": "", "lower": "≥ ", "upper": "≤ "}


def counted(count: int, unit: str, units: str = "") -> str:
    """Return how many there are of what ``unit`` names: ``1 move``, ``1,200 moves``.

    :param units: the plural, where it is not ``unit`` with an s.
    """
    return f"{count:,} {unit if count == 1 else units or f'{unit}s'}"


def describe_result(game: Game, position: Position, resigned: int | None = None) -> str:
    """Return how a game ended that is over.

    :param resigned: the side that resigned, if the game ended so.
    """
    if resigned is not None:
        return f"the game is over: {game.players[resigned]} resigned, {game.players[1 - resigned]} wins"
    result = position.result()
    if result == 0:
        return "the game is over: a draw"
    margin = "" if abs(result) > DECISIVE else f" by {abs(result) / 100:g} {game.point}s"
    return f"the game is over: {game.players[result < 0]} wins{margin}"


def describe_score(game: Game, score: int) -> str:
    """Return a score, in hundredths of the game's point from the side to move."""
    if abs(score) > DECISIVE:
        return f"a {'win' if score > 0 else 'loss'} in {counted(WIN - abs(score), 'ply', 'plies')}"
    return f"{score / 100:+.2f} {game.point}s"


def short_score(score: int | None, bound: Bound = "exact") -> str:
    """Return a score for a table: in points, or as a win or a loss with the plies to it; None is a dash."""
    if score is None:
        return "–"
    if abs(score) <= DECISIVE:
        return f"{SIGNS[bound]}{score / 100:g}"
    return f"{SIGNS[bound]}{'win' if score > 0 else 'loss'} in {WIN - abs(score)}"


def describe_time(milliseconds: float) -> str:
    """Return a time: ``0.4 ms``, ``12 ms``, ``3.5 s``."""
    if milliseconds < 1000:
        return f"{milliseconds:.1f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1000:.1f} s"


def describe_terms(game: Game, position: Position) -> list[str]:
    """Return the terms of the evaluation and their sum, a line each, and in whose view they are."""
    terms = game.explain(position)
    total = sum(value for _, value in terms)
    rows = [f"  {name:<24}{value / 100:+9.2f}" for name, value in [*terms, ("total", total)]]
    rows.append(f"  in {game.point}s, for {game.players[position.next_player]}, who is to move")
    return rows + [f"  {line}" for line in game.theory(position)]


INACCURACY = 200  # hundredths of the game's point: a move that loses as much is marked ?!
MISTAKE = 400  # a move that loses as much is marked ?
BLUNDER = 1000  # a move that loses as much is marked ??
ACCURATE_BELOW = 100  # a move that loses less than this counts as accurate


def loss_of(value: int, best_value: int) -> int | None:
    """Return what a move gave away, never below 0; None where a proven win or loss, which has no points, is part of it.

    A slower win and a quicker loss give nothing away.

    :param value, best_value: of the move that was played, and of the best.
    """
    values = value, best_value
    if max(map(abs, values)) > DECISIVE:
        return 0 if min(values) > DECISIVE or max(values) < -DECISIVE else None
    return max(0, best_value - value)


def mark_of(value: int, best_value: int, *, exact: bool) -> str:
    """Return ``?!``, ``?`` or ``??`` for an inaccuracy, a mistake or a blunder, by its loss or by what it gives away.

    A win or a draw that is given away makes a mistake at least, a win that becomes a loss a blunder.

    :param exact: whether both values are those at the end of the game.
    """
    loss = loss_of(value, best_value) or 0
    given_away = _outcome(best_value, exact) - _outcome(value, exact)
    if loss >= BLUNDER or given_away == 2:
        return "??"
    if loss >= MISTAKE or given_away == 1:
        return "?"
    return "?!" if loss >= INACCURACY else ""


def _outcome(value: int, exact: bool) -> int:
    """Return 1, 0 or -1 for what is known to be a win, a draw or a loss; 0 where it is not known."""
    return (value > 0) - (value < 0) if exact or abs(value) > DECISIVE else 0


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
