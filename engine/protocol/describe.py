"""What a position and a score are in words for a person."""

from __future__ import annotations

from quietmove.engine.games.base import DECISIVE, WIN, Game, Position
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
