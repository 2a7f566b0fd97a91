"""The documents: links lead somewhere, files and functions that are named exist, tables and forms are valid."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

from tests.fakes.addons import is_deleted

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
FORMS = {
    "vendor.dependabot": "dependabot.yml",
    "vendor.github-workflows": "workflows/*.yml",
    "vendor.github-issue-forms": "ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": "ISSUE_TEMPLATE/config.yml",
}
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]*)\)")


def prose(text: str) -> str:
    """Return ``text`` without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def headings(text: str) -> list[str]:
    """Return the anchors of the headings of a document, as its readers' programs make them."""
    found = re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found]


def broken(name: str, documents: dict[str, str]) -> list[str]:
    """Return the links of the document ``name`` that lead to no file, or to no heading of a document."""
    found = []
    for link in LINK.findall(prose(documents[name])):
        path, _, anchor = link.partition("#")
        if re.match(r"https?:", link):
            continue
        target = (ROOT / name).parent.joinpath(path).resolve() if path else ROOT / name
        if is_deleted(str(target.relative_to(ROOT))):
            continue
        text = documents.get(str(target.relative_to(ROOT)))
        if not target.exists() or (anchor and (text is None or anchor not in headings(text))):
            found.append(f"{name}: {link}")
    return found


def test_links_lead_to_a_file_and_a_heading(documents: dict[str, str]) -> None:
    assert [link for name in documents for link in broken(name, documents)] == []
    wrong = {"README.md": "[a](no.md) [b](engine/README.md#nowhere) [c](#also-nowhere)", "engine/README.md": "# Here"}
    assert len(broken("README.md", wrong)) == 3


def test_files_that_are_named_exist(documents: dict[str, str]) -> None:
    named = re.compile(r"`((?:engine|referee|tournament|addons|quietmove|tests|scripts)/[\w./-]*)(?::\w+)?`")
    found = {path: name for name, text in documents.items() for path in named.findall(prose(text))}
    assert len(found) > 20
    named = {path: name for path, name in found.items() if not is_deleted(path)}
    assert {path: name for path, name in named.items() if not (ROOT / path).exists()} == {}


def test_the_map_names_functions_that_exist(documents: dict[str, str]) -> None:
    steps = re.findall(r"`([\w/]+\.py)`:\s+`(?:\w+\.)?(\w+)`", documents["engine/DESIGN.md"])
    assert len(steps) > 30
    for path, name in steps:
        assert re.search(rf"\b(?:def|class) {name}\b", (ROOT / path).read_text(encoding="utf-8")), f"{path}: {name}"


def test_each_measured_table_has_its_place(documents: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    tables = runpy.run_path(str(ROOT / "scripts" / "measure_all"))["TABLES"]
    marked = re.compile(r"^<!-- measured: (\w+) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)
    found = [place for text in documents.values() for place in marked.findall(text)]
    deleted = {table for table, addon in (("environments", "agents"), ("page", "web")) if is_deleted(f"addons/{addon}")}
    assert sorted(name for name, _ in found) == sorted(tables.keys() - deleted)
    for name, lines in found:
        rows = re.findall(r"^\| (.*?) \|", lines, re.MULTILINE)
        assert rows == ["what", *(what for what, _, _ in tables[name])]


@pytest.mark.parametrize(("schema", "pattern"), FORMS.items())
def test_workflows_and_forms_are_valid(schema: str, pattern: str) -> None:
    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", schema, *map(str, GITHUB.glob(pattern))])
    assert done.exit_code == 0, done.output


def test_workflows_run_the_code_that_was_read() -> None:
    """A tag of an action or an image can be moved to other code. Whoever opens a pull request chooses what CI runs."""
    for path in (GITHUB / "workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        actions = re.findall(r"uses: (?!\./)(\S+)", text)
        images = re.findall(r"(?:IMAGE|image): (\S.*)", text)
        assert [each for each in actions if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []
        assert [
            each for each in images if not re.search(r"@(sha256:[0-9a-f]{64}|\$\{\{ matrix\.digest \}\})$", each)
        ] == []
        assert "--privileged" not in text
