"""Matches between real processes, from the command line and from Python."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import PROGRAMS
from quietmove.referee import cli
from quietmove.referee.config.validation import adapter
from quietmove.referee.errors import GameInterruptedError
from quietmove.referee.game.host import GameHost, play_game
from quietmove.referee.game.record import GameRecord
from tests.fakes.processes import wait_until

CRASH = "ended with status 3; its standard error ends with: fake: crashed on purpose"
ROOT = Path(__file__).parents[3]
MATCH = [sys.executable, "-m", "quietmove.referee", "match"]
TWO = ["match", "--engine", "cmd=true", "--engine", "cmd=false"]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs the command line in this process: exit status, standard output and error."""

    def run_command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["quietmove-referee", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        output = capsys.readouterr()
        return int(ended.value.code or 0), output.out, output.err

    return run_command


def test_a_fault_costs_that_game_alone(fakes: Any, run: Any, tmp_path: Path) -> None:
    bad = fakes.words("bad", "crash", "--once", str(tmp_path / "once"))
    words = [*bad, *fakes.words("good", "sane"), "--each", "depth=1"]
    status, out, err = run("match", *words, "--games", "3", "--max-plies", "6")
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == f"game 1/3  bad - good  0-1 (-64)  crash: bad (black) {CRASH}"
    assert ["adjudicated: " in line for line in lines[1:3]] == [True] * 2
    assert "  bad lost 1 by crash" in lines
    assert "without --openings" in err


def test_an_engine_that_does_not_start_ends_the_match_with_its_last_words(fakes: Any, run: Any) -> None:
    words = [*fakes.words("good", "sane"), *fakes.words("bad", "crash-at-start"), "option.Known=x"]
    status, out, err = run("match", *words, "--games", "4")
    said = "bad (white) ended with status 3 before uciok; its standard error ends with: fake: crashed on purpose"
    assert (status, out) == (1, "")
    assert err.splitlines()[1:] == [
        f"note: restarting a game: {said}",
        f"error: engine: failed to start twice: {said}",
    ]


def test_json_document_and_lines_on_standard_error(fakes: Any, run: Any, tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("f5d6\n")
    words = [*fakes.words("alpha", "sane"), *fakes.words("beta", "illegal")]
    status, out, err = run("match", *words, "--openings", str(openings), "--json")
    found = json.loads(out)
    assert (status, err.count("game "), found["complete"]) == (0, 2, True)
    assert found["engines"] == ["alpha", "beta"]
    assert found["score"]["pairs"] == [0, 0, 0, 0, 1]
    records = [adapter(GameRecord).validate_json(json.dumps(game), strict=True) for game in found["games"]]
    assert [record.spec.black.name for record in records] == ["alpha", "beta"]
    assert [record.reason for record in records] == ["illegal", "illegal"]
    assert [move.move for move in records[0].moves[:2]] == ["f5", "d6"]


JSON_PLAYER = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"move": json.loads(line)["legal_moves"][0]}), flush=True)
"""
TAKE_THAT_FAILS = """
from pathlib import Path

class Take:
    def start(self):
        return 10, 0

    def moves(self, state):
        return [n for n in (3, 2, 1) if n <= state[0]]

    def play(self, state, move):
        if Path(DIRECTORY, "game-0002.txt").exists():
            raise ZeroDivisionError("on purpose")
        return state[0] - move, 1 - state[1]

    def result(self, state):
        return 1 if state[1] else -1

    def side(self, state):
        return state[1]
