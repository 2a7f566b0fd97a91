"""Positions to practise: mistakes from reviewed games, and the verdict on an answer.

A mistake becomes a problem if the move lost 2 points or more and one answer is clearly best: each other move would have
lost 2 points or more too. An answer is thus either right or a mistake itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from quietmove.addons.shared.endgames import Endgame, read_endgames
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game, known_game
from quietmove.engine.protocol.describe import INACCURACY
from quietmove.engine.tools.analysis.reviews import Reason, Review

SHIPPED = Path(__file__).with_name("endgames.puzzles")
Kind = Literal["mistake", "opening", "endgame", "lesson"]
CLEAR = INACCURACY  # hundredths of a point; minimum difference between the best and the second-best move
MAX_OF_A_GAME = 5  # maximum number of positions per game; the others are asked only on request
DECIDED = 2000  # hundredths of a point; the game is decided if the side still leads, or already trailed, by this much
BOARD = 6400  # hundredths of a point; a larger loss is described by the two results
OPENING_PLIES = 20  # mistakes up to this ply count as opening mistakes


@dataclass(frozen=True, slots=True)
class Problem:
    """A position with one right answer. Values are in hundredths of a point, from the side to move's point of view.

    :param game: the game's name.
    :param position: the position, in the game's notation.
    :param line: the right answer and its continuation.
    :param value, second: the values of the right answer and of the second-best move.
    :param depth: search depth of the values, in plies.
    :param exact: whether the values are final results.
    :param played: the line played in the game, starting with the mistake; empty for other positions. ``played_value``
        is its value.
    :param place: the saved game's file name without extension; ``ply`` is the move's number in it.
    :param date: the game's date.
    :param opponent: the opponent's name, or "".
    :param level: an endgame's difficulty: the lowest engine level that finds the answer.
    :param empties: an endgame's number of empty squares.
    :param reason: the kind of reason why the game's move was worse, or "".
    :param before: the opponent's preceding move, or "".
    :param note: what the position shows, for a position of a lesson; ``title`` is the lesson's.
    :param is_extra: whether the position is asked only on request; see :func:`choose`.
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
    before: str = ""
    is_extra: bool = False
    title: str = ""
    note: str = ""

    @property
    def key(self) -> str:
        """The key in the practice file: the game and the position."""
        return f"{self.game} {self.position}"

    @property
    def best(self) -> str:
        """The right answer."""
        return self.line[0]

    @property
    def loss(self) -> int:
        """The loss of the move played in the game, in hundredths of a point, or 0 for an endgame."""
        return self.value - self.played_value if self.played else 0

    @property
    def rules(self) -> Game:
        """The game.

        :raises UnknownGameError: if there is no such game.
        """
        return known_game(self.game)

    def begin(self) -> Position:
        """Return the position as a new object.

        :raises GameError: if the position is invalid.
        """
        return self.rules.parse_position(self.position.split())


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict on an answer.

    :param move: the answer, in the game's notation.
    :param loss: the answer's loss in hundredths of a point, or 0 if it is right.
    :param line: the answer and its continuation; ``value`` is its value.
    :param better: the right answer and its continuation.
    :param reasons: why the right answer is better, most convincing first.
    :param text: a one-sentence summary.
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
    """Yield a problem for each qualifying mistake in a reviewed game.

    :param start: the position before the first move.
    :param sides: the sides whose mistakes to include.
    :param given: the number of moves from the opening, which no player chose.
    :raises GameError: if a move is illegal.
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
                    before=moves[ply - 2] if ply > 1 else "",
                )
        position.play(game.parse_move(position, move))


def choose(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems of one game. All except at most :data:`MAX_OF_A_GAME` of them are marked as extras.

    Mistakes in decided positions are always extras. The others are ranked by loss, but the costliest mistake for each
    reason comes first.
    """
    open_ones = [each for each in problems if each.played_value < DECIDED and each.value > -DECIDED]
    ranked = sorted(open_ones, key=lambda each: each.loss, reverse=True)
    seen = Counter[str]()
    turns = {}  # the first mistake for each reason comes before the second mistake for any reason
    for each in ranked:
        seen[each.reason] += 1
        turns[each.key] = seen[each.reason]
    few = sorted(ranked, key=lambda each: (turns[each.key], -each.loss))[:MAX_OF_A_GAME]
    keys = {each.key for each in few}
    return [each if each.key in keys else replace(each, is_extra=True) for each in problems]


@cache
def endgames() -> tuple[Endgame, ...]:
    """Return the shipped endgames, easiest first.

    :raises TrainingError: if the file is damaged or missing.
    """
    return read_endgames(SHIPPED)


@cache
def endgame_problems() -> tuple[Problem, ...]:
    """Return the shipped endgames as problems, easiest first.

    :raises TrainingError: if the file is damaged or missing.
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
                second=each.value - CLEAR,  # the best move is unique, and final results are even
                exact=True,
                level=each.difficulty,
                empties=each.empties,
            )
        )
    return tuple(found)


def points(hundredths: int) -> str:
    """Format a value as whole points with a sign."""
    return f"{round(hundredths / 100):+d}".replace("-", "\N{MINUS SIGN}")


def describe_loss(problem: Problem, value: int, *, past: bool = False) -> str:
    """Describe how much a move of this value loses compared with the right answer: ``loses 4 discs``.

    Since a result is a difference of discs, a move that turns a win into a loss can lose more discs than the board has:
    ``turns a win by 54 discs into a loss by 54 discs``.

    :param past: whether to use the past tense.
    """
    if problem.value - value <= BOARD:
        about = "" if problem.exact else "about "
        return f"{'lost' if past else 'loses'} {about}{counted(problem, problem.value - value)}"
    results = (f"a {'win' if each > 0 else 'loss'} by {counted(problem, abs(each))}" for each in (problem.value, value))
    return f"{'turned' if past else 'turns'} {' into '.join(results)}"


def counted(problem: Problem, hundredths: int) -> str:
    """Format a number of points with the game's unit, such as ``4 discs``."""
    number = round(hundredths / 100)
    return f"{number} {problem.rules.point}{'' if number == 1 else 's'}"
