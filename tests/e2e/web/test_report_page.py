"""A tournament's report, opened from its file: everything is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quietmove.tournament.report_page.page import html_report
from quietmove.tournament.reporting.document import document
from quietmove.tournament.store.store import Store
from tests.e2e.web.conftest import assert_all_can_use, watched
from tests.fakes.tournament_store import MOVES, a_tournament, write_a_game_of_nim, write_games

HOSTILE = ("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "d & 'e' \"f\"")


def test_the_report_is_read_and_a_game_is_stepped_through(context: Any, tmp_path: Path) -> None:
    with Store.create(tmp_path / "t.sqlite", a_tournament("<b>@games@</b>", HOSTILE)) as store:
        write_games(store, 4)
        write_games(store, 1, "timeout")
        write_report(store, tmp_path / "t.html")
    write_a_game_of_nim(tmp_path / "nim.sqlite")
    with Store.open_to_read(tmp_path / "nim.sqlite") as store:
        write_report(store, tmp_path / "nim.html")
    with watched(context, tmp_path.as_uri()) as page:
        page.goto((tmp_path / "t.html").as_uri())
        page.wait_for_selector("#games tbody tr")
        assert page.locator("#standings tbody tr").count() == len(HOSTILE)
        assert HOSTILE[0] in page.inner_text("#standings")
        assert page.inner_text("h1") == "<b>@games@</b>"
        assert page.locator("#games tbody tr").count() == 5
        page.click("#verdicts button")
        assert page.locator("#games tbody tr").count() == 1
        assert page.inner_text("#games td.note").startswith("timeout: ")
        page.locator("#crosstable button.cell").first.click()
        assert page.locator("#games tbody tr").count() == 2
        assert page.locator("#games th").all_inner_texts()[0] == "Game"
        assert page.locator("#games tbody tr").first.locator("td").all_inner_texts()[4:6] == ["1-0", "+10"]
        page.click("#games tbody button")
        assert page.inner_text("#replay-title").endswith(" 1-0 (+10)")
        page.click("#last")
        assert page.inner_text("#ply") == f"{len(MOVES)} of {len(MOVES)}"
        assert page.locator("#board .piece").count() == 4 + len(MOVES)
        assert page.locator("#moves [aria-current]").inner_text().startswith("4. d3")
        page.keyboard.press("Home")
        assert page.inner_text("#ply") == f"0 of {len(MOVES)}"
        assert_all_can_use(page)
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.emulate_media(media="print")
        assert [page.is_visible(each) for each in ("#board", "#close", "#games")] == [True, False, False]
        assert page.locator("#standings .wide").first.is_visible()
        page.emulate_media(media="screen")
        page.click("#close")
        assert not page.is_visible("#replay")
        assert page.evaluate("document.activeElement.dataset.key") == "game 4"
        page.goto((tmp_path / "nim.html").as_uri())
        page.click("#games tbody button")
        page.click("#forward")
        assert page.locator("#board .stone:not(.gone)").count() == 2
        assert page.locator("#board .gone").count() == 1


def write_report(store: Store, path: Path) -> None:
    path.write_text(html_report(store, document(store.tournament, store.results())), encoding="utf-8")
