"""The command loop as a process: what a client may rely on, one test for each promise."""

import re
import signal
import subprocess
import sys
from typing import Any

import pytest

from tests.fakes.addons import needs_dialects
from tests.fakes.processes import WAIT

BESTMOVE = r"bestmove (.+?)(?: ponder (.+))?"


def test_a_wrong_guess_leaves_what_was_learnt_in_the_table(engine: Any) -> None:
    guess = "position startpos moves d3 c3"
    engine.send(guess, "go ponder btime 9000 wtime 9000")
    engine.expect("info depth 16 .*")
    engine.answers("stop", BESTMOVE)
    engine.send("position startpos moves d3 e3")
    engine.answers("go btime 900 wtime 900", BESTMOVE)
    engine.say_nothing()
    nodes = []
    for command in (guess, "ucinewgame"):
        engine.send(command, guess, "go depth 14")
        nodes.append(int(engine.expect(r"info depth 14 .* nodes (\d+) .*")[1]))
        engine.expect(BESTMOVE)
    assert 4 * nodes[0] < 3 * nodes[1]


def test_the_end_of_input_ends_a_search(engine: Any) -> None:
    engine.send("go infinite")
    engine.expect("info depth 3 .*")
    lines, status = engine.end()
    assert re.fullmatch(BESTMOVE, lines[-1])
    assert status == 0


def answer_of(*lines: str, protocol: str = "uci") -> list[str]:
    """Return what an engine writes whose input has these lines and ends."""
    command = [sys.executable, "-m", "quietmove", "--protocol", protocol]
    run = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, timeout=WAIT, check=True)
    return run.stdout.splitlines()


LIMITED = {
    "go depth 12": "info depth 12 ",
    "go nodes 200000": "info depth 9 ",
    "go movetime 200000 depth 11": "info depth 11 ",
    "go ponder": "bestmove 4 6",
    "go solve": "info depth 14 ",
    "go perft 7": "Nodes searched: 55092",
}


@pytest.mark.parametrize(("go", "said"), LIMITED.items())
def test_a_search_with_a_limit_finishes_after_the_end_of_input(go: str, said: str) -> None:
    squares = "-O-OO-X-OXOOOXXXOOXOXO---OOOOXO-OXOXXXO-OOXOOXO-OX-XOOO-XXXX-OO-"
    lines = [f"position fen {squares} X", go] if "solve" in go else [go]
    assert any(line.startswith(said) for line in answer_of(*lines))


def test_other_protocols_finish_their_searches_after_the_end_of_input() -> None:
    assert "response none" in answer_of("ugi", "query result", protocol="ugi")
    assert any(line.startswith("info depth 11 ") for line in answer_of("go depth 11", protocol="ugi"))


@needs_dialects
def test_gtp_finishes_its_searches_after_the_end_of_input() -> None:
    assert [line[:1] for line in answer_of("genmove b", "genmove w", "quit", protocol="gtp")] == [*("=", "") * 3]


def test_quit_stops_a_search_with_a_limit(engine: Any) -> None:
    engine.send("go depth 60")
    engine.expect("info depth 3 .*")
    engine.send("quit")
    lines, status = engine.rest()
    assert re.fullmatch(BESTMOVE, lines[-1])
    assert status == 0


def test_a_search_with_a_limit_ends_when_nobody_reads_its_answer() -> None:
    with subprocess.Popen([sys.executable, "-m", "quietmove"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        engine.stdin.write(b"go depth 60\n")
        engine.stdin.close()
        engine.stdout.readline()
        engine.stdout.close()
        assert engine.wait(WAIT) == 0


# A child process that takes longer to load the network than a process may take to exit, even if it is stopped at once.
SLOW_LOADING = """
import sys, time
from quietmove.cli import main
from quietmove.engine import session
from quietmove.engine.games.othello.evaluators import network_weights
read = network_weights.read_network
def read_slowly(path):
    time.sleep(0.3)
    return read(path)
network_weights.read_network = read_slowly
session.STOP_PATIENCE = 60.0
sys.exit(main())
"""


@pytest.mark.parametrize("last", ["", "quit\n"])
def test_a_search_that_is_still_loading_the_network_gives_its_move(last: str) -> None:
    command = [sys.executable, "-c", SLOW_LOADING]
    run = subprocess.run(command, input=f"go infinite\n{last}", capture_output=True, text=True, timeout=WAIT)
    assert re.fullmatch(BESTMOVE, run.stdout.splitlines()[-1])
    assert run.returncode == 0


@pytest.mark.parametrize("go", ["go ponder btime 9000 wtime 9000", "go perft 40"])
def test_quit_ends_everything(engine: Any, go: str) -> None:
    engine.send(go, "isready")
    engine.expect("readyok")
    engine.send("quit")
    assert engine.rest()[1] == 0


def test_a_client_that_stopped_reading_does_not_keep_the_process() -> None:
    process = subprocess.Popen([sys.executable, "-m", "quietmove"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"go infinite\n" + b"uci\n" * 40)  # more input than fits in a pipe
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.close()
    process.stdin.close()
    assert process.wait(WAIT) == 0


@needs_dialects
def test_gtp_is_interrupted_by_a_comment(start: Any) -> None:
    engine = start("--protocol", "gtp", "--depth", "60")
    engine.send("7 genmove b", "8 name")
    engine.answers("# interrupt", "=7 [a-h][1-8]")
    engine.expect("=8 Quietmove")


def test_an_interrupt_is_no_traceback(engine: Any) -> None:
    engine.answers("isready", "readyok")
    engine.interrupt(signal.SIGINT)
    assert engine.rest() == ([], 130)


def test_a_closed_input_has_ended() -> None:
    command = f"exec {sys.executable} -m quietmove <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_closed_output_is_one_error() -> None:
    command = f"exec {sys.executable} -m quietmove >&-"
    run = subprocess.run(["sh", "-c", command], input="quit\n", stderr=subprocess.PIPE, text=True, timeout=WAIT)
    assert (run.returncode, run.stderr) == (1, "error: standard output: Bad file descriptor\n")
