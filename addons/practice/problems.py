"""Positions to practise: the mistakes of reviewed games, and what is said of an answer.

A mistake of a reviewed game is a problem where the move lost 2 points or more and one answer is clearly best: each
other move would have lost 2 points or more too. So an answer is right or it is a mistake itself.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from quietmove.addons.shared.endgames import Endgame, read_endgames
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game, known_game
from quietmove.engine.protocol.describe import INACCURACY
from quietmove.engine.tools.analysis.reviews import Reason, Review

SHIPPED = Path(__file__).with_name("endgames.puzzles")
Kind = Literal["mistake", "opening", "endgame"]
CLEAR = INACCURACY  # hundredths: the second best move of a problem is at least two points behind
BOARD = 6400  # hundredths: a loss of more discs than a board has is told by both results
OPENING_PLIES = 20  # a mistake up to this move is one of the opening


@dataclass(frozen=True, slots=True)
class Problem:
    """A position with one right answer. Values are hundredths of the game's point, from the side to move.

    :param game: the name of the game.
    :param position: as the game writes it.
    :param best: the right answer; ``line`` begins with it.
    :param value, second: of the right answer, and of the best of all others.
    :param depth: plies that the values were searched.
    :param exact: whether the values are those at the end of the game.
    :param played: the line that was played, from the mistake on; empty for an endgame. ``played_value`` is its value.
    :param place: the name of the kept game, without its ending; ``ply`` is the number of the move in it.
    :param date: when that game was played.
    :param opponent: the name of the opponent; may be empty.
    :param level: the difficulty of an endgame, the lowest level of the engine that finds the answer.
    :param empties: how many squares of an endgame are empty.
    :param reason: the kind of reason why the move of the game was worse; empty where none was found.
    """

    kind: Kind
    game: str
    position: str
    line: tuple[str, ...]
    value: int
    second: int
    depth: int = 0
    exact: bool = False
    played: tuple[str, ...] = ()
    played_value: int = 0
    place: str = ""
    ply: int = 0
    date: str = ""
    opponent: str = ""
    level: int | None = None
    empties: int = 0
    reason: str = ""

    @property
    def key(self) -> str:
        """What the practice file calls it: the game and the position."""
        return f"{self.game} {self.position}"

    @property
    def best(self) -> str:
        """The right answer."""
        return self.line[0]

    @property
    def loss(self) -> int:
        """What was lost in the game, in hundredths."""
        return self.value - self.played_value if self.played else 0

    @property
    def rules(self) -> Game:
        """The game.

        :raises UnknownGameError: if there is no such game.
        """
        return known_game(self.game)

    def begin(self) -> Position:
        """Return the position, new each time.

        :raises GameError: if it is none.
        """
        return self.rules.parse_position(self.position.split())


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of an answer.

    :param move: the answer, as the game writes it.
    :param loss: what it loses, in hundredths; 0 if it is right.
    :param line: the answer and what follows it; ``value`` is what it is worth.
    :param better: the right answer and what follows it.
    :param reasons: why the right answer is better, the most telling one first.
    :param text: one sentence.
    """

    move: str
    is_right: bool
    loss: int
    value: int
    line: tuple[str, ...]
    better: tuple[str, ...]
    text: str
    reasons: tuple[Reason, ...] = ()


def mistakes(
    game: Game,
    start: Position,
    moves: Sequence[str],
    review: Review,
    sides: Container[int],
    *,
    given: int = 0,
    place: str = "",
    date: str = "",
    opponent: str = "",
) -> Iterator[Problem]:
    """Yield the mistakes of some sides of a reviewed game that are problems.

    :param start: the position before the first move.
    :param given: how many moves the game began with that nobody chose.
    :raises GameError: if a move is not legal.
    """
    position = start.copy()
    for ply, (move, found) in enumerate(zip(moves, review.moves, strict=True), 1):
        is_own = ply > given and found.side in sides
        if is_own and found.value is not None and found.best_value is not None and found.played:
            clear = found.second is not None and found.best_value - found.second >= CLEAR
            if clear and (found.loss or 0) >= INACCURACY:
                assert found.second is not None
                yield Problem(
                    kind="opening" if ply <= OPENING_PLIES else "mistake",
                    game=game.name,
                    position=game.format_position(position),
                    line=tuple(found.line.split()),
                    value=found.best_value,
                    second=found.second,
                    depth=found.depth,
                    exact=found.exact,
                    played=tuple(found.played.split()),
                    played_value=found.value,
                    place=place,
                    ply=ply,
                    date=date,
                    opponent=opponent,
                    reason=found.reason,
                )
        position.play(game.parse_move(position, move))


@cache
def endgames() -> tuple[Endgame, ...]:
    """Return the endgames of the package, easiest first.

    :raises TrainingError: if its file is damaged or not there.
    """
    return read_endgames(SHIPPED)


@cache
def endgame_problems() -> tuple[Problem, ...]:
    """Return the endgames of the package, easiest first.

    :raises TrainingError: if their file is damaged or not there.
    """
    game = get_game("othello")
    found = list[Problem]()
    for each in endgames():
        position = each.position()
        found.append(
            Problem(
                kind="endgame",
                game=game.name,
                position=game.format_position(position),
                line=(game.format_move(each.move),),
                value=each.value,
                second=each.value - CLEAR,  # the best move is the only one, and values of finished games are even
                exact=True,
                level=each.difficulty,
                empties=each.empties,
            )
        )
    return tuple(found)


def points(hundredths: int) -> str:
    """Return a value as a person reads it: whole points with their sign."""
    return f"{round(hundredths / 100):+d}"


def describe_loss(problem: Problem, value: int, *, past: bool = False) -> str:
    """Return what a move of this value loses against the right answer: ``loses 4 discs``.

    The result is the difference of the discs, so between a win and a loss it can differ by more than the board has:
    ``turns a win by 54 discs into a loss by 54 discs``.

    :param past: whether the verb is in the past tense.
    """
    if problem.value - value <= BOARD:
        return f"{'lost' if past else 'loses'} {counted(problem, problem.value - value)}"
    results = (f"a {'win' if each > 0 else 'loss'} by {counted(problem, abs(each))}" for each in (problem.value, value))
    return f"{'turned' if past else 'turns'} {' into '.join(results)}"


def counted(problem: Problem, hundredths: int) -> str:
    """Return a number of points with the game's word for them, such as ``4 discs``."""
    number = round(hundredths / 100)
    return f"{number} {problem.rules.point}{'' if number == 1 else 's'}"
