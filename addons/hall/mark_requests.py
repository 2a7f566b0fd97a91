"""Requests about marks: their parts, points and files by hand, and exports."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from starlette.responses import FileResponse, Response

from quietmove.addons.hall import exports
from quietmove.addons.hall.api import ApiRow, assignment_of, file_response, participant_of, read
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.hand_marks import HandMark, checked_mark, read_marks
from quietmove.addons.hall.marks import marks_of, matrix, total
from quietmove.addons.hall.people import Person, file_name
from quietmove.addons.hall.person_requests import ListRequest
from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import PageRequest, path_number
from quietmove.addons.web.routes import Role
from quietmove.tournament.errors import RefusedError

if TYPE_CHECKING:
    from starlette.requests import Request


class PointsRequest(PageRequest):
    """Points for a part of a participant's mark; null withdraws those entered before."""

    part: str
    points: Annotated[float, Field(allow_inf_nan=False)] | None
    comment: str = ""
    assignment: str | None = None


def show_mark(hall: Hall, request: Request, person: Person) -> Json:
    """Return the person's mark: its parts and their total. There are no parts if class.toml sets no marks.

    The staff can ask about any person, and also get the files and the history of the points.

    :raises RefusedError: if a student names another person.
    :raises SetupError: if there is no such participant.
    """
    name = request.query_params.get("person") or person.name
    if name != person.name and not person.sees_all:
        raise RefusedError(404, "you can see only your own mark")
    hall.people.by_name(name)
    has_marks = any(each.marks for each in hall.settings.assignments)
    parts = [part for marks in marks_of(hall) for part in marks.of(name)] if has_marks else []
    rows = [asdict(part) for part in parts]
    for row in rows if person.sees_all else ():
        where = (name, row["assignment"], row["name"])
        row |= {"history": hall.hand_marks.history(*where), "papers": hall.hand_marks.papers(*where)}
    return {"parts": rows, "total": total(parts)}


async def enter_points(hall: Hall, request: Request, person: Person) -> Json:
    """Enter points for a part of the mark of the participant named in the URL, and return their number."""
    asked = await read(PointsRequest, request)
    assignment = hall.settings.assignments[0] if asked.assignment is None else hall.assignment(asked.assignment)
    mark = HandMark(participant_of(hall, request), assignment.name, asked.part, asked.points, asked.comment)
    return _entered(hall, [checked_mark(assignment.part(asked.part), mark)], person)


async def import_points(hall: Hall, request: Request, person: Person) -> Json:
    """Enter the points in a list, and return their number and notes on what was ignored; see :func:`read_marks`."""
    asked = await read(ListRequest, request)
    marks, notes = read_marks(asked.list.encode(), "list", hall.settings, hall.people)
    return {**_entered(hall, marks, person), "notes": notes}


def _entered(hall: Hall, marks: list[HandMark], person: Person) -> Json:
    hall.hand_marks.enter(marks, person.member)
    return {"entered": len(marks)}


def show_paper(hall: Hall, request: Request, person: Person) -> Response:
    """Return a file handed in, as a download. The browser must not show it, since nobody has checked it."""
    found = hall.hand_marks.paper(path_number(request))
    if found is None or not found[1].is_file():
        raise RefusedError(404, "there is no such file")
    facts, path = found
    name = file_name(f"{facts['person']} {facts['part']} {facts['number']}.pdf")
    return FileResponse(path, media_type="application/octet-stream", filename=name)


def export_marks(hall: Hall, request: Request, person: Person) -> Response:
    """Return the marks as a sheet with one line per student, or in the format that Moodle or Canvas imports."""
    form = request.path_params["form"]
    if form not in exports.SHEETS:
        raise RefusedError(404, f"must be one of {', '.join(exports.SHEETS)}")
    return file_response(exports.sheet(hall, form), "text/csv", f"{form}.csv")


def export_results(hall: Hall, request: Request, person: Person) -> Response:
    """Return an autograder's results for a person's newest version of an assignment."""
    settings = assignment_of(hall, request)
    found = exports.results_of(hall, participant_of(hall, request), settings)
    return file_response(found, "application/json", "results.json")


def export_all_results(hall: Hall, request: Request, person: Person) -> Response:
    """Return a zip with an autograder's results for each student; see :func:`.exports.results_zip`."""
    return file_response(exports.results_zip(hall), "application/zip", "results.zip")


def export_csv(hall: Hall, request: Request, person: Person) -> Response:
    return file_response(exports.as_csv(hall), "text/csv", "class.csv")


def export_json(hall: Hall, request: Request, person: Person) -> Response:
    return file_response(exports.as_json(hall), "application/json", "class.json")


ROWS = (
    ApiRow("GET", "/api/mark", show_mark, Role.STUDENT),
    ApiRow("GET", "/api/matrix", lambda hall, *_: matrix(hall), Role.ASSISTANT),
    ApiRow("POST", "/api/marks", import_points, Role.ASSISTANT),
    ApiRow("PUT", "/api/marks/{name:path}", enter_points, Role.ASSISTANT),
    ApiRow("GET", "/api/marks/{form}.csv", export_marks, Role.ASSISTANT),
    ApiRow("GET", "/api/papers/{number}", show_paper, Role.ASSISTANT),
    ApiRow("GET", "/api/export.csv", export_csv, Role.ASSISTANT),
    ApiRow("GET", "/api/export.json", export_json, Role.ASSISTANT),
    ApiRow("GET", "/api/results.zip", export_all_results, Role.ASSISTANT),
    ApiRow("GET", "/api/results/{name:path}.json", export_results, Role.ASSISTANT),
)
