"""Pages that other packages add to the server, by an entry point."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.routing import Route

from quietmove.referee.web.pages import GROUP, installed_pages, page_routes

MODULE = """
from pathlib import Path
from quietmove.referee.web.pages import AddedPages

def pages(stores):
    title = " & ".join(store.name for store in stores)
    return AddedPages("/added", title, "added", Path(__file__).parent, [])
"""
PAGE = "<main></main>"
REQUEST = Request({"type": "http"})


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that is installed by hand, as tests/e2e/test_own_games.py does."""
    described = tmp_path / "added_pages-1.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: added_pages\nVersion: 1\n", encoding="utf-8")
    (described / "entry_points.txt").write_text(f"[{GROUP}]\nadded = added_pages:pages\n", encoding="utf-8")
    (tmp_path / "added_pages.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "added.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "added.js").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    monkeypatch.setitem(sys.modules, "added_pages", None)  # so that it is removed in the end
    del sys.modules["added_pages"]
    return tmp_path


def texts(site: Path) -> dict[str, str]:
    added = [each for each in installed_pages([Path("a<b"), Path("c")]) if each.static == site]
    found = (route for route in page_routes(added) if isinstance(route, Route))
    return {route.path: bytes(route.endpoint(REQUEST).body).decode() for route in found}


def test_every_page_has_links_to_all(site: Path) -> None:
    pages = texts(site)
    assert set(pages) == {"/", "/tree", "/added"}
    link = '<a href="/added"{}>a&lt;b &amp; c</a></nav>'
    for path, text in pages.items():
        assert text.count("<nav") == 1
        assert text.count("aria-current") == 1
        assert f'<a href="{path}" aria-current="page">' in text
        assert link.format(' aria-current="page"' if path == "/added" else "") in text
