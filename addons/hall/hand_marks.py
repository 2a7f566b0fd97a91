"""Parts of a mark that assistants enter, and the files that people hand in for them.

A participant's newest points and newest file count. Older ones are never deleted. The server never opens the files.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from quietmove.addons.hall.entries import PAPERS
from quietmove.addons.hall.people import STUDENT, People, folded
from quietmove.addons.hall.roster import HEADERS, newcomer, read_lines
from quietmove.addons.hall.settings import Assignment, ClassSettings, MarkPart
from quietmove.addons.web.boards import Json
from quietmove.addons.web.database import transaction
from quietmove.engine.common.text import printable
from quietmove.engine.files import open_new
from quietmove.referee.errors import SetupError

LONGEST_COMMENT = 2000
PDF = b"%PDF-"
COLUMNS = {  # accepted headers of a list of points; see :data:`.roster.HEADERS`
    **{column: HEADERS[column] for column in ("name", "first name", "surname", "id")},
    "assignment": ("assignment", "aufgabe", "phase"),
    "part": ("part", "teil"),
    "points": ("points", "punkte", "score", "grade", "bewertung"),
    "comment": ("comment", "kommentar", "feedback"),
}


class HandMark(NamedTuple):
    """Points for a part of a participant's mark, or None to withdraw the points entered before."""

    person: str
    assignment: str
    part: str
    points: float | None
    comment: str = ""


class HandMarks:
    """The database tables of points and files."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder / PAPERS

    def enter(self, marks: Sequence[HandMark], asked_by: str) -> None:
        """Save points, all or none. They must be valid; see :func:`checked_mark`."""
        columns = "person, assignment, part, points, comment, at, asked_by"
        query = f"INSERT INTO hand_mark ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        with transaction(self._connection) as connection:
            connection.executemany(query, [(*each, time.time(), asked_by) for each in marks])

    def history(self, person: str, assignment: str, part: str) -> list[Json]:
        """Return the points entered for a part, newest first: ``points``, ``comment``, ``at`` and ``asked_by``."""
        return self._rows("hand_mark", person, assignment, part)

    def papers(self, person: str, assignment: str, part: str) -> list[Json]:
        """Return the files handed in for a part, newest first: ``number``, ``bytes``, ``received_at``, ``member``."""
        return self._rows("paper", person, assignment, part)

    def _rows(self, table: str, *values: str) -> list[Json]:
        query = f"SELECT * FROM {table} WHERE person = ? AND assignment = ? AND part = ? ORDER BY number DESC"
        return [dict(row) for row in self._connection.execute(query, values)]

    def receive(self, incoming: Path, person: str, assignment: str, part: str, member: str) -> int:
        """Take over a file that ``member`` has handed in, and return its number."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        columns = "received_at, member, person, assignment, part, bytes"
        values = (time.time(), member, person, assignment, part, incoming.stat().st_size)
        with transaction(self._connection) as connection:
            query = f"INSERT INTO paper ({columns}) VALUES (?, ?, ?, ?, ?, ?)"
            number = int(connection.execute(query, values).lastrowid or 0)
            incoming.rename(self._folder / f"{number}.pdf")
        return number

    def paper(self, number: int) -> tuple[Json, Path] | None:
        """Return the facts and the path of a file, or None if there is no such file."""
        row = self._connection.execute("SELECT * FROM paper WHERE number = ?", (number,)).fetchone()
        return (dict(row), self._folder / f"{number}.pdf") if row else None


def save_pdf(file: IO[bytes], incoming: Path) -> None:
    """Write an upload to a new file.

    :raises SetupError: if its first bytes are not those of a PDF.
    """
    if file.read(len(PDF)) != PDF:
        raise SetupError("file: must be a PDF")
    file.seek(0)
    with open_new(incoming, 0o600) as copy:
        shutil.copyfileobj(file, copy)
        copy.flush()
        os.fsync(copy.fileno())


def checked_mark(part: MarkPart | None, mark: HandMark) -> HandMark:
    """Return points unchanged.

    :raises SetupError: naming the first key that is invalid.
    """
    if part is None:
        raise SetupError(f"part: must be a part marked by hand, not {printable(mark.part, 60)!r}")
    if mark.points is not None and not 0 <= mark.points <= part.weight:
        raise SetupError(f"points: must be a number from 0 to {part.weight}, not {mark.points:g}")
    if len(mark.comment) > LONGEST_COMMENT or not mark.comment.replace("\n", " ").isprintable():
        raise SetupError(f"comment: must have at most {LONGEST_COMMENT} printable characters")
    return mark


def read_marks(data: bytes, source: str, settings: ClassSettings, people: People) -> tuple[list[HandMark], list[str]]:
    """Return the points in a list, and notes on what was ignored.

    A header names the columns (:data:`COLUMNS`): a name or an ID, points and, optionally, a comment. A class with
    several parts by hand also needs the part and, if two parts have the same name, the assignment. A line without
    points is ignored.

    :raises SetupError: listing all errors, with lines.
    """
    notes: list[str] = []
    problems: list[str] = []
    found: dict[tuple[str, str, str], HandMark] = {}
    every = [(each, part) for each in settings.assignments for part in each.parsed_marks if part.by_hand]
    students = {each.name for each in people.all() if each.role == STUDENT}
    members = [each for each in people.members() if each.person in students]
    owners = {folded(each.id): each.person for each in members if each.id}
    owners |= {folded(each.person): each.person for each in members} | {
        folded(each.name): each.person for each in members
    }
    for line in read_lines(data, source, notes, COLUMNS):
        try:
            mark = _mark(line.cells, owners, every)
            if mark is None:
                notes.append(f"{source}:{line.number}: ignored the line, since it has no points")
            elif found.setdefault(mark[:3], mark) != mark:
                raise SetupError("points: this person has other points in an earlier line")
        except SetupError as error:
            problems += [f"{source}:{line.number}: {problem}" for problem in error.problems]
    if problems:
        raise SetupError(problems)
    return list(found.values()), notes


def _mark(
    cells: dict[str, str], owners: dict[str, str], every: Sequence[tuple[Assignment, MarkPart]]
) -> HandMark | None:
    """Return the points in a line, or None if it has none.

    :param owners: the participants by normalized ID and name.
    :param every: the parts by hand of all assignments.
    :raises SetupError: naming the first invalid column.
    """
    who = cells.get("id") or newcomer(cells).name
    if (person := owners.get(folded(who))) is None:
        raise SetupError(f"name: this class has no student {printable(who, 60)!r}")
    fitting = [
        (assignment, part)
        for assignment, part in every
        if folded(cells.get("assignment") or assignment.name) == folded(assignment.name)
        and folded(cells.get("part") or part.name) == folded(part.name)
    ]
    if len(fitting) != 1:
        names = ", ".join(f"{assignment.name} {part.name}".strip() for assignment, part in every) or "none"
        raise SetupError(f"part: expected an assignment and part that name one of the parts by hand ({names})")
    if not (text := cells.get("points", "")):
        return None
    try:
        points = float(text.replace(",", "."))
    except ValueError:
        raise SetupError(f"points: must be a number, not {printable(text, 60)!r}") from None
    assignment, part = fitting[0]
    return checked_mark(part, HandMark(person, assignment.name, part.name, points, cells.get("comment", "")))
