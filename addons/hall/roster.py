"""Lists of people: a name per line, or a university's spreadsheet saved as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from quietmove.addons.hall.people import ROLES, STUDENT, Newcomer, folded, name_refusal
from quietmove.engine.common.text import explain, printable
from quietmove.referee.errors import SetupError

MAX_PEOPLE = 2000
MAX_DETAIL = 100  # maximum length of an ID or an e-mail address, in characters
MAX_LINES_BEFORE = 20  # lines that may precede the header
HEADERS = {  # accepted headers for each column, without punctuation; if a list has several, the first of them counts
    "name": (
        *("name", "full name", "vollständiger name", "name vorname", "nachname vorname", "student", "student name"),
        *("surname first name", "last name first name"),
    ),
    "first name": ("first name", "given name", "forename", "vorname", "first name of student"),
    "surname": ("surname", "last name", "family name", "nachname", "familienname", "family name of student"),
    "id": (
        *(
            "matriculation number",
            "matrikelnummer",
            "matrikel nummer",
            "matrikelnr",
            "matrikel nr",
            "matrnr",
            "matr nr",
        ),
        *("mtknr", "mtk nr"),
        *("registration number", "student number", "sis user id", "id number", "student id", "id nummer", "id"),
    ),
    "e-mail": ("e mail", "email", "e mail address", "email address", "e mail adresse", "email adresse"),
    "role": ("role", "rolle"),
    "team": ("team", "group"),
}
USERNAMES = ("username", "user name", "login", "benutzername", "kennung", "login id")  # headers, but not of names
# headers of names such as 'Lovelace, Ada'
SURNAME_FIRST = ("student", "name vorname", "nachname vorname", "surname first name", "last name first name")
NOT_PEOPLE = ("points possible", "student test", "test student")  # rows of Canvas's exports
ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}  # by the first bytes; Excel's "Unicode text"


class Line(NamedTuple):
    """A line of a list, with its number and its cells by column."""

    number: int
    cells: dict[str, str]


class Roster(NamedTuple):
    """The people in a list, and notes on what was ignored."""

    people: list[Newcomer]
    notes: list[str]


def read_file(path: Path) -> Roster:
    """Return the people in a file.

    :raises SetupError: if the file cannot be read or :func:`read_roster` rejects it.
    """
    return read_roster(file_bytes(path), str(path))


def file_bytes(path: Path) -> bytes:
    """Return the contents of a list.

    :raises SetupError: if the file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise SetupError(f"list: {explain(error)}") from None


def read_roster(data: bytes, source: str) -> Roster:
    """Return the people in a list.

    A header names the columns (:data:`HEADERS`), and all others are ignored; without a header, the columns are name and
    role. Cells are separated by commas, semicolons or tabs. The text is UTF-8, UTF-16 with a byte order mark, or else
    Latin-1.

    :param source: the name of the list in error messages.
    :raises SetupError: listing all errors, with line and column.
    """
    problems: list[str] = []
    notes: list[str] = []
    lines = read_lines(data, source, notes, HEADERS)
    found = [newcomer(line.cells) for line in lines]
    names = dict[str, int]()
    ids = dict[str, int]()
    for line, each in zip(lines, found, strict=True):
        wrong = _mistakes(each)
        first = names.setdefault(folded(each.name), line.number)
        if first != line.number and "name" not in wrong:
            wrong["name"] = f"{each.name!r} is already in line {first}"
        if each.id and (first := ids.setdefault(folded(each.id), line.number)) != line.number:
            wrong.setdefault("id", f"{printable(each.id, 60)!r} is already in line {first}")
        problems += [f"{source}:{line.number}: {column}: {text}" for column, text in wrong.items()]
    if not problems and not 1 <= len(found) <= MAX_PEOPLE:
        problems.append(f"{source}: must list 1 to {MAX_PEOPLE} people, not {len(found)}")
    if problems:
        raise SetupError(problems)
    return Roster(found, notes)


