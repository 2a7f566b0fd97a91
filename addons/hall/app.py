"""The web server of a class: its pages, and a JSON API for scripts. Every error is ``{"error": text}``."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.responses import FileResponse, JSONResponse, Response

from quietmove.addons.hall import documents, exports
from quietmove.addons.hall.alike import by_people
from quietmove.addons.hall.entries import Entry
from quietmove.addons.hall.finals import MOST_SEED, final_stores, name_of, newest_final
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.key_access import COOKIE_SECONDS, KeyAccess, error_response, person_of, wrong_key
from quietmove.addons.hall.marks import marks_of, total
from quietmove.addons.hall.people import Member, Person
from quietmove.addons.hall.player import LADDER, TEMPLATE
from quietmove.addons.hall.roster import read_roster
from quietmove.addons.hall.settings import ClassSettings, checked_time
from quietmove.addons.web.access import SAFE, Handlers, create_application, keep_cookie, refusal
from quietmove.addons.web.app import Pages
from quietmove.addons.web.boards import Json
from quietmove.addons.web.follow import Repeated
from quietmove.addons.web.pages import STATIC as SHARED
from quietmove.addons.web.requests import path_number
from quietmove.addons.web.routes import WEBSOCKET, Answer, Role, Row, folder_row, json_text
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.engine.common.untrusted import parse_json, parse_number
from quietmove.referee.config.model import COLORS
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import RefusedError, StoreError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

OWN = Path(__file__).parent / "static"
PAGES = {"/": "board", "/game": "game", "/me": "me", "/teacher": "teacher", "/board": "projector"}
LOOK_SECONDS = 0.5  # seconds between updates of the final
DAY = 86400.0
MOST_KEYS_A_DAY = 5
MOST_EVENTS = 500

T = TypeVar("T", Person, Member)
Work = Callable[[Hall, "Request", Person], Awaitable[Answer] | Answer]


# ---- request handlers


async def change_me(hall: Hall, request: Request, person: Person) -> Json:
    """Change the person's name on the board, and return the data for the person's page."""
    body = await _body(request, {"shown": str})
    hall.people.show_as(person.name, body["shown"])
    return documents.me(hall, hall.people.by_name(person.name))


async def hand_in(hall: Hall, request: Request, person: Person) -> Json:
    """Accept an uploaded version; see :meth:`.Hall.hand_in`."""
    return await hall.hand_in(person, request)


def list_entries(hall: Hall, request: Request, person: Person) -> Json:
    """Return the person's own versions, or all versions if the person is a teacher or an assistant."""
    entries = hall.entries.all() if person.sees_all else hall.entries.of(person.name)
    return {"entries": documents.entries(hall, entries)}


def show_entry(hall: Hall, request: Request, person: Person) -> Json:
    """Return one version with its report."""
    return documents.entry(hall, _own(hall, request, person))


async def download(hall: Hall, request: Request, person: Person) -> Response:
    """Return a version's source files as a zip."""
    entry = _own(hall, request, person)
    data = await asyncio.to_thread(hall.entries.source_zip, entry.number)
    headers = {"Content-Disposition": f'attachment; filename="entry-{entry.number}.zip"'}
    return Response(data, media_type="application/zip", headers=headers)


def change_key(hall: Hall, request: Request, person: Person) -> Response:
    """Issue a new key for the person and revoke the old one. Return the new key, and set it as the cookie."""
    now = time.time()
    own = person.member
    made = [each for each in hall.people.events(MOST_EVENTS) if each["person"] == own and each["what"] == "key"]
    today = [at for at in (float(str(each["at"])) for each in made) if now - DAY < at <= now]
    if not person.is_teacher and len(today) >= MOST_KEYS_A_DAY:
        raise RefusedError(429, f"you can get at most {MOST_KEYS_A_DAY} new keys in 24 hours", DAY)
    key = hall.people.give_key(own, own)
    return keep_cookie(request, JSONResponse({"name": own, "key": key}), key, COOKIE_SECONDS)


