"""Exports for teachers: one row or document per person, and results for an autograder."""

from __future__ import annotations

from quietmove.addons.check.examination import Outcome, refused_results, results
from quietmove.addons.check.talk import FailureDetails
from quietmove.addons.hall import documents
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.people import csv_text
from quietmove.addons.web.boards import Json
from quietmove.engine.games.registry import get_game
from quietmove.tournament.definition import DEFAULT_GAME
from quietmove.tournament.errors import RefusedError

COLUMNS = ("name", "shown", "blocked", "version", "state", "reason", "passed", "examinations", "counts", "place", "elo")


def _rows(hall: Hall) -> list[Json]:
    """Return a row per student: the newest version, the one that counts, and the place on the ladder."""
    ladder = _by_person(hall)
    rows = []
    for each in documents.people(hall)["people"]:
        newest = each["newest"] or {}
        place = ladder.get(each["name"], {})
        report = (hall.entries.report(newest["entry"]) if newest else None) or {"examinations": []}
        if each["role"] == "student":
            rows.append(
                {
                    **{key: each[key] for key in ("name", "shown", "blocked", "counts")},
                    **{key: newest.get(key) for key in ("version", "state", "reason")},
                    "passed": sum(row["status"] == "ok" for row in report["examinations"]),
                    "examinations": len(report["examinations"]),
                    "place": place.get("place"),
                    "elo": place.get("elo"),
                    "report": report,
                }
            )
    return rows


def _by_person(hall: Hall) -> dict[str, Json]:
    """Return the ladder rows keyed by person, found by entry number: names on the board are not to be trusted."""
    rows = {row["entry"]: row for row in documents.standings(hall)["rows"] if not row["anchor"]}
    return {name: rows[each.number] for name, each in hall.entries.newest_passed().items() if each.number in rows}


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
    }


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
    place = _by_person(hall).get(person.name)
    if place:
        found["leaderboard"].append({"name": "place", "value": place["place"], "order": "asc"})
        if place["elo"] is not None:
            found["leaderboard"].append({"name": "elo", "value": round(place["elo"])})
    return found


def _outcome(row: Json) -> Outcome:
    found = row["evidence"]
    evidence = FailureDetails(**{key: tuple(found[key]) for key in FailureDetails.__slots__}) if found else None
    return Outcome(row["name"], row["status"], row["text"], row["seconds"], evidence, row["applies"])
