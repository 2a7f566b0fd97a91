"""Exports for teachers: one row or document per person, and results for an autograder."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from dataclasses import asdict
from itertools import chain

from quietmove.addons.check.examination import Outcome, refused_results, results
from quietmove.addons.check.talk import FailureDetails
from quietmove.addons.hall import documents
from quietmove.addons.hall.finals import Final, final_document, final_stores
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.marks import Marks, marks_of, total
from quietmove.addons.hall.people import STUDENT, Person, csv_text, file_name
from quietmove.addons.hall.settings import Assignment
from quietmove.addons.web.boards import Json
from quietmove.addons.web.routes import json_text
from quietmove.engine.games.registry import get_game
from quietmove.tournament.definition import DEFAULT_GAME
from quietmove.tournament.errors import RefusedError

COLUMNS = (
    *("id", "name", "email", "team", "shown", "blocked", "assignment", "version", "state", "reason", "handed_in"),
    *("late_hours", "language", "passed", "examinations", "counts", "goals", "games", "place", "elo", "error", "final"),
    *("points", "mark"),
)
SHEETS = ("sheet", "moodle", "canvas")  # formats of the final marks


def _rows(hall: Hall) -> list[Json]:
    """Return a row per student and assignment; the members of a team share their results.

    A row contains the newest version, the counting version, the place on the ladder and in the final, and the points.
    The mark is the sum of the points of all assignments.
    """
    every = marks_of(hall)
    has_marks = any(each.marks for each in hall.settings.assignments)
    members = hall.people.members()
    rows = []
    for person in hall.people.all():
        if person.role != STUDENT:
            continue
        mark = total([part for marks in every for part in marks.of(person.name)]) if has_marks else None
        for settings, marks in zip(hall.settings.assignments, every, strict=True):
            results = {"shown": person.shown, "blocked": person.blocked, **_results(hall, settings, marks, person)}
            for member in members:
                if member.person == person.name:
                    team = person.name if person.name != member.name else ""
                    identity = {"id": member.id, "name": member.name, "email": member.email, "team": team}
                    rows.append({**identity, **results, "mark": mark})
    return rows


def _results(hall: Hall, settings: Assignment, marks: Marks, person: Person) -> Json:
    """Return a participant's results in an assignment.

    ``late_hours`` refers to the counting version or, if none counts, to the newest.
    """
    own = [each for each in hall.entries.of(person.name) if each.assignment == settings.name]
    newest, counts = own[-1] if own else None, marks.counting(person.name)
    report = (hall.entries.report(newest.number) if newest else None) or {"examinations": []}
    decisive = counts or newest
    ladder = marks.ladder_row(person.name)
    parts = marks.of(person.name)
    return {
        "assignment": settings.name,
        "counts": counts and counts.version,
        **{key: newest and getattr(newest, key) for key in ("version", "state", "reason", "language")},
        "handed_in": newest and f"{settings.local(newest.received_at):%Y-%m-%d %H:%M:%S}",
        "late_hours": hall.late_hours(decisive) if decisive else 0.0,
        "passed": sum(row["status"] == "ok" for row in report["examinations"]),
        "examinations": len(report["examinations"]),
        "goals": sum(goal["reached"] for goal in ladder.get("goals", ())),
        **{key: ladder.get(key) for key in ("games", "place", "elo", "error")},
        "final": marks.final_place(person.name),
        "points": total(parts) if settings.marks else None,
        "parts": [asdict(part) for part in parts],
        "report": report,
    }


def as_csv(hall: Hall) -> str:
    """Return a CSV text with one line per student and assignment."""
    return csv_text([COLUMNS, *([row[key] for key in COLUMNS] for row in _rows(hall))])


def sheet(hall: Hall, form: str) -> str:
    """Return a CSV text with one line per student and one column per part of the mark.

    :param form: a key of :data:`SHEETS`. The sheet begins with a byte order mark, so that spreadsheets read UTF-8.
    """
    every = marks_of(hall)
    parts = [(marks, part, f"{marks.settings.name} {part.name}".strip()) for marks in every for part in marks.parts]
    titles = [title for *_, title in parts]
    rows: list[list[object]] = []
    for member in hall.people.members():
        if hall.people.by_name(member.person).role != STUDENT:
            continue
        earned = [part for marks in every for part in marks.of(member.person)]
        points: list[object] = [part.points for part in earned]
        if form == "moodle":  # https://docs.moodle.org/en/Grade_import
            both = chain.from_iterable(zip(points, (part.reason for part in earned), strict=True))
            rows.append([member.id, member.email, *both, total(earned)])
        elif form == "canvas":
            rows.append([member.name, "", member.id, "", "", *points])
        else:
            team = member.person if member.person != member.name else ""
            rows.append([member.id, member.name, member.email, team, *points, total(earned)])
    if form == "moodle":
        both = chain.from_iterable((f"{title} (Real)", f"{title} (Feedback)") for title in titles)
        return csv_text([["ID number", "Email address", *both, "Course total (Real)"], *rows])
    if form == "canvas":
        possible = ["    Points Possible", "", "", "", "", *(part.weight for _, part, _ in parts)]
        return csv_text([["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles], possible, *rows])
    return "\ufeff" + csv_text([["id", "name", "email", "team", *titles, "mark"], *rows])


def as_json(hall: Hall) -> Json:
    """Return the class's data: each student's results and report, all versions, the ladders and the finals."""
    return {
        "title": hall.settings.title,
        "people": _rows(hall),
        "entries": documents.entries(hall, hall.entries.all()),
        "standings": [
            {"assignment": each.name, **row}
            for each in hall.settings.assignments
            for row in documents.standings(hall, each)["rows"]
        ],
        "finals": [_final(hall.finals.read(path)) for path in final_stores(hall.folder)],
    }


def _final(final: Final) -> Json:
    rows = final_document(final.tournament, final.results)["standings"]
    return {
        "final": final.path.stem,
        "name": final.tournament.name,
        "format": final.tournament.format,
        "is_over": final.is_over,
        "standings": rows,
    }


def results_of(hall: Hall, name: str, settings: Assignment, marks: Marks | None = None) -> Json:
    """Return the results of a person's newest version of an assignment in Gradescope's format, ``results.json``.

    :param marks: the assignment's marks, if they are known.
    :raises SetupError: if there is no such person.
    :raises RefusedError: if the version is not decided yet.
    """
    person = hall.people.by_name(name)
    own = [each for each in hall.entries.of(person.name) if each.assignment == settings.name]
    if not own:
        return refused_results("nothing was handed in")
    report = hall.entries.report(own[-1].number) if own[-1].state in ("refused", "passed") else None
    if report is None:
        raise RefusedError(409, f"{name}: version {own[-1].version} is not decided yet")
    if not report["examinations"]:
        return refused_results(own[-1].reason)
    outcomes = [_outcome(row) for row in report["examinations"]]
    found = results(get_game(DEFAULT_GAME), outcomes)
    marks = marks or Marks(hall, settings)
    row = marks.ladder_row(person.name)
    if row.get("place"):
        found["leaderboard"].append({"name": "place", "value": row["place"], "order": "asc"})
        found["leaderboard"].append({"name": "elo", "value": round(row["elo"])})
    parts = marks.of(person.name)
    for part in parts:
        found["tests"].append(
            {"name": part.name, "score": part.points, "max_score": part.weight, "output": part.reason}
        )
    found["score"] = total(parts) + (0 if settings.marks else found["score"])
    return found


def results_zip(hall: Hall) -> bytes:
    """Return a zip with a ``results.json`` for each student and assignment, unless the newest version is undecided."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        students = [person for person in hall.people.all() if person.role == STUDENT]
        for settings, marks in zip(hall.settings.assignments, marks_of(hall), strict=True):
            for person in students:
                with suppress(RefusedError):
                    folder = f"{settings.name}/".lstrip("/") + file_name(person.name)
                    text = json_text(results_of(hall, person.name, settings, marks))
                    archive.writestr(f"{folder}/results.json", text)
    return buffer.getvalue()


def _outcome(row: Json) -> Outcome:
    found = row["evidence"]
    evidence = FailureDetails(**{key: tuple(found[key]) for key in FailureDetails.__slots__}) if found else None
    return Outcome(row["name"], row["status"], row["text"], row["seconds"], evidence, row["applies"])
