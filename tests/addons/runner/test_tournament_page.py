"""The page of tournaments, and a tournament's report, in a real browser; one is followed while it is played."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove.addons.runner.report.page import html_report
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.match.score import signed
from quietmove.tournament.reporting.document import document
from quietmove.tournament.store.store import Store
from tests.addons.conftest import (
    SOURCE,
    Server,
    expect_all_can_use,
    expect_no_wider_than_the_window,
    shows,
    watched,
)
from tests.addons.web.test_serving import WAIT, ask
from tests.fakes.tournament_store import MOVES, a_tournament, write_a_game_of_nim, write_games, write_store

HOSTILE = ("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "long" * 60, "d & 'e' \"f\"")
SLOW = "<b>slow</b>"
FAKE = SOURCE / "tests" / "fakes" / "fake_engine.py"
GATE = "gate"
FIRST = 4  # games played before the page opens
ALL = 8
CHOSEN = """() => {
  const [engine, against] = ["engine", "against"].map((id) => document.getElementById(id).value);
  return engine !== against && against !== "";
}"""


@pytest.fixture(scope="module")
def stores(server: Server) -> Iterator[dict[str, str]]:
    """The short names of some tournaments and of a file that is none."""
    os.mkfifo(gate := server.stores / GATE)
    running = a_tournament("running", ("a", SLOW), "sprt", most_games=ALL)
    fake = (sys.executable, str(FAKE), "wait", "--ply", "9", "--gate", str(gate), "--claim", "250")
    slow = EngineConfig(SLOW, fake, limit=TimeControl(base_ms=3_600_000), margin_ms=60_000)
    running = replace(running, engines=(running.engines[0], slow))
    write_store(server.stores / "running.sqlite", running, FIRST)
    write_store(server.stores / "hostile.sqlite", a_tournament("<b>hostile</b>", HOSTILE), 10)
    with Store.open_to_write(server.stores / "hostile.sqlite") as store:
        write_games(store, 2, "timeout")
    write_store(server.stores / "cup.sqlite", a_tournament("cup", ("a", "b", "c", "d"), "knockout"), 4)
    tuned = a_tournament("tuned", ("up", "down"), "spsa", parameters="Hash=16:1:64")
    write_store(server.stores / "tuned.sqlite", tuned, 2)
    (server.stores / "junk.sqlite").write_text("no store")
    _, _, answer = ask(server, "GET", "/api/tournaments")
    yield {each["file"].partition(".")[0]: each["id"] for each in answer["tournaments"]}
    for path in server.stores.iterdir():
        path.unlink()


def tournament(page: Any, title: str) -> None:
    page.click("nav a:text-is('Tournaments')")
    page.click(f"#list a:text-is('{title}')")
    page.wait_for_selector("#standings table")


def test_the_crosstable_of_ten_engines_is_not_cut(page: Any, server: Server, stores: dict[str, str]) -> None:
    names = [f"engine-{letter}" for letter in "abcdefghij"]
    write_store(server.stores / "ten.sqlite", a_tournament("ten", names), 90)
    page.set_viewport_size({"width": 1000, "height": 900})
    page.reload()
    tournament(page, "ten")
    page.wait_for_selector("#crosstable table")
    page.wait_for_function(
        "() => ((table) => table.scrollWidth <= table.clientWidth)(document.getElementById('crosstable'))",
        timeout=15_000,
    )


def test_a_page_rounds_as_a_terminal_does(page: Any, stores: dict[str, str]) -> None:
    tournament(page, "cup")
    numbers = [-6.25, 6.25, 6.35, -0.04, 0.05, 1234.5, -2.5, 0.5, 1.005, 0.0]
    script = f"""async () => {{
        const {{ signed }} = await import("/static/charts.js");
        return {numbers}.map((number) => [signed(number), signed(number, 1)]);
    }}"""
    texts = [[signed(number, digits).replace("-", "\u2212") for digits in (0, 1)] for number in numbers]
    assert texts[0] == ["\u22126", "\u22126.3"]
    shows(page, script, texts)


@contextmanager
def resumed(store: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "quietmove.tournament", "resume", store, "--concurrency", "2", "--force-concurrency"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def expect_games_while_they_are_played(page: Any) -> None:
    """Two games, each at the first move of the slow engine after the ninth."""
    waits = f":has(.player.turn:has-text('{SLOW}'))"  # after nine moves, the tenth may be the other engine's
    for number in (FIRST + 1, FIRST + 2):
        page.wait_for_selector(f"#boards .running:has(.plain:text-matches('^Game {number}: (9|10) moves$')){waits}")
    cards = page.locator("#boards .running")
    expect(cards).to_have_count(2)
    for card in cards.all():
        moves = card.inner_text()
        plies = 9 if "9 moves" in moves else 10  # the slow engine is waiting, so no move is made in the meantime
        expect(card.locator(".piece")).to_have_count(4 + plies)
        expect(card.locator(".placed")).to_have_count(1)
        slow = card.locator(f".player.turn:has-text('{SLOW}')")
        expect(slow.locator(".limit")).to_have_text("+2.5")
        pieces = card.locator(f".side{int(plies == 9)}.piece").count()
        expect(slow.locator(".count")).to_have_text(str(pieces))
    expect(page.locator("#now b")).to_have_count(0)
    clock = cards.nth(0).locator(".turn .clock")
    expect(clock).to_have_text(re.compile(r"^\d+:\d\d$"))
    before = clock.inner_text()
    expect(clock).not_to_have_text(before)
    width = cards.nth(1).bounding_box()["width"]
    wide = "([card, isWide]) => (document.querySelectorAll('#boards .running')[1].offsetWidth > 2 * card) === isWide"
    cards.nth(1).locator(".plain").click()
    page.wait_for_function(wide, arg=[width, True])
    expect(cards.nth(1).locator(".output:visible").first).to_contain_text("bestmove")
    expect(cards.nth(0).locator(".output:visible")).to_have_count(0)
    expect_all_can_use(page)
    cards.nth(1).locator(".board").click()
    page.wait_for_function(wide, arg=[width, False])


def open_the_gate(gate: Path) -> None:
    """Let the engines that wait go on, and all that come later."""
    descriptor = os.open(gate, os.O_RDWR)  # unlike opening it for writing only, this does not block
    os.write(descriptor, bytes(16))
    gate.unlink()
    os.close(descriptor)


@pytest.mark.smoke
def test_a_tournament_is_followed_to_its_end_and_a_game_replayed(
    page: Any, server: Server, stores: dict[str, str]
) -> None:
    tournament(page, "running")
    page.wait_for_selector(f"#progress:text-matches('^{FIRST} games')")
    page.wait_for_selector("#course svg[aria-label^='LLR ']")
    page.wait_for_selector(f"#counted:has-text('of {FIRST}')")
    course = page.locator("#course path")
    before = course.get_attribute("d")
    expect(page.locator("#now")).to_be_hidden()
    with resumed(server.stores / "running.sqlite") as process:
        expect_games_while_they_are_played(page)
        open_the_gate(server.stores / GATE)
        said, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 0, said
    page.wait_for_selector(f"#progress:text-is('{ALL} of {ALL} games, the tournament is over')")
    page.wait_for_selector("#status:text-is('The tournament is over.')")
    page.wait_for_selector("#now", state="hidden")
    expect(course).not_to_have_attribute("d", before)
    expect(page.locator("#standings td:nth-child(3)")).to_have_text([str(ALL)] * 2)
    page.wait_for_selector(f"#counted:has-text('of {ALL}')")
    page.click("#crosstable button >> nth=0")
    page.wait_for_function(CHOSEN)
    page.select_option("#outcome", "lost")
    page.wait_for_selector(f"#counted:has-text('of'):not(:has-text('of {ALL}'))")
    page.click("#filter button[type=reset]")
    page.wait_for_selector(f"#counted:has-text('of {ALL}')")
    page.click("#games a[aria-label^='Game 1,']")
    page.wait_for_selector(f"#moves li:nth-child({len(MOVES)})")
    page.wait_for_selector("#status:text-is('Black wins (1-0).')")  # a finished game opens at its end
    expect(page.locator("#player1 .clock")).to_have_text("30 ms")
    page.click("#back")
    expect(page.locator("#player0 .clock")).to_have_text("1.50 s")
    expect(page.locator("#graph path")).to_have_count(2)
    page.reload()
    page.wait_for_selector(f"#moves li:nth-child({len(MOVES)})")


def test_lines_join_each_match_to_the_one_of_its_winner(page: Any, stores: dict[str, str]) -> None:
    """Three rounds of six engines: e0 and e1 skip the first one. All positions are in pixels."""
    tournament(page, "cup")
    matches = [[(1, "e3", "e4"), (3, "e2", "e5")], [(0, "e0", "e3"), (1, "e1", "e2")], [(0, "e0", "e1")]]
    stages = [
        [
            {"place": place, "first": first, "second": second, "points": [2, 0], "winner": first}
            for place, first, second in each
        ]
        for each in matches
    ]
    cards, lines = page.evaluate(
        """async (stages) => {
            const { bracket } = await import("/static/tables.js");
            document.getElementById("bracket").replaceChildren(bracket(stages, () => {}));
            const place = (x, y) => `${Math.round(x)} ${Math.round(y)}`;
            const cards = [...document.querySelectorAll("#bracket .match")].map((card) => {
                const { left, right, top, bottom } = card.getBoundingClientRect();
                return [card.textContent, place(left, (top + bottom) / 2), place(right, (top + bottom) / 2)];
            });
            const ends = (path) => [0, path.getTotalLength()].map((at) => {
                const { x, y } = path.getPointAtLength(at).matrixTransform(path.getScreenCTM());
                return place(x, y);
            });
            return [cards, [...document.querySelectorAll("#bracket path")].map(ends)];
        }""",
        stages,
    )
    before = {right: text for text, _, right in cards}
    after = {left: text for text, left, _ in cards}
    assert [(before[start], after[end]) for start, end in lines] == [
        ("e32e40", "e02e30"), ("e22e50", "e12e20"), ("e02e30", "e02e10"), ("e12e20", "e02e10")
    ]  # fmt: skip


def test_every_format_is_shown_with_what_it_adds_and_what_a_store_says_as_text(
    page: Any, stores: dict[str, str]
) -> None:
    tournament(page, "cup")
    expect(page.locator("#bracket h3")).to_have_count(1)  # the finalists are not known yet
    expect(page.locator("#bracket svg")).to_have_count(0)
    page.wait_for_selector("#counted:has-text('of 4')")
    page.locator("#bracket .match").first.click()
    page.wait_for_selector("#counted:has-text('of 2')")
    expect(page.locator("#engine")).to_have_value("a")
    expect(page.locator("#against")).to_have_value("d")
    expect(page.locator("#standings th:text-is('Stage')")).to_have_count(1)
    page.click("#tolist")
    page.click("#list a:text-is('tuned')")
    page.wait_for_selector("#lines:has-text('Hash=16')")
    expect(page.locator("#test:visible, #rounds:visible")).to_have_count(0)
    page.click("#tolist")
    page.wait_for_selector("#list .wrong:text('junk.sqlite: file is not a database')")
    page.click("#list a:text-is('<b>hostile</b>')")
    page.wait_for_selector("#counted:has-text('of 12')")  # all games: the previous tournament's filter is gone
    expect(page.locator("#title")).to_have_text("<b>hostile</b>")
    for each in HOSTILE:
        expect(page.get_by_role("button", name=each, exact=True).and_(page.locator("#standings button"))).to_have_count(
            1
        )
    page.click("#standings button:text-is('<img src=x onerror=alert(1)>')")
    expect(page.locator("#engine")).to_have_value(HOSTILE[0])
    page.wait_for_selector("#counted:has-text('of 6')")
    page.locator("#verdicts button").first.click()
    page.wait_for_selector("#games td:has-text('timeout: ')")
    expect(page.locator("main :is(img, script, b)")).to_have_count(0)
    expect_all_can_use(page)
    page.set_viewport_size({"width": 360, "height": 740})
    expect_no_wider_than_the_window(page)
    page.locator("#crosstable button").nth(1).press("Enter")
    page.wait_for_selector("#counted:has-text('of 2')")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nothing/games", "there is no 'nothing' here"),
        ("{}/games?outcome=best", "outcome: must be won, drawn or lost, not 'best'"),
        ("{}/games?from=x", "from: expected a number of games, not 'x'"),
    ],
)
def test_what_is_not_there_is_said(server: Server, stores: dict[str, str], path: str, said: str) -> None:
    status, _, answer = ask(server, "GET", f"/api/tournaments/{path.format(stores['hostile'])}")
    assert status == 400
    assert said in answer["error"]


def write_report(path: Path) -> str:
    """Write the report on a store beside it, and return its address."""
    with Store.open_to_read(path) as store:
        text = html_report(store, document(store.tournament, store.results()))
    path.with_suffix(".html").write_text(text, encoding="utf-8")
    return path.with_suffix(".html").as_uri()


def test_the_report_is_one_file_and_a_game_is_stepped_through(context: Any, tmp_path: Path) -> None:
    names = HOSTILE[:2] + HOSTILE[3:]
    with Store.create(tmp_path / "t.sqlite", a_tournament("<b>@games@</b>", names)) as store:
        write_games(store, 4)
        write_games(store, 1, "timeout")
    write_a_game_of_nim(tmp_path / "nim.sqlite")
    with watched(context, tmp_path.as_uri()) as page:
        page.goto(write_report(tmp_path / "t.sqlite"))
        games, ply = page.locator("#games tbody tr"), page.locator("#ply")
        expect(games).to_have_count(5)
        expect(page.locator("#standings tbody tr")).to_have_count(len(names))
        expect(page.locator("#standings")).to_contain_text(HOSTILE[0])
        expect(page.locator("h1")).to_have_text("<b>@games@</b>")
        page.click("#verdicts button")
        expect(games).to_have_count(1)
        expect(page.locator("#games td.note")).to_have_text(re.compile("^timeout: "))
        page.locator("#crosstable button.cell").first.click()
        expect(games).to_have_count(2)
        expect(page.locator("#games th").first).to_have_text("Game")
        expect(games.first.locator("td").nth(4)).to_have_text("1-0")
        expect(games.first.locator("td").nth(5)).to_have_text("+10")
        page.locator("#games tbody button").first.click()
        expect(page.locator("#replay-title")).to_have_text(re.compile(r" 1-0 \(\+10\)$"))
        page.click("#last")
        expect(ply).to_have_text(f"{len(MOVES)} of {len(MOVES)}")
        expect(page.locator("#board .piece")).to_have_count(4 + len(MOVES))
        expect(page.locator("#moves [aria-current]")).to_have_text(re.compile("^4. d3"))
        page.keyboard.press("Home")
        expect(ply).to_have_text(f"0 of {len(MOVES)}")
        expect_all_can_use(page)
        page.set_viewport_size({"width": 390, "height": 844})
        expect_no_wider_than_the_window(page)
        page.emulate_media(media="print")
        for shown in ("#board", "#standings .wide >> nth=0"):
            expect(page.locator(shown)).to_be_visible()
        for left_out in ("#close", "#games"):
            expect(page.locator(left_out)).to_be_hidden()
        page.emulate_media(media="screen")
        page.click("#close")
        expect(page.locator("#replay")).to_be_hidden()
        expect(page.locator(":focus")).to_have_attribute("data-key", "game 4")
        page.goto(write_report(tmp_path / "nim.sqlite"))
        page.click("#games tbody button")
        page.click("#forward")
        expect(page.locator("#board .stone:not(.gone)")).to_have_count(2)
        expect(page.locator("#board .gone")).to_have_count(1)
