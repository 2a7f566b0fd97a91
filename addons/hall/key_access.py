"""Access to a class: students see their own data, the staff see everything and, by default, anyone sees the board.

Scripts send the key with each request (``Authorization: Bearer KEY``); browsers send it in a cookie set at login. A
correct key is accepted even from an address that has sent too many wrong ones, since a class may share one address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from starlette.responses import JSONResponse, Response

from quietmove.addons.hall.people import People, Person
from quietmove.addons.web.access import Asker, Authority, asker_of, cookie_name, is_changing
from quietmove.addons.web.passwords import Tries
from quietmove.addons.web.routes import Role

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import HTTPConnection

MOST_TRIES = 60  # maximum number of wrong keys from one address per minute
WAIT_SECONDS = "60"
TOO_MANY = 429  # HTTP status after too many wrong keys
COOKIE_SECONDS = 7 * 86400
DENIED = {
    Role.SPECTATOR: (401, "the board is visible only to this class; log in with your key"),
    Role.STUDENT: (401, "a key is required: send 'Authorization: Bearer KEY', or log in"),
}


class KeyAccess(Authority):
    """Identifies people by their key.

    :param tries: counts wrong keys.
    :param is_board_public: returns whether the board is visible without a key.
    """

    most_bytes: ClassVar[int] = 200_000

    def __init__(self, people: People, tries: Tries, is_board_public: Callable[[], bool]) -> None:
        self._people = people
        self._tries = tries
        self._is_board_public = is_board_public

    def identify(self, connection: HTTPConnection) -> Asker:
        """Return the sender of a request. An ``Authorization`` header takes precedence over the cookie.

        A browser with an outdated key in its cookie is told to delete the cookie, and sees the public pages.
        """
        anybody = Asker(Role.SPECTATOR if self._is_board_public() else Role.PUBLIC, by_browser=False)
        name = cookie_name(connection.headers)
        given = connection.headers.get("authorization")
        cookie = connection.cookies.get(name, "")
        kind, _, key = ("bearer", "", cookie) if given is None else given.partition(" ")
        if kind.lower() == "bearer" and (person := self._people.by_key(key)):
            return Asker(role_of(person, connection), person, by_browser=given is None)
        if given is not None:
            return anybody._replace(refusal=wrong_key(self._tries, connection))
        if name not in connection.cookies:
            return anybody
        answer = wrong_key(self._tries, connection) if cookie else None
        forgetting = {"Set-Cookie": f"{name}=; Max-Age=0; Path=/; HttpOnly; SameSite=strict"}
        is_refused = answer is not None and answer.status_code == TOO_MANY
        return anybody._replace(headers=forgetting, refusal=answer if is_refused else None)

    def refuse(self, error: str, status: int) -> Response:
        return error_response(error, status)

    def deny(self, connection: HTTPConnection, asker: Asker, role: Role) -> Response:
        person: Person | None = asker.who
        if person is None:
            status, error = DENIED[min(role, Role.STUDENT)]
            return error_response(error, status)
        if role is Role.TEACHER and person.sees_all:
            return error_response("only a teacher may change people", 403)
        if role >= Role.ASSISTANT:
            return error_response("there is nothing at this address for you", 404)
        return error_response(
            f"your teacher has blocked you{f': {person.reason}' if person.reason else '; ask why'}", 403
        )


def role_of(person: Person, connection: HTTPConnection) -> Role:
    """Return a person's role. Blocked people keep a student's read access and cannot change anything."""
    if person.blocked and is_changing(connection):
        return Role.SPECTATOR
    if not person.sees_all:
        return Role.STUDENT
    return Role.TEACHER if person.is_teacher else Role.ASSISTANT


def wrong_key(tries: Tries, connection: HTTPConnection) -> Response:
    """Record a wrong key, and return the error response."""
    address = connection.client.host if connection.client else ""
    if tries.are_used_up(address):
        wrong = f"{tries.most} wrong keys were sent from this address within a minute; wait a minute"
        return JSONResponse({"error": wrong}, TOO_MANY, {"Retry-After": WAIT_SECONDS})
    tries.note(address)
    return error_response("this key does not belong to this class; ask the teacher for a new one", 401)


def person_of(request: HTTPConnection) -> Person | None:
    """Return the person whose key came with the request, or None without a valid key."""
    person: Person | None = asker_of(request).who
    return person


def error_response(error: str, status: int) -> JSONResponse:
    """Return a JSON error response."""
    return JSONResponse({"error": error}, status)
