"""The engines of the guide pass the examination as real processes, and play."""

from __future__ import annotations

import re
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


GUIDE = Path(__file__).parents[3] / "referee" / "FIRST_ENGINE.md"


def test_the_guides_change_takes_corners(tmp_path: Path) -> None:
    """Black can take the corner a1, or turn four discs with f8."""
    if shutil.which("cc") is None:
        pytest.skip("cc is not installed")
    (function,) = re.findall(r"^```c\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    source = (EXAMPLES / "first_engine.c").read_text(encoding="utf-8")
    heading = "/* Return the square to play"
    comparison = "turn(square, 0) > turn(best, 0)"
    assert source.count(heading) == source.count(comparison) == 1
    changed = source.replace(heading, function + heading).replace(comparison, "value(square) > value(best)")
    squares = f"-OX{'-' * 53}XOOOO---"
    answers = []
    for text in (source, changed):
        (tmp_path / "engine.c").write_text(text, encoding="utf-8")
        subprocess.run(["cc", "-o", "engine", "engine.c"], cwd=tmp_path, check=True, timeout=WAIT)
        lines = f"position fen {squares} X\ngo\n"
        done = subprocess.run(
            ["./engine"], cwd=tmp_path, input=lines, capture_output=True, check=True, text=True, timeout=WAIT
        )
        answers.append(done.stdout)
    assert answers == ["bestmove 6 1\n", "bestmove 1 8\n"]


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
