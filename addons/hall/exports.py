"""Exports for teachers: one row or document per person, and results for an autograder."""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime

from quietmove.addons.check.examination import Outcome, refused_results, results
from quietmove.addons.check.talk import FailureDetails
from quietmove.addons.hall import documents
from quietmove.addons.hall.finals import Final, final_document, final_stores
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.marks import Marks, total
from quietmove.addons.hall.people import STUDENT, csv_text
from quietmove.addons.web.boards import Json
from quietmove.addons.web.routes import json_text
from quietmove.engine.games.registry import get_game
from quietmove.tournament.definition import DEFAULT_GAME
from quietmove.tournament.errors import RefusedError

COLUMNS = (
    *("id", "name", "email", "team", "shown", "blocked", "version", "state", "reason", "handed_in", "late_hours"),
    *("language", "passed", "examinations", "counts", "goals", "games", "place", "elo", "error", "final", "mark"),
)


def _rows(hall: Hall) -> list[Json]:
    """Return a row per student; the members of a team share their results.

    A row has the newest version, the one that counts, the place on the ladder and in the final, and the mark.
    """
    marks = Marks(hall)
    deadline = hall.settings.deadline
    rows = []
    for each in documents.people(hall)["people"]:
        if each["role"] != STUDENT:
            continue
        newest = each["newest"] or {}
        ladder = marks.ladder_row(each["name"])
        parts = marks.of(each["name"])
        report = (hall.entries.report(newest["entry"]) if newest else None) or {"examinations": []}
        received = newest.get("received_at")
        late = max(0.0, received - deadline.timestamp()) / 3600 if received and deadline else 0.0
        results = {
            **{key: each[key] for key in ("shown", "blocked", "counts")},
            **{key: newest.get(key) for key in ("version", "state", "reason", "language")},
            "handed_in": f"{datetime.fromtimestamp(received):%Y-%m-%d %H:%M:%S}" if received else None,
            "late_hours": round(late, 1),
            "passed": sum(row["status"] == "ok" for row in report["examinations"]),
            "examinations": len(report["examinations"]),
            "goals": sum(goal["reached"] for goal in ladder.get("goals", ())),
            **{key: ladder.get(key) for key in ("games", "place", "elo", "error")},
            "final": marks.final_place(each["name"]),
            "mark": total(parts) if hall.settings.marks else None,
            "parts": [asdict(part) for part in parts],
            "report": report,
        }
        for member in each["members"]:
            team = each["name"] if each["name"] != member["name"] else ""
            rows.append({"id": member["id"], "name": member["name"], "email": member["email"], "team": team, **results})
    return rows


def as_csv(hall: Hall) -> str:
    """Return one CSV line per student."""
    return csv_text([COLUMNS, *([row[key] for key in COLUMNS] for row in _rows(hall))])


def as_json(hall: Hall) -> Json:
    """Return all data: each student with the report, all versions, and the ladder."""
    return {
        "title": hall.settings.title,
        "people": _rows(hall),
        "entries": documents.entries(hall, hall.entries.all()),
        "standings": documents.standings(hall)["rows"],
        "finals": [_final(Final.read(path)) for path in final_stores(hall.folder)],
    }


def _final(final: Final) -> Json:
    rows = final_document(final.tournament, final.results)["standings"]
    return {"final": final.path.stem, "format": final.tournament.format, "is_over": final.is_over, "standings": rows}


def results_of(hall: Hall, name: str) -> Json:
    """Return a person's newest version in the format of Gradescope's autograder (``results.json``).

    :raises SetupError: if there is no such person.
    :raises RefusedError: if the version is not decided yet.
    """
    person = hall.people.by_name(name)
    own = hall.entries.of(person.name)
    if not own:
        return refused_results("nothing was handed in")
    report = hall.entries.report(own[-1].number) if own[-1].decided_at else None
    if report is None:
        raise RefusedError(409, f"{name}: version {own[-1].version} is not decided yet")
    if not report["examinations"]:
        return refused_results(own[-1].reason)
    outcomes = [_outcome(row) for row in report["examinations"]]
    found = results(get_game(DEFAULT_GAME), outcomes)
    marks = Marks(hall)
    if place := marks.ladder_row(person.name):
        found["leaderboard"].append({"name": "place", "value": place["place"], "order": "asc"})
        if place["elo"] is not None:
            found["leaderboard"].append({"name": "elo", "value": round(place["elo"])})
    parts = marks.of(person.name)
    for part in parts:
        found["tests"].append(
            {"name": part.name, "score": part.points, "max_score": part.weight, "output": part.reason}
        )
    found["score"] = total(parts) + (0 if hall.settings.marks else found["score"])
    return found


def results_zip(hall: Hall) -> bytes:
    """Return a zip with the ``results.json`` of every student whose newest version is decided."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for person in hall.people.all():
            if person.role == STUDENT:
                with suppress(RefusedError):
                    folder = re.sub(r"[^\w .-]", "_", person.name)
                    archive.writestr(f"{folder}/results.json", json_text(results_of(hall, person.name)))
    return buffer.getvalue()


def _outcome(row: Json) -> Outcome:
    found = row["evidence"]
    evidence = FailureDetails(**{key: tuple(found[key]) for key in FailureDetails.__slots__}) if found else None
    return Outcome(row["name"], row["status"], row["text"], row["seconds"], evidence, row["applies"])
