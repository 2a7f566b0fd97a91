"""Learn Othello: each position is solved or searched again, and the steps are taken on the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove.addons.practice.answers import judge
from quietmove.addons.practice.learn import Step, find_step, lesson_problems, steps
from quietmove.addons.practice.page import AnswerRequest, PracticePages, PracticeRequest
from quietmove.addons.practice.problems import CLEAR
from quietmove.addons.practice.schedule import REASONS
from quietmove.engine.games.othello.book import SHIPPED, book_of
from quietmove.engine.games.othello.opening_names import opening_moves
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.session import DEFAULTS, make_table
from quietmove.engine.values import Limits
from tests.addons.conftest import Server, expect_all_can_use, expect_no_wider_than_the_window, let_in, serving, watched


def test_there_are_twelve_steps_of_three_to_six_positions() -> None:
    assert [3 <= len(step.problems) <= 6 for step in steps()] == [True] * 12
    keys = {each.key for each in lesson_problems()}
    assert len(keys) == len(lesson_problems())
    for reason in REASONS:
        assert find_step(reason), reason
    assert find_step("no such step") is None


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.name)
def test_the_answers_are_proved_or_searched_again(step: Step) -> None:
    table = make_table(16)
    for problem in step.problems:
        position = problem.begin()
        if step.name == "openings":
            moves = book_of(SHIPPED).moves(position)
            assert (problem.rules.format_move(moves[0].move), moves[0].value, moves[0].depth) == (
                problem.best,
                problem.value,
                problem.depth,
            )
            assert problem.value - moves[1].value >= CLEAR
            continue
        assert problem.exact == (position.moves_left() <= 18)
        limits = Limits(goal="solve") if problem.exact else Limits(depth=problem.depth)
        table.forget()
        lines = {}
        for info in Deepening(position, table, replace(DEFAULTS, multipv=2), limits).iterations():
            lines[info.rank] = info
        assert (problem.rules.format_move(lines[1].pv[0]), lines[1].score.value) == (problem.best, problem.value)
        assert problem.value - lines[2].score.value >= CLEAR, problem.key


def test_the_lines_of_the_openings_begin_with_their_names() -> None:
    [lines] = [text for text in find_step("openings").text if text.startswith("Tiger:")]  # type: ignore[union-attr]
    rules = get_game("othello")
    for line in lines.removesuffix(".").split(". "):
        name, _, moves = line.partition(": ")
        squares = [move for move in moves.split() if len(move) == 2]
        assert len(squares) == 10
        named = [rules.format_move(move) for move in opening_moves()[name]]
        assert squares[: len(named)] == named[:10]


def test_an_answer_says_what_the_position_shows() -> None:
    problem = steps()[1].problems[0]
    for move in (problem.best, problem.rules.format_move(problem.begin().legal_moves()[0])):
        assert judge(problem, move).text.endswith(problem.note)


def test_progress_is_kept(tmp_path: Path) -> None:
    pages = PracticePages(tmp_path)
    asked = PracticeRequest(kind="learn", step="wedge")
    found = pages.overview(asked)
    assert (found["step"], len(found["queue"]), found["due"]) == ("wedges", 3, 0)
    key = found["queue"][0]
    for move, solved in (("h7", 0), (None, 0), ("a7", 1)):
        assert pages.answer(AnswerRequest(key=key, move=move))["again"] == ""
        course = {step["name"]: step["solved"] for step in PracticePages(tmp_path).overview(asked)["course"]}
        assert course["wedges"] == solved
    assert pages.overview(PracticeRequest(kind="learn"))["queue"] == []
    assert pages.overview(PracticeRequest())["course"] == []


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("learn")
    with serving(XDG_DATA_HOME=str(folder)) as (process, address):
        yield Server(address, process, folder / "stores")


def test_a_step_is_taken_on_the_page(context: Any, server: Server) -> None:
    with watched(context, server.host) as page:
        let_in(context, server)
        page.goto(f"http://{server.host}/practice")
        page.click("#learn")
        expect(page.locator("#course-steps > li")).to_have_count(12)
        expect(page.locator("#more")).to_have_text("Begin: The rules")
        expect_all_can_use(page)
        page.click("#course-steps a:text-is('Wedges')")
        expect(page.locator("#lesson-title")).to_have_text("6. Wedges")
        expect(page.locator("#cost")).to_have_text("0 of 3 used")
        expect(page.locator("#mastery")).to_be_hidden()
        for size in ((390, 844), (844, 390), (1280, 800)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            expect_no_wider_than_the_window(page)
            expect(page.locator("#lesson-text p")).to_have_count(2)
        expect_all_can_use(page)
        for number, problem in enumerate(find_step("wedges").problems, 1):  # type: ignore[union-attr]
            expect(page.locator("#place")).to_have_text(f"{number} of 3")
            page.keyboard.type(problem.best)
            expect(page.locator("#note")).to_contain_text(problem.note)
            page.keyboard.press("Enter")
        expect(page.locator("#status")).to_have_text("Step done")
        expect(page.locator("#course-steps > li:nth-child(6) .badge")).to_have_text("3 of 3")
        page.click("#more")
        expect(page.locator("#lesson-title")).to_have_text("7. Parity")
