"""Pages that other packages add to the server; those of tournaments are looked at in tests/addons/web."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.routing import Route

from quietmove.addons.web.pages import AddedPages, page_routes


def test_every_page_has_links_to_all(tmp_path: Path) -> None:
    (tmp_path / "added.html").write_text("<main></main>", encoding="utf-8")
    (tmp_path / "added.js").touch()
    found = page_routes([AddedPages("/added", "a<b & c", "added", tmp_path, [])])
    request = Request({"type": "http"})
    pages = {each.path: bytes(each.endpoint(request).body).decode() for each in found if isinstance(each, Route)}
    assert set(pages) == {"/", "/play", "/added"}
    link = '<a href="/added"{}>a&lt;b &amp; c</a></nav>'
    for path, text in pages.items():
        assert text.count("<nav") == 1
        assert text.count("aria-current") == 1
        assert f'<a href="{path}" aria-current="page">' in text
        assert link.format(' aria-current="page"' if path == "/added" else "") in text
