"""The examples in the guides: each command prints what its guide shows, apart from times and speeds."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from tests.fakes.addons import is_deleted

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "guide_examples.py"))
EXAMPLES, unmeasured = SCRIPT["EXAMPLES"], SCRIPT["unmeasured"]
# Examples in the guides of add-ons, which can be deleted.
ADDONS = {"pruning": "lab", "trace": "lab", "ties": "lab", "classify": "lab", "check": "check"}
COMMANDS = {**ADDONS, "book": "library"}  # add-ons whose commands the examples use
MARKED = re.compile(r"^<!-- example: ([\w-]+) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)


NIGHTLY = (pytest.mark.soak, pytest.mark.timeout(1800))


@pytest.fixture(scope="module")
def shown(documents: dict[str, str]) -> dict[str, set[str]]:
    """The blocks of each example; one that several guides show must be the same everywhere."""
    blocks: dict[str, set[str]] = {}
    for text in documents.values():
        for name, block in MARKED.findall(text):
            blocks.setdefault(name, set()).add(block)
    return blocks


def test_every_example_has_its_place(shown: dict[str, set[str]]) -> None:
    deleted = {name for name, addon in ADDONS.items() if is_deleted(f"addons/{addon}")}
    assert shown.keys() == EXAMPLES.keys() - deleted
    assert [name for name, blocks in shown.items() if len(blocks) > 1] == []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=NIGHTLY if example.replay == "nightly" else ())
        for name, example in EXAMPLES.items()
        if example.replay != "never"
    ],
)
def test_an_example_prints_what_the_guide_shows(name: str, shown: dict[str, set[str]], tmp_path: Path) -> None:
    if name in COMMANDS and is_deleted(f"addons/{COMMANDS[name]}"):
        pytest.skip("the add-on with this command was deleted")
    assert {unmeasured(EXAMPLES[name].block(tmp_path))} == {unmeasured(block) for block in shown[name]}
