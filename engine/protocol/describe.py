"""Format results, scores, mistakes, lists of commands and rules as readable text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from quietmove.engine.games.base import DECISIVE, WIN, Game, Position
from quietmove.engine.games.optional import Theory
from quietmove.engine.values import Bound

SIGNS: dict[Bound, str] = {"exact": "", "lower": "≥ ", "upper": "≤ "}


def pluralize(count: int, unit: str, units: str = "") -> str:
    """Return a count with its unit: ``1 move``, ``1,200 moves``.

    :param units: the plural, if it is not ``unit`` plus "s".
    """
    return f"{count:,} {unit if count == 1 else units or f'{unit}s'}"


def describe_result(game: Game, position: Position, resigned: int | None = None) -> str:
    """Describe the result of a finished game.

    :param resigned: the side that resigned, if any.
    """
    if resigned is not None:
        return f"the game is over: {game.players[resigned]} resigned, {game.players[1 - resigned]} wins"
    result = position.result()
    if result == 0:
        return "the game is over: a draw"
    margin = "" if abs(result) > DECISIVE else f" by {abs(result) / 100:g} {game.point}s"
    return f"the game is over: {game.players[result < 0]} wins{margin}"


def describe_score(game: Game, score: int) -> str:
    """Describe a score, given in hundredths of a point from the side to move's point of view."""
    if abs(score) > DECISIVE:
        return f"a {'win' if score > 0 else 'loss'} in {pluralize(WIN - abs(score), 'ply', 'plies')}"
    return f"{score / 100:+.2f} {game.point}s"


def short_score(score: int | None, bound: Bound = "exact") -> str:
    """Format a score for a table: points, or ``win in N`` or ``loss in N`` plies, or a dash for None."""
    if score is None:
        return "–"
    if abs(score) <= DECISIVE:
        return f"{SIGNS[bound]}{score / 100:g}"
    return f"{SIGNS[bound]}{'win' if score > 0 else 'loss'} in {WIN - abs(score)}"


def describe_time(milliseconds: float) -> str:
    """Format a duration: ``0.4 ms``, ``12 ms``, ``3.5 s``."""
    if milliseconds < 1000:
        return f"{milliseconds:.1f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1000:.1f} s"


def describe_terms(game: Game, position: Position) -> list[str]:
    """Return one line per evaluation term, then the total, the point of view and the game's theory, if any."""
    terms = game.explain(position)
    total = sum(value for _, value in terms)
    rows = [f"  {name:<24}{value / 100:+9.2f}" for name, value in [*terms, ("total", total)]]
    rows.append(f"  in {game.point}s, for {game.players[position.next_player]}, who is to move")
    return rows + [f"  {line}" for line in (game.theory(position) if isinstance(game, Theory) else ())]


# In hundredths of a point: the smallest losses marked ?!, ? and ??.
INACCURACY = 200
MISTAKE = 400
BLUNDER = 1000
# The error of a value that is not exact, in hundredths of a point. Of 36 searches of 400,000 nodes 23 moves before the
# end, 95 % were within 300 of the exact value; earlier in the game, errors are larger.
ERROR = 600
ACCURATE_BELOW = 100  # a move with a smaller loss counts as accurate


def loss_of(value: int, best_value: int) -> int | None:
    """Return a move's loss, at least 0, or None if a proven win or loss makes the difference meaningless.

    A slower win and a quicker loss lose nothing.

    :param value: the value of the move played.
    :param best_value: the value of the best move.
    """
    values = value, best_value
    if max(map(abs, values)) > DECISIVE:
        return 0 if min(values) > DECISIVE or max(values) < -DECISIVE else None
    return max(0, best_value - value)


def mark_of(value: int, best_value: int, *, exact: bool) -> str:
    """Return ``?!``, ``?`` or ``??`` for an inaccuracy, a mistake or a blunder, else "".

    Turning a win into a draw, or a draw into a loss, is at least a mistake; turning a win into a loss is a blunder.

    :param exact: whether both values are exact results at the end of the game.
    """
    loss = loss_of(value, best_value) or 0
    given_away = _outcome(best_value, exact) - _outcome(value, exact)
    if loss >= BLUNDER or given_away == 2:
        return "??"
    if loss >= MISTAKE or given_away == 1:
        return "?"
    return "?!" if loss >= INACCURACY else ""


def _outcome(value: int, exact: bool) -> int:
    """Return 1, 0 or -1 for a known win, draw or loss, or 0 if the outcome is unknown."""
    return (value > 0) - (value < 0) if exact or abs(value) > DECISIVE else 0


WIDTH = 80  # width of a terminal in columns


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a line protocol.

    :param usage: the command's syntax, shown in the list of commands.
    :param run: a function that takes the dialect or session, and the line's tokens or text.
    :param by_hand: whether the command is meant for people; it is then recognised only at the start of a line.
    """

    usage: str
    help: str
    run: Callable[[Any, Any], None]
    by_hand: bool = False


def wrapped(text: str, first: str = "", others: str = "") -> list[str]:
    """Wrap text at word boundaries to the width of a terminal, without breaking paths.

    :param first: prefix of the first line.
    :param others: prefix of all other lines.
    """
    import textwrap  # imported on demand: only interactive use needs it

    form = textwrap.TextWrapper(WIDTH, first, others, break_on_hyphens=False, break_long_words=False)
    return [part for line in text.split("\n") for part in form.wrap(line) or [""]]


def list_of_commands(commands: Iterable[Command], *others: tuple[str, str]) -> list[str]:
    """Return the lines of a two-column list: first ``others``, then the commands with their help texts."""
    rows = [*others, *((command.usage, command.help) for command in commands)]
    width = max(len(usage) for usage, _ in rows)
    return [line for usage, text in rows for line in wrapped(f"{usage:<{width}}  {text}", "  ", " " * (width + 4))]


def rules_text(game: Game) -> list[str]:
    """Return a game's rules as wrapped lines."""
    rules = game.rules
    title = rules.title or game.name.partition(" ")[0]
    text = f"{title}. {rules.text}" if rules.text else f"{title}: no rules given"
    return wrapped(text + (f" Parameters: {rules.parameters}." if rules.parameters else ""))
