"""Links in the documents lead somewhere; workflows run pinned code."""

from __future__ import annotations

import re
from pathlib import Path

from tests.fakes.addons import is_deleted

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
LINK = re.compile(r'(?:!?\[[^\]]*\]\(|<img src=")([^)\s"]*)')


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
