"""Pages that other packages add to the server; those of tournaments are looked at in tests/addons/web."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from starlette.responses import Response

from quietmove.addons.web.pages import AddedPages, page_rows

ADDONS = Path(__file__).parents[3] / "addons"
MAINS = [
    path
    for path in sorted(ADDONS.rglob("static/*.html"))
    if path.read_text().startswith("<main") and path.name != "login.html"
]


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


@pytest.mark.parametrize("main", MAINS, ids=lambda path: str(path.relative_to(ADDONS)))
def test_no_id_is_twice_on_a_page_with_its_header_and_settings(main: Path, tmp_path: Path) -> None:
    for path in main.parent.glob("*.html"):
        (tmp_path / path.name).write_text(path.read_text().replace("<!--title-->", ""))
    (tmp_path / f"{main.stem}.js").touch()
    [row] = [row for row in page_rows([AddedPages("/added", "a", main.stem, tmp_path, [])]) if row.path == "/added"]
    answer = row.work(None)
    assert isinstance(answer, Response)
    ids = Counter(re.findall(r' id="([^"]+)"', bytes(answer.body).decode()))
    assert [name for name, count in ids.items() if count > 1] == []
