"""Requests about the people of a class: their names, keys and deadlines."""

from __future__ import annotations

import secrets
import time
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from starlette.responses import JSONResponse, Response

from quietmove.addons.hall import documents
from quietmove.addons.hall.api import ApiRow, member_of, participant_of, read
from quietmove.addons.hall.finals import MOST_SEED
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.key_access import COOKIE_SECONDS
from quietmove.addons.hall.people import Person
from quietmove.addons.hall.roster import read_roster
from quietmove.addons.hall.settings import checked_time
from quietmove.addons.web.access import keep_cookie
from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import PageRequest
from quietmove.addons.web.routes import Role
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import RefusedError

if TYPE_CHECKING:
    from starlette.requests import Request

DAY = 86400.0
MOST_KEYS_A_DAY = 5
MOST_EVENTS = 500


class NameRequest(PageRequest):
    """A request to change one's name on the board."""

    shown: str


class ListRequest(PageRequest):
    """A list in CSV, for example of people to add; see :func:`read_roster`."""

    list: str


class TeamsRequest(PageRequest):
    """A request for random teams."""

    size: Annotated[int, Field(ge=2, le=100)]
    seed: Annotated[int, Field(ge=0, lt=MOST_SEED)] | None = None


class DeadlineRequest(PageRequest):
    """A participant's own deadline for an assignment, by default the first one; null restores that of the class."""

    deadline: str | None
    assignment: str | None = None


async def change_me(hall: Hall, request: Request, person: Person) -> Json:
    """Change the person's name on the board, and return the data for the person's page."""
    asked = await read(NameRequest, request)
    hall.people.show_as(person.name, asked.shown, [each.name for each in hall.settings.players])
    return documents.me(hall, hall.people.by_name(person.name))


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
    asked = await read(ListRequest, request)
    people, notes = read_roster(asked.list.encode(), "list")
    keys = hall.people.add(people, shown_by_name=hall.settings.names == "names", asked_by=person.name)
    return {
        "keys": [{"name": name, "key": key} for name, key in keys.items()],
        "notes": notes,
        **documents.people(hall),
    }


async def make_teams(hall: Hall, request: Request, person: Person) -> Json:
    """Put students into random teams, and return them and the seed."""
    asked = await read(TeamsRequest, request)
    seed = secrets.randbelow(MOST_SEED) if asked.seed is None else asked.seed
    by_name = hall.settings.names == "names"
    return {"seed": seed, "teams": hall.people.make_teams(asked.size, seed, person.name, shown_by_name=by_name)}


def remove_person(hall: Hall, request: Request, person: Person) -> Json:
    """Remove a person, and return the data of the teacher's page."""
    name = member_of(hall, request)
    participant = hall.people.member(name).person
    hall.people.remove(name, person.name)
    hall.end_by_hand(participant)
    hall.examiners.wake()
    return documents.people(hall)


async def extend_deadline(hall: Hall, request: Request, person: Person) -> Json:
    """Set or remove a participant's own deadline for an assignment, by default the class's first one.

    Return the data of the teacher's page.
    """
    asked = await read(DeadlineRequest, request)
    settings = hall.settings.assignments[0] if asked.assignment is None else hall.assignment(asked.assignment)
    try:
        moment = checked_time(None if asked.deadline is None else datetime.fromisoformat(asked.deadline))
        when = settings.local(settings.seconds(moment)) if moment else None
    except (ValueError, OverflowError):
        raise SetupError('deadline: must be a time such as "2027-02-01T18:00", or null') from None
    hall.people.extend(participant_of(hall, request), when, person.name, settings.name)
    return documents.people(hall)


def key_for(hall: Hall, request: Request, person: Person) -> Json:
    """Issue a new key for the person named in the URL, revoke the old one, and return the new key."""
    name = member_of(hall, request)
    return {"name": name, "key": hall.people.give_key(name, person.name)}


ROWS = (
    ApiRow("GET", "/api/me", lambda hall, _, person: documents.me(hall, person), Role.STUDENT),
    ApiRow("PUT", "/api/me", change_me, Role.STUDENT),
    ApiRow("POST", "/api/key", change_key, Role.STUDENT),
    ApiRow("GET", "/api/people", lambda hall, *_: documents.people(hall), Role.ASSISTANT),
    ApiRow("POST", "/api/people", add_people, Role.TEACHER),
    ApiRow("POST", "/api/teams", make_teams, Role.TEACHER),
    ApiRow("POST", "/api/people/{name:path}/key", key_for, Role.TEACHER),
    ApiRow("PUT", "/api/people/{name:path}/deadline", extend_deadline, Role.TEACHER),
    ApiRow("DELETE", "/api/people/{name:path}", remove_person, Role.TEACHER),
)