async def add_people(hall: Hall, request: Request, person: Person) -> Json:
    """Add the people in a list. Return their keys, notes on what was ignored, and the data of the teacher's page."""
    text = (await _body(request, {"list": str}))["list"]
    people, notes = read_roster(text.encode(), "list")
    keys = hall.people.add(people, shown_by_name=hall.settings.names == "names", asked_by=person.name)
    return {
        "keys": [{"name": name, "key": key} for name, key in keys.items()],
        "notes": notes,
        **documents.people(hall),
    }


def remove_person(hall: Hall, request: Request, person: Person) -> Json:
    """Remove a person, and return the data of the teacher's page."""
    name = _member(hall, request)
    participant = hall.people.member(name).person
    hall.people.remove(name, person.name)
    hall.end_by_hand(participant)
    hall.examiners.wake()
    return documents.people(hall)


async def extend_deadline(hall: Hall, request: Request, person: Person) -> Json:
    """Set or remove a participant's own deadline for an assignment, by default the class's first one.

    Return the data of the teacher's page.
    """
    try:
        body = parse_json(await request.body())
        deadline, name = body["deadline"], body.get("assignment", hall.settings.assignments[0].name)
        moment = checked_time(None if deadline is None else datetime.fromisoformat(deadline))
        when = hall.settings.local(hall.settings.seconds(moment)) if moment else None
    except (ValueError, TypeError, KeyError, OverflowError):
        raise SetupError('deadline: must be a time such as "2027-02-01T18:00", or null') from None
    hall.people.extend(_named(hall, request), when, person.name, hall.assignment(str(name)).name)
    return documents.people(hall)


def key_for(hall: Hall, request: Request, person: Person) -> Json:
    """Issue a new key for the person named in the URL, revoke the old one, and return the new key."""
    name = _member(hall, request)
    return {"name": name, "key": hall.people.give_key(name, person.name)}


async def block_person(hall: Hall, request: Request, person: Person) -> Json:
    """Block or unblock a person, and return the data of the teacher's page."""
    body = await _body(request, {"blocked": bool})
    if not isinstance(reason := body.get("reason", ""), str):
        raise SetupError("reason: must be a string, or omitted")
    name = _named(hall, request)
    hall.people.block(name, person.name, blocked=body["blocked"], reason=reason)
    hall.end_by_hand(name)
    hall.examiners.wake()
    return documents.people(hall)


async def check_again(hall: Hall, request: Request, person: Person) -> Json:
    """Queue a version to be checked again, and return it."""
    entry = _own(hall, request, person)
    if not hall.entries.check_again(entry.number):
        raise RefusedError(
            409, f"entry {entry.number}: cannot be checked again before it is decided; it is {entry.state}"
        )
    hall.people.note(person.name, "check", f"{entry.name} is checked again")
    hall.examiners.wake()
    return show_entry(hall, request, person)


async def block_entry(hall: Hall, request: Request, person: Person) -> Json:
    """Block or unblock a version, and return it."""
    body = await _body(request, {"blocked": bool})
    entry = _own(hall, request, person)
    hall.entries.block(entry.number, blocked=body["blocked"])
    hall.people.note(person.name, "block" if body["blocked"] else "unblock", entry.name)
    hall.examiners.wake()
    return show_entry(hall, request, person)


async def list_games(hall: Hall, request: Request, person: Person) -> Json:
    """Return the games of a version, by default of the person's counting version. Lost games come first."""
    own = hall.entries.newest_passed(_assignment(hall, request).name).get(person.name)
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
    settings = _assignment(hall, request)
    return await asyncio.to_thread(hall.ladder.history, settings, name, hall.shown_names())


async def show_review(hall: Hall, request: Request, person: Person) -> Json:
    """Return the review of one of the person's games, or its progress if it is not finished."""
    return hall.reviews.look(_moves_of(await show_game(hall, request, person)))


async def review_game(hall: Hall, request: Request, person: Person) -> Json:
    """Start the review of one of the person's games, and return its progress."""
    moves = _moves_of(await show_game(hall, request, person))
    if not hall.reviews.begin(moves, person.name):
        raise RefusedError(409, "another of your games is being reviewed; wait until it is done")
    return hall.reviews.look(moves)


