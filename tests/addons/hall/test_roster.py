"""Lists of people, as universities write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.addons.hall.people import Newcomer
from quietmove.addons.hall.roster import read_file, read_roster
from quietmove.referee.errors import SetupError

ADA, ALAN = Newcomer("Ada"), Newcomer("Alan")


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("name\nAda\nAlan\n", [ADA, ALAN]),
        ("Ada\n\n  Alan \n", [ADA, ALAN]),
        ("Ada,teacher\r\nAlan\r\n", [Newcomer("Ada", "teacher"), ALAN]),
        ("Ada,student\nAlan,Student\n", [ADA, Newcomer("Alan", "student")]),
        ("ID;Student\n0815;Lovelace, Ada\n", [Newcomer("Ada Lovelace", id="0815")]),
        ("name;id\rAda;\rAlan;\r", [ADA, ALAN]),
        ('\ufeffrole,Name\nteacher,"Hopper, G."\n,Ada\n', [Newcomer("Hopper, G.", "teacher"), ADA]),
        ("name,email\nAda,ada@example.org\n", [Newcomer("Ada", email="ada@example.org")]),
        ("Name;Role\nHopper, G.;Assistant\nAda;\n", [Newcomer("Hopper, G.", "assistant"), ADA]),
        (
            "First name;Surname;Student ID;E-mail\nAda;Lovelace;0815;a@example.org\nAlan;Turing;;\n",
            [Newcomer("Ada Lovelace", id="0815", email="a@example.org"), Newcomer("Alan Turing")],
        ),
        ("Name;Vorname\nHansen;Hans\nLee;Lee\n", [Newcomer("Hans Hansen"), Newcomer("Lee Lee")]),
        ("Name;Vorname\nHans Hansen;Hans\n", [Newcomer("Hans Hansen")]),
        ("Student Name,Student ID\nAda,0815\n", [Newcomer("Ada", id="0815")]),
        ('"Surname, first name"\n"Lovelace, Ada"\n', [Newcomer("Ada Lovelace")]),
        ("name,team\nAda,Engines\nAlan,Engines\n", [Newcomer("Ada", team="Engines"), Newcomer("Alan", team="Engines")]),
    ],
)
def test_a_list_is_read_by_its_header(text: str, people: list[Newcomer]) -> None:
    assert read_roster(text.encode(), "list").people == people


MOODLE = """First name,Last name,ID number,Institution,Department,Email address,Groups,Last downloaded from this course
Ada,Lovelace,0815,,"Maths, II",ada@example.org,"Group A, Group B",1796083200
Alan,Turing,0816,,,alan@example.org,,1796083200
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Othello I (4711),Final Score
    Points Possible,,,,,20,(read only)
"Lovelace, Ada",90001,0815,ada01,Class A,,91.5
"Turing, Alan",90002,0816,alan7,Class A,12,70
"Student, Test",90003,,f3a,Class A,,
,,,,,Manual Posting,
"""
HIS = """Prüfung: 4711 Künstliche Intelligenz;;;

