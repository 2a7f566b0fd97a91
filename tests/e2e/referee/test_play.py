"""``quietmove play`` as a process: at a terminal with pexpect, and with pipes for scripts."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import get_game
from tests.fakes.processes import run_module

COMMAND = [sys.executable, "-m", "quietmove", "play"]
ROOT = Path(__file__).parents[3]
HEXAPAWN = f"{ROOT / 'tests' / 'example_games' / 'hexapawn' / 'hexapawn.py'}:Hexapawn"
FAKE_ENGINE = ROOT / "tests" / "fakes" / "fake_engine.py"
WAIT = 60  # timeout for an event, in seconds
ESCAPE = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]")
MOVED = re.compile(r"(\w+) (?:plays|must|rolls|starts at random with) ([^\s,]+)")
SEED = 5
Begin = Callable[..., Any]


def variables(folder: Path) -> dict[str, str]:
    """Return the variables of a process that keeps its games in a folder."""
    return {"TERM": "xterm", "NO_COLOR": "1", "XDG_DATA_HOME": str(folder / "data")}


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Return a function that begins a game at a terminal of 80x24; all processes are gone when the test ends."""
    spawned = []

    def spawn(*arguments: str, **more: str) -> Any:
        spawned.append(
            pexpect.spawn(
                COMMAND[0],
                [*COMMAND[1:], *arguments],
                timeout=WAIT,
                encoding="utf-8",
                echo=False,
                dimensions=(24, 80),
                env={**os.environ, **variables(tmp_path), **more},
                cwd=str(tmp_path),
            )
        )
        spawned[-1].delaybeforesend = None  # echo is off already
        return spawned[-1]

    yield spawn
    for each in spawned:
        each.kill(signal.SIGKILL)
        each.wait()
        each.close()


def shown(terminal: Any) -> str:
    """Return what came before the last match, without what moves the cursor."""
    return ESCAPE.sub("", terminal.before).replace("\r", "")


def left(terminal: Any) -> tuple[str, int]:
    """Return what is said at the end, and the exit status."""
    terminal.expect(pexpect.EOF)
    terminal.wait()
    terminal.close()
    return shown(terminal), terminal.exitstatus


def play_out(terminal: Any, game: Game, side: int, seed: int) -> None:
    """Play random moves of ``side`` to the end of the game, and hold every move that is announced to the rules."""
    position, choices = game.begin(SEED), random.Random(seed)
    names = (*game.players, "nature")
    while True:
        found = terminal.expect([f"{game.players[side]}>", "game over>"])
        lines = shown(terminal)
        for name, move in MOVED.findall(lines):
            assert names[position.side_to_move] == name
            position.play(game.parse_move(position, move))
        assert max(map(len, lines.splitlines())) <= 80
        if found == 1:
            break
        assert position.side_to_move == side
        assert game.draw(position).splitlines()[-1].strip() in lines
        move = choices.choice(position.legal_moves())
        position.play(move)
        terminal.sendline(game.format_move(move))
        terminal.expect("\n")  # the line has been read: the output from here on is the reply
    assert position.is_over()
    result = position.result()
    assert ("a draw" if result == 0 else f"{game.players[result < 0]} wins") in lines


# Hidden cards, and a user's own game; tests/dialogue covers the others.
@pytest.mark.parametrize(("name", "side"), [(HEXAPAWN, 0), ("whist", 0)])
def test_a_whole_game(begin: Begin, name: str, side: int) -> None:
    game = get_game(name)
    terminal = begin("--game", name, "--level", "1", "--color", game.players[side], "--seed", str(SEED))
    terminal.expect("'help' lists the commands")
    play_out(terminal, game, side, seed=3)
    terminal.sendeof()
    assert left(terminal)[1] == 0


