"""Languages that a server may lack, and the packages that a teacher allows Python programs."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from quietmove.addons.hall.building import HIDING, PACKAGES, missing_program
from quietmove.addons.hall.class_commands import group
from quietmove.addons.hall.player import ClassRunner
from quietmove.addons.hall.settings import ClassSettings, read_settings
from quietmove.referee.errors import SetupError
from quietmove.referee.process import sandbox
from tests.addons.hall.class_programs import NIM
from tests.addons.hall.classes import Asked, make_class
from tests.addons.hall.halls import new_hall, served

SOLVER = "def xor(piles):\n    return 0 if not piles else piles[0] ^ xor(piles[1:])\n"


def wheel(folder: Path, name: str, code: str) -> Path:
    """Write a package that can be installed, and return its file."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}/__init__.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        for path, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            archive.writestr(path, text)
    return folder


def install(course: Path, wheels: Path) -> str:
    """Install the packages of a class from a folder of them, and return what is said."""
    words = ["install", str(course), "--no-index", "--find-links", str(wheels)]
    return CliRunner().invoke(group, words, catch_exceptions=False).stderr


@pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
def test_a_program_uses_an_allowed_package_and_neither_changes_it_nor_sees_this_environment(tmp_path: Path) -> None:
    settings = 'packages = ["solver"]\n[[assignment]]\nname = "nim"\ntasks = ["nim"]\n'
    hall = new_hall(tmp_path / "course", ["Ada", "Bob", "Eve"], settings)
    wheels = wheel(tmp_path / "wheels", "solver", SOLVER)
    program = "import solver\nfor line in open(0): print(solver.xor([int(pile) for pile in line[4:].split(',')]))\n"
    change = "import solver\nopen(solver.__file__, 'a').write('x')\n"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with served(hall, PATH=path):
        refused = hall.hand_in("Ada", program)
        assert (refused.status_code, "not installed yet" in refused.json()["error"]) == (503, True)
        assert "solver: ready" in install(hall.folder, wheels)
        found = hall.judged("Ada", program)
        assert found["state"] == "passed", found["reason"]
        found = hall.judged("Bob", change + program)
        assert found["state"] == "refused"
        said = " ".join(found["report"]["examinations"][0]["evidence"]["stderr"])
        assert "Read-only file system" in said or "Permission denied" in said, said
        assert (hall.folder / PACKAGES / "solver" / "__init__.py").read_text() == SOLVER
        # Programs must not run in this process's environment, which has a strong engine and the tasks' answers.
        found = hall.judged("Eve", f"import sys\nassert sys.prefix == sys.base_prefix\n{NIM['player.py']}")
        assert found["state"] == "passed", found["reason"]


@pytest.mark.soak
def test_packages_are_replaced_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", "")
    with pytest.raises(SetupError, match=r"packages: class\.toml must list the packages to install"):
        install(asked.folder, tmp_path)
    wheels = wheel(tmp_path / "wheels", "solver", SOLVER)
    asked.say('packages = ["solver"]\n')
    before = os.umask(0o077)  # as in the guide's systemd unit
    try:
        install(asked.folder, wheels)
    finally:
        os.umask(before)
    for path in (asked.folder / PACKAGES).rglob("*"):  # if run by root, the sandbox has a user of its own
        assert path.stat().st_mode & 0o004, path
    asked.say('packages = ["absent"]\n')
    with pytest.raises(SetupError, match="pip failed with status 1; nothing has changed"):
        install(asked.folder, wheels)
    assert (asked.folder / PACKAGES / "solver" / "__init__.py").read_text() == SOLVER
    wheel(wheels, "other", SOLVER)
    asked.say('packages = ["other"]\n')
    install(asked.folder, wheels)
    assert not (asked.folder / PACKAGES / "solver").exists()
    assert not list(asked.folder.glob(f"{PACKAGES}.*"))


def test_the_player_of_a_class_that_was_never_served_hides_packages_too(tmp_path: Path) -> None:
    """Without the folder, the sandbox starts no Python program, and all of them lose."""
    make_class(tmp_path / "course", ["Ada"])
    ending = threading.Event()
    ending.set()
    ClassRunner(tmp_path / "course", ending).play()
    assert list((tmp_path / "course" / HIDING).glob("*.py"))


@pytest.mark.parametrize("name", ["--index-url=x", "numpy --pre", "../numpy", "git+https://example.org/x"])
def test_a_package_is_a_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "class.toml").write_text(f'packages = ["{name}"]\n')
    with pytest.raises(Exception, match=r"class\.toml:1: packages 1: must"):
        read_settings(tmp_path)


def test_a_language_that_the_server_lacks_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "rustc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    settings = ClassSettings(rustc=str(broken), node="no-such-node")
    assert missing_program(settings, "rust") == f"{broken} --print sysroot"
    assert missing_program(settings, "javascript") == "no-such-node"
    assert missing_program(ClassSettings(rustc="no-such-rustc"), "rust") == "no-such-rustc"
    assert missing_program(ClassSettings(go=str(broken)), "go") == f"{broken} env GOROOT"