Matrikelnr;Nachname;Vorname;Studiengang
0815;Lovelace;Ada;Informatik
0816;Turing;Alan;Informatik
"""
OF_BOTH = [("Ada Lovelace", "0815"), ("Alan Turing", "0816")]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (MOODLE, ["list:1: ignored the columns Institution, Department, Groups, Last downloaded from this course"]),
        (
            CANVAS,
            [
                "list:1: ignored the columns ID, SIS Login ID, Section, Othello I (4711), Final Score",
                "list:2: ignored the line, since 'Points Possible' is not a person",
                "list:5: ignored the line, since 'Student, Test' is not a person",
                "list:6: ignored the line, since '' is not a person",
            ],
        ),
        (HIS, ["list:3: ignored the columns Studiengang"]),
        ("Matrikelnr;Nachname;Vorname\n0815;Lovelace;Ada\n0816;Turing;Alan\n", []),
        ("Name\tVorname\tMatr.-Nr.\nLovelace\tAda\t0815\nTuring\tAlan\t0816\n", []),
        ("REGISTRATION_NUMBER;FAMILY_NAME_OF_STUDENT;FIRST_NAME_OF_STUDENT\n0815;Lovelace;Ada\n0816;Turing;Alan\n", []),
        ('"Name, Vorname";ID-Nummer\nLovelace, Ada;0815\nTuring, Alan;0816\n', []),
    ],
)
def test_exports_of_learning_platforms_are_read(text: str, notes: list[str]) -> None:
    found = read_roster(text.encode(), "list")
    assert ([(each.name, each.id) for each in found.people], found.notes) == (OF_BOTH, notes)
    for encoding in ("utf-8-sig", "latin-1", "utf-16"):
        assert read_roster(text.replace("\n", "\r\n").encode(encoding), "list") == found


def test_a_quote_that_is_not_closed_hides_no_line() -> None:
    with pytest.raises(SetupError, match=r"^list:\d: must be a line of a table: unexpected end of data"):
        read_roster(b'name\n"Ada\nAlan\n', "list")


def test_a_list_may_be_in_latin_1() -> None:
    text = "Surname;First name\nGrüße;Jörg\n"
    assert read_roster(text.encode("latin-1"), "list").people == [Newcomer("Jörg Grüße")]


OR = "or with 'first name' and 'surname', or a person's name and role"


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["list: must list 1 to 2000 people, not 0"]),
        ("name\n", ["list: must list 1 to 2000 people, not 0"]),
        (f"{'x' * 500}\n", ["list:1: name: must have 1 to 40 characters, not 500"]),
        ("Ada\nALAN\nalan\n", ["list:3: name: 'alan' is already in line 2"]),
        ("name,id\nAda,1\n,2\n", ["list:3: name: must have 1 to 40 characters, not 0"]),
        ("name,id\nAda,1\nAlan,1\n", ["list:3: id: '1' is already in line 2"]),
        *(
            (text, [f"list:1: expected a header with 'name', {OR}, not {head}"])
            for text, head in (
                ("username;\njdoe;\n", "'username'"),
                ("Grade;Points;Room\n1;2;3\n4;5;6\n", "'Grade', 'Points', 'Room'"),
                ("Email address,ID number\na@example.org,1\n", "'Email address', 'ID number'"),
            )
        ),
        (
            "name\nAda\nTuring, Alan\nKim,,\n",
            ["list:3: has 2 cells, but only 1 is expected: put a name that contains ',' in double quotes"],
        ),
        (
            "Ada,student\nAlan,student,2027\n",
            ["list:2: has 3 cells, but only 2 are expected: put a name that contains ',' in double quotes"],
        ),
        ("name,role,team\nAda,teacher,Engines\n", ["list:2: team: must be empty for a teacher"]),
        (
            f"name\nAda\n{'x' * 200_000}\n",
            ["list:3: must be a line of a table: field larger than field limit (131072)"],
        ),
        ("name,id\nAda,a\x07\n", ["list:2: id: must be at most 100 printable characters, not 'a\\\\x07'"]),
        (
            "name,role\nAda,queen\nA\u202eB,student\n",
            [
                "list:2: role: must be one of student, assistant, teacher, not 'queen'",
                "list:3: name: must be printable, not 'A\\\\u202eB'",
            ],
        ),
    ],
)
def test_every_mistake_is_reported_with_its_line_and_column(text: str, problems: list[str]) -> None:
    with pytest.raises(SetupError) as raised:
        read_roster(text.encode(), "list")
    assert [problem.replace("\\\\", "\\") for problem in raised.value.problems] == [
        problem.replace("\\\\", "\\") for problem in problems
    ]


def test_a_missing_file_and_bytes_are_one_error_each(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"list: .*No such file"):
        read_file(tmp_path / "none.csv")
    for data in (b"\xff\xfe\x00", b"PK\x03\x04\x14\0\nAda\nAlan\n", "Ada\nAlan\n".encode("utf-16-le")):
        (tmp_path / "people.xlsx").write_bytes(data)
        with pytest.raises(SetupError) as raised:
            read_file(tmp_path / "people.xlsx")
        (problem,) = raised.value.problems
        assert problem.endswith("people.xlsx: must be text; save a spreadsheet as CSV in UTF-8")
