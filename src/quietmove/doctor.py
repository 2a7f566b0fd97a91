"""``quietmove doctor``: check what the three programs need on this machine, and suggest fixes."""

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
from quietmove.engine.common.origin import install_command
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.memory import free_megabytes
from quietmove.engine.version import code, version_text
from quietmove.referee.process.sandbox import missing_requirement

ENOUGH_FILES = 1024  # recommended limit on open files; a game of two engines needs about a dozen
SWITCHES = {  # kernel settings that keep ordinary users from creating namespaces
    "kernel.unprivileged_userns_clone": 1,
    "kernel.apparmor_restrict_unprivileged_userns": 0,
}
EXTRAS = {"plots": "figures with --plot"}  # the use of each extra of the core
REQUIREMENT = re.compile(r"""([\w.-]+).*; extra == ["'](\w+)["']""")


class Finding(NamedTuple):
    """A requirement and its state: one line of the report.

    :ivar name: the subject.
    :ivar found: the state of this machine, or what does not work if something is missing.
    :ivar fix: the command that installs or enables what is missing, or "".
    """

    name: str
    found: str
    fix: str = ""


def findings() -> Iterator[Finding]:
    """Yield one finding per requirement: compiler, memory, sandbox, optional packages and so on."""
    compiler = first_of("cc", "gcc", "clang")
    processors = len(usable_processors())
    yield Finding("search", f"compiled for {code()}")
    yield Finding("compiler", compiler or "none: an installation from source downloads the one in the wheel ziglang")
    yield Finding("processors", f"{processors}: for Threads, --concurrency and --processes")
    yield Finding("memory", f"{free_megabytes():,} MB free: the maximum of the option Hash")
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = files == resource.RLIM_INFINITY or files >= ENOUGH_FILES
    yield Finding(
        "open files", f"{files:,} at once" if files > 0 else "no limit", "" if enough else f"ulimit -n {ENOUGH_FILES}"
    )
    refused = missing_requirement()
    yield Finding("sandbox", refused.removeprefix("sandbox: ") or "works", sandbox_fix() if refused else "")
    browser = first_of("chromium", "chromium-browser", "google-chrome")
    yield Finding("Chromium", browser or "none: needed only by the tests", "" if browser else "apt install chromium")
    for extra, use in sorted({**EXTRAS, **added("needs", core=EXTRAS)}.items()):
        missing = missing_packages(extra)
        status = f"none: {use} (needs {', '.join(missing)})" if missing else f"for {use}"
        yield Finding(extra, status, install_command(extra) if missing else "")


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
    """Return the path of the first of these programs that exists, or None."""
    return next(filter(None, map(shutil.which, names)), None)


def sandbox_fix() -> str:
    """Return the command that makes a sandbox available by installing programs or changing a kernel setting."""
    switches = [f"{name}={value}" for name, value in SWITCHES.items() if Path("/proc/sys", *name.split(".")).exists()]
    if first_of("bwrap") and first_of("setpriv") and switches:
        return f"sysctl -w {' '.join(switches)}"
    return "apt install bubblewrap util-linux libseccomp2"


@click.command(epilog=examples("quietmove doctor"))
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON: version, and name, found, fix each.")
def doctor(as_json: bool) -> None:
    """Check that this machine has what quietmove, quietmove-referee and quietmove-tournament need.

    If something is missing, the next line shows the command that fixes it. Nothing is changed.
    """
    if as_json:
        import json

        report = {"version": version_text(), "findings": [finding._asdict() for finding in findings()]}
        click.echo(json.dumps(report, indent=2))
        return
    click.echo(version_text())
    for finding in findings():
        click.echo(f"{finding.name:<12} {finding.found}")
        if finding.fix:
            click.echo(f"{'':<12} to fix: {finding.fix}")
