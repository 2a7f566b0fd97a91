"""The engines of the guide pass the examination as real processes, and play."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.processes import WAIT

EXAMPLES = Path(__file__).parents[3] / "scripts" / "site" / "examples"
ENGINES = {  # file, required program, build command, engine command
    "C": ("first_engine.c", "cc", "cc -O2 -Wall -Wextra -Werror -o engine first_engine.c", "./engine"),
    "Node.js": ("first_engine.js", "node", "", "node first_engine.js"),
    "Java": ("FirstEngine.java", "javac", "javac FirstEngine.java", "java FirstEngine"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "language", [name if name == "C" else pytest.param(name, marks=pytest.mark.soak) for name in ENGINES]
)
def test_a_first_engine_passes_the_examination(language: str, tmp_path: Path) -> None:
    file, program, build, command = ENGINES[language]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    shutil.copy(EXAMPLES / file, tmp_path)
    if build:
        subprocess.run(build.split(), cwd=tmp_path, check=True, timeout=WAIT)
    check = [sys.executable, "-P", "-m", "quietmove.referee", "check", "--quick", command, f"cwd={tmp_path}"]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, check=False, text=True, timeout=4 * WAIT)
    assert (done.returncode, "FAIL" in done.stdout) == (0, False), done.stdout
    assert "ok    whole-games" in done.stdout
