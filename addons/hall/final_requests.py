"""Requests about the ladder and the finals."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from quietmove.addons.hall.api import ApiRow, assignment_of, read
from quietmove.addons.hall.finals import MOST_SEED, final_stores, name_of
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.people import Person
from quietmove.addons.hall.player import LADDER
from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import PageRequest, path_number
from quietmove.addons.web.routes import Role
from quietmove.tournament.errors import RefusedError, StoreError

if TYPE_CHECKING:
    from starlette.requests import Request


class RunRequest(PageRequest):
    """A request to play, or to stop after the running games."""

    wanted: Literal["running", "stopped"]


class FinalRequest(PageRequest):
    """A request to start a final between the first ``first`` players of an assignment's ladder, or all if it is 0."""

    format: str
    seed: Annotated[int, Field(ge=0, lt=MOST_SEED)] | None = None
    first: Annotated[int, Field(ge=0)] = 0
    assignment: str | None = None


async def want_ladder(hall: Hall, request: Request, person: Person) -> Json:
    """Start the ladder, or stop it after the running games. Return the requested state."""
    wanted = (await read(RunRequest, request)).wanted
    if not hall.settings.ladders:
        raise RefusedError(409, "no assignment in class.toml has a ladder")
    await asyncio.to_thread(hall.runs.want, LADDER, wanted)
    hall.people.note(person.name, "ladder", wanted)
    return {"wanted": wanted}


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
    settings = assignment_of(hall, request) if "assignment" in request.query_params else hall.settings.next_final
    counting = hall.entries.newest_passed(settings.name)
    return {
        "finals": finals,
        "assignment": settings.name,
        "assignments": [each.name for each in hall.settings.assignments if not each.tasks],
        "players": len(counting),
        "waiting": len(hall.waiting(settings)),
        "rehearsal": settings.rehearses,
    }


async def begin_final(hall: Hall, request: Request, person: Person) -> Json:
    """Start a final, and return its name."""
    asked = await read(FinalRequest, request)
    settings = hall.settings.next_final if asked.assignment is None else hall.assignment(asked.assignment)
    return {"final": hall.begin_final(asked.format, asked.seed, asked.first, person.name, settings)}


async def change_final(hall: Hall, request: Request, person: Person) -> Json:
    """Stop or resume a final, and return the same data as :func:`list_finals`."""
    wanted = (await read(RunRequest, request)).wanted
    store = f"final-{path_number(request)}.sqlite"
    if store not in (rows := hall.runs.requested()):
        raise RefusedError(404, "there is no such final")
    if rows[store].wanted == "over":
        raise RefusedError(409, "the final is over")
    hall.runs.want(store, wanted)
    return list_finals(hall, request, person)


ROWS = (
    ApiRow("PUT", "/api/ladder", want_ladder, Role.ASSISTANT, 202),
    ApiRow("GET", "/api/finals", list_finals, Role.ASSISTANT),
    ApiRow("POST", "/api/finals", begin_final, Role.ASSISTANT, 202),
    ApiRow("PUT", "/api/finals/{number}", change_final, Role.ASSISTANT),
)
