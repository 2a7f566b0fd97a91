"""The handout: what it says is what programs read and write, and it prints on two pages."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import expect

from quietmove.addons.hall.class_commands import handout
from quietmove.addons.hall.handout import FILE
from quietmove.addons.hall.tasks import TASKS, example
from quietmove.referee.errors import SetupError
from tests.addons.conftest import expect_all_can_use, expect_no_wider_than_the_window, watched
from tests.addons.hall.class_programs import CHOICE, TEMPLATE
from tests.addons.hall.classes import Asked
from tests.addons.hall.halls import new_hall, served
from tests.fakes.processes import WAIT

TERM = f"""
title = "Othello & <search>"
time_zone = "Europe/Berlin"
openings = "line"
coordinates = "numbers"
packages = ["numpy"]
[[assignment]]
name = "search"
tasks = [{", ".join(f'"{name}"' for name in TASKS)}]
deadline = 2027-01-01T18:00:00
marks = ["tasks 20"]
[[assignment]]
name = "I"
limit = "depth=4"
deadline = 2027-01-08T18:00:00
late = "10% a day, at most 3 days"
evaluator = "python3 evaluator.py"
marks = ["check 10", "values 10"]
[[assignment]]
name = "II"
limit = "movetime=300"
opens = 2027-01-08T18:00:00
deadline = 2027-01-22T18:00:00
goals = ["random 24-0"]
marks = ["check 10", "random 24-0 20"]
[[assignment]]
name = "III"
limit = "tc=10"
opens = 2027-01-22T18:00:00
deadline = 2027-02-05T18:00:00
finals = ["swiss", "knockout 4"]
marks = ["final 20", "talk 10 by hand, PDF 5 MB"]
"""


def written(tmp_path: Path, settings: str) -> str:
    """Return the handout that the command writes for a class."""
    (tmp_path / "class.toml").write_text(settings)
    arguments = [str(tmp_path), str(tmp_path / "new"), "--address", "http://othello.example.org"]
    done = CliRunner().invoke(handout, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return (tmp_path / "new" / FILE).read_text(encoding="utf-8")


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", html))


def test_the_handout_says_what_the_settings_say(tmp_path: Path) -> None:
    html = written(tmp_path, TERM)
    assert "<search>" not in html
    text = " ".join(text_of(html).split())
    for part in (
        "late until Mon 11 Jan 2027, 18:00 CET; each late day begun costs 10 % of the points",
        "talk, 10 %: marked by hand; hand in a PDF of at most 5 MB",
        "4 plies per move line one: game B 4 0 0",
        "line one: game B 0 0.3 0",
        "line one: game B 0 0 10",
        "random 24-0, 20 %: at least 24 points in the last 24 games",
        "the packages numpy",
        "The pages show both: 4 6 (d3).",
        "6 4 # value 12",
        "http://othello.example.org/api/entries",
        *(" ".join([*example(name), TASKS[name].help]) for name in TASKS),
    ):
        assert part in text
    assert written_files(tmp_path) == [
        "Player.java",
        FILE,
        *(f"player.{each}" for each in ("c", "cpp", "go", "js", "py", "rs")),
    ]
    with pytest.raises(SetupError, match="already exists"):
        written(tmp_path, TERM)


def written_files(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "new").iterdir())


def test_a_class_gets_only_what_it_needs(tmp_path: Path) -> None:
    text = text_of(written(tmp_path, 'languages = ["c"]\n[[assignment]]\nname = "nim"\ntasks = ["nim"]\n'))
    assert written_files(tmp_path) == [FILE, "player.c"]
    for part in ("line one", "Python  ", "A whole game", "Any other program", "value 12", "Opens"):
        assert part not in text
    assert example("nim")[0] in text


def test_a_program_writes_the_lines_of_the_dialogue(tmp_path: Path) -> None:
    """The program is the starter, which is told its moves; it also finds out that it must pass."""
    (dialogue,) = re.findall(r'<pre class="game">(.*?)</pre>', written(tmp_path, 'limit = "depth=2"\n'), re.DOTALL)
    lines = re.findall(r"^(reads|writes) +(.+?)(?: \(..\))?$", unescape(dialogue), re.MULTILINE)
    assert lines.pop(0) == ("reads", "game B 2 0 0")
    assert ("reads", "pass") in lines
    for color, side in (("B", "writes"), ("W", "reads")):
        answers = [text for verb, text in lines if verb == side]
        moves = [tuple(map(int, text.split())) for text in answers if text != "pass"]
        program = f"MOVES = {moves}\n{TEMPLATE.replace(CHOICE, 'return MOVES.pop(0)')}"
        told = [f"game {color} 2 0 0", *(text for verb, text in lines if verb != side)]
        done = subprocess.run(
            [sys.executable, "-c", program],
            input="".join(f"{line}\n" for line in told),
            capture_output=True,
            check=True,
            text=True,
            timeout=WAIT,
        )
        assert done.stdout.splitlines()[: len(answers)] == answers  # a last pass may follow the end of the game


def test_the_handout_prints_on_two_pages(tmp_path: Path, context: Any) -> None:
    hall = new_hall(tmp_path / "course", ["Ada"], TERM.replace("title", "\ntitle"))
    context.clear_cookies()
    with served(hall), watched(context, "127.0.0.1") as page:
        page.goto(f"{hall.address}me#key={hall.keys['Ada']}")
        page.get_by_role("link", name="Handout", exact=True).click()
        expect(page.get_by_role("heading", name="Tasks")).to_be_visible()
        assert hall.address in page.locator("main").inner_text()
        expect_all_can_use(page)
        assert count_pages(page) == 2
        with page.expect_download() as download:
            page.get_by_role("link", name="player.go").click()
        assert "package main" in download.value.path().read_text()
        page.set_viewport_size({"width": 390, "height": 844})
        expect_no_wider_than_the_window(page)
        expect_all_can_use(page)


def count_pages(page: Any) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


def test_the_handout_of_a_closed_class_needs_a_key(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", 'board = "keys"\n')
    assert asked.client().get("/handout").status_code == 401
    assert "What a program does" in asked.client("Ada").get("/handout").text
