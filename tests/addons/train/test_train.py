"""``quietmove train`` as a real process: killed and taken up again, its progress, its reports and its errors."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pexpect
import pytest

from quietmove.addons.shared.work_file import WorkFile
from quietmove.addons.train.positions import read_positions
from quietmove.commands import run_command
from quietmove.engine.common.origin import install_command
from quietmove.engine.errors import TrainingError
from tests.fakes.processes import WAIT, run_module

COMMAND = [sys.executable, "-m", "quietmove", "train"]
PLAY = ["--games", "1280", "--depth", "1", "--exact", "6", "--evaluation", "classic", "--random-plies", "30", "50"]


def train(*arguments: str, cwd: Path, status: int = 0) -> str:
    """Run a command that writes to one of the two streams; return what it wrote."""
    done = run_module(cwd, "quietmove", "train", *arguments, status=status)
    assert not (done.stdout and done.stderr)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the positions of many games."""
    folder = tmp_path_factory.mktemp("train")
    said = train("selfplay", "whole.pos", *PLAY, "--processes", "1", cwd=folder)
    assert re.fullmatch(r"whole\.pos: [0-9,]+ positions; \d+ seconds\n", said)
    return folder


@contextmanager
def at_a_terminal(*arguments: str, cwd: Path) -> Iterator[Any]:
    """Give self-play at a terminal, where it shows how far it has come; it has ended when the block is left."""
    spawn = pexpect.spawn(
        COMMAND[0], [*COMMAND[1:], "selfplay", *arguments], cwd=cwd, timeout=WAIT, dimensions=(24, 160)
    )
    try:
        yield spawn
    finally:
        spawn.kill(signal.SIGKILL)
        spawn.wait()
        spawn.close()


def kill_self_play(folder: Path, processes: str) -> str:
    """Kill self-play in the middle; return what a check of its file says."""
    with at_a_terminal("cut.pos", *PLAY, "--processes", processes, cwd=folder) as spawn:
        spawn.expect(r"[1-9]\d*/20")
        spawn.kill(signal.SIGKILL)
        spawn.expect(pexpect.EOF)  # the workers have exited too: no process has the terminal open
    return subprocess.run(
        [*COMMAND, "check", "cut.pos"], cwd=folder, capture_output=True, text=True, timeout=WAIT
    ).stderr


@pytest.mark.soak
@pytest.mark.parametrize("processes", ["1", "2"])
def test_self_play_that_was_killed_goes_on(played: Path, tmp_path: Path, processes: str) -> None:
    while not (said := kill_self_play(tmp_path, processes)):  # on a busy machine, a run may finish before it is killed
        (tmp_path / "cut.pos").unlink()
    assert "of 20 blocks; repeat the command that created it to continue" in said
    train("selfplay", "cut.pos", *PLAY, "--processes", "2", cwd=tmp_path)
    assert np.array_equal(read_positions(tmp_path / "cut.pos"), read_positions(played / "whole.pos"))


KILLED_PUZZLES = """
import os, signal, sys
from quietmove.commands import run_command
from quietmove.addons.train import puzzles
def blocks(*arguments, whole=puzzles.with_progress):
    for number, each in enumerate(whole(*arguments)):
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        yield each
puzzles.with_progress = blocks
run_command(["train", "puzzles", *sys.argv[1:]])
"""  # kill the run before it saves its second block


@pytest.mark.soak
def test_endgames_that_were_killed_go_on_to_the_same_bytes(tmp_path: Path) -> None:
    options = ["--games", "65", "--count", "40", "--processes"]  # enough games for two blocks
    said = train("puzzles", "whole.puzzles", *options, "2", cwd=tmp_path)
    assert said.startswith("whole.puzzles: 40 endgames, 816 bytes; ")
    killed = [sys.executable, "-c", KILLED_PUZZLES, "cut.puzzles", *options, "1"]
    assert subprocess.run(killed, cwd=tmp_path, capture_output=True, timeout=WAIT).returncode == -signal.SIGKILL
    assert not (tmp_path / "cut.puzzles").exists()
    with WorkFile(tmp_path / "cut.puzzles.work", "endgames", None, TrainingError) as work:
        assert len(work) == 1
    train("puzzles", "cut.puzzles", *options, "1", cwd=tmp_path)
    assert (tmp_path / "cut.puzzles").read_bytes() == (tmp_path / "whole.puzzles").read_bytes()
    said = train("puzzles", "whole.puzzles", *options, "1", "--seed", "2", cwd=tmp_path, status=2)
    assert "whole.puzzles.work: was made with seed 1, not 2" in said


def test_a_worker_that_is_killed_ends_the_run_with_one_error(tmp_path: Path) -> None:
    long = ["x.pos", "--games", "64000", *PLAY[2:], "--processes", "2"]
    with at_a_terminal(*long, cwd=tmp_path) as spawn:
        spawn.expect(r"[1-9]\d*/1000")
        children = Path(f"/proc/{spawn.pid}/task/{spawn.pid}/children").read_text().split()
        worker = next(each for each in children if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes())
        os.kill(int(worker), signal.SIGKILL)
        spawn.expect("a worker process ended early")
        spawn.expect(pexpect.EOF)
        spawn.wait()
        assert spawn.exitstatus == 1


