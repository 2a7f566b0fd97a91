"""Ctrl-C at any moment of the start, and outputs that cannot show everything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quietmove.tournament.store.store import Store
from tests.fakes.tournament_store import a_tournament


def test_an_interrupt_at_any_moment_of_the_start_is_quiet() -> None:
    """The signal comes when a module is imported, which is when most of the start passes."""
    script = """
import os, signal, sys
place = sys.argv[1]
class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == place:
            os.kill(os.getpid(), signal.SIGINT)
import quietmove  # its own finder looks first
sys.meta_path.insert(0, Interrupter())
from quietmove.tournament.__main__ import main
sys.argv[1:] = ["run", "c.toml"]
main()
"""
    for module in ("click", "quietmove.tournament.playing.commands"):
        done = subprocess.run([sys.executable, "-c", script, module], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", ""), module


def test_a_poor_output_is_no_error_and_none_is_one(tmp_path: Path) -> None:
    Store.create(tmp_path / "t.sqlite", a_tournament("t", ("a", "b\u00e9"))).close()
    shell = f"exec {sys.executable} -m quietmove.tournament standings {tmp_path / 't.sqlite'}"
    poor = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        ["sh", "-c", f"{shell} <&- 2>&-"], capture_output=True, env={**os.environ, **poor}, timeout=120
    )
    assert done.returncode == 0
    assert b"b\\xe9" in done.stdout
    done = subprocess.run(["sh", "-c", f"{shell} <&- >&-"], capture_output=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"error: standard output is closed\n")


@pytest.mark.parametrize("program", ["quietmove", "quietmove.referee", "quietmove.tournament"])
def test_a_full_disk_is_one_error(program: str) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", program, "--help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (1, "error: standard output: No space left on device\n")
