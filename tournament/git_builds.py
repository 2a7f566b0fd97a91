"""Engines built from two commits of a git repository.

Each commit is checked out into a folder of its own below :func:`builds_folder`, as a clone that shares the repository's
objects, so nothing is written to the repository. The folder is named after the commit and the build command; its file
:data:`BUILT` marks a successful build, which is reused.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from quietmove.engine.common.folders import data_folder
from quietmove.engine.common.git import git_environment, run_git
from quietmove.engine.files import locked
from quietmove.tournament.errors import TournamentError

BUILT = "built"  # the file that marks a successful build
BUILD_SECONDS = 1800  # default time limit of one build
LOG_LINES = 15  # maximum number of lines of a failed build's log that its error quotes
OWN_BUILD = f"{shlex.quote(sys.executable)} -m venv .venv && PIP_COMPILE=0 .venv/bin/pip install -q -e ."
OWN_ENGINE = ".venv/bin/quietmove"


def builds_folder() -> Path:
    """Return the folder of all builds."""
    return data_folder() / "builds"


def built_engines(
    repository: Path,
    commits: Sequence[str],
    build: str | None,
    engine: str | None,
    tell: Callable[[str], object],
    seconds: float = BUILD_SECONDS,
) -> list[dict[str, Any]]:
    """Build the engine of each commit and return the keys of its configuration, named after the commit.

    :param build: the build command, for a shell in the checkout, or None for Quietmove's own build command.
    :param engine: the engine's command, whose program is a path in the checkout, or None for Quietmove's own command.
    :param tell: a function called with a line of text before each build.
    :param seconds: time limit of one build.
    :raises TournamentError: if a commit is unknown, or a build fails or takes too long.
    """
    git(repository, "rev-parse", "--git-dir")  # reports a folder without a repository
    hashes = [
        git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{each}^{{commit}}", name=each)
        for each in commits
    ]
    if build is None or engine is None:
        if build is not None or engine is not None or not is_quietmove(repository, hashes[0]):
            raise TournamentError("--git: needs both --build and --engine or, in a Quietmove repository, neither")
        build, engine = OWN_BUILD, OWN_ENGINE
    try:
        words = shlex.split(engine)
    except ValueError as error:
        raise TournamentError(f"--engine: {error}, not {engine!r}") from None
    if not words:
        raise TournamentError(f"--engine: must be a command, not {engine!r}")
    engines = []
    for commit in hashes:
        short = git(repository, "rev-parse", "--short", commit)
        folder = builds_folder() / f"{short}-{hashlib.sha256(f'{commit} {build}'.encode()).hexdigest()[:12]}"
        program = folder / "checkout" / words[0] if os.sep in words[0] else words[0]
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / BUILT, TournamentError):  # two comparisons may need the same build
            if not (folder / BUILT).exists():
                tell(f"building {short} in {folder}")
                make(repository, commit, build, folder, seconds)
            if not shutil.which(program):
                raise TournamentError(f"--engine: the build produced no program {words[0]!r}")
            (folder / BUILT).touch()
        engines.append({"name": short, "command": [str(program), *words[1:]], "cwd": str(folder / "checkout")})
    return engines


def git(repository: Path, *words: str, name: str = "") -> str:
    """Run a git command and return its output.

    :param name: the commit that the command looks up.
    :raises TournamentError: if it fails.
    """
    try:
        done = run_git(repository, *words)
    except FileNotFoundError:
        raise TournamentError("--git: needs the program git, which is not installed") from None
    if done.returncode:
        what = f"must be commits of {repository}, not {name!r}" if name else done.stderr.strip() or words[0]
        raise TournamentError(f"--git: {what}")
    return done.stdout.strip()


def is_quietmove(repository: Path, commit: str) -> bool:
    """Return whether a commit belongs to this project."""
    try:
        project = tomllib.loads(git(repository, "cat-file", "blob", f"{commit}:pyproject.toml"))
    except (TournamentError, tomllib.TOMLDecodeError):
        return False
    return bool(project.get("project", {}).get("name") == "quietmove")


def make(repository: Path, commit: str, build: str, folder: Path, seconds: float) -> None:
    """Check out and build a commit in a folder.

    :raises TournamentError: if the build fails.
    """
    checkout = folder / "checkout"
    shutil.rmtree(checkout, ignore_errors=True)
    root = git(repository, "rev-parse", "--show-toplevel")  # the user may have named a subfolder
    git(repository, "clone", "--quiet", "--shared", "--no-checkout", root, str(checkout))
    git(checkout, "checkout", "--quiet", "--detach", commit)
    run_build(build, checkout, folder / "log", seconds)


def run_build(build: str, checkout: Path, log: Path, seconds: float) -> None:
    """Run a build command in a checkout.

    :raises TournamentError: with the last lines of the log, if it fails or takes longer than ``seconds``.
    """
    with log.open("w+", errors="replace") as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", build],
            cwd=checkout,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=git_environment(),
        )
        try:
            status = process.wait(seconds)
            problem = f"ended with status {status}" if status else ""
        except subprocess.TimeoutExpired:
            problem = f"took longer than {seconds:g} s"
        finally:  # also after Ctrl-C
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if problem:
            output.seek(0)
            lines = [line.rstrip() for line in output.readlines()[-LOG_LINES:]]
            raise TournamentError([f"--build: {build!r} {problem}; its log is {log}, whose last lines follow", *lines])