@pytest.mark.soak
def test_from_games_to_weights(played: Path) -> None:
    """Label, fit and check without initial weights; the network evaluates better than a hand-made evaluation."""
    label = ["label", "labelled.pos", "whole.pos", "--evaluation", "classic", "--sample", "5000", "--depth", "1"]
    train(*label, cwd=played)
    said = train("fit", "new.weights", "labelled.pos", "--epochs", "4", "--plot", "loss.svg", cwd=played)
    assert said.splitlines()[0].split() == ["pass", "loss", "held", "out", "(discs)"]
    assert "held out" in (played / "loss.svg").read_text()
    assert "all checksums match" in train("check", "new.weights", cwd=played)
    rows = train("check", "labelled.pos", "--error", "--weights", "new.weights", cwd=played).splitlines()
    assert rows[0].startswith("labelled.pos: ")
    start = next(i for i, row in enumerate(rows) if "network" in row)
    errors = {row.split()[0]: [float(cell) for cell in row.split()[2:]] for row in rows[start + 1 :]}
    assert errors["13"][0] < 0.7 * errors["13"][1]
    assert errors["14"][0] < 0.7 * errors["14"][1]


KILLED = """
import os, signal, sys
from quietmove.commands import run_command
from quietmove.addons.train import fit_command
def passes(*arguments, whole=fit_command.passes):
    for number, each in enumerate(whole(*arguments)):
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        yield each
fit_command.passes = passes
run_command(["train", "fit", *sys.argv[1:]])
"""  # kill the fit after its second pass, before it saves


@pytest.mark.soak
def test_a_network_from_positions(played: Path) -> None:
    """A fit of a network that was killed after a pass goes on, and its weights play."""
    train("selfplay", "few.pos", "--games", "256", *PLAY[2:], cwd=played)
    options = ["--processes", "1", "--epochs", "3"]
    whole = train("fit", "whole.weights", "few.pos", *options, "--plot", "network.svg", cwd=played)
    assert [line.split()[0] for line in whole.splitlines()[:4]] == ["pass", "1", "2", "3"]
    assert re.fullmatch(r"rounded: 0\.[0-9]{3} discs from the unrounded weights", whole.splitlines()[-2])
    killed = [sys.executable, "-c", KILLED, "network.weights", "few.pos", *options]
    assert subprocess.run(killed, cwd=played, capture_output=True, timeout=WAIT).returncode == -signal.SIGKILL
    assert (played / "network.weights.unfinished").exists()
    said = train("fit", "network.weights", "few.pos", *options, cwd=played)
    assert said.splitlines()[1].split()[0] == "2"
    assert (played / "network.weights").read_bytes() == (played / "whole.weights").read_bytes()
    assert not (played / "network.weights.unfinished").exists()
    assert "weights of the network evaluation" in train("check", "network.weights", cwd=played)
    rows = train("check", "few.pos", "--error", "--weights", "network.weights", cwd=played).splitlines()
    assert any(row.split()[:4] == ["phase", "positions", "network", "classic"] for row in rows)
    effort = ["--sample", "20", "--depth", "2", "--exact", "8", "--processes"]
    for processes in "12":
        said = train("calibrate", f"by{processes}", "network.weights", "few.pos", *effort, processes, cwd=played)
        assert said.splitlines()[0].split() == ["empties", "positions", "moved", "(discs)"]
        assert said.splitlines()[9].split()[:2] == ["9", "20"]
    assert (played / "by1").read_bytes() == (played / "by2").read_bytes() != (played / "network.weights").read_bytes()
    assert "weights of the network evaluation" in train("check", "by1", cwd=played)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the positions of some games, and with other files."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "loss.svg").touch()
    os.mkfifo(folder / "pipe")
    assert run_command(["train", "selfplay", f"{folder}/few.pos", "--games", "64", *PLAY[2:], "--processes", "1"]) == 0
    return folder


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["selfplay", "x.pos", "--games", "9", "--random-plies", "9", "8"],
            "FIRST must be at most LAST, 8, not 9",
        ),
        (
            ["selfplay", "x.pos", "--games", "9", "--evaluation", "magic"],
            "must be network, classic, discs or default",
        ),
        (["selfplay", "x.pos", "--games", "9", "--weights", "no.weights"], "no.weights: No such file or directory"),
        (["selfplay", "few.pos", "--games", "9"], "few.pos: was made with games 64, not 9"),
        (
            ["label", "x.pos", "loss.svg"],
            "must be a positions file, or a file of games ending in .wtb, .ggf, .sgf, .pgn, .txt, .jsonl",
        ),
        (["fit", "few.pos", "few.pos", "--epochs", "1"], "OUTPUT: must not be an input file, but few.pos is one"),
        (
            ["fit", "loss.svg", "few.pos", "--epochs", "1"],
            "OUTPUT: must be a new file or a weights file, not loss.svg",
        ),
        (["fit", "x.svg", "few.pos", "--plot", "x.svg"], "--plot: x.svg is also OUTPUT"),
        (
            ["probcut", "few.pos", "--sample", "200", "--depth", "2", "--exact", "0", "--processes", "1"],
            "probcut: 5 parameters need pairs with various numbers of empties",
        ),
        (["puzzles", "few.pos", "--games", "64"], "few.pos is not an endgames file"),
        (["puzzles", "no/x.puzzles", "--games", "64"], "no/x.puzzles: the folder does not exist"),
        (["puzzles", "x.puzzles", "--games", "64", "--work", "few.pos"], "few.pos is not a file of endgames"),
        (["calibrate", "x", "few.pos", "few.pos"], "weights: few.pos is not a weights file"),
        (["check", "few.pos", "--weights", "x"], "--weights needs --error"),
        (["check", "few.pos", "--error", "--weights", "pipe"], "pipe: must be a regular file"),
        (["check", "pipe"], "pipe: must be a regular file"),
    ],
)
def test_a_mistake_gets_one_clear_error(
    files: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files)
    assert run_command(["train", *arguments]) == 2
    said, error = capsys.readouterr()
    assert said == ""
    assert message in error
    assert not (files / "x.pos").exists()


def test_without_numpy_the_answer_is_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run_command(["train", "check", "x.pos"]) == 2
    assert f"train needs numpy: {install_command('train')}" in capsys.readouterr().err
