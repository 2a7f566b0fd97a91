"""Request handlers of the practice page: the due positions, a single position, and the verdict on an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from quietmove.addons.practice.hints import hints
from quietmove.addons.practice.learn import find_step, lesson_problems, steps
from quietmove.addons.practice.positions import Practice, describe_source, losses_of
from quietmove.addons.practice.problems import Problem, describe_loss, endgame_problems
from quietmove.addons.practice.schedule import FILE_NAME, RECENT_DAYS, Schedule, describe_history
from quietmove.addons.web.boards import Json, Steps, describe_game
from quietmove.addons.web.pages import AddedPages, PageServer
from quietmove.addons.web.requests import PageRequest, in_query, in_thread
from quietmove.addons.web.routes import Role, Row
from quietmove.addons.web.thinking import moves_of
from quietmove.engine.errors import GameFileError
from quietmove.engine.files import locked
from quietmove.engine.games.othello.notation import parse_square
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.referee.errors import SetupError
from quietmove.referee.game.transcript import MoveRecord

STATIC = Path(__file__).parent / "static"
MOST_QUEUED = 10  # maximum number of positions in a session
MORE = 5  # maximum number of positions offered that are not due yet


class PracticeRequest(PageRequest):
    """A request for positions to practise."""

    kind: Literal["mistakes", "openings", "endgames", "learn"] = "mistakes"
    step: str = ""  # the step of Learn Othello, or a kind of reason that it explains
    level: Annotated[int | None, Field(strict=False, ge=0, le=FULL_STRENGTH)] = None  # query parameters are strings
    place: str = ""  # a saved game's name: only mistakes from this game


class PositionRequest(PageRequest):
    """A request for one position."""

    key: str


class AnswerRequest(PageRequest):
    """An answer to a position.

    :ivar move: the move, or None to show the answer.
    :ivar hints: the number of hints given.
    :ivar counts: whether to record the answer; an immediate retry is not recorded.
    """

    key: str
    move: str | None = None
    hints: Annotated[int, Field(ge=0, le=3)] = 0
    counts: bool = True


def practice_pages(server: PageServer) -> AddedPages:
    """Return the practice page."""
    pages = PracticePages(server.sessions.kept.folder)
    rows = [
        Row("GET", "/api/practice", in_query(PracticeRequest, pages.overview), Role.PLAYER),
        Row("GET", "/api/practice/position", in_query(PositionRequest, pages.position), Role.PLAYER),
        Row("POST", "/api/practice/answer", in_thread(AnswerRequest, pages.answer), Role.PLAYER),
        Row("POST", "/api/practice/anew", lambda request: asyncio.to_thread(pages.begin_anew), Role.PLAYER),
    ]
    return AddedPages("/practice", "Practise", "practice", STATIC, rows, rank=1)


class PracticePages:
    """The request handlers of one server's practice page.

    :param folder: the folder of saved games, or None if the server saves no games.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def overview(self, request: PracticeRequest) -> Json:
        """Return the page's statistics, and the keys of the positions to ask now and of those to offer afterwards.

        :raises SetupError: if the server saves no games.
        :raises GameFileError: if the practice file is damaged.
        """
        now = datetime.now().astimezone()
        own = self._practice()
        schedule = own.schedule
        due = schedule.due(own.problems, now)
        problems = own.problems
        step = None
        if request.kind == "endgames":
            problems = [each for each in endgame_problems() if request.level in (None, each.level)]
        elif request.kind == "openings":
            problems = [each for each in own.problems if each.kind == "opening"]
        elif request.kind == "learn":
            step = find_step(request.step)
            problems = list(step.problems) if step else []
        if request.place:
            problems = [each for each in problems if each.place == request.place]
        asked, right = schedule.today(problems, now)
        return {
            "due": len(due),
            "new": sum(each.key not in schedule.cards for each in due),
            "openings": sum(each.kind == "opening" for each in due),
            "queue": [each.key for each in (problems if step else schedule.due(problems, now))][:MOST_QUEUED],
            "more": [] if step else [each.key for each in schedule.later(problems, now)][:MORE],
            "course": [each.as_object(schedule) for each in steps()] if request.kind == "learn" else [],
            "step": step.name if step else "",
            "count": len(problems),
            "answered": len(schedule.known(problems)),
            "learnt": schedule.learnt(problems),
            "tomorrow": schedule.count_due_by(problems, now + timedelta(days=1)),
            "asked": asked,
            "right": right,
            "damaged": own.damaged,
            "reasons": compare(
                schedule.by_reason(problems, now), schedule.by_reason(problems, now - timedelta(days=RECENT_DAYS))
            ),
            "losses": describe_losses(self._games_folder()) if request.kind in ("mistakes", "openings") else None,
            "levels": describe_levels(schedule) if request.kind == "endgames" else [],
        }

    def position(self, request: PositionRequest) -> Json:
        """Return a position for the page, without its answer.

        :raises SetupError: if there is no such position.
        """
        now = datetime.now().astimezone()
        practice = self._practice()
        problem = find(practice, request.key)
        given = Steps(problem.rules, problem.begin())
        return {
            **describe_game(problem.rules),
            "key": problem.key,
            "kind": problem.kind,
            "step": given.first() | ({"placed": [parse_square(problem.before)]} if shows_before(problem) else {}),
            "source": describe_source(problem),
            "place": problem.place,
            "ply": problem.ply,
            "value": problem.value,
            "seen": describe_history(practice.schedule.cards.get(problem.key), now),
            "mastery": asdict(practice.schedule.mastery(problem.key, now)),
            "hints": [asdict(each) for each in hints(problem)],
        }

    def answer(self, request: AnswerRequest) -> Json:
        """Judge an answer, record it if it counts, and return the verdict with the position's new state.

        :raises SetupError: if there is no such position.
        :raises GameError: if the move is illegal; nothing is recorded.
        """
        now = datetime.now().astimezone()
        practice = self._practice()
        problem = find(practice, request.key)
        judged = practice.answer(problem, request.move, request.hints, now, counts=request.counts)
        answer = judged.answer
        game = problem.rules
        position = problem.begin()
        steps = Steps(game, problem.begin())
        return {
            "right": answer.is_right,
            "move": answer.move,
            "best": problem.best,
            "text": answer.text,
            "reasons": [each.text for each in answer.reasons],
            "again": judged.due,
            "lines": [{"value": value, "line": moves_of(game, position, line)} for value, line in judged.lines],
            "step": steps.after(MoveRecord(answer.move, "opening")),
            "played": problem.played[0] if problem.played else "",
            "lost": describe_loss(problem, problem.played_value, past=True) if problem.played else "",
            "seen": describe_history(practice.schedule.cards.get(problem.key), now),
            "mastery": asdict(practice.schedule.mastery(problem.key, now)),
            "due": len(practice.schedule.due(practice.problems, now)),
        }

    def begin_anew(self) -> Json:
        """Rename a damaged practice file so that practice starts over, and return its new name.

        Games and reviews are not affected.

        :raises SetupError: if the file is not damaged.
        """
        file = self._games_folder() / FILE_NAME
        with locked(file, GameFileError):
            try:
                self._practice()
            except GameFileError:
                aside = file.with_name(f"{FILE_NAME}.{datetime.now():%Y-%m-%d-%H%M%S}")
                file.rename(aside)
                return {"aside": aside.name}
        raise SetupError(f"{FILE_NAME}: is not damaged; only a damaged file can be moved aside")

    def _games_folder(self) -> Path:
        if self._folder is None:
            raise SetupError("practice: not available, because a server open to other machines saves no games")
        return self._folder

    def _practice(self) -> Practice:
        return Practice(self._games_folder())


