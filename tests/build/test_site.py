"""The site of the documentation: it is built strictly, so that a broken link or a missing docstring fails."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest
from playwright.sync_api import sync_playwright

import quietmove
from tests.fakes.addons import is_deleted

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "build_site"
CHROMIUM = shutil.which("chromium")
GUIDES = re.findall(r"addons/\w+", (ROOT / "scripts" / "site" / "mkdocs.yml").read_text(encoding="utf-8"))
pytestmark = [
    pytest.mark.skipif(
        any(is_deleted(path) for path in GUIDES), reason="the site has the guides of all add-ons, and one was deleted"
    ),
    pytest.mark.filterwarnings("ignore"),  # warnings of the libraries that run a kernel
]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


@pytest.fixture(scope="module")
def site(script: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert script["build"](script["PAGES"], folder) == ""
    return folder


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_site_is_built(site: Path) -> None:
    reference = (site / "reference.html").read_text(encoding="utf-8")
    shown = set(re.findall(r'id="quietmove\.[\w.]+\.(\w+)"', reference))
    assert set(quietmove.__all__) - {"__version__"} <= shown
    assert {"env", "SeatEnv", "OthelloVectorEnv", "QuietmoveBot"} <= shown
    assert "require_text" not in shown
    assert not re.search(r":(?:mod|attr|func|class|raises)\b", re.sub(r"<pre.*?</pre>", "", reference, flags=re.DOTALL))
    found = {entry["location"] for entry in json.loads((site / "search/search_index.json").read_text())["docs"]}
    readers = ("player", "student", "teacher", "author", "agent")
    assert {f"{name}.html" for name in readers} | {"overview.html", "protocol.html", "referee/index.html"} <= found
    assert (site / "addons/web/pictures/play.png").exists()
    first = (site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<li>\s*<p><strong>(.*?)</strong>", first) == [
        "Play engines against each other",
        "Plug one into a GUI or a referee",
        "Drive one by hand",
    ]


def test_each_notebook_has_a_page_with_its_outputs(site: Path) -> None:
    guide = (site / "src/quietmove/index.html").read_text(encoding="utf-8")
    notebooks = list((site / "scripts/site/examples").glob("*.ipynb"))
    assert {"first_search", "ordering_and_pruning"} < {path.stem for path in notebooks}
    for path in notebooks:
        assert f'href="../../scripts/site/examples/{path.stem}.html"' in guide
        page = path.with_suffix(".html").read_text(encoding="utf-8")
        assert f'href="{path.name}"' in page
        code = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        assert page.count('class="language-python highlight"') == len(code)
        outputs = [output for cell in code for output in cell["outputs"]]
        assert len(re.findall('class="(?:[^"]* )?output(?: [^"]*)?"', page)) == len(outputs) > 1
    first = (site / "scripts/site/examples/first_search.html").read_text(encoding="utf-8")
    assert first.count("<svg") > 2  # the page shows boards


@pytest.mark.skipif(CHROMIUM is None, reason="Debian's package chromium is not installed")
def test_a_copy_button_copies_commands_alone(address: str) -> None:
    """Prompts and output are not copied, and a block without commands has no button."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_context(color_scheme="dark", permissions=["clipboard-read"]).new_page()

        def copied(name: str, text: str) -> str:
            page.goto(f"{address}/{name}.html")
            block = page.locator(".highlight").filter(has_text=text).first
            block.hover()
            block.locator("[data-clipboard-target]").click()
            page.get_by_text("Copied to clipboard").wait_for()
            answer: str = page.evaluate("navigator.clipboard.readText()")
            return answer

        compare = 'quietmove-tournament compare "Ordering=full" "Ordering=none" --nodes 500'
        assert copied("overview", "SPRT of") == compare
        assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
        session = copied("src/quietmove/index", "IllegalMoveError: move").splitlines()
        assert "board.push(64)" in session
        assert not [line for line in session if line.startswith((">>>", "..."))]
        assert "Traceback (most recent call last):" not in session
        page.goto(f"{address}/protocol.html")
        assert not page.locator(".highlight:has-text('> uci') [data-clipboard-target]").count()
        browser.close()


def test_a_broken_link_fails(script: dict[str, Any], tmp_path: Path) -> None:
    pages = shutil.copytree(script["PAGES"], tmp_path / "pages", ignore=shutil.ignore_patterns("*.ipynb"))
    with (pages / "agent.md").open("a", encoding="utf-8") as file:
        file.write("[a](referee/README.md#nowhere) [b](nothing.md)\n")
    said = script["build"](pages, tmp_path / "site")
    assert "#nowhere" in said
    assert "nothing.md" in said
    assert said.splitlines()[-1] == "error: mkdocs ended with status 1"


def test_a_cell_that_fails_fails_the_site(script: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "pages" / "examples").mkdir(parents=True)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print('tried')\n1 / 0")])
    nbformat.write(notebook, tmp_path / "pages" / "examples" / "wrong.ipynb")
    answer = script["build"](tmp_path / "pages", tmp_path / "site")
    assert answer.startswith("error: a notebook failed: ")
    assert "ZeroDivisionError" in answer
    assert not (tmp_path / "site").exists()


def test_every_public_name_has_a_docstring(script: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(script["undocumented"](script["PUBLIC"])) == []
    module = ModuleType("bare")
    exec(
        "class Bare:\n    'Documented.'\n    def method(self): pass\ndef f(): pass\n__all__ = ['Bare', 'f']",
        vars(module),
    )
    monkeypatch.setitem(sys.modules, "bare", module)
    assert list(script["undocumented"](["bare"])) == ["bare.Bare.method", "bare.f"]
