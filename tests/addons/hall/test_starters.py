"""The starter programs: each passes the checks of a class as it is, and plays its games to the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quietmove.addons.hall.building import ENDINGS, missing_program
from quietmove.addons.hall.player import STARTERS
from quietmove.addons.hall.settings import ClassSettings
from quietmove.referee.process import sandbox
from tests.addons.hall.class_programs import packed
from tests.addons.hall.halls import HallServer, new_hall, served

FILES = sorted(path.name for path in STARTERS.iterdir())
PEOPLE = [f"Student {number}" for number in range(len(FILES))]


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HallServer]:
    if reason := sandbox.missing_requirement():
        pytest.skip(reason)
    settings = 'openings = "line"\nclock = "processor"\n'
    with served(new_hall(tmp_path_factory.mktemp("starters") / "course", PEOPLE, settings)) as hall:
        yield hall


@pytest.mark.parametrize(
    "file", [pytest.param(name, marks=[pytest.mark.soak] * (name not in ("player.py", "player.c"))) for name in FILES]
)
def test_a_starter_passes_all_checks_of_a_class(hall: HallServer, file: str) -> None:
    language = ENDINGS[file[file.index(".") :]]
    if missing := missing_program(ClassSettings(), language):
        pytest.skip(f"{missing} is not installed")
    found = hall.judged(PEOPLE[FILES.index(file)], (STARTERS / file).read_text(), file)
    assert (found["state"], found["language"]) == ("passed", language), found["reason"]
    outcomes = {row["name"]: row["status"] for row in found["report"]["examinations"] if row["applies"]}
    assert set(outcomes.values()) == {"ok"}, found["report"]["examinations"]
    assert {"whole-games", "opening"} <= set(outcomes), outcomes


@pytest.mark.soak
def test_a_go_module_of_two_files_is_built(hall: HallServer) -> None:
    if missing := missing_program(ClassSettings(), "go"):
        pytest.skip(f"{missing} is not installed")
    program = (STARTERS / "player.go").read_text()
    function = program[program.index("// choose returns") : program.index("func main()")]
    files = {
        "go.mod": "module example.org/player\n\ngo 1.16\n",
        "choose.go": f'package main\n\nimport "math/rand"\n\n{function}',
        "main.go": program.replace(function, ""),
    }
    found = hall.judged(PEOPLE[0], packed(files), "player.zip")
    assert (found["state"], found["language"]) == ("passed", "go"), found
