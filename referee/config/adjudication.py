"""When the referee ends a game before the board does: what can be asked for, as one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.base import UNKNOWN_REMAINING
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.settings import Setting
from quietmove.referee.errors import SetupError

__all__ = ["ADJUDICATION_SETTINGS", "Adjudication"]

MOST_EMPTIES = 30  # more cannot be solved in any game within the nodes that the referee spends
MOST_PLIES = 1000  # a longer game is a draw: a user's game may have no end

ADJUDICATION_SETTINGS = (
    Setting(
        "solve_empties",
        0,
        "the referee solves the game itself once at most so many moves are left (in Othello: empty squares) and ends "
        "it with the true result; 0 never",
        most=MOST_EMPTIES,
    ),
    Setting(
        "resign_score",
        0.0,
        "points by which both engines must say that one of them loses, for the game to end so; 0 never",
        most=10_000,
    ),
    Setting("resign_moves", 3, "for how many of its moves in a row each engine must say so", least=1, most=MOST_PLIES),
    Setting(
        "max_plies",
        MOST_PLIES,
        "a game is a draw after so many plies, the opening's included",
        least=1,
        most=MOST_PLIES,
    ),
)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When the referee ends a game itself; by default never, but for a game that does not end.

    :param solve_empties: the most moves to come with which the referee solves the game; 0 for never.
    :param resign_score: points of the game that both engines must agree on; 0 for never.
    :param resign_moves: for how many own moves in a row each of them must say so.
    :param max_plies: a game with as many plies is a draw.
    :raises SetupError: if a number is out of bounds.
    """

    solve_empties: int = 0
    resign_score: float = 0.0
    resign_moves: int = 3
    max_plies: int = MOST_PLIES

    def __post_init__(self) -> None:
        problems = []
        for row in ADJUDICATION_SETTINGS:
            try:
                row.check(getattr(self, row.name))
            except ValueError as error:
                problems.append(f"{row.name}: {error}")
        if problems:
            raise SetupError(problems)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Adjudication:
        """Return the value whose fields are among ``data``; other keys are ignored."""
        return cls(**{field.name: data[field.name] for field in fields(cls) if field.name in data})

    def refusals(self, game_name: str, opening: Sequence[str]) -> Iterator[str]:
        """Yield why games of ``game_name`` from ``opening`` cannot be ended so."""
        if self.solve_empties:
            yield from _not_solved(game_name)
        plies = sum(" " not in text for text in opening)  # a position has a blank
        if plies >= self.max_plies:
            yield f"max_plies: {self.max_plies} leaves no move to play after an opening of {plies}"


def _not_solved(game_name: str) -> Iterator[str]:
    try:
        game = get_game(game_name)
    except UnknownGameError:  # a record of a user's game may be read where that is not installed
        return
    if game.kind != "perfect":
        yield f"solve_empties: no game with chance or hidden cards is solved; {game.name} is one"
    elif game.initial().moves_left() >= UNKNOWN_REMAINING:
        yield f"solve_empties: {game.name} does not say how many moves are left (remaining), so none is solved"