async def show_game(hall: Hall, request: Request, person: Person) -> Json:
    """Return a game; ``own`` lists the sides played by the person's versions.

    :raises RefusedError: if the person has no such game.
    """
    number = path_number(request)
    players: tuple[str, ...] = ()
    with suppress(StoreError):
        settings = _assignment(hall, request)
        found, players = await asyncio.to_thread(hall.ladder.game, settings, number, hall.shown_players())
    own = [side for side, name in enumerate(players) if name.rpartition(".")[0] == person.name]
    if not (own or (players and person.sees_all)):
        raise RefusedError(404, f"there is no game {number}, or it is not yours")
    return {**found, "own": own}


def _moves_of(game: Json) -> list[str]:
    return [step["move"] for step in game["steps"][1:]]


async def list_alike(hall: Hall, request: Request, person: Person) -> Json:
    """Return the people with suspiciously similar versions, one row per pair of people: a list, not a verdict.

    The comparison covers the counting versions, and each person's newest passed version of each assignment and newest
    refused version, even if they are blocked. The reply also contains the numbers of versions compared by text and by
    moves, and the mean share of equal moves.
    """
    every = hall.entries.all()
    newest = {(each.person, each.assignment): each for each in every if each.state == "passed"}
    refused = {each.person: each for each in every if each.state == "refused"}
    chosen = {each.number: each for each in (*hall.entries.counting(), *newest.values(), *refused.values())}
    compared = sorted(chosen.values(), key=lambda each: (each.person, each.number))
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
    entries = []
    with suppress(ValueError):
        numbers = [parse_number(request.path_params[key]) for key in ("number", "other")]
        entries = [entry for number in numbers if (entry := hall.entries.get(number))]
    if len(entries) != 2:
        raise RefusedError(404, "at least one of the two versions does not exist")
    files = await asyncio.to_thread(hall.likeness.compare, entries)
    return {"versions": [{**_version(each), "files": parts} for each, parts in zip(entries, files, strict=True)]}


async def want_ladder(hall: Hall, request: Request, person: Person) -> Json:
    """Start the ladder, or stop it after the running games. Return the requested state."""
    wanted = (await _body(request, {"wanted": str}))["wanted"]
    if wanted not in ("running", "stopped"):
        raise SetupError(f"wanted: must be running or stopped, not {printable(wanted, 40)!r}")
    if not hall.settings.ladders:
        raise RefusedError(409, "no assignment in class.toml has a ladder")
    await asyncio.to_thread(hall.runs.want, LADDER, wanted)
    hall.people.note(person.name, "ladder", wanted)
    return {"wanted": wanted}


class Table:
    """The public data as JSON: the ladder, rendered at most once a second for all requests, and the final.

    :ivar final: the projector's current content.
    """

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._standings: dict[str, Repeated] = {}
        self.final = json_text({"final": None})
        self._shown: object = None

    def standings(self, request: Request) -> str:
        """Return the ladder of the assignment named in the query, by default the one shown on the board."""
        hall, name = self._hall, _assignment(self._hall, request).name

        def text() -> str:
            return json_text(documents.standings(hall, hall.settings.of(name) or hall.settings.current_ladder))

        return self._standings.setdefault(name, Repeated(text)).text()

    async def follow_final(self) -> None:
        """Update the projector's content, and start finals when they are due, until the server stops."""
        hall = self._hall
        while True:
            try:
                await hall.turn.come()
                found = hall.presenter.look(hall.settings.final_seconds, hall.shown_names())
                hall.begin_when_due(found["final"] if found.get("over") else "")
                if found["final"] is None:
                    found = documents.before_the_final(hall)
            except (QuietmoveError, sqlite3.Error) as error:  # for example because the disk is full: retry
                found = {"final": None, "error": printable(str(error))}
            if found is not self._shown:
                self._shown, self.final = found, json_text(found)
            await asyncio.sleep(LOOK_SECONDS)


def tagged(request: Request, text: str) -> Response:
    """Return a document, or 304 if the browser has it cached."""
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(text, media_type="application/json", headers=headers)


def _file(found: str | bytes | Json, kind: str, name: str) -> Response:
    content = json_text(found) if isinstance(found, dict) else found
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


