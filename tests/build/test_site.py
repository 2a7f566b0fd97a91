"""The site of the documentation: it is built strictly, so that a broken link or a missing docstring fails."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import quietmove
from tests.fakes.addons import is_deleted

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "build_site"
GUIDES = re.findall(r"addons/\w+", (ROOT / "scripts" / "site" / "mkdocs.yml").read_text(encoding="utf-8"))
pytestmark = pytest.mark.skipif(
    any(is_deleted(path) for path in GUIDES), reason="the site has the guides of all add-ons, and one was deleted"
)


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_the_site_is_built(script: dict[str, Any], tmp_path: Path) -> None:
    assert script["build"](script["PAGES"], tmp_path) == ""
    reference = (tmp_path / "reference.html").read_text(encoding="utf-8")
    shown = set(re.findall(r'id="quietmove\.[\w.]+\.(\w+)"', reference))
    assert set(quietmove.__all__) - {"__version__"} <= shown
    assert {"env", "SeatEnv", "OthelloVectorEnv", "QuietmoveBot"} <= shown
    assert "require_text" not in shown
    assert not re.search(r":(?:mod|attr|func|class|raises)\b", re.sub(r"<pre.*?</pre>", "", reference, flags=re.DOTALL))
    found = {entry["location"] for entry in json.loads((tmp_path / "search/search_index.json").read_text())["docs"]}
    readers = ("player", "student", "teacher", "author", "agent")
    assert {f"{name}.html" for name in readers} | {"protocol.html", "referee/index.html"} <= found
    assert (tmp_path / "addons/web/pictures/play.png").exists()
    notebooks = {path.name for path in (tmp_path / "scripts/site/examples").glob("*.ipynb")}
    assert {"first_search.ipynb", "ordering_and_pruning.ipynb"} < notebooks
    guide = (tmp_path / "src/quietmove/index.html").read_text(encoding="utf-8")
    assert {name for name in notebooks if f'href="../../scripts/site/examples/{name}"' in guide} == notebooks


def test_a_broken_link_fails(script: dict[str, Any], tmp_path: Path) -> None:
    pages = shutil.copytree(script["PAGES"], tmp_path / "pages")
    with (pages / "agent.md").open("a", encoding="utf-8") as file:
        file.write("[a](referee/README.md#nowhere) [b](nothing.md)\n")
    said = script["build"](pages, tmp_path / "site")
    assert "#nowhere" in said
    assert "nothing.md" in said
    assert said.splitlines()[-1] == "error: mkdocs ended with status 1"


def test_every_public_name_has_a_docstring(script: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(script["undocumented"](script["PUBLIC"])) == []
    module = ModuleType("bare")
    exec(
        "class Bare:\n    'Documented.'\n    def method(self): pass\ndef f(): pass\n__all__ = ['Bare', 'f']",
        vars(module),
    )
    monkeypatch.setitem(sys.modules, "bare", module)
    assert list(script["undocumented"](["bare"])) == ["bare.Bare.method", "bare.f"]
