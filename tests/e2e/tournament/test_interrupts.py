"""Ctrl-C at any moment, and outputs that cannot show everything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quietmove.tournament.cli import run_command_line
from quietmove.tournament.store.store import Store

CONFIG = """
name = "quick"
rounds = ROUNDS
[defaults]
protocol = "in-process"
limit = "nodes=10"
[[engine]]
name = "a"
[[engine]]
name = "b\u00e9"
"""
COMMAND = [sys.executable, "-m", "quietmove.tournament"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.toml").write_text(CONFIG.replace("ROUNDS", "10000"), encoding="utf-8")
    return tmp_path


def test_ctrl_c_once_finishes_the_games_that_run(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "c.toml", "--concurrency", "1"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    lines = [process.stderr.readline()]
    while lines[-1] and not lines[-1].startswith("game "):
        lines.append(process.stderr.readline())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    *others, last = "".join([*lines, err]).splitlines()
    assert (process.returncode, out) == (130, "")
    played = sum(line.startswith("game ") for line in others)
    # the note is missing if no game was running at that moment
    assert sum(line.startswith("note: no new games are started") for line in others) <= 1
    assert last == f"Stopped after {played} of 20000 games. To continue: quietmove-tournament resume quick.sqlite"
    with Store.open_to_read(folder / "quick.sqlite") as store:
        assert played == len(store.results())


def test_an_interrupt_at_any_moment_of_the_start_is_quiet() -> None:
    """The signal comes when a module is imported, which is when most of the start passes."""
    script = """
import os, signal, sys
place = sys.argv[1]
class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == place:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupter())
from quietmove.tournament.__main__ import main
sys.argv[1:] = ["run", "c.toml"]
main()
"""
    for module in ("click", "quietmove.tournament.playing.commands"):
        done = subprocess.run([sys.executable, "-c", script, module], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", ""), module


def test_a_poor_output_is_no_error_and_none_is_one(folder: Path) -> None:
    (folder / "c.toml").write_text(CONFIG.replace("ROUNDS", "1"), encoding="utf-8")
    assert run_command_line(["run", "c.toml"]) == 0
    store = folder / "quick.sqlite"
    poor = {**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, "standings", str(store)], capture_output=True, env=poor, timeout=120)
    assert done.returncode == 0
    assert b"b\\xe9" in done.stdout
    shell = f"{sys.executable} -m quietmove.tournament standings {store}"
    closed, full = b" is closed", b": No space left on device"
    for tail, error in ((">&-", closed), ("<&- >&-", closed), (">/dev/full", full)):
        done = subprocess.run(["sh", "-c", f"{shell} {tail}"], capture_output=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"error: standard output%s\n" % error)
    done = subprocess.run(["sh", "-c", f"{shell} <&- 2>&-"], capture_output=True, timeout=120)
    assert (done.returncode, done.stdout[:5]) == (0, b"quick")


@pytest.mark.parametrize("program", ["quietmove", "quietmove.referee", "quietmove.tournament"])
def test_a_full_disk_is_one_error(program: str) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", program, "--help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (1, "error: standard output: No space left on device\n")
