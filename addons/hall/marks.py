"""Marks: the points that a participant has earned for each part listed in class.toml."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from quietmove.addons.hall import documents
from quietmove.addons.hall.entries import Entry
from quietmove.addons.hall.finals import finals_of
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.people import STUDENT
from quietmove.addons.hall.settings import CHECK, FINAL, SOLVED, VALUES, Assignment, MarkPart
from quietmove.addons.web.boards import Json
from quietmove.tournament.errors import StoreError

NOTHING, UNMARKED = "nothing handed in", "not marked yet"  # reasons why a part by hand has no points


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a mark.

    :ivar assignment: the name of its assignment.
    :ivar weight: the maximum points: its percentage in class.toml.
    :ivar points: the points earned, 0 to ``weight``.
    :ivar reason: an explanation of the points.
    :ivar by_hand: whether assistants enter the points.
    """

    assignment: str
    name: str
    weight: int
    points: float
    reason: str
    by_hand: bool


class Marks:
    """The current marks of an assignment.

    ``check`` is earned by a version that passed, ``tasks`` in proportion to the tasks solved, ``values`` if all
    compared values are right, and a goal by reaching it. ``final`` rises in equal steps from the last place, which
    earns nothing, to the first; exact ties earn the mean of their places. For a part by hand, the newest points count.
    Late versions and files lose the share that ``late`` in class.toml sets. If class.toml sets no marks, each goal is
    worth one point.
    """

    def __init__(self, hall: Hall, settings: Assignment) -> None:
        has_marks = any(each.marks for each in hall.settings.assignments)
        self.settings = settings
        self._hall = hall
        self.parts = settings.parsed_marks if has_marks else [MarkPart(goal, 1) for goal in settings.goals]
        self._people = {each.name: each for each in hall.people.all()}
        self._counting = hall.entries.newest_passed(settings.name)
        rows = documents.standings(hall, settings)["rows"]
        self._ladder = {row["entry"]: row for row in rows if not row["anchor"]}
        self._final: dict[str, int] | None = None  # the participants' places, or None before the final is over
        with suppress(StoreError):
            for path in finals_of(hall.folder, settings)[-1:]:
                final = hall.finals.read(path)
                if final.is_over:
                    self._final = {name.rpartition(".")[0]: place for name, place in final.places.items()}

    def counting(self, person: str) -> Entry | None:
        """Return a participant's counting version, or None if no version counts."""
        return self._counting.get(person)

    def ladder_row(self, person: str) -> Json:
        """Return a participant's row of the ladder, or an empty row if the participant is not on it."""
        entry = self._counting.get(person)
        return self._ladder.get(entry.number, {}) if entry else {}

    def final_place(self, person: str) -> int | None:
        """Return a participant's place in the final, counted from 1. Exact ties share the best of their places.

        Return None if the final is not over, or the participant did not play.
        """
        return self._final.get(person) if self._final else None

    def of(self, person: str) -> list[Part]:
        """Return the parts of a participant's mark."""
        return [self._part(part, person) for part in self.parts]

    def _part(self, part: MarkPart, person: str) -> Part:
        entry = self._counting.get(person)
        moment = entry and entry.received_at
        if part.by_hand:
            points, reason, moment = self._entered(part, person)
        else:
            points, reason = self._earned(part.name, part.weight, person)
        who, assignment = self._people[person], self.settings.name
        if assignment in who.blocks:
            points, reason, moment = 0, f"blocked: {who.blocks[assignment]}", None
        if points and moment and (penalty := self.settings.penalty(part.name, who.deadlines.get(assignment), moment)):
            points = round(points * (100 - penalty) / 100, 1)
            reason = f"{penalty} % off, since it is late; {reason}"
        return Part(self.settings.name, part.name, part.weight, points, reason, part.by_hand)

    def _entered(self, part: MarkPart, person: str) -> tuple[float, str, float | None]:
        """Return the points that were entered for a part, their explanation, and when its file arrived."""
        where = (person, self.settings.name, part.name)
        papers = self._hall.hand_marks.papers(*where) if part.megabytes else []
        arrived = papers[0]["received_at"] if papers else None
        newest = next(iter(self._hall.hand_marks.history(*where)), None)
        if newest is not None and newest["points"] is not None:
            given = f"{newest['points']:g} points given"
            return newest["points"], f"{given}: {newest['comment']}" if newest["comment"] else given, arrived
        return 0, NOTHING if part.megabytes and not papers else UNMARKED, arrived

    def _earned(self, name: str, weight: int, person: str) -> tuple[float, str]:
        if name == CHECK:
            entry = self._counting.get(person)
            if entry is None:
                return 0, "no version has passed"
            late = self._hall.late_hours(entry)
            return weight, f"version {entry.version} passed{f', {late:g} h late' if late else ''}"
        if name in (SOLVED, VALUES):
            return self._earned_by_answers(self.settings.tasks if name == SOLVED else (VALUES,), weight, person)
        if name == FINAL:
            return self._earned_in_final(weight, person)
        goal = next((each for each in self.ladder_row(person).get("goals", ()) if each["goal"] == name), None)
        if goal is None:
            return 0, "no games yet"
        reason = f"{goal['points']:g} points in {goal['games']} of {goal['of']} games"
        return weight if goal["reached"] else 0, reason

    def _earned_by_answers(self, names: Sequence[str], weight: int, person: str) -> tuple[float, str]:
        """Return the points, and their explanation, for checks that compare a program's answers with the server's."""
        entry = self._counting.get(person)
        rows = (self._hall.entries.report(entry.number) if entry else None) or {"examinations": []}
        found = [row for row in rows["examinations"] if row["name"] in names]
        solved = sum(row["status"] == "ok" for row in found)
        reason = f"{solved} of {len(names)} tasks solved"
        if names == (VALUES,):
            reason = found[0]["text"] if found else "no values were compared"
        return round(weight * solved / len(names), 1), reason

    def _earned_in_final(self, weight: int, person: str) -> tuple[float, str]:
        if self._final is None:
            return 0, "not played yet"
        place = self.final_place(person)
        count = len(self._final)
        if place is None:
            return 0, "did not take part"
        shared = list(self._final.values()).count(place)
        mean = place + (shared - 1) / 2  # of the places that they share
        reason = f"place {place} of {count}{f', shared by {shared}' if shared > 1 else ''}"
        return round(weight * (count - mean) / max(1, count - 1), 1), reason


