"""``quietmove doctor``: what this machine has and lacks for the three programs, and what mends it."""

from __future__ import annotations

import re
import resource
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import NamedTuple

import click

from quietmove.engine.common.addons import added
from quietmove.engine.common.command_line import examples
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.memory import free_megabytes
from quietmove.engine.version import code, version_text
from quietmove.referee.process.sandbox import missing_requirement

COMPILER = "apt install gcc python3-dev"
ENOUGH_FILES = 1024  # handles; a game of two engines takes about a dozen
SWITCHES = {  # kernels keep namespaces from ordinary users by these
    "kernel.unprivileged_userns_clone": 1,
    "kernel.apparmor_restrict_unprivileged_userns": 0,
}
EXTRAS = {"plots": "figures, by --plot"}  # the use of each extra of the core
REQUIREMENT = re.compile(r"""([\w.-]+).*; extra == ["'](\w+)["']""")


class Finding(NamedTuple):
    """One line.

    :ivar name: what was looked for.
    :ivar found: what this machine has, or what is not possible without it.
    :ivar mend: the command that installs or allows what is missing; empty if nothing is missing.
    """

    name: str
    found: str
    mend: str = ""


def findings() -> Iterator[Finding]:
    """Look at one thing after another."""
    compiler = first_of("cc", "gcc", "clang")
    processors = len(usable_processors())
    yield Finding("search", f"compiled for {code()}")
    yield Finding("compiler", compiler or "none: an install from source needs one", "" if compiler else COMPILER)
    yield Finding("processors", f"{processors}: for Threads, --concurrency and --processes")
    yield Finding("memory", f"{free_megabytes():,} MB free: the most that option Hash may take")
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = files == resource.RLIM_INFINITY or files >= ENOUGH_FILES
    yield Finding(
        "open files", f"{files:,} at once" if files > 0 else "no limit", "" if enough else f"ulimit -n {ENOUGH_FILES}"
    )
    refused = missing_requirement()
    yield Finding("sandbox", refused.removeprefix("sandbox: ") or "works", sandbox_mend() if refused else "")
    browser = first_of("chromium", "chromium-browser", "google-chrome")
    yield Finding("Chromium", browser or "none: only the tests need it", "" if browser else "apt install chromium")
    for extra, use in sorted({**EXTRAS, **added("needs", core=EXTRAS)}.items()):
        missing = missing_packages(extra)
        status = f"none: {use} needs {', '.join(missing)}" if missing else f"for {use}"
        yield Finding(extra, status, f"pip install 'quietmove[{extra}]'" if missing else "")


def missing_packages(extra: str) -> list[str]:
    requirements = filter(None, map(REQUIREMENT.fullmatch, requires("quietmove") or ()))
    return [found[1] for found in requirements if found[2] == extra and not is_installed(found[1])]


def is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def first_of(*names: str) -> str | None:
    """Return the path of the first of these programs that there is."""
    return next(filter(None, map(shutil.which, names)), None)


def sandbox_mend() -> str:
    """Return the command that makes a sandbox possible: it installs programs, or changes a setting of the kernel."""
    switches = [f"{name}={value}" for name, value in SWITCHES.items() if Path("/proc/sys", *name.split(".")).exists()]
    if first_of("bwrap") and first_of("setpriv") and switches:
        return f"sysctl -w {' '.join(switches)}"
    return "apt install bubblewrap util-linux libseccomp2"


@click.command(epilog=examples("quietmove doctor"))
def doctor() -> None:
    """Show what this machine has and lacks for quietmove, quietmove-referee and quietmove-tournament.

    Where something is missing, the command that mends it stands below; nothing is changed.
    """
    click.echo(version_text())
    for finding in findings():
        click.echo(f"{finding.name:<12} {finding.found}")
        if finding.mend:
            click.echo(f"{'':<12} mended by: {finding.mend}")
