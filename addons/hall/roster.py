"""Lists of people: a name per line, or a university's spreadsheet saved as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import NamedTuple

from quietmove.addons.hall.people import ROLES, STUDENT, Newcomer, folded, name_refusal
from quietmove.engine.common.text import explain, printable
from quietmove.referee.errors import SetupError

MAX_PEOPLE = 2000
MAX_DETAIL = 100  # maximum length of an ID or an e-mail address, in characters
HEADERS = {  # accepted headers for each column
    "name": ("name", "full name"),
    "first name": ("first name", "given name", "forename"),
    "surname": ("surname", "last name", "family name"),
    "id": ("id", "student id", "id number", "matriculation number"),
    "e-mail": ("e-mail", "email", "e-mail address", "email address"),
    "role": ("role",),
    "team": ("team", "group"),
}
COLUMNS = {header: column for column, headers in HEADERS.items() for header in headers}


class Line(NamedTuple):
    """A line of a list, with its number and its cells by column."""

    number: int
    cells: dict[str, str]


def read_file(path: Path) -> list[Newcomer]:
    """Return the people in a file.

    :raises SetupError: if the file cannot be read or :func:`read_roster` rejects it.
    """
    try:
        return read_roster(path.read_bytes(), str(path))
    except OSError as error:
        raise SetupError(f"people: {explain(error)}") from None


def read_roster(data: bytes, source: str) -> list[Newcomer]:
    """Return the people in a list.

    A header names the columns (:data:`HEADERS`); without a header, the columns are name and role. Cells are separated
    by commas or semicolons. The text is UTF-8, or else Latin-1.

    :param source: the name of the list in error messages.
    :raises SetupError: listing all errors, with line and column.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    problems: list[str] = []
    lines = _lines(text, source, problems)
    found = [_newcomer(line) for line in lines]
    seen = dict[str, int]()
    for line, each in zip(lines, found, strict=True):
        wrong = _mistakes(each)
        first = seen.setdefault(folded(each.name), line.number)
        if first != line.number and "name" not in wrong:
            wrong["name"] = f"{each.name!r} is already in line {first}"
        problems += [f"{source}:{line.number}: {column}: {text}" for column, text in wrong.items()]
    if not problems and not 1 <= len(found) <= MAX_PEOPLE:
        problems.append(f"{source}: must list 1 to {MAX_PEOPLE} people, not {len(found)}")
    if problems:
        raise SetupError(problems)
    return found


def _lines(text: str, source: str, problems: list[str]) -> list[Line]:
    """Return the non-blank lines without the header, and report unknown columns in ``problems``."""
    lines = io.StringIO(text, newline=None)
    head = lines.readline()
    lines.seek(0)
    table = csv.reader(lines, delimiter=";" if ";" in head else ",")
    try:
        rows = [(number, cells) for number, row in enumerate(table, 1) if any(cells := list(map(str.strip, row)))]
    except csv.Error as error:
        raise SetupError(f"{source}:{table.line_num}: must be a line of a table: {error}") from None
    titles = [title.lower() for title in rows[0][1]] if rows else []
    if not {"name", "surname"} & {COLUMNS.get(title) for title in titles}:
        return [Line(number, dict(zip(("name", "role"), cells, strict=False))) for number, cells in rows]
    for title in filter(None, titles):
        if title not in COLUMNS:
            known = ", ".join(HEADERS)
            problems.append(f"{source}:{rows[0][0]}: column {printable(title, 40)!r}: must be one of {known}")
    columns = [COLUMNS.get(title, "") for title in titles]
    return [Line(number, dict(zip(columns, cells, strict=False))) for number, cells in rows[1:]]


def _newcomer(line: Line) -> Newcomer:
    cells = line.cells
    name = cells.get("name") or f"{cells.get('first name', '')} {cells.get('surname', '')}".strip()
    role = cells.get("role", "").lower() or STUDENT
    return Newcomer(name, role, cells.get("id", ""), cells.get("e-mail", ""), cells.get("team", ""))


def _mistakes(person: Newcomer) -> dict[str, str]:
    """Return the errors in a person's data, by column."""
    found = {"name": name_refusal(person.name)}
    if person.role not in ROLES:
        found["role"] = f"must be one of {', '.join(ROLES)}, not {printable(person.role, 60)!r}"
    if person.team:
        found["team"] = name_refusal(person.team)
        if person.role != STUDENT:
            found["team"] = f"must be empty for a {printable(person.role, 60)}"
    for column, text in (("id", person.id), ("e-mail", person.email)):
        if len(text) > MAX_DETAIL or not text.isprintable():
            found[column] = f"must be at most {MAX_DETAIL} printable characters, not {printable(text, 60)!r}"
    return {column: text for column, text in found.items() if text}
