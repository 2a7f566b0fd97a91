"""The class's data as JSON, and its HTML pages."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse, Response

from quietmove.addons.hall.building import LANGUAGES
from quietmove.addons.hall.entries import Entry
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.people import Person
from quietmove.addons.hall.player import LADDER
from quietmove.addons.hall.settings import Assignment, ClassSettings
from quietmove.addons.web.boards import Json, Steps, describe_game
from quietmove.addons.web.pages import shell
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.game.record import MoveRecord, wire_coordinates
from quietmove.tournament.definition import DEFAULT_GAME
from quietmove.tournament.statistics.standings import shared_places

if TYPE_CHECKING:
    from starlette.requests import Request

STATIC = Path(__file__).parent / "static"
MAINS = {"me": "parts.html", "teacher": "parts.html"}  # the pages with tabs share a file
ENTRY = (
    *("person", "assignment", "version", "language", "protocol", "state", "reason", "received_at", "decided_at"),
    "blocked",
)
STYLE = '<link rel="stylesheet" href="/class/static/class.css">'
LINKS = (("/", "Ladder"), ("/me", "My entries"), ("/handout", "Handout"), ("/board", "Final"), ("/teacher", "Teacher"))


def page(hall: Hall, name: str, request: Request) -> Response:
    """Return an HTML page; its script loads the data."""
    title = hall.settings.title
    files = f'{STYLE}<script type="module" src="/class/static/{name}.js"></script>'
    main = (STATIC / MAINS.get(name, f"{name}.html")).read_text(encoding="utf-8").replace("<!--title-->", escape(title))
    return HTMLResponse(shell(title, main, LINKS, request.url.path, files))


def standings(hall: Hall, settings: Assignment) -> Json:
    """Return the public table of an assignment: one row per anchor, and per person with a counting version.

    People appear under their board names. Players already on the ladder come first, best first, with the anchors among
    them; the others follow and have no place. Players with equal ratings share a place.
    """
    shown = hall.shown_names()
    newest = hall.entries.newest_passed(settings.name)
    rows = []
    played = {row["name"]: row for row in hall.ladder.table(settings)}
    counting = {each.name: each for each in newest.values()}
    for name, row in played.items():
        if row["anchor"]:
            rows.append({**row, "version": None})
        elif name in counting:
            each = counting[name]
            rows.append({**row, "name": shown[each.person], "version": each.version, "entry": each.number})
    nothing: Json = {"anchor": False, "elo": None, "error": None, "games": 0, "faults": 0, "points": 0, "goals": []}
    for person, each in newest.items():
        if each.name not in played:
            rows.append({**nothing, "name": shown[person], "version": each.version, "entry": each.number})
    places = shared_places([row["elo"] for row in rows])
    return {
        "title": hall.settings.title,
        "assignment": settings.name,
        "assignments": [each.name for each in hall.settings.ladders if each.has_opened],
        "goals": list(settings.goals),
        "rows": [
            {"place": None if row["elo"] is None else place, **row} for place, row in zip(places, rows, strict=True)
        ],
    }


def before_the_final(hall: Hall) -> Json:
    """Return the data that the projector shows before the first final."""
    settings = hall.settings.next_final
    return {
        "final": None,
        "players": len(hall.entries.newest_passed(settings.name)),
        "formats": list(settings.finals),
        "deadline": settings.deadline_for(),
    }


def me(hall: Hall, person: Person) -> Json:
    """Return the data for a person's page: the class settings visible to them, and their versions."""
    settings = hall.settings
    own = hall.entries.of(person.name)
    return {
        **asdict(person),
        **assignment(hall, settings.current(person.deadlines), person),
        "assignments": [assignment(hall, each, person) for each in settings.assignments],
        "title": settings.title,
        "coordinates": settings.coordinates,
        "memory": settings.memory,
        "languages": [LANGUAGES[each] for each in settings.languages],
        "kilobytes": settings.upload_kilobytes,
        "refusal": hall.refusal,
        "problem": hall.problem if person.sees_all else "",
        "entries": entries(hall, reversed(own)),
    }