async def open_session(hall: Hall, request: Request, person: Person) -> Json:
    """Start a manual game against an entry, and return its id."""
    body = await _body(request, {"entry": int, "color": str})
    played = [each for each in hall.entries.counting() if each.assignment in hall.settings.played]
    entry = next((each for each in played if each.number == body["entry"]), None)
    if entry is None:
        raise RefusedError(404, f"entry: must be the number of a version that counts, not {body['entry']}")
    if body["color"] not in COLORS:
        raise SetupError(f"color: must be black or white, not {printable(body['color'], 20)!r}")
    if hall.refusal:
        raise RefusedError(503, hall.refusal)
    return {"id": hall.play_by_hand(person, entry, body["color"])}


async def begin_final(hall: Hall, request: Request, person: Person) -> Json:
    """Start a final, and return its name."""
    body = await _body(request, {"format": str})
    seed = body.get("seed")
    first = body.get("first", 0)
    if not (seed is None or (type(seed) is int and 0 <= seed < MOST_SEED)):
        raise SetupError(f"seed: must be an integer from 0 to {MOST_SEED - 1}, or omitted")
    if type(first) is not int or first < 0:
        raise SetupError("first: must be the number of players, taken from the top of the ladder, or omitted")
    asked = body.get("assignment")
    settings = hall.settings.next_final if asked is None else hall.assignment(str(asked))
    name = hall.begin_final(body["format"], seed, first, person.name, settings)
    return {"final": name}


async def change_final(hall: Hall, request: Request, person: Person) -> Json:
    """Stop or resume a final, and return the same data as :func:`list_finals`."""
    wanted = (await _body(request, {"wanted": str}))["wanted"]
    store = f"final-{path_number(request)}.sqlite"
    if wanted not in ("running", "stopped"):
        raise SetupError(f"wanted: must be running or stopped, not {printable(wanted, 20)!r}")
    if store not in (rows := hall.runs.requested()):
        raise RefusedError(404, "there is no such final")
    if rows[store].wanted == "over":
        raise RefusedError(409, "the final is over")
    hall.runs.want(store, wanted)
    return list_finals(hall, request, person)


def list_finals(hall: Hall, request: Request, person: Person) -> Json:
    """Return the finals. For the next one, also return its assignment, and count its players and unchecked versions.

    ``assignments`` are those that can have a final; ``rehearsal`` is whether the next one is a rehearsal.
    """
    rows = hall.runs.requested()
    finals = []
    for path in final_stores(hall.folder):
        name = ""
        with suppress(StoreError):
            name = name_of(path)
        if row := rows.get(path.name):
            finals.append({"final": path.stem, "name": name, "wanted": row.wanted, "reason": row.reason})
    settings = _assignment(hall, request) if "assignment" in request.query_params else hall.settings.next_final
    counting = hall.entries.newest_passed(settings.name)
    return {
        "finals": finals,
        "assignment": settings.name,
        "assignments": [each.name for each in hall.settings.assignments if not each.tasks],
        "players": len(counting),
        "waiting": len(hall.waiting(settings)),
        "rehearsal": settings.rehearses,
    }


def export_results(hall: Hall, request: Request, person: Person) -> Response:
    """Return the results of a person's newest version of an assignment, in an autograder's format."""
    settings = _assignment(hall, request)
    found = exports.results_of(hall, _named(hall, request), settings)
    return _file(found, "application/json", "results.json")


def export_all_results(hall: Hall, request: Request, person: Person) -> Response:
    """Return a zip with the students' results in an autograder's format; see :func:`.exports.results_zip`."""
    return _file(exports.results_zip(hall), "application/zip", "results.zip")


def show_mark(hall: Hall, request: Request, person: Person) -> Json:
    """Return the parts of the person's own mark and their total. There are no parts if class.toml sets no marks."""
    has_marks = any(each.marks for each in hall.settings.assignments)
    parts = [part for marks in marks_of(hall) for part in marks.of(person.name)] if has_marks else []
    return {"parts": [asdict(part) for part in parts], "total": total(parts)}


