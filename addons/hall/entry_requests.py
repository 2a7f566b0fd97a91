"""Requests about versions: their reports, files, checks and games, and the comparison with others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from starlette.responses import Response

from quietmove.addons.hall import documents
from quietmove.addons.hall.alike import by_people
from quietmove.addons.hall.api import ApiRow, assignment_of, entry_of, file_response, participant_of, read
from quietmove.addons.hall.entries import EVIDENCE, Entry
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.people import Person
from quietmove.addons.hall.person_requests import MOST_EVENTS
from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import PageRequest, path_number
from quietmove.addons.web.routes import Role, json_text
from quietmove.engine.common.text import printable
from quietmove.engine.common.untrusted import parse_number
from quietmove.engine.files import write_whole
from quietmove.referee.config.model import Color
from quietmove.tournament.errors import RefusedError, StoreError

if TYPE_CHECKING:
    from starlette.requests import Request


class SessionRequest(PageRequest):
    """A request to start a manual game against a version; the person plays ``color``."""

    entry: int
    color: Color


class BlockRequest(PageRequest):
    """A request to block or unblock someone or a version; the reason is shown to the person.

    :ivar assignment: the only assignment in which the person is blocked; null for all.
    :ivar evidence: the numbers of two versions whose comparison is saved.
    """

    blocked: bool
    reason: str = ""
    assignment: str | None = None
    evidence: tuple[int, int] | None = None


def list_entries(hall: Hall, request: Request, person: Person) -> Json:
    """Return the person's own versions, or all versions if the person is a teacher or an assistant."""
    entries = hall.entries.all() if person.sees_all else hall.entries.of(person.name)
    return {"entries": documents.entries(hall, entries)}


def show_entry(hall: Hall, request: Request, person: Person) -> Json:
    """Return one version with its report."""
    return documents.entry(hall, entry_of(hall, request, person))


async def download(hall: Hall, request: Request, person: Person) -> Response:
    """Return a version's source files as a zip."""
    entry = entry_of(hall, request, person)
    data = await asyncio.to_thread(hall.entries.source_zip, entry.number)
    return file_response(data, "application/zip", f"entry-{entry.number}.zip")


async def check_again(hall: Hall, request: Request, person: Person) -> Json:
    """Queue a version to be checked again, and return it."""
    entry = entry_of(hall, request, person)
    if not hall.entries.check_again(entry.number):
        raise RefusedError(
            409, f"entry {entry.number}: cannot be checked again before it is decided; it is {entry.state}"
        )
    hall.people.note(person.name, "check", f"{entry.name} is checked again")
    hall.examiners.wake()
    return show_entry(hall, request, person)


async def block_entry(hall: Hall, request: Request, person: Person) -> Json:
    """Block or unblock a version, and return it."""
    asked = await read(BlockRequest, request)
    entry = entry_of(hall, request, person)
    hall.entries.block(entry.number, blocked=asked.blocked)
    hall.people.note(person.name, "block" if asked.blocked else "unblock", entry.name)
    hall.examiners.wake()
    return show_entry(hall, request, person)


async def list_alike(hall: Hall, request: Request, person: Person) -> Json:
    """Return the people with suspiciously similar versions, one row per pair of people: a list, not a verdict.

    See :meth:`.Entries.comparable`. The reply also contains the numbers of versions compared by text and by moves, and
    the mean share of equal moves.
    """
    compared = hall.entries.comparable()
    answers = hall.entries.answers()
    blocked = {each.name for each in hall.people.all() if each.blocked}

    def compare() -> Json:
        versions = {each.name: _version(each) for each in compared}
        found, mean = hall.likeness.pairs(compared, answers)
        groups = by_people(found, {each.name: each.assignment for each in compared})
        return {
            "compared": len(versions),
            "asked": sum(each.number in answers for each in compared),
            "mean": mean,
            "pairs": [
                {
                    "people": people,
                    "blocked": [name for name in people if name in blocked],
                    "versions": [
                        {**asdict(each), "first": versions[each.first], "second": versions[each.second]}
                        for each in group
                    ],
                }
                for people, group in groups.items()
            ],
        }

    return await asyncio.to_thread(compare)


def _version(entry: Entry) -> Json:
    return {key: getattr(entry, key) for key in ("person", "assignment", "version", "state", "blocked")} | {
        "entry": entry.number
    }


async def compare_versions(hall: Hall, request: Request, person: Person) -> Json:
    """Return two versions' files, split into parts; parts that match have the same number."""
    numbers: list[int] = []
    with suppress(ValueError):
        numbers = [parse_number(request.path_params[key]) for key in ("number", "other")]
    return await _compared(hall, numbers)


async def _compared(hall: Hall, numbers: Sequence[int]) -> Json:
    entries = [entry for number in numbers if (entry := hall.entries.get(number))]
    if len(entries) != 2:
        raise RefusedError(404, "at least one of the two versions does not exist")
    files = await asyncio.to_thread(hall.likeness.compare, entries)
    return {"versions": [{**_version(each), "files": parts} for each, parts in zip(entries, files, strict=True)]}


async def block_person(hall: Hall, request: Request, person: Person) -> Json:
    """Block or unblock a person, save the evidence, and return the data of the teacher's page."""
    asked = await read(BlockRequest, request)
    name = participant_of(hall, request)
    assignment = asked.assignment and hall.assignment(asked.assignment).name
    found = await _compared(hall, asked.evidence) if asked.evidence else None
    number = hall.people.block(name, person.name, blocked=asked.blocked, reason=asked.reason, assignment=assignment)
    if found:
        (hall.folder / EVIDENCE).mkdir(mode=0o700, exist_ok=True)
        write_whole(hall.folder / EVIDENCE / f"{number}.json", json_text(found).encode())
    hall.end_by_hand(name)
    hall.examiners.wake()
    return documents.people(hall)


