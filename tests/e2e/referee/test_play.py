"""``quietmove play`` as a process at a terminal: line editing, signals, and games that go on in another process."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

COMMAND = [sys.executable, "-m", "quietmove", "play"]
WAIT = 60  # timeout for an event, in seconds
ESCAPE = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]")
Begin = Callable[..., Any]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Return a function that begins a game at a terminal of 80x24; all processes are gone when the test ends."""
    spawned = []
    variables = {"TERM": "xterm", "NO_COLOR": "1", "XDG_DATA_HOME": str(tmp_path / "data")}

    def spawn(*arguments: str) -> Any:
        spawned.append(
            pexpect.spawn(
                COMMAND[0],
                [*COMMAND[1:], *arguments],
                timeout=WAIT,
                encoding="utf-8",
                echo=False,
                dimensions=(24, 80),
                env={**os.environ, **variables},
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
    """Return the output before the last match, without control sequences."""
    return ESCAPE.sub("", terminal.before).replace("\r", "")


def left(terminal: Any) -> tuple[str, int]:
    """Wait for the end of the process; return its last output and its exit status."""
    terminal.expect(pexpect.EOF)
    terminal.wait()
    terminal.close()
    return shown(terminal), terminal.exitstatus


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
        ("hint 100ms", r"hint: \S+ \(\d \d\), score [+-]\d+\.\d\d discs, depth \d+, \d+ ms"),
        ("eval", "in discs, for Black, who is to move"),
        ("help", "undo +go back to your last turn"),
        ("mov\t", r"4 legal: .*f5 \(6 4\)"),  # Tab completes a command
        ("\x1b[A", "4 legal: "),  # the up arrow recalls the last line
        ("6 4", r"White plays (\S+) \(\d \d\), score .*, depth \d+, [\d.]+ ms"),
        ("undo", "2 moves undone"),
        ("redo", "2 moves redone"),
        ("switch", "Black \\(Quietmove, level 1, beginner\\) against White \\(you\\)"),
        ("board", r"\([XO]\)"),
    ):
        terminal.send(f"{line}\r")
        terminal.expect(answer)
        terminal.expect("(Black|White)>")
    assert "O (White) to move" in shown(terminal)


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


def test_an_interrupt_while_the_engine_thinks(begin: Begin, tmp_path: Path) -> None:
    terminal = begin("--game", "othello 6x6", "--time", "1000")  # the book has no moves for this board
    terminal.expect("Black>")
    terminal.sendline("e4")
    terminal.expect("White thinks for at most 1000 s")
    terminal.sendintr()
    said, status = left(terminal)
    assert "quietmove play --load " in said
    assert status == 130
    [file] = (tmp_path / "data" / "quietmove" / "games").iterdir()
    assert [each["by"] for each in json.loads(file.read_text())["moves"]] == ["black"]


def test_an_interrupt_of_a_hint_gives_the_best_move_so_far(begin: Begin) -> None:
    terminal = begin("--level", "1")
    terminal.expect("Black>")
    seconds, is_found = 0.3, False
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
