"""The Othello-project player as a process: the three phases, both coordinates, and an opponent who breaks the rules."""

import subprocess
import sys
import time
from typing import Any

import pytest

from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import PROGRAMS
from tests.fakes.processes import WAIT

GAME = get_game("othello")


def play_out(engine: Any, coordinates: str, own_side: int) -> int:
    """Play against ``engine`` to the end of a game, taking the first legal move each time; return the plies."""
    kind = PROGRAMS[coordinates]
    position = GAME.initial()
    plies = 0
    while not position.is_over():
        plies += 1
        if position.side_to_move == own_side:
            move = min(position.legal_moves())
            engine.send(kind.write(GAME.grid, GAME.format_move(move)))
        else:
            text = engine.expect(r"(\d \d|pass)")[1]
            assert engine.skipped == []
            move = GAME.parse_move(position, kind.read(GAME.grid, text) or text)
        position.play(move)
    return plies


def test_a_whole_game(start: Any) -> None:
    engine = start("--project", "--coordinates", "zero")
    engine.send("game W 2 0 0")
    assert play_out(engine, "zero", own_side=0) > 8
    engine.send("pass", "whatever")  # the game is over: lines are neither illegal nor answered
    assert engine.end() == ([], 0)


def test_time_limits_of_line_one(start: Any) -> None:
    engine = start("--project", "--milliseconds")
    engine.send("game B 9 20 800")
    assert play_out(engine, "slide", own_side=1) > 8


@pytest.mark.parametrize("seconds", [0, 0.3])
def test_a_search_ends_at_the_end_of_input_when_nobody_reads_its_answer(seconds: float) -> None:
    """Who ends closes one pipe after the other; the engine may find the end of its input before the other end."""
    command = [sys.executable, "-m", "quietmove", "--project"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin
        assert engine.stdout
        engine.stdin.write(b"game B 0 3600 0\n")
        engine.stdin.close()
        time.sleep(seconds)
        engine.stdout.close()
        assert engine.wait(WAIT) == 0
