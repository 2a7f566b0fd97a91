"""Shared code of a class's request handlers: API rows, bodies, and the objects named in a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from starlette.responses import Response

from quietmove.addons.hall.entries import Entry
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.people import Member, Person
from quietmove.addons.hall.settings import Assignment
from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import PageRequest, path_number
from quietmove.addons.web.routes import Answer, Role, json_text
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import RefusedError

if TYPE_CHECKING:
    from starlette.requests import Request

T = TypeVar("T", Person, Member)
Model = TypeVar("Model", bound=PageRequest)
Work = Callable[[Hall, "Request", Person], Awaitable[Answer] | Answer]


class ApiRow(NamedTuple):
    """A request that a person can send, and its handler.

    :ivar status: the status of a reply that is not a :class:`Response`.
    """

    method: str
    path: str
    work: Work
    role: Role
    status: int = 200


async def read(model: type[Model], request: Request) -> Model:
    """Parse the body of a request.

    :raises SetupError: naming the first invalid key.
    """
    return model.read(await request.body())


def file_response(found: str | bytes | Json, kind: str, name: str) -> Response:
    content = json_text(found) if isinstance(found, dict) else found
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def assignment_of(hall: Hall, request: Request) -> Assignment:
    """Return the assignment named in the query, by default the one whose ladder the board shows.

    :raises RefusedError: if there is no such assignment.
    """
    return hall.assignment(request.query_params.get("assignment"))


def participant_of(hall: Hall, request: Request) -> str:
    """Return the participant's name, taken from the URL.

    :raises RefusedError: if there is no such participant.
    """
    return _known(hall.people.by_name, request).name


def member_of(hall: Hall, request: Request) -> str:
    """Return the key owner's name, taken from the URL.

    :raises RefusedError: if there is no such person.
    """
    return _known(hall.people.member, request).name


def _known(find: Callable[[str], T], request: Request) -> T:
    try:
        return find(request.path_params["name"])
    except SetupError as error:
        raise RefusedError(404, str(error)) from None


def entry_of(hall: Hall, request: Request, person: Person) -> Entry:
    """Return the entry whose number is in the URL.

    :raises RefusedError: if there is no such entry, or the person may not see it.
    """
    number = path_number(request)
    entry = hall.entries.get(number)
    if entry is None or not (person.sees_all or entry.person == person.name):
        raise RefusedError(404, f"there is no entry {number}, or it is not yours")
    return entry
