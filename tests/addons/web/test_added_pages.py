"""Pages that other packages add to the server; those of tournaments are looked at in tests/addons/web."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import Response

from quietmove.addons.web.pages import AddedPages, page_rows


def test_every_page_has_links_to_all(tmp_path: Path) -> None:
    (tmp_path / "added.html").write_text("<main></main>", encoding="utf-8")
    (tmp_path / "added.js").touch()
    rows = page_rows([AddedPages("/added", "a<b & c", "added", tmp_path, [])])
    answers = {row.path: row.work(None) for row in rows if "static" not in row.path}
    pages = {path: bytes(each.body).decode() for path, each in answers.items() if isinstance(each, Response)}
    assert set(pages) == {"/", "/play", "/added"}
    link = '<a href="/added"{}>a&lt;b &amp; c</a></nav>'
    for path, text in pages.items():
        assert text.count('<nav id="pages"') == 1
        assert text.count("aria-current") == 1
        assert f'href="{path}" aria-current="page">' in text
        assert link.format(' aria-current="page"' if path == "/added" else "") in text
