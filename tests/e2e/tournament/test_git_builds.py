"""Engines built from two commits: what is built, what is used again, and what is refused with one error."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.common.processes import Process
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.comparing import Games, commit_comparison
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.git_builds import OWN_BUILD, OWN_ENGINE, builds_folder, built_engines

FAKE = shlex.join((sys.executable, "-S", str(Path(__file__).parents[2] / "fakes" / "fake_engine.py")))
BUILD = "echo built >> log.txt && cp engine.in engine && chmod +x engine"


def git(folder: Path, *words: str) -> str:
    name = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", *name, *words], cwd=folder, capture_output=True, check=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, engine: str) -> str:
    (folder / "engine.in").write_text(f"#!/bin/sh\n{engine}\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "engine")
    return git(folder, "rev-parse", "--short", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with the commits ``base`` and ``HEAD``, each of which is built to an engine."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    commit(folder, f"exec {FAKE}")
    git(folder, "tag", "base")
    commit(folder, f"exec {FAKE}  # changed")
    return folder


def state(folder: Path) -> list[str]:
    """Return every file of a repository, with its size, and what git says of it."""
    files = [f"{path} {path.stat().st_size}" for path in sorted(folder.rglob("*")) if path.is_file()]
    return [*files, git(folder, "status", "--porcelain"), git(folder, "worktree", "list")]


def built(repository: Path, *commits: str, **changes: Any) -> list[dict[str, Any]]:
    lines = list[str]()
    given = {"build": BUILD, "engine": "./engine --level 3", "seconds": 60.0, "tell": lines.append, **changes}
    return built_engines(repository, commits, **given)


def test_two_commits_are_built_beside_each_other_and_once(repository: Path) -> None:
    before = state(repository)
    engines = built(repository, "base", "HEAD")
    assert [engine["name"] for engine in engines] == [
        git(repository, "rev-parse", "--short", c) for c in ("base", "HEAD")
    ]
    texts = [Path(engine["command"][0]).read_text() for engine in engines]
    assert ["changed" in text for text in texts] == [False, True]
    assert engines[0]["command"][1:] == ["--level", "3"]
    assert built(repository, "HEAD", "base") == engines[::-1]
    assert [(Path(engine["cwd"]) / "log.txt").read_text() for engine in engines] == ["built\n"] * 2
    other = built(repository, "base", "HEAD", build=f"{BUILD} && true")
    assert other[0]["command"] != engines[0]["command"]  # a different command needs a separate build
    assert state(repository) == before


def test_a_comparison_of_two_commits_plays(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.parent)
    words = (
        f"compare base HEAD --git repository --build '{BUILD}' --engine ./engine --most-games 4 --concurrency 1 --json"
    )
    assert run_command_line(shlex.split(words)) == 0
    printed = capsys.readouterr()
    assert [line.split()[:2] for line in printed.err.splitlines() if "building" in line] == [
        ["building", git(repository, "rev-parse", "--short", each)] for each in ("HEAD", "base")
    ]
    told = json.loads(printed.out.splitlines()[-1])
    assert git(repository, "rev-parse", "--short", "HEAD") in json.dumps(told)


def test_the_change_is_the_first_engine_of_the_match(repository: Path) -> None:
    builds = {"build": BUILD, "engine": "./engine", "seconds": 60.0, "tell": print}
    made: Tournament = commit_comparison(repository, "base", "HEAD", builds, Games(), {"most_games": 8})
    names = [git(repository, "rev-parse", "--short", each) for each in ("HEAD", "base")]
    assert (list(made.names), made.name) == (names, f"{names[0]} against {names[1]}")
    assert dict(made.settings)["most_games"] == 8


@pytest.mark.parametrize(
    ("commits", "changes", "message"),
    [
        (("base", "nowhere"), {}, "--git: must be commits of .*, not 'nowhere'"),
        (("base", "--help"), {}, "--git: must be commits of .*, not '--help'"),
        (("base", "HEAD"), {"engine": "./other"}, "--engine: the build produced no program './other'"),
        (
            ("base", "HEAD"),
            {"engine": None},
            "--git: needs both --build and --engine or, in a Quietmove repository, neither",
        ),
        (("base", "HEAD"), {"engine": "'"}, "--engine: No closing quotation"),
        (("base", "HEAD"), {"engine": ""}, "--engine: must be a command, not ''"),
        (
            ("base", "HEAD"),
            {"build": "seq 40; exit 3"},
            r"(?s)--build: 'seq 40; exit 3' ended with status 3; its log is .*, whose last lines follow\n26\n.*\n40$",
        ),
        (("base", "HEAD"), {"build": "echo on; sleep 600", "seconds": 0.5}, r"took longer than 0\.5 s; .*\non$"),
    ],
)
def test_what_cannot_be_built_is_one_error(
    repository: Path, commits: tuple[str, ...], changes: dict[str, Any], message: str
) -> None:
    before = state(repository)
    for _ in range(2):  # a failed build is retried
        with pytest.raises(TournamentError, match=message):
            built(repository, *commits, **changes)
    assert state(repository) == before


@pytest.mark.parametrize("linked", [False, True])
def test_variables_of_a_git_hook_do_not_redirect_a_build(
    repository: Path, monkeypatch: pytest.MonkeyPatch, linked: bool
) -> None:
    folder = repository
    if linked:
        folder = repository.parent / "linked"
        git(repository, "worktree", "add", "-q", str(folder), "-b", "other")
    before = state(folder)
    head = git(folder, "symbolic-ref", "HEAD")
    monkeypatch.setenv("GIT_DIR", git(folder, "rev-parse", "--absolute-git-dir"))
    monkeypatch.setenv("GIT_WORK_TREE", str(folder))
    engines = built(folder, "base", "HEAD", build=f"{BUILD} && git log -1 > log.git")
    names = [engine["name"] for engine in engines]
    clones = [Path(engine["cwd"]) for engine in engines]
    assert git(folder, "symbolic-ref", "HEAD") == head
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_WORK_TREE")
    assert state(folder) == before
    assert [git(clone, "rev-parse", "--short", "HEAD") for clone in clones] == names
    assert [(clone / "log.git").read_text()[7:14] for clone in clones] == [name[:7] for name in names]


def test_a_strangers_repository_runs_nothing_of_its_own(repository: Path) -> None:
    ran = repository.parent / "ran"
    program = repository.parent / "program"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {ran}\ncat\n")
    program.chmod(0o755)
    (repository / ".git" / "info" / "attributes").write_text("* filter=bad diff=bad\n")
    hooks = repository / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        (hooks / name).symlink_to(program)
    for name in ("core.fsmonitor", "filter.bad.clean", "filter.bad.smudge", "diff.bad.textconv", "diff.external"):
        git(repository, "config", name, str(program))
    git(repository, "config", "core.hooksPath", str(hooks))
    git(repository, "config", "filter.bad.required", "true")
    (repository / "engine.in").touch()  # git reads a file again if its times have changed
    built(repository, "base", "HEAD")
    assert not ran.exists()
    git(repository, "status")
    assert "program" in ran.read_text()  # an ordinary git command runs them


def test_a_build_without_its_program_is_built_again(repository: Path) -> None:
    with pytest.raises(TournamentError, match="no program"):
        built(repository, "base", "HEAD", build=f"test -e {repository.parent}/ready && {BUILD} || true")
    (repository.parent / "ready").touch()
    built(repository, "base", "HEAD", build=f"test -e {repository.parent}/ready && {BUILD} || true")


def test_changes_that_are_in_no_commit_are_not_built(repository: Path) -> None:
    (repository / "notes.txt").touch()
    (repository / "engine.in").write_text("uncommitted")
    for engine in built(repository, "base", "HEAD"):
        assert "uncommitted" not in Path(engine["cwd"], "engine.in").read_text()
    made = commit_comparison(
        repository, "HEAD", "HEAD", {"build": BUILD, "engine": "./engine", "tell": print}, Games(), {}
    )
    head = git(repository, "rev-parse", "--short", "HEAD")
    assert made.names == (head, f"{head} (again)")
    with pytest.raises(TournamentError, match=r"--git: .*not a git repository"):
        built(repository.parent, "base", "HEAD")


def test_a_build_that_is_ended_leaves_no_process(repository: Path) -> None:
    number = repository.parent / "pid"
    with pytest.raises(TournamentError, match="took longer than 1 s"):
        built(repository, "base", "HEAD", build=f"sleep 600 & echo $! > {number}; wait", seconds=1.0)
    end = time.monotonic() + 30
    while (process := Process.of(int(number.read_text()))).is_alive() and time.monotonic() < end:
        time.sleep(0.01)
    assert not process.is_alive()


def test_a_commit_of_this_project_needs_no_command(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The build itself takes minutes; what is run here is that its command is chosen and run in the checkout."""
    (repository / "pyproject.toml").write_text('[project]\nname = "quietmove"\n')
    for version in ("one", "two"):
        commit(repository, version)
    monkeypatch.setattr(
        "quietmove.tournament.git_builds.OWN_BUILD",
        f"mkdir -p .venv/bin && cp engine.in {OWN_ENGINE} && chmod +x {OWN_ENGINE}",
    )
    engines = built(repository, "HEAD~", "HEAD", build=None, engine=None)
    assert [Path(engine["command"][0]).read_text().split()[1] for engine in engines] == ["one", "two"]
    assert "pip install" in OWN_BUILD
    assert builds_folder().is_dir()


@pytest.mark.parametrize("words", ["--build make", "--engine ./engine", "--build-limit 3s", "--git . --config my.toml"])
def test_options_of_builds_go_together(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["compare", "A=1", "A=2", *shlex.split(words)]) == 2
    assert "--git" in capsys.readouterr().err
