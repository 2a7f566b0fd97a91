"""The lectures: each step shows the numbers of its text, in letters that can be read from the last row."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from playwright.sync_api import expect

from quietmove.addons.lab.command import lab
from quietmove.addons.lab.lecture import NAMES
from quietmove.addons.lab.lessons import LECTURES, read_lessons
from tests.addons.conftest import Server, expect_all_can_use, expect_no_wider_than_the_window, watched
from tests.fakes.processes import WAIT, end_with_parent

LESSONS = {lesson["title"]: lesson["items"] for lesson in read_lessons(LECTURES.read_text(encoding="utf-8"))}
HALL = {"width": 1024, "height": 768}
STEPS = 10
# Returns the texts on the page and the size of the smallest letters in pixels; the tree's letters are scaled.
SHOWN = """() => {
  const tree = document.querySelector(".scroll svg");
  const scale = tree.getBoundingClientRect().width / tree.viewBox.baseVal.width;
  const size = (each) => parseFloat(getComputedStyle(each).fontSize) * (each.closest(".scroll") ? scale : 1);
  const all = [...document.querySelectorAll("#explanation, .counts, .sentence, .scroll .value")];
  const texts = all.filter((each) => each.textContent);
  const box = document.querySelector(".scroll");
  return {
    smallest: Math.min(...texts.map(size)),
    text: texts.slice(1).map((each) => each.textContent).join(" "),
    isWhole: box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight
      && document.documentElement.scrollHeight <= innerHeight,
  };
}"""


@pytest.fixture(scope="module")
def hall(context: Any, server: Server) -> Iterator[Any]:
    with watched(context, server.host) as page:
        page.set_viewport_size(HALL)
        page.goto(server.address)
        yield page


def test_each_lecture_has_ten_steps() -> None:
    assert {name: len(items) for name, items in LESSONS.items()} == dict.fromkeys(NAMES, STEPS)


@pytest.mark.parametrize("name", NAMES)
def test_a_lecture_shows_its_numbers_in_large_letters(hall: Any, server: Server, name: str) -> None:
    hall.goto(f"http://{server.host}/tree#lecture={name}")
    hall.reload()
    for number, item in enumerate(LESSONS[name], 1):
        expect(hall.locator("#explanation")).to_have_text(re.compile(rf"^{number}/{STEPS} "))
        shown = hall.evaluate(SHOWN)
        expected = re.findall(r"\*\*(.+?)\*\*", item["expect"])
        missing = [each for each in expected if not re.search(rf"(?<![\d−]){each}(?!\d)", shown["text"])]
        assert (number, missing, shown["isWhole"]) == (number, [], True)
        assert shown["smallest"] >= HALL["height"] / 37, (number, shown)  # at least as large as on a slide
        if number == STEPS:
            expect_all_can_use(hall)
        hall.keyboard.press("PageDown" if number % 2 else "n")
    hall.keyboard.press("PageUp")
    expect(hall.locator("#explanation")).to_have_text(re.compile(rf"^{STEPS - 1}/{STEPS} "))
    hall.get_by_role("button", name="Next example").click()
    expect(hall.locator("#explanation")).to_have_text(re.compile(rf"^{STEPS}/{STEPS} "))
    hall.keyboard.press("Home")
    expect(hall.locator(".counts")).to_contain_text("Step 0 of")


def test_a_lecture_fits_a_phone_and_ends_with_the_address(hall: Any, server: Server) -> None:
    hall.set_viewport_size({"width": 390, "height": 844})
    hall.goto(f"http://{server.host}/tree#lecture=minimax&at=8")
    hall.reload()
    expect(hall.locator("#explanation")).to_have_text(re.compile("^8/10 "))
    expect_no_wider_than_the_window(hall)
    hall.goto(f"http://{server.host}/tree#game=tree")
    expect(hall.locator("#form")).to_be_visible()
    expect(hall.locator("#example")).to_be_hidden()
    hall.set_viewport_size(HALL)


def test_the_command_opens_its_lecture() -> None:
    command = [sys.executable, "-m", "quietmove", "lab", "lecture", "ordering", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent) as process:
        assert process.stdout is not None
        address = re.search(r"http\S+", process.stdout.readline())
        try:
            assert address
            assert httpx.get(address[0], timeout=WAIT).headers["location"] == "/tree#lecture=ordering"
        finally:
            process.terminate()


def test_a_lecture_has_a_name() -> None:
    done = CliRunner().invoke(lab, ["lecture", "minmax", "--no-open"])
    assert done.exit_code == 2
    assert "minimax" in done.output
