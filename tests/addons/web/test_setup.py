"""What the page serves: a file and a command line together, and every mistake at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.addons.web.setup import read_setup
from quietmove.referee.config.model import TimeControl
from quietmove.referee.errors import SetupError

GAME = Path(__file__).parents[2] / "example_games" / "connect_four.py"
FILE = """
[defaults]
limit = "movetime=300"
[[engine]]
name = "seeded"
options = { Seed = "{seed}" }
[[engine]]
name = "program"
command = "./program.sh --fast"
protocol = "project"
limit = "depth=3"
"""
MISTAKES = """
port = 8080
[[engine]]
name = "a"
command = "./nowhere"
[[engine]]
name = "a"
limit = "soon"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "page.toml"
    path.write_text(text)
    return path


def test_a_file_is_read_and_the_command_line_adds_to_it(tmp_path: Path) -> None:
    program = tmp_path / "program.sh"
    program.touch(0o755)
    engines, games = read_setup(
        write(tmp_path, FILE), [["cmd=quietmove", "name=quick", "depth=1"]], ["nim", f"{GAME}:ConnectFour"]
    )
    assert [engine.name for engine in engines] == ["seeded", "program", "quick"]
    seeded, other, quick = engines
    assert (seeded.command, seeded.options) == (("quietmove",), (("Seed", "{seed}"),))
    assert seeded.limit == TimeControl(movetime_ms=300)
    assert (other.command, other.protocol) == ((str(program), "--fast"), "project")
    assert quick.limit == TimeControl(depth=1)
    assert games == ["nim", f"{GAME}:ConnectFour"]


def test_every_mistake_of_both_is_told_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, MISTAKES)
    words = [["cmd=quietmove", "name=a", "option.Nash=1"], ["cmd=quietmove", "name=c", "depth=few"]]
    with pytest.raises(SetupError) as caught:
        read_setup(path, words, ["more.py:Y"])
    beginnings = [
        f"{path}:2: port: must be one of the keys defaults, engine, not 'port'",
        f"{path}:5: engine.0.command: ",
        f"{path}:7: engine.1.name: must differ from the name of engine.0, not 'a'",
        f"{path}:8: engine.1.limit: ",
        "engine c: limit: must be one of tc=",
        "engine a: ",
        "two engines are called a; give them different names with name=",
        "game ",
    ]
    assert len(caught.value.problems) == len(beginnings), caught.value.problems
    for problem, beginning in zip(caught.value.problems, beginnings, strict=True):
        assert problem.startswith(beginning)


@pytest.mark.parametrize(
    ("text", "message"),
    [("port = ", r"page.toml: must be TOML"), ("[[engine]]", r"page.toml:1: engine.0.name: must be given")],
)
def test_what_is_no_configuration_is_one_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        read_setup(write(tmp_path, text))
