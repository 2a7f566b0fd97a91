"""What ``--version`` and ``quietmove doctor`` say of the machine."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from quietmove.doctor import doctor, findings
from quietmove.engine.common.addons import added
from quietmove.engine.common.origin import install_command
from quietmove.engine.games.othello import board
from quietmove.engine.version import code, commit, version_text


def test_the_version_says_which_code_runs_and_why() -> None:
    assert re.fullmatch(r"Quietmove \d+\.\d+\.\d+( \([0-9a-f]{7,}\))?, Python 3\.\d+\.\d+\S*, .+", version_text())
    assert version_text().endswith(code())
    assert "AVX" in code() or "x86" not in code() or "QUIETMOVE_CPU" in os.environ


def test_the_version_says_that_plain_code_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "__file__", "/somewhere/othello/board.so")
    monkeypatch.setenv("QUIETMOVE_CPU", "plain")
    assert code() == f"{platform.machine()}: plain, selected by QUIETMOVE_CPU"
    monkeypatch.setenv("QUIETMOVE_CPU", "v4")
    assert code() == f"{platform.machine()}: no AVX2"


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ({"url": "https://example.org/q.git", "vcs_info": {"vcs": "git", "commit_id": "0123456789abcdef"}}, "0123456"),
        ({"url": "file:///nowhere", "dir_info": {"editable": True}}, ""),
        ({"url": "https://example.org/quietmove.whl", "archive_info": {}}, ""),
        (None, ""),
    ],
)
def test_the_commit_is_the_one_that_the_installer_has_noted(
    monkeypatch: pytest.MonkeyPatch, origin: dict[str, object] | None, said: str
) -> None:
    installed_from(monkeypatch, origin)
    assert commit() == said


def installed_from(monkeypatch: pytest.MonkeyPatch, origin: dict[str, object] | None) -> None:
    text = None if origin is None else json.dumps(origin)
    record = SimpleNamespace(read_text=lambda name: text)
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: record)


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'quietmove[mcp]'"),
        ({"url": "file:///a/b%20c", "dir_info": {}}, "pip install '/a/b c[mcp]'"),
        ({"url": "file:///a/b", "dir_info": {"editable": True}}, "pip install -e '/a/b[mcp]'"),
        ({"url": "https://h/q.whl", "archive_info": {}}, "pip install 'quietmove[mcp] @ https://h/q.whl'"),
        (
            {"url": "https://h/q.git", "vcs_info": {"vcs": "git", "commit_id": "0123abc"}},
            "pip install 'quietmove[mcp] @ git+https://h/q.git@0123abc'",
        ),
    ],
)
def test_an_extra_is_installed_from_where_this_copy_came_from(
    monkeypatch: pytest.MonkeyPatch, origin: dict[str, object] | None, command: str
) -> None:
    installed_from(monkeypatch, origin)
    assert install_command("mcp") == command


def test_all_programs_say_what_is_there() -> None:
    done = CliRunner().invoke(doctor, [], catch_exceptions=False)
    first, *rows = done.output.splitlines()
    assert first == version_text()
    assert {row[:12].strip() for row in rows} - {""} == {
        *("search", "compiler", "processors", "memory", "open files"),
        *("sandbox", "Chromium", "plots", *added("needs")),
    }
    assert f"search       compiled for {code()}" in done.output


def test_below_what_is_missing_stands_the_command_that_mends_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    rows = CliRunner().invoke(doctor, [], catch_exceptions=False).output.splitlines()
    found = dict(zip(rows, [*rows[1:], ""], strict=True))  # each row with the one below it
    (browser,) = (row for row in rows if row.startswith("Chromium     none: "))
    assert re.fullmatch(" +to fix: apt install chromium", found[browser])
    (compiler,) = (row for row in rows if row.startswith("compiler     none: "))
    assert "downloads" in compiler  # the build succeeds without one, so nothing must be fixed
    assert "to fix" not in found[compiler]


def test_the_findings_as_json_are_those_of_the_report() -> None:
    report = json.loads(CliRunner().invoke(doctor, ["--json"], catch_exceptions=False).output)
    assert report["version"] == version_text()
    rows = [(row["name"], row["fix"]) for row in report["findings"]]
    assert rows == [(finding.name, finding.fix) for finding in findings()]
    assert all(row["found"] for row in report["findings"])


@pytest.mark.parametrize(
    ("package", "extras"),
    [
        ("matplotlib", {"plots"}),
        ("resvg-py", {"environments", "mcp"}),
        ("cryptography", {"cluster"}),
        ("pillow", {"environments"}),
        ("numpy", {"environments", "train"}),
    ],
)
def test_an_extra_is_there_when_all_its_packages_are(
    monkeypatch: pytest.MonkeyPatch, package: str, extras: set[str]
) -> None:
    def version_without_package(name: str) -> str:
        if name == package:
            raise PackageNotFoundError
        return version(name)

    monkeypatch.setattr("quietmove.doctor.version", version_without_package)
    missing = {finding.name: finding for finding in findings() if package in finding.found}
    shown = extras & {"plots", *added("needs")}  # only the extras of installed add-ons
    assert {name: finding.fix for name, finding in missing.items()} == {name: install_command(name) for name in shown}


def test_the_commit_of_a_checkout_is_not_that_of_a_git_hook(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def git(*words: str) -> str:
        name = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        done = subprocess.run(["git", *name, *words], cwd=tmp_path, capture_output=True, check=True, text=True)
        return done.stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    installed_from(monkeypatch, {"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    head = git("rev-parse", "--short", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert commit() == head