def marks_of(hall: Hall) -> list[Marks]:
    """Return the marks of each assignment."""
    return [Marks(hall, each) for each in hall.settings.assignments]


def matrix(hall: Hall) -> Json:
    """Return each student's row of the teacher's table, keyed by name: a list with one cell per assignment.

    A cell has the version that counts, the newest one, the points with their maximum, and the parts without points.
    """
    versions = {each["entry"]: each for each in documents.entries(hall, hall.entries.all())}
    newest = {(each["person"], each["assignment"]): each for each in versions.values()}
    found: Json = {each.name: [] for each in hall.people.all() if each.role == STUDENT}
    for marks in marks_of(hall):
        for name, cells in found.items():
            parts, counts = marks.of(name), marks.counting(name)
            cells.append(
                {
                    "assignment": marks.settings.name,
                    "counts": counts and versions[counts.number],
                    "newest": newest.get((name, marks.settings.name)),
                    "points": total(parts),
                    "weight": sum(part.weight for part in parts) if marks.settings.marks else 0,
                    "unmarked": [f"{part.name}: {part.reason}" for part in parts if part.reason in (NOTHING, UNMARKED)],
                }
            )
    return found


def total(parts: list[Part]) -> float:
    """Return the sum of the parts' points."""
    return round(sum(part.points for part in parts), 1)
