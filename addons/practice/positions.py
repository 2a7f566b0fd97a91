"""The positions to practise: mistakes from the reviewed games in a folder, and endgames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from quietmove.addons.practice.problems import Answer, Problem, choose, endgame_problems, mistakes
from quietmove.addons.practice.schedule import FILE_NAME, Schedule, describe_due, rate
from quietmove.engine.errors import GameError, GameFileError
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.saved import SavedGame, is_program, openings_of, read_record, saved_files

PHASES = ("opening", "middle game", "endgame")
PHASE_PLIES = 20  # length of each phase except the last, in plies
MIN_GAMES = 2  # an opening played only once shows no habit
KINDS = ("mistakes", "openings", "endgames")  # kinds of positions; openings are mistakes in the first moves of a game


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The feedback on an answer.

    :param lines: pairs of a value and a line: first the best line, then the line of the wrong answer or, after a right
        answer, the line played in the game.
    :param due: a sentence with the time until the position comes back, or "" if the answer did not count or the
        position belongs to a lesson.
    """

    answer: Answer
    lines: list[tuple[int, tuple[str, ...]]]
    due: str


class Practice:
    """A person's practice positions and their schedule, read from the folder of saved games.

    :ivar problems: the positions of the given kind and level.
    :ivar damaged: a message for each saved game that cannot be read.
    :param kind: one of :data:`KINDS`.
    :param level: the difficulty of the endgames to include, or None for all.
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
        """Judge an answer, record it if it counts, and return the feedback.

        :param move: the move, or None to show the answer, which counts as wrong.
        :param hints: the number of hints given before the answer.
        :raises GameError: if the move is illegal; nothing is recorded.
        """
        from quietmove.addons.practice.answers import judge  # imports the search, which listing positions does not need

        answer = judge(problem, problem.best if move is None else move)
        if move is None:
            answer = replace(answer, is_right=False, text=f"The answer is {problem.best}. {problem.note}".rstrip())
        due = ""
        if counts:
            rating = rate(is_right=answer.is_right, hints=hints)
            card = self.schedule.answer(problem.key, rating, now)
            due = "" if problem.kind == "lesson" else describe_due(card, now)  # a lesson does not come back by itself
        lines = [(problem.value, answer.better)]
        if answer.move != problem.best:
            lines.append((answer.value, answer.line))
        elif problem.played:
            lines.append((problem.played_value, problem.played))
        return JudgedAnswer(answer, lines, due)


def problems_of(saved: SavedGame, place: str = "") -> Iterator[Problem]:
    """Yield the practice positions of a saved game: its human players' mistakes, if its review matches its moves.

    :raises GameError: if the game breaks the rules.
    """
    if saved.review is None or len(saved.review.moves) != len(saved.moves) or is_program(saved.spec.game):
        return
    sides = [COLORS.index(color) for color in saved.people]
    others = [name for color, name in zip(COLORS, saved.players, strict=True) if color not in saved.people]
    opponent = f"level {saved.opponent.level}" if saved.opponent else "".join(others)
    moves = [each.move for each in saved.moves]
    date = saved.date.partition(" ")[0]
    facts = {"place": place, "date": date, "opponent": opponent}
    yield from choose(
        list(mistakes(saved.rules, saved.begin(), moves, saved.review, sides, given=saved.given, **facts))
    )


def practised(saved: SavedGame) -> dict[int, str]:
    """Return the keys of a game's practice positions by ply."""
    return {each.ply: each.key for each in problems_of(saved)}


@dataclass(frozen=True, slots=True)
class Losses:
    """A person's losses, in hundredths of a point, in the games of one opening or in one phase of the games.

    :ivar name: the name of the opening or phase.
    """

    name: str
    games: int
    loss: int

    @property
    def average(self) -> float:
        """Mean number of points lost per game."""
        return self.loss / self.games / 100


def losses_of(folder: Path) -> tuple[list[Losses], list[Losses]]:
    """Return the losses in the reviewed games of a folder, by opening and by phase.

    Only Othello games from the initial position with exactly one human player count. Openings with fewer than
    :data:`MIN_GAMES` games are left out; the costliest opening comes first.
    """
    openings = defaultdict[str, list[int]](list)
    phases = {name: list[int]() for name in PHASES}
    for path in saved_files(folder):
        with suppress(OSError, GameError):
            opening, lost = _losses_in(path, path.stat().st_mtime_ns, path.stat().st_size)
            if opening:
                openings[opening].append(sum(lost))
            for name, each in zip(phases, lost, strict=False):
                phases[name].append(each)
    often = [Losses(name, len(each), sum(each)) for name, each in openings.items() if len(each) >= MIN_GAMES]
    costliest = sorted(often, key=lambda each: each.average, reverse=True)
    return costliest, [Losses(name, len(each), sum(each)) for name, each in phases.items() if each]


@lru_cache(maxsize=4096)
def _losses_in(path: Path, changed: int, size: int) -> tuple[str, tuple[int, ...]]:
    """Return the opening of a person's reviewed Othello game and the person's losses by phase.

    Both are empty for any other game.
    """
    saved = read_record(path)
    review = saved.review
    is_own = len(saved.people) == 1 and saved.spec.game == "othello" and not saved.start
    if review is None or not is_own or len(review.moves) != len(saved.moves):
        return "", ()
    side = COLORS.index(saved.people[0])
    lost = [0] * len(PHASES)
    for ply, found in enumerate(review.moves):
        if found.side == side and ply >= saved.given:
            lost[min(ply // PHASE_PLIES, len(PHASES) - 1)] += found.loss or 0
    return "".join(openings_of(saved)[-1:]), tuple(lost)


def describe_source(problem: Problem) -> str:
    """Describe where a position comes from."""
    if problem.kind == "endgame":
        return f"an endgame of difficulty {problem.level}, {problem.empties} empty squares"
    if problem.kind == "lesson":
        return f"Learn Othello, {problem.title}"
    day = problem.date
    with suppress(ValueError):
        day = f"{datetime.fromisoformat(day):%-d %B %Y}"
    return (
        f"your game{f' of {day}' if day else ''}"
        f"{f' against {problem.opponent}' if problem.opponent else ''}, move {problem.ply}"
    )


def _kept_problems(folder: Path, damaged: list[str]) -> Iterator[Problem]:
    """Yield the positions of all readable games. A position that occurs in two games is taken from the newer one.

    :param damaged: receives a message for each unreadable game.
    """
    found = set[str]()
    for path in saved_files(folder):
        try:
            problems = _of_file(path, path.stat().st_mtime_ns, path.stat().st_size)
        except OSError:  # the game was deleted in the meantime
            continue
        except GameError as error:
            damaged.append(str(error) if isinstance(error, GameFileError) else f"{path}: {error}")
            continue
        for each in problems:
            if each.key not in found:
                found.add(each.key)
                yield each


# Without the cache, each answer on the page takes 0.4 s with 1,000 saved games.
@lru_cache(maxsize=4096)
def _of_file(path: Path, changed: int, size: int) -> tuple[Problem, ...]:
    """Return the positions in a file; ``changed`` and ``size`` identify its version."""
    return tuple(problems_of(read_record(path), path.stem))
