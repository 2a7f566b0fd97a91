"""The example of the guide "Write an add-on", installed from its own folder by pip."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.addons.conftest import SOURCE, serving, watched
from tests.fakes.processes import WAIT, run_module

EXAMPLE = SOURCE / "tests" / "example_addon"
GUIDE = SOURCE / "addons" / "README.md"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with the example in it."""
    folder = tmp_path_factory.mktemp("example")
    shutil.copytree(EXAMPLE, folder / "source")  # a copy, because the build writes into it
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    command = [*pip, "--target", folder / "site", folder / "source"]
    subprocess.run(command, check=True, capture_output=True, timeout=WAIT)
    return folder / "site"


def test_the_command_is_listed_and_runs(site: Path) -> None:
    shown = run_module(site.parent, "quietmove", "--help", PYTHONPATH=str(site)).stdout
    assert "  toss      Toss a coin for Black.\n" in shown
    assert run_module(site.parent, "quietmove", "toss", PYTHONPATH=str(site)).stdout in ("heads\n", "tails\n")


def test_the_page_is_served(site: Path, context: Any) -> None:
    with serving("--port", "0", PYTHONPATH=f"{SOURCE}:{site}") as (_, address):
        host = address.split("/")[2]
        with watched(context, host) as page:
            page.goto(address)
            page.click("#pages a:text-is('Toss')")
            page.click("#toss")
            expect(page.locator("#status")).to_have_text(re.compile("heads|tails"))


def test_the_guide_shows_the_example() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    for path in sorted(EXAMPLE.rglob("*.*")):
        if path.suffix in (".py", ".toml", ".js", ".html"):
            assert f"\n{path.read_text(encoding='utf-8')}```" in guide, path