def test_a_person_asks_errs_and_changes_his_mind(begin: Begin) -> None:
    terminal = begin("--level", "1", "--seed", "5")
    terminal.expect("Black>")
    for line, answer in (
        ("a1", "'a1' is not legal here; legal: d3 c4 f5 e6"),
        ("hlep", "'hlep' is not a move; .*; did you mean 'help'\\?"),
        ("f5 d6", "expected one move, got 2"),
        ("undo", "you have made no move yet"),
        ("redo", "there is nothing to redo"),
        ("hint x", "hint: must be a time such as 500ms or 2s, up to 1,000,000 s, not 'x'"),
        ("level 21", "level: must be a whole number from 0 to 20, not 21"),
        ("eval now", "eval: takes no arguments, not 'now'"),
        ("load nothing.jsonl", "nothing.jsonl: No such file or directory"),
        ("moves", r"4 legal: .*f5 \(6 4\)"),
        ("hint 100ms", r"hint: \S+ \(\d \d\), score [+-]\d+\.\d\d discs, depth \d+, \d+ ms"),
        ("eval", "in discs, for Black, who is to move"),
        ("help", "undo +go back to your last turn"),
        ("6 4", r"White plays (\S+) \(\d \d\), score .*, depth \d+, [\d.]+ ms"),
        ("undo", "2 moves undone"),
        ("redo", "2 moves redone"),
        ("switch", "Black \\(Quietmove, level 1, beginner\\) against White \\(you\\)"),
        ("board", r"\([XO]\)"),
    ):
        terminal.sendline(line)
        terminal.expect(answer)
        terminal.expect("(Black|White)>")
    assert "O (White) to move" in shown(terminal)


def test_completion_and_history(begin: Begin) -> None:
    terminal = begin("--level", "1")
    terminal.expect("Black>")
    terminal.send("mov\t\r")
    terminal.expect("4 legal: ")
    terminal.expect("Black>")
    terminal.send("\x1b[A\r")
    terminal.expect("4 legal: ")
    terminal.expect("Black>")
    terminal.send("f\t\r")
    terminal.expect("White plays")


def test_a_game_that_is_left_goes_on(begin: Begin, tmp_path: Path) -> None:
    terminal = begin("--level", "1", "--color", "white", "--random-first-move")
    terminal.expect(r"Black starts at random with (\S+) ")
    first = terminal.match[1]
    terminal.expect("White>")
    terminal.sendintr()
    said, status = left(terminal)
    assert status == 130
    command = shlex.split(re.search(r"to continue it:\n *quietmove (.*)", said)[1])  # type: ignore[index]
    [file] = (tmp_path / "data" / "quietmove" / "games").iterdir()
    assert command == ["play", "--load", str(file)]
    again = begin(*command[1:])
    again.expect(r"Black \(Quietmove, level 1, beginner\) against White \(you\)")
    again.expect("White>")
    again.sendline("moves")
    again.expect("3 legal")
    again.expect("White>")
    again.sendeof()
    assert str(file) in left(again)[0]
    assert json.loads(file.read_text())["moves"] == [{"move": first, "by": "black"}]
    assert [file] == list((tmp_path / "data" / "quietmove" / "games").iterdir())


def test_an_interrupt_while_the_engine_thinks(begin: Begin) -> None:
    terminal = begin("--time", "1000")
    terminal.expect("Black>")
    terminal.sendline("f5")
    terminal.expect("White thinks for at most 1000 s")
    terminal.sendintr()
    said, status = left(terminal)
    assert "quietmove play --load " in said
    assert status == 130
    again = begin("--level", "1")
    again.sendline("load")
    again.expect(
        r"1  othello-[-\d]+  you - Quietmove, 1000 s a move  [-\d]{10}  not over  ([A-Z][^\r]*  )?(1 move|2 moves)\r"
    )  # the reply may come from the book
    again.expect("their files, which you can rename and delete, are in\\s+(\\S+)\r")
    folder = Path(again.match[1])
    [file] = folder.iterdir()
    file.rename(folder / "a good one.jsonl")
    again.sendline("load")
    again.expect("1  a good one  you - ")
    again.sendline("load 1")
    again.expect(["White thinks for at most 1000 s", "Black>"])


