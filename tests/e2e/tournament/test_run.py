"""Whole tournaments from the command line: concurrency, kills, signals, and engines that fail."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import psutil
import pytest

from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.config.config import load_config
from quietmove.tournament.playing.backends import Threads
from tests.fakes.processes import wait_until

COMMAND = [sys.executable, "-m", "quietmove.tournament"]
PATIENCE = 120.0  # seconds; only a failing test waits this long

OURS = """
name = "ours"
rounds = 1
[defaults]
protocol = "in-process"
limit = "nodes=60"
options = { Hash = 1 }
[[engine]]
name = "full"
[[engine]]
name = "none"
options = { Ordering = "none" }
[[engine]]
name = "quiet"
options = { Quiescence = true }
"""
GAMES = 6


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of our tournament, played to its end one game at a time."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "ours.toml").write_text(OURS)
    store = folder / "ours.sqlite"
    assert run_command_line(["run", str(folder / "ours.toml"), "--store", str(store), "--concurrency", "1"]) == 0
    return store


@pytest.fixture(autouse=True)
def configured(folder: Path) -> Iterator[None]:
    """Write ``ours.toml``; at the end no process of the test is left."""
    (folder / "ours.toml").write_text(OURS)
    yield
    wait_until(
        lambda: [each.pid for each in psutil.process_iter(["cwd"]) if each.info["cwd"] == str(folder)] == [os.getpid()]
    )


def games(store: Path) -> list[dict[str, Any]]:
    """Return all that is the same in every run of one tournament: everything but the times."""
    with contextlib.closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        records = [json.loads(record) for (record,) in connection.execute("SELECT record FROM record ORDER BY number")]
    for record in records:
        assert not record["black_stderr"] + record["white_stderr"]
        for move in record["moves"]:
            del move["elapsed_ms"]
    return records


def test_with_affinity_no_two_games_share_a_processor(folder: Path) -> None:
    processors = os.sched_getaffinity(0)
    size = min(2, len(processors))
    fake = Path(__file__).parents[2] / "fakes" / "fake_engine.py"
    engines = tuple(EngineConfig(name, (sys.executable, "-S", str(fake), "tell-surroundings")) for name in "ab")
    spec = GameSpec("othello", (), *engines)
    with Threads(size, pinned=True).pool(load_config(folder / "ours.toml"), print) as pool:
        records, again = ([game.result() for game in [pool.begin(spec, (), ()) for _ in range(size)]] for _ in range(2))
    assert len(again) == size, "the processors of finished games are free again"
    used = [
        {text.partition("[")[2].strip("]\n") for text in (each.black_stderr, each.white_stderr)} for each in records
    ]
    assert [len(each) for each in used] == [1] * size
    numbers = [number for (text,) in used for number in text.split(", ")]
    assert len(numbers) == len(set(numbers)) == len(processors) // size * size


def test_the_same_seed_gives_the_same_games_for_any_concurrency(
    folder: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "run ours.toml --store four.sqlite --concurrency 4 --force-concurrency"
    assert run_command_line(words.split()) == 0
    done = capsys.readouterr()
    one, four = map(games, (whole, folder / "four.sqlite"))
    assert len(one) == GAMES
    assert one == four
    assert all(game["reason"] == "finished" for game in one)
    assert sum(line.startswith("game ") for line in done.err.splitlines()) == GAMES
    assert f"ours: {GAMES} of {GAMES} games" in done.out
    assert run_command_line(["standings", "four.sqlite"]) == 0
    assert capsys.readouterr().out == done.out
    assert run_command_line(["standings", "four.sqlite", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert sum(row["points"] for row in table["standings"]) == GAMES
    assert sum(row["margin"] for row in table["standings"]) == 0


def test_ctrl_c_ends_it_cleanly_and_says_how_to_go_on(folder: Path) -> None:
    many = GAMES * 1000
    (folder / "ours.toml").write_text(OURS.replace("rounds = 1", "rounds = 1000"))
    terminal = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], "run", "ours.toml", "--concurrency", "1"],
        cwd=str(folder),
        env={**os.environ, "TERM": "xterm"},
        dimensions=(40, 80),
        encoding="utf-8",
        timeout=PATIENCE,
    )
    terminal.expect(rf"ours: [1-9]\d* of {many} games")
    terminal.expect(r"game(s/s|), \d+:\d\d elapsed, about \d+:\d\d left")
    terminal.expect("Engine.*Games.*Points")
    terminal.sendintr()
    terminal.expect(rf"Stopped after (\d+) of {many} games. To continue: quietmove-tournament resume ours.sqlite")
    stopped = int(terminal.match[1])
    terminal.expect(pexpect.EOF)
    terminal.wait()
    terminal.close()
    assert terminal.exitstatus == 130
    assert sorted(path.name for path in folder.iterdir()) == ["ours.sqlite", "ours.toml"]
    assert len(games(folder / "ours.sqlite")) == stopped > 0


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_breaks_off_the_games_that_run(
    folder: Path, fakes: Any, end: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    write_fakes(folder, fakes, "sane", "silence")
    process = start(folder, "run", "fakes.toml", "--concurrency", "2", "--force-concurrency")
    wait_until(lambda: len(fakes.pids) >= 4)
    assert run_command_line(["resume", "fakes.sqlite"]) == 2
    assert "another process" in capsys.readouterr().err
    assert run_command_line(["standings", "fakes.sqlite"]) == 0
    assert "fakes: 0 of 4 games" in capsys.readouterr().out
    process.send_signal(end)
    if end == signal.SIGINT:  # the running games continue until a second signal
        assert process.stderr is not None
        assert process.stderr.readline().startswith("note: no new games are started")
        process.send_signal(end)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert errors == "Stopped after 0 of 4 games. To continue: quietmove-tournament resume fakes.sqlite\n"
    assert not fakes.living()


def write_fakes(folder: Path, fakes: Any, *behaviours: str) -> None:
    """Write ``fakes.toml``: an engine for each behaviour."""
    engines = "".join(
        f'[[engine]]\nname = "{each}"\ncommand = {json.dumps(fakes.command(each, "--seed", "{seed}"))}\n'
        for each in behaviours
    )
    defaults = 'limit = "depth=1"\nstart_timeout_ms = 100000\nstall_timeout_ms = 1000000\n'
    (folder / "fakes.toml").write_text(f'name = "fakes"\nrounds = 2\n[defaults]\n{defaults}{engines}')


def test_a_broken_engine_loses_its_games_and_the_tournament_goes_on(
    folder: Path, fakes: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    write_fakes(folder, fakes, "sane", "crash", "garbage")
    assert run_command_line(["run", "fakes.toml", "--concurrency", "3", "--set", "rounds=1"]) == 0
    assert "(-64)  crash: crash (black) ended with status 3" in capsys.readouterr().err
    assert run_command_line(["standings", "fakes.sqlite", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    best, *others = table["standings"]
    assert (best["name"], best["points"], best["forfeits"]) == ("sane", 4.0, 0)
    assert {row["name"] for row in others} == {"crash", "garbage"}
    assert sum(row["forfeits"] for row in others) == table["games"] == 6


def test_output_that_nobody_reads_to_its_end_is_no_error(whole: Path) -> None:
    shell = f"{COMMAND[0]} -m quietmove.tournament games ours.sqlite --json | head -c 10"
    done = subprocess.run(["bash", "-c", shell], cwd=whole.parent, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ('{"result":', "")
