"""The page of tournaments, in a real browser; one is followed while another process plays it."""

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

from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.match.score import signed
from quietmove.tournament.store.store import Store
from tests.e2e.web.conftest import SOURCE, Server, assert_all_can_use
from tests.e2e.web.test_server import WAIT, ask
from tests.fakes.tournament_store import MOVES, a_tournament, write_games, write_store

HOSTILE = ("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "long" * 60, "d & 'e' \"f\"")
SLOW = "<b>slow</b>"
FAKE = SOURCE / "tests" / "fakes" / "fake_engine.py"
GATE = "gate"
FIRST = 4  # games that are there when the page is opened
ALL = 8


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


def test_a_page_rounds_as_a_terminal_does(page: Any, stores: dict[str, str]) -> None:
    tournament(page, "cup")
    numbers = [-6.25, 6.25, 6.35, -0.04, 0.05, 1234.5, -2.5, 0.5, 1.005, 0.0]
    script = """async numbers => {
        const { src } = document.querySelector("script[src*='tournament']");
        const { signed } = await import(src.replace(/[^/]+$/, "charts.js"));
        return numbers.flatMap(number => [signed(number), signed(number, 1)]);
    }"""
    texts = [text.replace("\u2212", "-") for text in page.evaluate(script, numbers)]
    assert texts == [signed(number, digits) for number in numbers for digits in (0, 1)]
    assert texts[1] == "-6.3"


@contextmanager
def resumed(store: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "quietmove.tournament", "resume", store, "--concurrency", "2"],
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


def games_are_seen_while_they_are_played(page: Any) -> None:
    """Two games, each at the first move of the slow engine after the ninth."""
    for number in (FIRST + 1, FIRST + 2):
        waits = (
            f":has(.player.turn:has-text('{SLOW}'))"  # with nine moves the other engine may have yet to make the tenth
        )
        page.wait_for_selector(f"#boards .running:has(.plain:text-matches('^Game {number}: (9|10) moves$')){waits}")
    cards = page.locator("#boards .running")
    assert cards.count() == 2
    for card in cards.all():
        plies = 9 if "9 moves" in card.inner_text() else 10
        assert card.locator(".piece").count() == 4 + plies
        assert card.locator(".placed").count() == 1
        slow = card.locator(f".player.turn:has-text('{SLOW}')")
        assert slow.locator(".limit").inner_text() == "+2.5"
        assert slow.locator(".count").inner_text() == str(card.locator(f".side{int(plies == 9)}.piece").count())
        assert page.evaluate("() => document.querySelectorAll('#now b').length") == 0
    running = cards.nth(0).locator(".turn .clock")
    before = running.inner_text()
    assert re.fullmatch(r"\d+:\d\d", before)
    page.wait_for_function(
        "before => document.querySelector('#boards .turn .clock').textContent !== before", arg=before
    )
    width = cards.nth(1).bounding_box()["width"]
    cards.nth(1).locator(".plain").click()
    assert cards.nth(1).bounding_box()["width"] > 2 * width
    assert_all_can_use(page)
    cards.nth(1).locator(".board").click()
    assert cards.nth(1).bounding_box()["width"] == width


def open_the_gate(gate: Path) -> None:
    """Let the engines that wait go on, and all that come later."""
    descriptor = os.open(gate, os.O_RDWR)  # which waits for nobody
    os.write(descriptor, bytes(16))
    gate.unlink()
    os.close(descriptor)


