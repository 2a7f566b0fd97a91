"""What there is to practise: the mistakes of the reviewed games in a folder, and the file that says when."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from quietmove.engine.errors import GameError
from quietmove.engine.tools.practice.problems import Answer, Problem, mistakes
from quietmove.engine.tools.practice.schedule import FILE_NAME, Card, Schedule, rate
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.saved import SavedGame, is_program, read_record, saved_files

__all__ = ["KINDS", "Practice", "describe_source", "problems_of"]

KINDS = {"mistakes": ("mistake", "opening"), "openings": ("opening",)}  # what is asked, by the name of the choice


class Practice:
    """The positions of one person, as the files are now.

    :ivar problems: those of the kind that was chosen.
    :raises GameFileError: if the practice file is damaged.
    """

    def __init__(self, folder: Path, kind: str = "mistakes") -> None:
        self.schedule = Schedule(folder / FILE_NAME)
        self.own = list(_kept(folder))
        self.problems = [each for each in self.own if each.kind in KINDS[kind]]

    def find(self, key: str) -> Problem | None:
        """Return the position of a key, None if it is not to be practised any more."""
        return next((each for each in self.own if each.key == key), None)

    def answer(self, problem: Problem, move: str, hints: int, now: datetime) -> tuple[Answer, Card]:
        """Judge an answer, and remember it.

        :param hints: how many hints were given before it.
        :raises GameError: if it is no legal move; nothing is remembered then.
        """
        from quietmove.engine.tools.practice.answers import judge  # the search, which judging a game needs not

        answer = judge(problem, move)
        rating = rate(is_right=answer.is_right, hints=hints)
        return answer, self.schedule.answer(problem.key, rating, now)

    def give_up(self, problem: Problem, now: datetime) -> Card:
        """Remember that the answer was shown, which counts as a wrong one."""
        return self.schedule.answer(problem.key, rate(is_right=False, hints=0), now)


def problems_of(saved: SavedGame, place: str = "") -> Iterator[Problem]:
    """Yield what a kept game gives to practise: its people's mistakes, if it was reviewed as it stands.

    :raises GameError: if it is not a game by the rules.
    """
    if saved.review is None or len(saved.review.moves) != len(saved.moves) or is_program(saved.spec.game):
        return
    sides = [COLORS.index(color) for color in saved.people]
    others = [name for color, name in zip(COLORS, saved.players, strict=True) if color not in saved.people]
    opponent = f"level {saved.opponent.level}" if saved.opponent else "".join(others)
    moves = [each.move for each in saved.moves]
    date = saved.date.partition(" ")[0]
    yield from mistakes(
        saved.rules, saved.begin(), moves, saved.review, sides, place=place, date=date, opponent=opponent
    )


def describe_source(problem: Problem) -> str:
    """Return where a position comes from, in words."""
    return (
        f"your game{f' of {problem.date}' if problem.date else ''}"
        f"{f' against {problem.opponent}' if problem.opponent else ''}, move {problem.ply}"
    )


def _kept(folder: Path) -> Iterator[Problem]:
    """Yield the positions of all games that can be read; of two games with the same one that of the newer game."""
    found = set[str]()
    for path in saved_files(folder):
        with suppress(GameError):
            for each in problems_of(read_record(path), path.stem):
                if each.key not in found:
                    found.add(each.key)
                    yield each
