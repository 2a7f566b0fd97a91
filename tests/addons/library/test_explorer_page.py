"""The explorer's page: files of games are added, and each position shows what was played there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.addons.conftest import Server, expect_all_can_use, expect_no_wider_than_the_window, serving, watched

GGF = "(;GM[Othello]PC[Club]DT[{}]PB[{}]PW[{}]TY[8]RE[{}:r]BO[8 {} *]B[F5]W[D6]B[{}];)"
START = " ".join(["--------"] * 3 + ["---O*---", "---*O---"] + ["--------"] * 3)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    played = [
        ("1999", "Ann", "Bob", "+4", "C3"),
        ("2004", "Cid", "Ann", "-2", "C3"),
        ("2010", "Bob", "Cid", "+6", "C5"),
    ]
    lines = [GGF.format(*facts[:4], START, facts[4]) for facts in played]
    path = tmp_path / "club.ggf"
    path.write_text("\n".join([*lines, GGF.format("2011", "X", "Y", "+2", START, "A1")]))
    return path


@pytest.fixture
def explorer(server: Server, context: Any) -> Iterator[Any]:
    with watched(context, server.host, "400 (Bad Request)") as page:
        page.goto(server.address)
        page.goto(f"http://{server.host}/explorer#source=database")
        expect(page.locator("#status")).to_contain_text("Initial position")
        yield page


@pytest.mark.smoke
def test_files_are_added_and_a_position_shows_what_was_played(explorer: Any, games: Path, server: Server) -> None:
    page, panel = explorer, explorer.locator("#database-panel")
    expect(panel).to_contain_text("No database yet")
    page.set_input_files("#files", games)
    expect(panel).to_contain_text("3 games")
    expect(panel.locator(".box.bad")).to_contain_text("club.ggf: line 4: move 3, a1, is not legal")
    page.get_by_role("button", name="Dismiss").click()
    expect(panel.locator(".box")).to_have_count(0)
    assert (server.kept.parent / "database.sqlite").is_file()

    panel.locator(".openings li", has_text="f5").locator(".share").click(force=True)  # a click on a row plays the move
    expect(page.locator("#status")).to_contain_text("1. f5")
    page.keyboard.type("d6")
    rows = panel.locator(".openings li:not(.head)")
    expect(rows).to_have_text([re.compile("^c3267%"), re.compile("^c5133%")])
    expect(page.locator("#crumbs [aria-current]")).to_have_text("2 d6")
    expect(panel.locator(".share").first).to_have_attribute("aria-label", "Black 50 %, drawn 0 %, White 50 %")
    expect(page.locator("#board text.score").first).to_have_text("67%")
    expect(panel.locator(".games li")).to_have_text(
        [re.compile("Bob – Cid"), re.compile("Cid – Ann"), re.compile("Ann – Bob")]
    )
    expect_all_can_use(page)

    page.keyboard.press("ArrowLeft")
    expect(page.locator("#status")).not_to_contain_text("d6")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#status")).to_contain_text("2. d6")

    expect(panel.locator(".badge")).to_have_text(["all players", "all years"])
    panel.get_by_role("button", name="Filter …").click()
    page.locator("#years").fill("1999 to x")
    page.locator("#player").fill("ann")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page.locator("#error")).to_contain_text("years: expected a year")
    page.locator("#years").fill("2000-2005")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(panel.locator(".games li")).to_have_text([re.compile("31–33.*Cid – Ann")])
    expect(page.locator("#error")).to_be_hidden()
    for size in ((390, 844), (844, 390)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        expect_no_wider_than_the_window(page)
        expect(page.locator("#database-tab")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(panel.locator(".badge")).to_have_text(["ann", "2000-2005"])
    panel.get_by_role("button", name="Filter …").click()
    page.get_by_role("button", name="All games").click()
    expect(panel.locator(".games li")).to_have_count(3)
    page.reload()  # the address contains the position
    expect(page.locator("#status")).to_contain_text("2. d6")
    page.get_by_text("Database contents").click()
    expect(panel.locator("details tbody tr")).to_have_text(["19991Club", "20041Club", "20101Club"])
    panel.locator(".games li", has_text="Cid – Ann").click()  # the whole row is a link
    expect(page.locator("#moves button")).to_have_count(3)
    expect(page.locator("#moves [aria-current]")).to_have_text("2. d6")
    expect(page.locator(".strip .name")).to_have_text(["Ann", "Cid"])
    page.click("#keep")
    expect(page.locator("#keep-black")).to_have_value("Cid")
    expect(page.locator("#keep-event")).to_have_value("Club")
    page.select_option("#keep-side", "1")
    page.click("#keep-form [type=submit]")
    expect(page.locator("#status")).to_contain_text("The game is saved in My games.")
    page.go_back()
    expect(page.locator("#status")).to_contain_text("2. d6")
    page.click("#playfrom")
    expect(page.locator("#resign")).to_be_visible()
    expect(page.locator("#moves li")).to_have_count(2)
    page.click("#resign")
    page.click("#resign:text('Really resign?')")


def test_the_book_and_ones_own_games_are_sources_too(explorer: Any, server: Server) -> None:
    page = explorer
    server.kept.mkdir(parents=True, exist_ok=True)
    moves = "".join(f'{{"move":"{move}","by":"opening"}},' for move in ("f5", "f6", "e6"))[:-1]
    for played in server.kept.glob("*.jsonl"):  # games saved by other tests
        played.unlink()
    kept = server.kept / "mine.jsonl"
    kept.write_text(
        f'{{"spec":{{"game":"othello","black":{{"name":"Me"}}}},"moves":[{moves}],"reason":"resign","margin_black":-2.0}}\n'
    )
    try:
        page.get_by_role("tab", name="My games").click()
        expect(page.locator("#mine-panel")).to_contain_text("Filter")
        page.keyboard.type("f5")
        mine = page.locator("#mine-panel")
        expect(page.locator("#status")).to_contain_text("1. f5")
        page.keyboard.type("f6")
        expect(page.locator("#status")).to_contain_text("2. f6")
        expect(mine).to_contain_text("1 game")
        expect(mine.locator(".games li")).to_contain_text(["Me – ?"])
        expect(mine.locator(".openings li:not(.head)")).to_have_text([re.compile("e6.*1.*100")])
        page.get_by_role("tab", name="Book").click()
        expect(page.locator("#book-panel")).to_contain_text("best")
    finally:
        kept.unlink()


def test_the_opening_that_is_shown_is_trained(explorer: Any) -> None:
    page = explorer
    page.get_by_role("tab", name="Book").click()
    expect(page.get_by_role("link", name="Train this opening")).to_have_count(0)  # the initial position has no name
    for number, move in enumerate(["f5", "d6", "c3", "d3", "c4"], 1):
        page.keyboard.type(move)
        expect(page.locator("#status")).to_contain_text(f"{number}. {move}")
    expect(page.locator("#status")).to_contain_text("Tiger")
    page.get_by_role("link", name="Train this opening").click()
    page.wait_for_url("**/play#**")
    expect(page.locator("#moves li").nth(4)).to_have_text(re.compile("c4"))
    expect(page.locator("#trained")).to_have_value("Tiger")
    expect(page.locator("#resign")).to_be_visible()
    page.click("#resign")
    page.click("#resign:text('Really resign?')")


def test_the_explorer_opens_where_there_are_games_and_can_begin_with_the_engines_own(
    context: Any, tmp_path: Path
) -> None:
    with serving(XDG_DATA_HOME=str(tmp_path)) as (_, address), watched(context, urlsplit(address).netloc) as page:
        page.goto(address)
        page.goto(f"http://{urlsplit(address).netloc}/explorer")
        expect(page.locator("#book-tab")).to_have_attribute("aria-selected", "true")
        page.click("#database-tab")
        page.get_by_role("button", name="Add the engine's own games").click()
        panel = page.locator("#database-panel")
        expect(panel.locator(".openings li:not(.head)")).to_have_count(1)  # f5
        expect(panel).not_to_contain_text("Reading starting_games")
        page.get_by_text("Database contents").click()
        expect(panel.locator("details")).not_to_contain_text("have no player names")
        expect(panel.locator("details tbody tr")).to_contain_text("Quietmove, levels 10 to 16")
        expect_all_can_use(page)
        page.goto(f"http://{urlsplit(address).netloc}/explorer?again")
        expect(page.locator("#database-tab")).to_have_attribute("aria-selected", "true")