API: tuple[tuple[str, str, Work, Role], ...] = (
    ("GET", "/api/me", lambda hall, _, person: documents.me(hall, person), Role.STUDENT),
    ("PUT", "/api/me", change_me, Role.STUDENT),
    ("POST", "/api/key", change_key, Role.STUDENT),
    ("GET", "/api/entries", list_entries, Role.STUDENT),
    ("GET", "/api/entries/{number}", show_entry, Role.STUDENT),
    ("GET", "/api/entries/{number}/source", download, Role.STUDENT),
    ("GET", "/api/games", list_games, Role.STUDENT),
    ("GET", "/api/history", show_history, Role.STUDENT),
    ("GET", "/api/games/{number}", show_game, Role.STUDENT),
    ("GET", "/api/games/{number}/review", show_review, Role.STUDENT),
    ("POST", "/api/games/{number}/review", review_game, Role.STUDENT),
    ("PUT", "/api/ladder", want_ladder, Role.ASSISTANT),
    ("GET", "/api/alike", list_alike, Role.ASSISTANT),
    ("GET", "/api/alike/{number}/{other}", compare_versions, Role.ASSISTANT),
    ("POST", "/api/entries/{number}/check", check_again, Role.ASSISTANT),
    ("PUT", "/api/entries/{number}/block", block_entry, Role.ASSISTANT),
    ("GET", "/api/people", lambda hall, *_: documents.people(hall), Role.ASSISTANT),
    ("POST", "/api/people", add_people, Role.TEACHER),
    ("POST", "/api/people/{name:path}/key", key_for, Role.TEACHER),
    ("PUT", "/api/people/{name:path}/block", block_person, Role.TEACHER),
    ("PUT", "/api/people/{name:path}/deadline", extend_deadline, Role.TEACHER),
    ("DELETE", "/api/people/{name:path}", remove_person, Role.TEACHER),
    ("GET", "/api/events", lambda hall, *_: {"events": hall.people.events(MOST_EVENTS)}, Role.ASSISTANT),
    ("POST", "/api/sessions", open_session, Role.STUDENT),
    ("GET", "/api/finals", list_finals, Role.ASSISTANT),
    ("POST", "/api/finals", begin_final, Role.ASSISTANT),
    ("PUT", "/api/finals/{number}", change_final, Role.ASSISTANT),
    ("GET", "/api/export.csv", lambda hall, *_: _file(exports.as_csv(hall), "text/csv", "class.csv"), Role.ASSISTANT),
    (
        "GET",
        "/api/export.json",
        lambda hall, *_: _file(exports.as_json(hall), "application/json", "class.json"),
        Role.ASSISTANT,
    ),
    ("GET", "/api/results.zip", export_all_results, Role.ASSISTANT),
    ("GET", "/api/results/{name:path}.json", export_results, Role.ASSISTANT),
    ("GET", "/api/mark", show_mark, Role.STUDENT),
)
STATUS: dict[Work, int] = {open_session: 201, **dict.fromkeys((review_game, want_ladder, begin_final), 202)}


