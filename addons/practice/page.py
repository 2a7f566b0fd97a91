"""What the page of practice asks for: what is due, one position, and what is said of an answer."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from quietmove.addons.practice.hints import hints
from quietmove.addons.practice.positions import Practice, describe_source
from quietmove.addons.practice.problems import Problem, describe_loss, endgame_problems
from quietmove.addons.practice.schedule import FILE_NAME, Schedule, describe_history
from quietmove.addons.web.boards import Json, Steps, describe_game
from quietmove.addons.web.pages import AddedPages, PageServer
from quietmove.addons.web.requests import PageRequest, in_query, in_thread
from quietmove.addons.web.routes import Role, Row
from quietmove.addons.web.thinking import moves_of
from quietmove.engine.errors import GameFileError
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.referee.errors import SetupError
from quietmove.referee.game.transcript import MoveRecord

STATIC = Path(__file__).parent / "static"
MOST_QUEUED = 20  # positions of a kind that the page is told at once
MORE = 5  # positions that the page offers when none is due


class PracticeRequest(PageRequest):
    """What is to be practised."""

    kind: Literal["mistakes", "openings", "endgames"] = "mistakes"
    level: Annotated[int | None, Field(strict=False, ge=0, le=FULL_STRENGTH)] = None  # an address has only texts
    place: str = ""  # mistakes of this kept game alone


class PositionRequest(PageRequest):
    """The position that is to be shown."""

    key: str


class AnswerRequest(PageRequest):
    """An answer to a position.

    :ivar move: None if the answer is to be shown.
    :ivar hints: how many hints were given.
    :ivar counts: whether it is remembered; a second try at once is not.
    """

    key: str
    move: str | None = None
    hints: Annotated[int, Field(ge=0, le=3)] = 0
    counts: bool = True


def practice_pages(server: PageServer) -> AddedPages:
    """Return the page of practice."""
    pages = PracticePages(server.sessions.kept.folder)
    rows = [
        Row("GET", "/api/practice", in_query(PracticeRequest, pages.overview), Role.PLAYER),
        Row("GET", "/api/practice/position", in_query(PositionRequest, pages.position), Role.PLAYER),
        Row("POST", "/api/practice/answer", in_thread(AnswerRequest, pages.answer), Role.PLAYER),
        Row("POST", "/api/practice/anew", lambda request: asyncio.to_thread(pages.begin_anew), Role.PLAYER),
    ]
    return AddedPages("/practice", "Practise", "practice", STATIC, rows, rank=1)


class PracticePages:
    """Practice for the pages of one server.

    :param folder: where games are kept; None for a server that keeps none.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._answering = threading.Lock()  # an answer holds this lock from reading the file until it is written

    def overview(self, request: PracticeRequest) -> Json:
        """Return how much is due, and the positions of one kind, those of today first.

        :raises SetupError: if no games are kept here.
        :raises GameFileError: if the practice file is damaged.
        """
        now = datetime.now().astimezone()
        own = self._practice()
        schedule = own.schedule
        due = schedule.due(own.problems, now)
        problems = own.problems
        if request.kind == "endgames":
            problems = [each for each in endgame_problems() if request.level in (None, each.level)]
        elif request.kind == "openings":
            problems = [each for each in own.problems if each.kind == "opening"]
        if request.place:
            problems = [each for each in problems if each.place == request.place]
        asked, right = schedule.today(problems, now)
        return {
            "due": len(due),
            "openings": sum(each.kind == "opening" for each in due),
            "queue": [each.key for each in schedule.due(problems, now)][:MOST_QUEUED],
            "more": [each.key for each in schedule.later(problems, now)][:MORE],
            "count": len(problems),
            "learnt": schedule.learnt(problems),
            "tomorrow": schedule.count_due_by(problems, now + timedelta(days=1)),
            "asked": asked,
            "right": right,
            "damaged": own.damaged,
            "reasons": schedule.by_reason(problems, now),
            "levels": describe_levels(schedule) if request.kind == "endgames" else [],
        }

    def position(self, request: PositionRequest) -> Json:
        """Return a position as the page asks it; the right answer is not in it.

        :raises SetupError: if there is none to practise.
        """
        now = datetime.now().astimezone()
        practice = self._practice()
        problem = find(practice, request.key)
        given = Steps(problem.rules, problem.begin())
        return {
            **describe_game(problem.rules),
            "key": problem.key,
            "kind": problem.kind,
            "step": given.first(),
            "source": describe_source(problem),
            "place": problem.place,
            "ply": problem.ply,
            "value": problem.value,
            "seen": describe_history(practice.schedule.cards.get(problem.key), now),
            "hints": [asdict(each) for each in hints(problem)],
        }

    def answer(self, request: AnswerRequest) -> Json:
        """Judge an answer, and remember it if it counts.

        :raises SetupError: if there is no such position.
        :raises GameError: if it is no legal move; nothing is remembered then.
        """
        now = datetime.now().astimezone()
        with self._answering:
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
            "text": answer.text,
            "reasons": [each.text for each in answer.reasons],
            "again": judged.due,
            "lines": [{"value": value, "line": moves_of(game, position, line)} for value, line in judged.lines],
            "step": steps.after(MoveRecord(answer.move, "opening")),
            "played": problem.played[0] if problem.played else "",
            "lost": describe_loss(problem, problem.played_value, past=True) if problem.played else "",
            "seen": describe_history(practice.schedule.cards.get(problem.key), now),
            "due": len(practice.schedule.due(practice.problems, now)),
        }

    def begin_anew(self) -> Json:
        """Move a damaged practice file aside, and return its new name; games and reviews stay.

        :raises SetupError: if the file is not damaged.
        """
        with self._answering:
            folder = self._games_folder()
            try:
                self._practice()
            except GameFileError:
                aside = folder / f"{FILE_NAME}.{datetime.now():%Y-%m-%d-%H%M%S}"
                (folder / FILE_NAME).rename(aside)
                return {"aside": aside.name}
        raise SetupError(f"{FILE_NAME}: must be damaged to be put aside, and it is not")

    def _games_folder(self) -> Path:
        if self._folder is None:
            raise SetupError("practice: a server that answers other machines keeps no games")
        return self._folder

    def _practice(self) -> Practice:
        return Practice(self._games_folder())


def describe_levels(schedule: Schedule) -> list[Json]:
    """Return each difficulty of endgames: how many there are, and how many answers were right."""
    grouped = groupby(endgame_problems(), key=lambda each: each.level)  # endgames are sorted by their difficulty
    levels = [(level, list(problems)) for level, problems in grouped]
    return [{"level": level, "count": len(each), "right": schedule.share_right(each)} for level, each in levels]


def find(practice: Practice, key: str) -> Problem:
    """Return the position of a key.

    :raises SetupError: if there is none to practise.
    """
    for problems in (practice.problems, endgame_problems()):
        for each in problems:
            if each.key == key:
                return each
    raise SetupError(f"position: must be one to practise, not {key[:100]!r}; its game may have been deleted")