"""


def test_a_game_that_raises_ends_the_match_with_the_score_so_far(run: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (tmp_path / "take.py").write_text(TAKE_THAT_FAILS.replace("DIRECTORY", repr(str(kept))))
    (tmp_path / "player.py").write_text(JSON_PLAYER)
    engines = [f"cmd={sys.executable} -S {tmp_path / 'player.py'}", "protocol=json", "depth=1"]
    engines += ["--engine", "name=a", "--engine", "name=b"]
    arguments = ["--each", *engines, "--game", f"{tmp_path / 'take.py'}:Take", "--games", "4", "--transcripts"]
    status, out, err = run("match", *arguments, str(kept))
    assert (status, out.count("finished: ")) == (2, 2)
    assert re.search(r"^a against b: 1 of 2 points$", out, re.MULTILINE)
    assert err.splitlines()[-1].startswith("error: the game's play(): ZeroDivisionError: on purpose")
    assert "Traceback" not in err


def test_transcripts_with_the_dialogue(fakes: Any, run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "dir"
    words = [*fakes.words("alpha", "sane"), *fakes.words("beta", "sane"), "--each", "nodes=9", "--max-plies", "6"]
    words += ["--transcripts", str(folder)]
    assert run("match", *words, "--dialogue")[0] == 0
    transcript = (folder / "game-0002.txt").read_text()
    assert "Black    beta  nodes=9" in transcript
    assert re.search(r"black > go nodes 9\n(.* black < info .*\n)+.* black < bestmove \d \d\n", transcript)
    assert re.search(r"white > position startpos moves \d \d\n", transcript)
    assert " 1.50         7      1234\n" in transcript
    status, out, err = run("match", *words)
    assert (status, out) == (2, "")
    assert err.startswith("error: transcripts: must be a new or empty directory"), "another match's stay as they are"
    assert (folder / "game-0002.txt").read_text() == transcript


def test_project_player_with_other_coordinates_plays_a_whole_game(fakes: Any) -> None:
    project = fakes.config("sane", "--seed", "1", protocol="project", coordinates="zero")
    record = play_game(fakes.game(fakes.config("sane", "--seed", "2"), project, keep_dialogue=True))
    assert record.reason == "finished"
    sent = [line.partition("white > ")[2] for line in record.dialogue if "white > " in line]
    assert sent[0] == "game W 6 0 0"
    theirs = [move.move for move in record.moves if move.by == "black"]
    grid = get_game("othello").grid
    assert sent[1:] == [PROGRAMS["zero"].write(grid, move) for move in theirs[: len(sent) - 1]]


def test_dialogue_is_bounded(fakes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quietmove.referee.game.record.MAX_DIALOGUE_LINES", 3)
    record = play_game(fakes.game(fakes.config("resign"), fakes.config("sane"), keep_dialogue=True))
    assert len(record.dialogue) == 4
    assert record.dialogue[3] == "[... further lines were dropped]"


def test_closing_the_host_breaks_a_game_off(fakes: Any) -> None:
    spec = fakes.game(fakes.config("silence", stall_timeout_ms=600_000), fakes.config("sane"))
    with ThreadPoolExecutor(1) as pool:
        with GameHost() as host:
            played = pool.submit(host.play, spec)
            wait_until(lambda: len(fakes.living()) == 2)
        with pytest.raises(GameInterruptedError):
            played.result(60)
    assert fakes.living() == set()
    with pytest.raises(GameInterruptedError):
        host.play(spec)


def test_a_match_plays_at_most_one_game_per_processor(fakes: Any, run: Any) -> None:
    words = ["match", *fakes.words("sane", "sane"), *fakes.words("other", "sane"), "--max-plies", "2"]
    status, _, err = run(*words, "--concurrency", "200")
    assert (status, "at a time, not 200: one per processor" in err) == (0, True)
    assert run(*words, "--concurrency", "200", "--force-concurrency")[2] == ""


def test_interrupted_match_prints_what_was_played(fakes: Any, tmp_path: Path) -> None:
    words = [*fakes.words("hangs", "silence", "--once", str(tmp_path / "once")), "stall=600000"]
    options = ["--concurrency", "2", "--force-concurrency", "--max-plies", "6"]
    command = [*MATCH, *words, *fakes.words("sane", "sane"), *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("game ")
        assert fakes.living(), "the look for what is left behind sees the engine that hangs"
        process.terminate()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.startswith("hangs against sane: ")
    assert " of 1 point\n" in out
    assert err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match"], "match: must have exactly two engines, not 0"),
        (["match", "--engine", "cmd=true", "--engine", "cmd=true"], "match: names must differ"),
        (["match", "--engine", "cmd=/nowhere/x", "--engine", "cmd=true"], "engine x: there is no program '/nowhere/x'"),
        ([*TWO, "--game", "go"], "not 'go'"),
        ([*TWO, "--transcripts", "/dev/null/x"], "transcripts"),
        (["match", "--engine=cmd='x"], '--engine: must be KEY=VALUE arguments, quoted as for a shell, not "cmd=\'x"'),
    ],
)
def test_wrong_usage_is_one_message(run: Any, arguments: list[str], message: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_every_mistake_of_both_engines_is_reported_at_once(fakes: Any, run: Any, tmp_path: Path) -> None:
    status, out, err = run(
        "match",
        *fakes.words("alpha", "sane"),
        "marging=5",
        "option.Knwon=1",
        *fakes.words("beta", "refuse-options"),
        "stall=x",
        "option.Known=2",
        "option.Other=3",
        *["--each", "speed=1", "--each", "depth=1", "nodes=x", "--openings", str(tmp_path / "none.txt")],
    )
    assert (status, out) == (2, "")
    starts = [
        "engine: must be one of the keys ",  # "speed" is not a key
        "engine: limit: must be given once, not as depth=1 and nodes=x",
        "engine: must be one of the keys ",  # "marging" is not a key
        "engine beta: stall: ",
        "engine alpha: it has no option 'Knwon'; did you mean Known?",
        "engine beta: Known takes nothing",
        "engine beta: it has no option 'Other'",
        f"openings: {tmp_path / 'none.txt'}: No such file",
    ]
    for line, start in zip(err.splitlines(), starts, strict=True):
        assert line.startswith(f"error: {start}")


def test_our_own_engine_is_found_without_an_activated_environment(
    fakes: Any, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    words = ["--engine", "cmd=quietmove", "depth=1", "option.Hash=1", *fakes.words("other", "sane")]
    status, out, err = run("match", *words, "--max-plies", "4")
    assert (status, out.count("adjudicated: ")) == (0, 2), err


def test_output_that_nobody_reads(fakes: Any) -> None:
    command = [*MATCH, *fakes.words("a", "resign"), *fakes.words("b", "sane")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
    assert process.returncode != 0