def test_a_tournament_is_followed_to_its_end_and_a_game_replayed(
    page: Any, server: Server, stores: dict[str, str]
) -> None:
    tournament(page, "running")
    page.wait_for_selector(f"#progress:text-matches('^{FIRST} games')")
    page.wait_for_selector("#course svg[aria-label^='LLR ']")
    page.wait_for_selector(f"#counted:has-text('of {FIRST}')")
    before = page.locator("#course path").get_attribute("d")
    assert page.locator("#now").is_hidden()
    with resumed(server.stores / "running.sqlite") as process:
        games_are_seen_while_they_are_played(page)
        open_the_gate(server.stores / GATE)
        said, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 0, said
    page.wait_for_selector(f"#progress:text-is('{ALL} of {ALL} games, the tournament is over')")
    page.wait_for_selector("#status:text-is('The tournament is over.')")
    page.wait_for_selector("#now", state="hidden")
    assert page.locator("#course path").get_attribute("d") != before
    assert page.locator("#standings td:nth-child(3)").all_inner_texts() == [str(ALL)] * 2
    page.wait_for_selector(f"#counted:has-text('of {ALL}')")
    page.click("#crosstable button >> nth=0")
    assert page.input_value("#engine") != page.input_value("#against") != ""
    page.select_option("#outcome", "lost")
    page.wait_for_selector(f"#counted:has-text('of'):not(:has-text('of {ALL}'))")
    page.click("#filter button[type=reset]")
    page.wait_for_selector(f"#counted:has-text('of {ALL}')")
    page.click("#games a[aria-label^='Game 1,']")
    page.wait_for_selector(f"#moves li:nth-child({len(MOVES)})")
    page.wait_for_selector("#status:text-is('Black wins (1-0).')")  # a game that is over is opened at its end
    assert page.inner_text("#player1 .clock") == "30 ms"
    page.click("#back")
    assert page.inner_text("#player0 .clock") == "1.50 s"
    assert page.locator("#graph path").count() == 2
    page.reload()
    page.wait_for_selector(f"#moves li:nth-child({len(MOVES)})")


def test_what_a_store_says_is_shown_as_text(page: Any, stores: dict[str, str]) -> None:
    page.click("nav a:text-is('Tournaments')")
    page.wait_for_selector("#list .wrong:text('junk.sqlite: file is not a database')")
    page.click("#list a:text-is('<b>hostile</b>')")
    page.wait_for_selector("#standings table")
    assert page.inner_text("#title") == "<b>hostile</b>"
    assert sorted(page.locator("#standings button").all_text_contents()) == sorted(HOSTILE)
    page.click("#standings button:text-is('<img src=x onerror=alert(1)>')")
    assert page.input_value("#engine") == HOSTILE[0]
    page.wait_for_selector("#counted:has-text('of 6')")
    page.locator("#verdicts button").first.click()
    page.wait_for_selector("#games td:has-text('timeout: ')")
    assert page.evaluate("() => document.querySelectorAll('main :is(img, script, b)').length") == 0


def test_every_format_is_shown_with_what_it_adds(page: Any, stores: dict[str, str]) -> None:
    tournament(page, "cup")
    assert page.locator("#bracket .stage").count() == 1  # nobody is known of the final
    page.wait_for_selector("#counted:has-text('of 4')")
    page.locator("#bracket .match").first.click()
    page.wait_for_selector("#counted:has-text('of 2')")
    assert (page.input_value("#engine"), page.input_value("#against")) == ("a", "d")
    assert page.locator("#standings th:text-is('Stage')").count() == 1
    page.click("#tolist")
    page.click("#list a:text-is('tuned')")
    page.wait_for_selector("#lines:has-text('Hash=16')")
    assert page.locator("#test:visible, #rounds:visible").count() == 0


def test_it_is_for_everyone(page: Any, stores: dict[str, str]) -> None:
    tournament(page, "<b>hostile</b>")
    page.wait_for_selector("#games table")
    assert_all_can_use(page)
    page.set_viewport_size({"width": 360, "height": 740})
    width, seen = page.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= seen
    page.locator("#crosstable button").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#counted:has-text('of 2')")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nothing/games", "there is none called 'nothing' here"),
        ("{}/games?outcome=best", "outcome: must be won, drawn or lost, not 'best'"),
        ("{}/games?from=x", "from: must be a number of games, not 'x'"),
    ],
)
def test_what_is_not_there_is_said(server: Server, stores: dict[str, str], path: str, said: str) -> None:
    status, _, answer = ask(server, "GET", f"/api/tournaments/{path.format(stores['hostile'])}")
    assert status == 400
    assert said in answer["error"]
