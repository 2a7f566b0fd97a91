"""A course's player: the engine speaks its lines, and the referee judges programs that do."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest
from click.testing import CliRunner

from quietmove.commands import quietmove
from quietmove.engine.errors import OptionError
from quietmove.engine.protocol.dialects import find_dialect
from quietmove.referee.arguments.engine_args import engine_words, parse_engine
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.errors import SetupError
from quietmove.referee.game.host import play_game
from quietmove.referee.seats import check_game
from quietmove.tournament.config.schema import schema

OURS = f"cmd={shlex.quote(sys.executable)} -m quietmove --protocol player"


def player(name: str, command: str = OURS) -> EngineConfig:
    return parse_engine([command, f"name={name}", "protocol=player"])


def talk(text: str) -> tuple[int, list[str], str]:
    """Return the exit status, the lines and the errors of an engine that gets these lines."""
    command = [sys.executable, "-m", "quietmove", "--protocol", "player"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_the_engine_answers_only_with_its_own_moves() -> None:
    assert talk("C hello\nI W\n")[1] == ["R W"]
    status, lines, _ = talk("I B\nC well\n\nW c 3\n5\nW a 1\n")
    assert (status, lines[0], len(lines)) == (0, "R B", 3)
    assert all(line.split()[0] == "B" and len(line.split()) == 3 for line in lines[1:])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("hello\n", "first line: must be 'I B' or 'I W', not 'hello'"),
        ("I B\nB d 3\n", "opponent's move: must be a line such as 'W d 3', or 'W' for a pass, not 'B d 3'"),
        ("I B\nW\n", "is not legal here"),
        ("I W\nB h 9\n", "error: 'h9' is not a move; a move is a square a1-h8, or pass"),
    ],
)
def test_a_line_that_is_no_move_is_one_error(text: str, error: str) -> None:
    status, _, errors = talk(text)
    assert status == 1
    (line,) = errors.splitlines()
    assert error in line


def test_two_players_play_a_whole_game() -> None:
    record = play_game(GameSpec("othello", (), player("a"), player("b"), keep_dialogue=True))
    assert record.reason == "finished", record.detail
    lines = [line.split(maxsplit=1)[1] for line in record.dialogue]
    assert {"black > I B", "black < R B", "white > I W", "white < R W", "white > B d 3"} <= set(lines)


@pytest.mark.parametrize(
    ("answer", "reason"), [("B a 1", "illegal"), ("W d 3", "illegal"), ("d3", "illegal"), ("C d 3", "timeout")]
)
def test_another_line_than_a_move_of_its_colour_loses(answer: str, reason: str) -> None:
    code = f"import time; input(); print('C hi'); print('R B'); print('{answer}', flush=True); time.sleep(60)"
    fake = parse_engine(
        [f"cmd={shlex.join((sys.executable, '-c', code))}", "name=x", "protocol=player", "movetime=900"]
    )
    record = play_game(GameSpec("othello", (), fake, player("b")))
    assert (record.reason, record.loser) == (reason, "black"), record.detail


def test_an_unknown_protocol_names_that_of_the_add_on() -> None:
    with pytest.raises(SetupError, match=r"must be one of uci, .*, player"):
        parse_engine(["cmd=x", "name=x", "protocol=plaier"])
    with pytest.raises(OptionError, match=r"must be one of uci, .*, player"):
        find_dialect("plaier")


def test_the_help_and_the_schema_list_the_protocol() -> None:
    listed = CliRunner().invoke(quietmove, ["--help"]).output.partition("Protocols:")[2]
    assert "  player " in listed
    assert "player" in schema()["properties"]["engine"]["items"]["properties"]["protocol"]["enum"]
    assert "player" in engine_words()["protocol"]


def test_an_opening_is_refused_before_the_game() -> None:
    with pytest.raises(SetupError, match="opening: must be the initial position"):
        check_game(GameSpec("othello", ("f5",), player("a"), player("b")))