def create_app(hall: Hall) -> Starlette:
    """Return the ASGI application of a class."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if not hall.refusal:
            hall.examiners.start()
            last = newest_final(hall.folder)
            if last and last.name not in hall.runs.requested():  # the server was killed while starting the final
                hall.runs.want(last.name, "running", first=True)
            if any(each.ladder for each in hall.settings.ladders) and LADDER not in hall.runs.requested():
                hall.runs.want(LADDER, "running")
        tasks = [asyncio.create_task(hall.runs.keep_going()), asyncio.create_task(table.follow_final())]
        yield
        for task in tasks:
            task.cancel()
        await hall.sessions.close_all()
        await hall.reviews.close()
        await hall.examiners.stop()

    async def log_in(request: Request) -> Response:
        key = (await _body(request, {"key": str}))["key"]
        person = hall.people.by_key(key)
        if person is None:
            return wrong_key(hall.tries, request)
        return keep_cookie(request, JSONResponse({"name": person.member, "role": person.role}), key, COOKIE_SECONDS)

    def whoami(request: Request) -> Json:
        person = person_of(request)
        return {"name": person and person.member, "role": person and person.role}

    def log_out(request: Request) -> Response:
        return keep_cookie(request, Response(status_code=204), "", 0)

    table = Table(hall)
    rows = [
        *(Row("GET", path, partial(documents.page, hall, name), Role.PUBLIC) for path, name in PAGES.items()),
        folder_row("/static", SHARED, Role.PUBLIC),
        folder_row("/class/static", OWN, Role.PUBLIC),
        Row("GET", "/player.py", lambda request: FileResponse(TEMPLATE, media_type="text/x-python"), Role.PUBLIC),
        Row("GET", "/api/login", whoami, Role.PUBLIC),
        Row("POST", "/api/login", log_in, Role.PUBLIC),
        Row("POST", "/api/logout", log_out, Role.PUBLIC),
        Row("GET", "/api/standings", lambda request: tagged(request, table.standings(request)), Role.SPECTATOR),
        Row("GET", "/api/final", lambda request: tagged(request, table.final), Role.SPECTATOR),
        Row(WEBSOCKET, "/sessions/{name}", Pages(hall.sessions).watch, Role.PUBLIC),  # the session name is a secret
        Row(
            "POST",
            "/api/entries",
            _bound(hall, hand_in),
            Role.STUDENT,
            lambda: hall.settings.upload_kilobytes * 1000,
            202,
        ),
        *(
            Row(method, path, _bound(hall, work), role, status=STATUS.get(work, 200))
            for method, path, work, role in API
        ),
    ]
    handlers: Handlers = {
        **dict.fromkeys((404, 405), _not_found),
        **dict.fromkeys((OSError, sqlite3.OperationalError, StoreError), _no_room),
    }
    authority = KeyAccess(hall.people, hall.tries, lambda: hall.settings.board != "keys")
    return create_application(rows, authority, lifespan, handlers)


def _bound(hall: Hall, work: Work) -> Callable[[Request], Awaitable[Answer]]:
    """Return a request handler that passes the person to ``work``."""

    async def answer(request: Request) -> Answer:
        person = person_of(request)
        assert person is not None
        if request.method not in SAFE:
            await hall.turn.come()
        found = work(hall, request, person)
        return await found if isinstance(found, Awaitable) else found

    return answer


def _no_room(request: Request, error: Exception) -> Response:
    """Report that the server cannot write, without revealing paths. Other ``StoreError``s are the client's fault."""
    cause = error.__context__ if isinstance(error, StoreError) else error
    if not isinstance(cause, OSError | sqlite3.OperationalError):
        return refusal(request, error)
    reason = cause.strerror if isinstance(cause, OSError) else cause
    return error_response(f"the server cannot save it: {reason}", 507)


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return error_response(
        "there is nothing at this address" if status == 404 else "this method is not allowed here", status
    )


async def _body(request: Request, keys: dict[str, type]) -> dict[str, Any]:
    """Parse the request body, a JSON object with these keys and types.

    :raises SetupError: if it is anything else.
    """
    try:
        found = parse_json(await request.body())
    except ValueError:
        found = None
    for key, kind in keys.items():
        if not isinstance(found, dict) or type(found.get(key)) is not kind:
            raise SetupError(f"the request: expected a JSON object with {key!r} of type {kind.__name__}")
    assert isinstance(found, dict)
    return found


def _assignment(hall: Hall, request: Request) -> ClassSettings:
    """Return the assignment named in the query, by default the one whose ladder the board shows.

    :raises RefusedError: if there is no such assignment.
    """
    return hall.assignment(request.query_params.get("assignment"))


def _named(hall: Hall, request: Request) -> str:
    """Return the participant's name, taken from the URL.

    :raises RefusedError: if there is no such participant.
    """
    return _known(hall.people.by_name, request).name


def _member(hall: Hall, request: Request) -> str:
    """Return the key owner's name, taken from the URL.

    :raises RefusedError: if there is no such person.
    """
    return _known(hall.people.member, request).name


def _known(find: Callable[[str], T], request: Request) -> T:
    try:
        return find(request.path_params["name"])
    except SetupError as error:
        raise RefusedError(404, str(error)) from None


def _own(hall: Hall, request: Request, person: Person) -> Entry:
    """Return the entry whose number is in the URL.

    :raises RefusedError: if there is no such entry, or the person may not see it.
    """
    number = path_number(request)
    entry = hall.entries.get(number)
    if entry is None or not (person.sees_all or entry.person == person.name):
        raise RefusedError(404, f"there is no entry {number}, or it is not yours")
    return entry