def assignment(hall: Hall, settings: Assignment, person: Person) -> Json:
    """Return the data about an assignment for a person's page, with the person's own deadline."""
    own = person.deadlines.get(settings.name)
    return {
        "assignment": settings.name,
        "limit": str(settings.limit),
        "limit_text": tasks_text(hall.settings, settings)
        if settings.tasks
        else limit_text(settings.limit, hall.settings.clock),
        "opens": None if settings.has_opened or settings.opens is None else settings.seconds(settings.opens),
        "deadline": settings.deadline_for(own),
        "closes": settings.closes_for(own),
        "late": settings.is_late_for(own),
        "over": settings.is_over_for(own),
        "late_text": late_text(settings, own),
        "blocked_for": person.blocks.get(settings.name),
        "papers": [
            {
                "part": part.name,
                "megabytes": part.megabytes,
                "received": hall.hand_marks.papers(person.name, settings.name, part.name),
            }
            for part in settings.parsed_marks
            if part.megabytes
        ],
    }


def late_text(settings: Assignment, extension: float | None) -> str:
    """Describe what late work costs, and what it would cost now, or return "" if it costs nothing."""
    now = settings.penalty(settings.late_rule.part, extension, time.time())
    return f"{settings.late_rule}; now {now} %" if now else str(settings.late_rule)


def tasks_text(course: ClassSettings, settings: Assignment) -> str:
    """Describe an assignment's tasks and their time limit in words."""
    count = "1 task" if len(settings.tasks) == 1 else f"{len(settings.tasks)} tasks"
    return f"{count}, {course.check_seconds} s in all: {', '.join(settings.tasks)}"


def limit_text(limit: TimeControl, clock: str = "wall") -> str:
    """Describe a thinking limit, and the penalty for exceeding it, in words.

    :param clock: the kind of time to measure: ``wall`` or ``processor``.
    """
    seconds = "s of processor time" if clock == "processor" else "s"
    if limit.nodes is not None:
        return f"{limit.nodes:,} nodes per move"
    if limit.depth is not None:
        return f"{limit.depth} {'ply' if limit.depth == 1 else 'plies'} per move"
    if limit.movetime_ms is not None:
        return f"{limit.movetime_ms / 1000:g} {seconds} per move; a program that takes longer loses the game"
    moves = f"{limit.moves} moves" if limit.moves else "a game"
    added = f", and {limit.increment_ms / 1000:g} s more for each move" if limit.increment_ms else ""
    return f"{(limit.base_ms or 0) / 1000:g} {seconds} for {moves}{added}; a program that takes longer loses the game"


def entries(hall: Hall, chosen: Iterable[Entry]) -> list[Json]:
    """Return a short description of each version.

    It includes the version's place in the queue (from 1), whether it counts, and by how many hours it is late.
    """
    places = {each.number: place for place, each in enumerate(hall.entries.waiting(), 1)}
    counting = {each.number for each in hall.entries.counting()}
    return [
        {
            **{key: getattr(each, key) for key in ENTRY},
            "entry": each.number,
            "place": places.get(each.number),
            "counts": each.number in counting,
            "late_hours": hall.late_hours(each),
            "url": f"/api/entries/{each.number}",
        }
        for each in chosen
    ]


def entry(hall: Hall, found: Entry) -> Json:
    """Return one version with the report of its build and checks, which is null until the version is decided."""
    report = hall.entries.report(found.number) if found.decided_at else None
    for row in (report or {}).get("examinations", ()):
        if row["evidence"]:
            row["evidence"]["board"] = _board(row["evidence"]["moves"], found.engine)
    game = describe_game(get_game(DEFAULT_GAME)) if report else None
    return {**entries(hall, [found])[0], "report": report, "game": game}


def people(hall: Hall) -> Json:
    """Return the data of the teacher's page: the participants, the assignments with deadlines, and the ladder's state.

    ``problem`` is the error in class.toml, and ``refusal`` the reason why no version can be handed in, or "".
    """
    members = hall.people.members()
    rows = [
        {**asdict(each), "members": [asdict(member) for member in members if member.person == each.name]}
        for each in hall.people.all()
    ]
    ladder = hall.runs.requested().get(LADDER)
    return {
        "people": rows,
        "assignments": [each.name for each in hall.settings.assignments if each.deadline],
        "problem": hall.problem,
        "refusal": hall.refusal,
        "ladder": ladder and ladder.wanted,
        "ladder_reason": ladder and ladder.reason,
    }


def _board(moves: list[str], engine: EngineConfig) -> Json | None:
    """Return the position after some moves as board data, or None if a move is illegal.

    ``program`` of each legal move is the text that the engine must write.
    """
    game = get_game(DEFAULT_GAME)
    steps = Steps(game, game.initial())
    step = steps.first()
    try:
        for move in moves:
            step = steps.after(MoveRecord(move, "opening"))
    except QuietmoveError:
        return None
    write = wire_coordinates(engine).write
    legal = [{**each, "program": write(game.grid, each["move"])} for each in step["legal"]]
    return {**step, "legal": legal}
