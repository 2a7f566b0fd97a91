"""The page on which mistakes are practised, in a real browser: by mouse, by keys alone and by touch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from quietmove.addons.practice.positions import Practice
from quietmove.addons.practice.problems import Problem, endgame_problems
from quietmove.addons.practice.schedule import FILE_NAME
from quietmove.referee.game.saved import read_game
from tests.addons.conftest import (
    Server,
    expect_all_can_use,
    expect_no_wider_than_the_window,
    let_in,
    serving,
    watched,
)
from tests.addons.practice.kept_games import keep_game, review

SIZES = ((1280, 800), (1920, 1080), (390, 844), (844, 390), (640, 400))
SQUARE = "#board .field button"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("practice")
    with serving(XDG_DATA_HOME=str(folder)) as (process, address):
        yield Server(address, process, folder / "stores")


@pytest.fixture
def kept(server: Server) -> Path:
    """The games of the server: one, with its review."""
    for path in server.kept.iterdir():
        path.unlink()
    review(keep_game(server.kept, 0))
    return server.kept


@pytest.fixture
def page(context: Any, server: Server, kept: Path) -> Iterator[Any]:
    with watched(context, server.host, "400 (Bad Request)") as page:
        let_in(context, server)
        yield page


def visit(page: Any, server: Server, path: str = "practice") -> None:
    page.goto(f"http://{server.host}/{path}")


def begin(page: Any, server: Server) -> None:
    """Open the page and wait for the first position."""
    visit(page, server)
    expect(page.locator("#hint")).to_be_visible()


def due(folder: Path) -> list[Problem]:
    """Return the positions in the order in which the page asks them: the costliest first."""
    problems = [each for each in Practice(folder).problems if not each.is_extra]
    return sorted(problems, key=lambda each: each.loss, reverse=True)


def square(page: Any, name: str) -> Any:
    return page.locator(f"{SQUARE}[aria-label^='{name}']")


def answers(folder: Path) -> dict[str, list[int]]:
    cards = Practice(folder).schedule.cards
    return {key: [rating for _, rating in card.answers] for key, card in cards.items()}


@pytest.mark.smoke
def test_positions_are_practised_by_mouse(page: Any, server: Server, kept: Path) -> None:
    first, second, *rest = due(kept)
    begin(page, server)
    side = "Black" if first.position.endswith("X") else "White"
    expect(page.locator("#status")).to_have_text(f"{side} to move. Find the best move.")
    expect(page.locator("#due")).to_have_text(f"{len(rest) + 2} due, {len(rest) + 2} new")
    expect(page.locator("#known")).to_have_text("New")
    expect(page.locator("#dots .now")).to_have_count(1)
    expect(page.locator("#cost")).to_have_text("0 of 3 used · if right, again in 2 days")
    expect(page.locator("#place")).to_have_text(f"1 of {len(rest) + 2}")
    expect(page.locator("#facts")).to_contain_text("your game of 1 June 2026 against level 3")
    expect(page.locator("#facts")).to_contain_text("hidden until you answer")
    for number in (1, 2, 3):
        page.click("#hint")
        expect(page.locator("#hints .given")).to_have_count(number)
        expect(page.locator("#cost")).to_have_text(f"{number} of 3 used · if right, again in 1 day instead of 2")
    expect(page.locator("#hint")).to_be_disabled()
    expect(page.locator("#board .area")).to_have_count(2)
    assert answers(kept) == {}

    square(page, first.played[0]).click()
    lost = round(first.loss / 100)
    about = "" if first.exact else "about "
    expect(page.locator("#note")).to_contain_text(
        f"{first.played[0]} loses {about}{lost} discs: {first.best} was better"
    )
    expect(page.locator("#mastery")).to_contain_text("It comes back tomorrow.")
    expect(page.locator("#dots .wrong")).to_have_count(1)
    expect(page.locator("#lines tbody tr")).to_have_count(2)
    expect(page.locator("#lines tbody tr").first).to_contain_text(first.best)
    expect(page.locator("#board .wrong")).to_have_count(1)
    expect(page.locator("#facts")).to_contain_text(f"You played {first.played[0]}, which lost {about}{lost} discs")
    expect(page.locator("#facts")).to_contain_text("once, last today, wrong once")
    expect(page.locator("#due")).to_contain_text(f"{len(rest) + 1} due")
    page.click("#line")
    expect(page.locator("#line")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#board circle.pv").first).to_be_visible()
    page.click("#retry")
    square(page, first.best).click()
    expect(page.locator("#note")).to_contain_text(f"Right: {first.best}.")
    assert answers(kept) == {first.key: [1]}  # second tries do not count

    page.click("#next")
    expect(page.locator("#note")).to_be_hidden()
    square(page, second.best).dblclick()  # one answer
    expect(page.locator("#mastery")).to_contain_text("Right once in a row.")
    expect(page.locator("#mastery")).to_contain_text("It comes back in 2 days.")
    expect(page.locator("#steps i")).to_have_count(1)
    assert answers(kept)[second.key] == [3]
    for _ in rest:
        page.click("#next")
        page.click("#answer")
        expect(page.locator("#note")).to_contain_text("The answer is ")
    page.click("#next")
    expect(page.locator("#figure")).to_have_text(f"1 of {len(rest) + 2}")
    expect(page.locator("#about")).to_have_text(f"Today {len(rest) + 2} positions, 1 right on the first try.")
    rows = page.locator("#results li")
    expect(rows).to_have_count(len(rest) + 2)
    expect(rows.nth(0)).to_contain_text(f"{first.best}, not {first.played[0]}")
    expect(rows.nth(1)).to_contain_text("comes back in 2 days")
    expect(page.locator("#losses")).to_contain_text("Discs lost per game: opening")
    expect(page.locator("#totals")).to_contain_text("due tomorrow")
    reasons = Practice(kept).schedule.by_reason(Practice(kept).problems, datetime.now().astimezone())
    assert reasons
    expect(page.locator("#reasons tbody tr")).to_have_text(
        [f"{text}{right} of {count}" for text, right, count in reasons]
    )
    page.click("#again")  # repeats the positions with wrong answers; the new answers do not count
    expect(page.locator("#cost")).to_contain_text("this try does not count")
    square(page, first.best).click()
    expect(page.locator("#note")).to_contain_text(f"Right: {first.best}.")
    assert answers(kept)[first.key] == [1]
    page.click("#stop")
    expect(page.locator("#figure")).to_have_text("1 of 1")
    page.click("#more")
    expect(page.locator("#answer")).to_be_visible()


def test_a_second_click_skips_no_position_and_gives_no_hint(page: Any, server: Server, kept: Path) -> None:
    count = len(due(kept))
    begin(page, server)
    page.locator("#later").dblclick()
    expect(page.locator("#place")).to_have_text(f"1 of {count - 1}")
    page.click("#answer")
    page.locator("#next").dblclick()
    expect(page.locator("#place")).to_have_text(f"2 of {count - 1}")
    expect(page.locator("#cost")).to_contain_text("0 of 3 used")
    page.click("#answer")
    requests: list[Any] = []
    page.route("**/api/practice/position?*", lambda route: requests.append(route))
    page.click("#next")
    page.click("#next")
    requests[0].continue_()
    expect(page.locator("#place")).to_have_text(f"3 of {count - 1}")
    assert len(requests) == 1


def test_positions_are_practised_by_keys_alone(page: Any, server: Server, kept: Path) -> None:
    first, second, *_ = due(kept)
    begin(page, server)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    expect(page.locator("#hints .given")).to_have_count(1)
    page.keyboard.type(first.played[0])
    expect(page.locator("#note")).to_contain_text(f"{first.played[0]} loses ")
    page.keyboard.press("u")
    expect(page.locator("#hints .given")).to_have_count(1)
    page.keyboard.type(first.best)
    expect(page.locator("#note")).to_contain_text("Right: ")
    page.keyboard.press("b")
    expect(page.locator("#line")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_be_visible()
    page.locator("#board button[tabindex='0']").focus()
    column, row = "abcdefgh".index(second.best[0]), int(second.best[1]) - 1
    for key, count in (("ArrowRight", column), ("ArrowDown", row)):
        for _ in range(count):
            page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator("#note")).to_contain_text(f"Right: {second.best}.")
    assert answers(kept) == {first.key: [1], second.key: [3]}
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_be_visible()


def test_positions_are_practised_by_touch(page: Any, server: Server, kept: Path) -> None:
    first, *_ = due(kept)
    touched = page.context.browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    let_in(touched, server)
    with watched(touched, server.host) as page:
        begin(page, server)
        page.tap("#hint")
        expect(page.locator("#hints .given")).to_have_count(1)
        square(page, first.best).tap()
        expect(page.locator("#note")).to_contain_text(f"Right: {first.best}.")
        expect_no_wider_than_the_window(page)
        page.tap("#next")
        expect(page.locator("#answer")).to_be_visible()
        page.tap("#later")
        expect(page.locator("#answer")).to_be_visible()
        assert answers(kept) == {first.key: [2]}  # after a hint
    touched.close()


def test_each_state_fits_the_window_and_can_be_used_by_all(page: Any, server: Server, kept: Path) -> None:
    first, *rest = due(kept)

    def expect_to_fit(*, is_asked: bool = True) -> None:
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            expect_no_wider_than_the_window(page)
            for part in ("#board .field", "#actions button:visible, #actions a:visible") if is_asked else ():
                box = page.locator(part).first.bounding_box()
                assert box, part
                assert box["x"] >= 0, (part, width, box)
                assert box["x"] + box["width"] <= width + 1, (part, width, box)
                assert box["y"] + box["height"] <= height + 1, (part, height, box)
            said = page.locator(".say").bounding_box()
            assert said
            assert said["y"] < height, (width, height)
        page.set_viewport_size({"width": 1280, "height": 800})
        expect_all_can_use(page)

    begin(page, server)
    expect_to_fit()
    page.click("#hint")
    page.click("#hint")
    expect_to_fit()
    square(page, first.played[0]).click()
    expect(page.locator("#note.bad")).to_be_visible()
    expect_to_fit()
    page.click("#retry")
    square(page, first.best).click()
    expect(page.locator("#note.good")).to_be_visible()
    expect_to_fit()
    for _ in rest:
        page.click("#next")
        page.click("#answer")
    page.click("#next")
    expect(page.locator("#status")).to_have_text("Done for today")
    expect_to_fit(is_asked=False)
    page.click("#endgames")
    expect(page.locator("#levels")).to_be_visible()
    expect_to_fit()


def test_endgames_and_openings_are_chosen(page: Any, server: Server, kept: Path) -> None:
    begin(page, server)
    page.click("[data-kind=endgames]")
    page.select_option("#level", "6")
    hard = next(each for each in endgame_problems() if each.level == 6)
    expect(page.locator("#facts")).to_contain_text(f"an endgame of difficulty 6, {hard.empties} empty squares")
    page.keyboard.type(hard.best)
    expect(page.locator("#note")).to_contain_text(f"Right: {hard.best}.")
    page.click("[data-kind=openings]")
    expect(page.locator("[data-kind=openings]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#place")).to_have_text(re.compile("1 of "))
    assert set(answers(kept)) == {hard.key}


def test_a_review_is_there_when_its_game_is_opened_again_and_its_mistakes_are_practised(
    page: Any, server: Server, kept: Path
) -> None:
    path = keep_game(kept, 6)
    visit(page, server, f"play#replay={quote('/api/kept/othello-06')}")
    page.click("#review")
    expect(page.locator("#accuracy")).to_contain_text("The review is saved with the game.")
    expect(page.locator("#accuracy")).to_contain_text(
        "Accuracy: the share of non-forced moves that lost less than one disc."
    )
    found = read_game(path).review
    assert found
    assert found.limit == "movetime=200"
    begin(page, server)  # leave the page
    visit(page, server, f"play#replay={quote('/api/kept/othello-06')}")
    expect(page.locator("#moves .note").first).to_be_visible()
    expect(page.locator("#totals")).to_contain_text("%")
    mine = [each for each in Practice(kept).problems if each.place == "othello-06"]
    page.keyboard.press("Home")
    expect(page.locator("#found")).to_contain_text(f"0.2 s a move. You practise {len(mine) or 'none'} of its")
    assert mine
    page.keyboard.press("m")
    expect(page.locator("#found")).to_contain_text(" lost ")
    page.click(f"#moves li:nth-child({mine[0].ply}) button")
    page.click("#practise")
    expect(page.locator("#facts")).to_contain_text("your game of 7 June 2026 against level 3, move ")
    expect(page.locator("#hint")).to_be_visible()
    visit(page, server, "")
    expect(page.locator("#kept-list")).to_contain_text("accuracy ")


def test_nothing_yet_and_a_damaged_file_say_what_to_do(page: Any, server: Server, kept: Path) -> None:
    game = kept / "othello-00.jsonl"
    reviewed = game.read_text()
    game.write_text(json.dumps({**json.loads(reviewed), "review": None}))
    visit(page, server)
    expect(page.locator("#status")).to_have_text("Nothing to practise yet")
    expect(page.locator("#session")).to_be_hidden()
    expect(page.locator("#about")).to_contain_text("Play a game, then press Review")
    expect_all_can_use(page)
    game.write_text(reviewed)
    (kept / FILE_NAME).write_text('{"positions": [\n{"position": 1}\n]}\n')
    visit(page, server, "")
    expect(page.locator("#practice-text")).to_contain_text("practice.json: line 2: expected a position")
    expect(page.locator("#kept-list li")).to_have_count(1)
    visit(page, server)
    expect(page.locator("#error")).to_contain_text("practice.json: line 2: expected a position")
    page.click("#anew")
    expect(page.locator("#hint")).to_be_visible()
    expect(page.locator("#error")).to_be_hidden()
    assert len(list(kept.glob(f"{FILE_NAME}.*"))) == 1
    expect(page.locator("#damaged")).to_be_hidden()
    (kept / "broken.jsonl").write_text("{")
    visit(page, server)
    expect(page.locator("#damaged")).to_contain_text("broken.jsonl: ")
    expect_all_can_use(page)
