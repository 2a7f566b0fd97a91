"""What CI runs is what the README tells a newcomer to run, and it skips nothing for want of a package."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = "python3 -m venv .venv && PIP_COMPILE=0 .venv/bin/pip install -e '.[test]' && scripts/check"


def test_the_readme_has_the_command_that_ci_runs() -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8").splitlines().count(COMMAND) == 1


def test_a_test_can_interrupt() -> None:
    """An ignored signal is ignored by all processes that are started."""
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def test_tests_can_interrupt_that_a_script_runs_in_the_background() -> None:
    """A shell lets its background commands ignore Ctrl-C."""
    test = f"{__file__}::test_a_test_can_interrupt"
    command = f"trap '' INT; exec {sys.executable} -m pytest -q -p no:cacheprovider {test}"
    environment = {**os.environ, "PYTEST_ADDOPTS": ""}
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