def compare(now: Sequence[tuple[str, int, int]], before: Sequence[tuple[str, int, int]]) -> list[Json]:
    """Return, for each reason, the numbers of right and of all answers, and the trend from the month before."""
    shares = {name: right / count for name, right, count in before}
    trends = {1: "better than the month before", 0: "as in the month before", -1: "worse than the month before"}
    found = []
    for name, right, count in now:
        change = right / count - shares.get(name, 0)
        trend = trends[(change > 0) - (change < 0)] if name in shares else ""
        found.append({"name": name, "right": right, "count": count, "trend": trend})
    return found


def describe_losses(folder: Path) -> Json:
    """Return the costliest opening, if any, and the losses in each phase, in points per game."""
    openings, phases = losses_of(folder)
    rows = [
        {"name": each.name, "games": each.games, "lost": round(each.average, 1)} for each in (*openings[:1], *phases)
    ]
    return {"opening": rows[0] if openings else None, "phases": rows[len(openings[:1]) :]}


def shows_before(problem: Problem) -> bool:
    """Return whether the square of the opponent's last move is known."""
    return problem.game == "othello" and problem.before not in ("", "pass")


def describe_levels(schedule: Schedule) -> list[Json]:
    """Return each endgame difficulty with its number of endgames and the share of right answers."""
    grouped = groupby(endgame_problems(), key=lambda each: each.level)  # endgames are sorted by difficulty
    levels = [(level, list(problems)) for level, problems in grouped]
    return [{"level": level, "count": len(each), "right": schedule.share_right(each)} for level, each in levels]


def find(practice: Practice, key: str) -> Problem:
    """Return the position with this key.

    :raises SetupError: if there is no such position.
    """
    for problems in (practice.problems, endgame_problems(), lesson_problems()):
        for each in problems:
            if each.key == key:
                return each
    raise SetupError(f"position: there is no {key[:100]!r} to practise; its game may have been deleted")