def read_lines(data: bytes, source: str, notes: list[str], headers: Mapping[str, Sequence[str]]) -> list[Line]:
    """Return the non-blank lines after the header, and report in ``notes`` what they contain besides.

    :param headers: the accepted headers of each column, as in :data:`HEADERS`. Only a list of people needs no header.
    :raises SetupError: if it is not a table, or its first line is neither a header nor a person.
    """
    try:
        text = data.decode(ENCODINGS.get(data[:2], "utf-8-sig"))
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\0" in text:
        raise SetupError(f"{source}: must be text; save a spreadsheet as CSV in UTF-8")
    known_titles = {header: column for column, texts in headers.items() for header in texts}
    first_lines = "".join(text.splitlines(keepends=True)[:MAX_LINES_BEFORE])
    delimiter = max(";\t,", key=first_lines.count)
    table = csv.reader(io.StringIO(text, newline=None), delimiter=delimiter, strict=True)
    try:
        rows = [(number, cells) for number, row in enumerate(table, 1) if any(cells := list(map(str.strip, row)))]
    except csv.Error as error:
        raise SetupError(f"{source}:{table.line_num}: must be a line of a table: {error}") from None
    heads = [
        index
        for index, (_, cells) in enumerate(rows[:MAX_LINES_BEFORE])
        if _is_header(cells, known_titles, is_first=not index)
    ]
    if not heads and headers is not HEADERS:
        raise SetupError(f"{source}:1: expected a header that names columns such as {', '.join(headers)}")
    if not heads:
        first, *more = list(filter(None, rows[0][1])) if rows else [""]
        if _title(first) in USERNAMES or (more and [each.lower() for each in more] not in [[role] for role in ROLES]):
            raise SetupError(f"{source}:{rows[0][0]}: {_header_problem(rows[0][1])}")
        _check_widths(rows, 2, delimiter, source)
        return [Line(number, dict(zip(("name", "role"), cells, strict=False))) for number, cells in rows]
    number, cells = rows[heads[0]]
    titles = list(map(_title, cells))
    columns = _columns(titles, known_titles)
    if not ({"name", "surname"} if headers is HEADERS else {"name", "surname", "id"}) & set(columns):
        raise SetupError(f"{source}:{number}: {_header_problem(cells)}")
    if ignored := [cell for cell, column in zip(cells, columns, strict=True) if cell and not column]:
        notes.append(f"{source}:{number}: ignored the columns {', '.join(printable(each, 40) for each in ignored)}")
    _check_widths(rows[heads[0] + 1 :], len(cells), delimiter, source)
    found = []
    for number, cells in rows[heads[0] + 1 :]:
        known = {column: cell for column, cell in zip(columns, cells, strict=False) if column}
        name = known.get("name", "")
        if not any(known.values()) or _title(name) in NOT_PEOPLE:
            notes.append(f"{source}:{number}: ignored the line, since {printable(name, 40)!r} is not a person")
            continue
        if "name" in columns and titles[columns.index("name")] in SURNAME_FIRST:
            surname, _, first = name.rpartition(", ")
            known["name"] = f"{first} {surname}".strip()
        found.append(Line(number, known))
    return found


def _check_widths(rows: list[tuple[int, list[str]]], most: int, delimiter: str, source: str) -> None:
    """Check that no line has more cells than columns, as an unquoted 'Lovelace, Ada' has.

    :raises SetupError: listing all lines that have.
    """
    only = f"only {most} {'is' if most == 1 else 'are'} expected"
    wrong = f"{only}: put a name that contains {delimiter!r} in double quotes"
    if problems := [f"{source}:{number}: has {len(row)} cells, but {wrong}" for number, row in rows if any(row[most:])]:
        raise SetupError(problems)


def _title(cell: str) -> str:
    """Return a header in lower case, with single spaces and no punctuation."""
    return " ".join(re.findall(r"\w+", cell.lower().replace("_", " ")))


def _is_header(cells: list[str], columns: Mapping[str, str], *, is_first: bool) -> bool:
    """Return whether a row names columns. After other lines, it must name several, since they could be names."""
    if len(cells) == 2 and cells[1].lower() in ROLES and _title(cells[0]) not in columns:
        return False  # a person called "student" in the column of names
    known = {columns.get(_title(cell)) for cell in cells} - {None}
    return len(known) > (0 if is_first else 1)


def _columns(titles: list[str], columns: Mapping[str, str]) -> list[str]:
    """Return the column for each title, or "" if it is ignored, also because a better one has the same meaning."""
    best = dict[str, str]()
    for header, column in columns.items():  # in order of preference
        if header in titles:
            best.setdefault(column, header)
    chosen = {titles.index(header): column for column, header in best.items()}
    return [chosen.get(index, "") for index in range(len(titles))]


def _header_problem(cells: list[str]) -> str:
    shown = ", ".join(repr(printable(each, 40)) for each in cells if each)
    return (
        f"expected a header with 'name', or with 'first name' and 'surname', or a person's name and role, not {shown}"
    )


def newcomer(cells: Mapping[str, str]) -> Newcomer:
    """Return the person that a line names."""
    first, name = cells.get("first name", ""), cells.get("name", "")
    if not name or (first and (name == first or first not in name.split())):  # next to a first name, it is the surname
        name = f"{first} {cells.get('surname') or name}".strip()
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
