"""What the page serves: a file and a command line together, and every mistake at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.referee.config.model import TimeControl
from quietmove.referee.errors import SetupError
from quietmove.referee.web.setup import read_setup

GAME = Path(__file__).parents[3] / "example_games" / "connect_four.py"
FILE = """
port = 8080
open = true
stores = ["my.sqlite"]
games = ["games/connect_four.py:ConnectFour"]
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
port = 70000
games = ["nothing.py:X", "chess"]
hots = 1
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
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "connect_four.py").symlink_to(GAME)
    program = tmp_path / "program.sh"
    program.touch(0o755)
    setup = read_setup(
        write(tmp_path, FILE), ["cmd=quietmove name=quick depth=1"], ["nim"], [Path("more")], 0, opens=False
    )
    assert [engine.name for engine in setup.engines] == ["seeded", "program", "quick"]
    seeded, other, quick = setup.engines
    assert (seeded.command, seeded.options) == (("quietmove",), (("Seed", "{seed}"),))
    assert seeded.limit == TimeControl(movetime_ms=300)
    assert (other.command, other.protocol) == ((str(program), "--fast"), "project")
    assert quick.limit == TimeControl(depth=1)
    assert setup.games == (f"{GAME}:ConnectFour", "nim")
    assert setup.stores == (tmp_path / "my.sqlite", Path("more"))
    assert (setup.port, setup.opens) == (0, True)


def test_without_anything_the_usual_engines_are_left_to_the_house() -> None:
    assert read_setup(None, opens=False).engines == ()


def test_every_mistake_of_both_is_told_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, MISTAKES)
    with pytest.raises(SetupError) as caught:
        read_setup(
            path, ["cmd=quietmove name=a option.Nash=1", "cmd=quietmove name=c depth=few"], ["more.py:Y"], opens=False
        )
    beginnings = [
        f"{path}:2: port: must be less than or equal to 65535, not 70000",
        f"{path}:3: games.0: game {tmp_path}/nothing.py:X: cannot be made",
        f"{path}:3: games.1: game: no game 'chess'",
        f"{path}:4: hots: must be one of the keys host, port",
        f"{path}:7: engine.0.command: engine a: there is no program '{tmp_path}/nowhere'",
        f"{path}:9: engine.1.name: must differ from that of engine.0, not 'a'",
        f"{path}:10: engine.1.limit: must be one of tc=",
        "engine c: limit: must be one of tc=",
        "engine a: it has no option 'Nash'; did you mean Hash?",
        "two engines are called a; tell them apart by name=",
        "game ",
    ]
    assert len(caught.value.problems) == len(beginnings)
    for problem, beginning in zip(caught.value.problems, beginnings, strict=True):
        assert problem.startswith(beginning)


@pytest.mark.parametrize(
    ("text", "message"),
    [("port = ", r"page.toml: must be TOML"), ("[[engine]]", r"page.toml:1: engine.0.name: must be given")],
)
def test_what_is_no_configuration_is_one_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        read_setup(write(tmp_path, text), opens=False)