def show_evidence(hall: Hall, request: Request, person: Person) -> Response:
    """Return the comparison that was saved with an event."""
    path = hall.folder / EVIDENCE / f"{path_number(request)}.json"
    if not path.is_file():
        raise RefusedError(404, "there is no evidence with this number")
    return file_response(path.read_bytes(), "application/json", f"evidence-{path.stem}.json")


def list_events(hall: Hall, request: Request, person: Person) -> Json:
    """Return the latest events, newest first, and for each whether evidence was saved."""
    saved = {path.stem for path in (hall.folder / EVIDENCE).glob("*.json")}
    events = hall.people.events(MOST_EVENTS)
    return {"events": [{**each, "evidence": str(each["number"]) in saved} for each in events]}


async def list_games(hall: Hall, request: Request, person: Person) -> Json:
    """Return the games of a version, by default of the person's counting version. Lost games come first."""
    own = hall.entries.newest_passed(assignment_of(hall, request).name).get(person.name)
    if asked := request.query_params.get("entry"):
        own = None
        with suppress(ValueError):
            own = hall.entries.get(parse_number(asked))
        if own is None or not (person.sees_all or own.person == person.name):
            raise RefusedError(404, f"there is no entry {printable(asked, 40)}, or it is not yours")
    settings = hall.settings.of(own.assignment) if own else None
    if own is None or settings is None:
        return {"entry": None, "count": 0, "from": 0, "games": []}
    query = {key: request.query_params.get(key, "") for key in ("outcome", "reason", "from")}
    found = await asyncio.to_thread(hall.ladder.games, settings, own.name, query, hall.shown_players())
    return {"entry": own.number, "version": own.version, "assignment": own.assignment, **found}


async def show_history(hall: Hall, request: Request, person: Person) -> Json:
    """Return the ratings of the person's versions and the scores by opponent. The staff can ask about any person.

    :raises RefusedError: if a student names another person.
    """
    name = request.query_params.get("person") or person.name
    if name != person.name and not person.sees_all:
        raise RefusedError(404, "you can see only your own history")
    settings = assignment_of(hall, request)
    return await asyncio.to_thread(hall.ladder.history, settings, name, hall.shown_names())


async def show_game(hall: Hall, request: Request, person: Person) -> Json:
    """Return a game; ``own`` lists the sides played by the person's versions.

    :raises RefusedError: if the person has no such game.
    """
    number = path_number(request)
    players: tuple[str, ...] = ()
    with suppress(StoreError):
        settings = assignment_of(hall, request)
        found, players = await asyncio.to_thread(hall.ladder.game, settings, number, hall.shown_players())
    own = [side for side, name in enumerate(players) if name.rpartition(".")[0] == person.name]
    if not (own or (players and person.sees_all)):
        raise RefusedError(404, f"there is no game {number}, or it is not yours")
    return {**found, "own": own}


async def show_review(hall: Hall, request: Request, person: Person) -> Json:
    """Return the review of one of the person's games, or its progress if it is not finished."""
    return hall.reviews.look(_moves_of(await show_game(hall, request, person)))


async def review_game(hall: Hall, request: Request, person: Person) -> Json:
    """Start the review of one of the person's games, and return its progress."""
    moves = _moves_of(await show_game(hall, request, person))
    if not hall.reviews.begin(moves, person.name):
        raise RefusedError(409, "another of your games is being reviewed; wait until it is done")
    return hall.reviews.look(moves)


def _moves_of(game: Json) -> list[str]:
    return [step["move"] for step in game["steps"][1:]]


async def open_session(hall: Hall, request: Request, person: Person) -> Json:
    """Start a manual game against an entry, and return its id."""
    asked = await read(SessionRequest, request)
    played = [each for each in hall.entries.counting() if each.assignment in hall.settings.played]
    entry = next((each for each in played if each.number == asked.entry), None)
    if entry is None:
        raise RefusedError(404, f"entry: must be the number of a version that counts, not {asked.entry}")
    if hall.refusal:
        raise RefusedError(503, hall.refusal)
    return {"id": hall.play_by_hand(person, entry, asked.color)}


ROWS = (
    ApiRow("GET", "/api/entries", list_entries, Role.STUDENT),
    ApiRow("GET", "/api/entries/{number}", show_entry, Role.STUDENT),
    ApiRow("GET", "/api/entries/{number}/source", download, Role.STUDENT),
    ApiRow("POST", "/api/entries/{number}/check", check_again, Role.ASSISTANT),
    ApiRow("PUT", "/api/entries/{number}/block", block_entry, Role.ASSISTANT),
    ApiRow("GET", "/api/alike", list_alike, Role.ASSISTANT),
    ApiRow("GET", "/api/alike/{number}/{other}", compare_versions, Role.ASSISTANT),
    ApiRow("PUT", "/api/people/{name:path}/block", block_person, Role.TEACHER),
    ApiRow("GET", "/api/evidence/{number}", show_evidence, Role.ASSISTANT),
    ApiRow("GET", "/api/events", list_events, Role.ASSISTANT),
    ApiRow("GET", "/api/games", list_games, Role.STUDENT),
    ApiRow("GET", "/api/history", show_history, Role.STUDENT),
    ApiRow("GET", "/api/games/{number}", show_game, Role.STUDENT),
    ApiRow("GET", "/api/games/{number}/review", show_review, Role.STUDENT),
    ApiRow("POST", "/api/games/{number}/review", review_game, Role.STUDENT, 202),
    ApiRow("POST", "/api/sessions", open_session, Role.STUDENT, 201),
)