def test_an_interrupt_of_a_hint_gives_the_best_move_so_far(begin: Begin) -> None:
    terminal = begin("--level", "1")
    terminal.expect("Black>")
    seconds, is_found = 1, False
    while not is_found:  # until the engine has searched a move
        terminal.sendline("hint 1000")
        terminal.expect("thinking for at most 1000 s; Ctrl-C gives the best move so far")
        terminal.expect(pexpect.TIMEOUT, timeout=seconds)
        terminal.sendintr()
        is_found = terminal.expect([r"hint: [a-h]\d \(\d \d\), score", "hint: ended early"]) == 0
        seconds *= 4
    terminal.expect("Black>")


def test_a_terminal_that_is_closed_leaves_the_game_saved(begin: Begin, tmp_path: Path) -> None:
    terminal = begin("--level", "1", "--color", "white")
    terminal.expect("White>")
    terminal.expect(re.escape("\x1b[?25h"))
    terminal.kill(signal.SIGHUP)
    said, status = left(terminal)
    assert "to continue it" in said
    assert status == 130
    assert len(list((tmp_path / "data" / "quietmove" / "games").iterdir())) == 1


def test_a_process_that_is_killed_loses_no_move(begin: Begin, tmp_path: Path) -> None:
    terminal = begin("--level", "1")
    terminal.sendline("f5")
    terminal.expect(r"White plays (\S+) ")
    answer = terminal.match[1]
    terminal.expect("Black>")
    terminal.kill(signal.SIGKILL)
    terminal.wait()
    [file] = (tmp_path / "data" / "quietmove" / "games").iterdir()
    assert [each["move"] for each in json.loads(file.read_text())["moves"]] == ["f5", answer]
    again = begin()
    again.sendline("load 1")
    again.expect(r"Black \(you\) against White \(Quietmove, level 1, beginner\)")
    again.expect("X 3, O 3 discs")


def test_color_where_the_terminal_has_it(begin: Begin) -> None:
    terminal = begin("--level", "0", NO_COLOR="")
    terminal.expect("\x1b\\[42;97m●")
    plain = begin("--level", "0", NO_COLOR="", TERM="dumb")
    plain.expect("Black>")
    assert "\x1b" not in plain.before
    assert " X O" in plain.before or " O X" in plain.before
    plain.sendline("f5")
    plain.expect(r"White plays")


def say(folder: Path, *arguments: str, lines: str, status: int = 0) -> str:
    """Run the command with pipes and return what it wrote."""
    done = run_module(folder, "quietmove", "play", *arguments, said=lines, status=status, **variables(folder))
    return done.stdout + done.stderr


def test_the_example_of_the_guide(tmp_path: Path, documents: dict[str, str]) -> None:
    example = r"^\$ quietmove play (.*)\n((?:.*\n)*?)Black> f5\n((?:.*\n)*?)Black> hint\n"
    match = re.search(example, documents["referee/README.md"], re.MULTILINE)
    assert match is not None
    said = say(tmp_path, *match[1].split(), lines="f5\n")
    assert re.sub(r"[\d.]+ m?s\n", "", said).startswith(re.sub(r"[\d.]+ m?s\n", "", match[2] + match[3]))


def test_two_people_and_a_pipe(tmp_path: Path) -> None:
    said = say(tmp_path, "--two", "--game", "tictactoe", lines="a1\nb2\na2\nundo\na2\nc3\na3\nanalyze\nswitch\n")
    assert "game over\nthe game is over: X wins\n" in said
    assert "this game: X - O, 5 moves" in said
    assert "switch: two people play" in said
    assert "> " not in said
    [file] = (tmp_path / "data" / "quietmove" / "games").iterdir()
    assert f"the game is saved: {file}\n" in said
    assert json.loads(file.read_text())["reason"] == "finished"


def test_another_engine_that_crashes(tmp_path: Path) -> None:
    crash = shlex.join([sys.executable, "-S", str(FAKE_ENGINE), "crash"])
    said = say(tmp_path, "--engine", crash, "--nodes", "5", lines="f5\n", status=1)
    assert "ended with status 3" in said
    command = re.search(r"quietmove play (--load .*)", said)
    assert command is not None
    assert shlex.split(command[1])[2:] == ["--engine", crash, "--nodes", "5"]
    files = [file.read_text() for file in (tmp_path / "data" / "quietmove" / "games").iterdir()]
    assert not [text for text in files if str(FAKE_ENGINE) in text]
