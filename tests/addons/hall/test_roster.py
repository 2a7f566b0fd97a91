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
        ("name;id\rAda;\rAlan;\r", [ADA, ALAN]),
        ('\ufeffrole,Name\nteacher,"Hopper, G."\n,Ada\n', [Newcomer("Hopper, G.", "teacher"), ADA]),
        ("name,email\nAda,ada@example.org\n", [Newcomer("Ada", email="ada@example.org")]),
        ("Name;Role\nHopper, G.;Assistant\nAda;\n", [Newcomer("Hopper, G.", "assistant"), ADA]),
        (
            "First name;Surname;Student ID;E-mail\nAda;Lovelace;0815;a@example.org\nAlan;Turing;;\n",
            [Newcomer("Ada Lovelace", id="0815", email="a@example.org"), Newcomer("Alan Turing")],
        ),
        ("name,team\nAda,Engines\nAlan,Engines\n", [Newcomer("Ada", team="Engines"), Newcomer("Alan", team="Engines")]),
    ],
)
def test_a_list_is_read_by_its_header(text: str, people: list[Newcomer]) -> None:
    assert read_roster(text.encode(), "list") == people


def test_a_list_may_be_in_latin_1() -> None:
    text = "Surname;First name\nGrüße;Jörg\n"
    assert read_roster(text.encode("latin-1"), "list") == read_roster(text.encode(), "list") == [Newcomer("Jörg Grüße")]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["list: must list 1 to 2000 people, not 0"]),
        ("name\n", ["list: must list 1 to 2000 people, not 0"]),
        (f"{'x' * 500}\n", ["list:1: name: must have 1 to 40 characters, not 500"]),
        ("Ada\nALAN\nalan\n", ["list:3: name: 'alan' is already in line 2"]),
        ("name,id\nAda,1\n,2\n", ["list:3: name: must have 1 to 40 characters, not 0"]),
        (
            "name,grade\nAda,1\n",
            ["list:1: column 'grade': must be one of name, first name, surname, id, e-mail, role, team"],
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
    with pytest.raises(SetupError, match=r"people: .*No such file"):
        read_file(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SetupError, match=r"bytes\.csv:1: name: must be printable"):
        read_file(tmp_path / "bytes.csv")
