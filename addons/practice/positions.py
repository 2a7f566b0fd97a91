"""What there is to practise: the mistakes of the reviewed games in a folder, and the file that says when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from quietmove.addons.practice.problems import Answer, Problem, endgame_problems, mistakes
from quietmove.addons.practice.schedule import FILE_NAME, Schedule, describe_due, rate
from quietmove.engine.errors import GameError, GameFileError
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.saved import SavedGame, is_program, read_record, saved_files

KINDS = ("mistakes", "openings", "endgames")  # kinds of positions; openings are mistakes of the first moves of a game


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """What a person is shown after an answer.

    :param lines: the best line, then the line of a wrong answer or of the move in the game, each behind its value.
    :param due: when the position comes again, in words; empty if the answer did not count.
    """

    answer: Answer
    lines: list[tuple[int, tuple[str, ...]]]
    due: str


class Practice:
    """The positions of one person, as the files are now.

    :ivar problems: the positions of one of :data:`KINDS`.
    :ivar damaged: what is wrong with each kept game that cannot be read, which gives no positions.
    :param level: endgames of this difficulty alone; None for all.
    :raises GameFileError: if the practice file is damaged.
    """

    def __init__(self, folder: Path, kind: str = "mistakes", level: int | None = None) -> None:
        self.schedule = Schedule(folder / FILE_NAME)
        self.damaged: list[str] = []
        self.problems = list(endgame_problems() if kind == "endgames" else _kept_problems(folder, self.damaged))
        if kind == "openings":
            self.problems = [each for each in self.problems if each.kind == "opening"]
        if level is not None:
            self.problems = [each for each in self.problems if each.level == level]

    def answer(
        self, problem: Problem, move: str | None, hints: int, now: datetime, *, counts: bool = True
    ) -> JudgedAnswer:
        """Judge an answer, and remember it if it counts.

        :param move: None if the answer is to be shown, which counts as a wrong one.
        :param hints: how many hints were given before it.
        :raises GameError: if it is no legal move; nothing is remembered then.
        """
        from quietmove.addons.practice.answers import judge  # the search, which the list of positions does not need

        answer = judge(problem, problem.best if move is None else move)
        if move is None:
            answer = replace(answer, is_right=False, text=f"The answer is {problem.best}.")
        due = ""
        if counts:
            rating = rate(is_right=answer.is_right, hints=hints)
            due = describe_due(self.schedule.answer(problem.key, rating, now), now)
        lines = [(problem.value, answer.better)]
        if answer.move != problem.best:
            lines.append((answer.value, answer.line))
        elif problem.played:
            lines.append((problem.played_value, problem.played))
        return JudgedAnswer(answer, lines, due)


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
    facts = {"place": place, "date": date, "opponent": opponent}
    yield from mistakes(saved.rules, saved.begin(), moves, saved.review, sides, given=saved.given, **facts)


def practised(saved: SavedGame) -> dict[int, str]:
    """Return the key of the position to practise at each ply of a game that has one."""
    return {each.ply: each.key for each in problems_of(saved)}


def describe_source(problem: Problem) -> str:
    """Return where a position comes from, in words."""
    if problem.kind == "endgame":
        return f"an endgame of difficulty {problem.level}, {problem.empties} empty squares"
    return (
        f"your game{f' of {problem.date}' if problem.date else ''}"
        f"{f' against {problem.opponent}' if problem.opponent else ''}, move {problem.ply}"
    )


def _kept_problems(folder: Path, damaged: list[str]) -> Iterator[Problem]:
    """Yield the positions of all games that can be read; of two games with the same one that of the newer game.

    :param damaged: is told what is wrong with each other game.
    """
    found = set[str]()
    for path in saved_files(folder):
        try:
            problems = _of_file(path, path.stat().st_mtime_ns, path.stat().st_size)
        except OSError:  # the game was deleted meanwhile
            continue
        except GameError as error:
            damaged.append(str(error) if isinstance(error, GameFileError) else f"{path}: {error}")
            continue
        for each in problems:
            if each.key not in found:
                found.add(each.key)
                yield each


# Without the cache each answer on the page waits 0.4 s where 1,000 games are kept.
@lru_cache(maxsize=4096)
def _of_file(path: Path, changed: int, size: int) -> tuple[Problem, ...]:
    """Return the positions of a file, which was ``changed`` at that time and has that size."""
    return tuple(problems_of(read_record(path), path.stem))
