"""The page that steps through searches of a tree, in a real browser."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from PIL import Image, ImageSequence
from playwright.sync_api import expect

from quietmove.addons.lab.trace import command
from tests.addons.conftest import (
    VIEWPORT,
    Server,
    expect_all_can_use,
    expect_no_wider_than_the_window,
    shows,
    unfold,
    watched,
)

TACTICS = "XOXO----- X"
MOST_STEPS = 100
NAMES = ("Minimax", "Alpha-beta", "PVS")
NODE = "#panels .node"
# Press a button until it has no more effect; return the displayed values and the descriptions after each step.
TO_THE_END = """most => {
  const [seen, said] = [[document.querySelector("#panels").innerHTML], []];
  while (document.querySelector("#last").ariaDisabled !== "true" && said.length < most) {
    document.querySelector("#step").click();
    seen.push(document.querySelector("#panels").innerHTML);
    said.push(document.querySelector("#status").textContent);
  }
  return [seen, said];
}"""
TO_THE_BEGINNING = """() => {
  const seen = [];
  while (document.querySelector("#reset").ariaDisabled !== "true") {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    seen.push(document.querySelector("#panels").innerHTML);
  }
  return seen;
}"""
# The values found by each search; a leaf has no value before it is visited.
VALUES = """() => [...document.querySelectorAll(".panel")].map((panel) =>
  [...panel.querySelectorAll(".node:has(.value)")].map((each) =>
    each.classList.contains("preview") ? "" : each.querySelector(".value").textContent))"""
# The numbers in each panel: leaves visited, leaves saved, all leaves and, for PVS, leaves visited again.
COUNTS = r"""() => [...document.querySelectorAll(".counts")].map((each) =>
  each.innerText.replace(/Step \d+ of \d+/, "").match(/\d+/g).map(Number))"""
SAVED = """() => [...document.querySelectorAll(".panel")].map((panel) =>
  [...panel.querySelectorAll(".folded text")].reduce((sum, each) => sum + Number(each.textContent), 0))"""


@pytest.fixture(scope="module")
def visitor(context: Any, server: Server) -> Iterator[Any]:
    with watched(context, server.host, "400 (Bad Request)") as page:
        page.goto(server.address)
        yield page


@pytest.fixture
def tree(visitor: Any, server: Server) -> Any:
    """The page as it is first seen."""
    visitor.set_viewport_size(VIEWPORT)
    visitor.goto(f"http://{server.host}/tree")  # without a fragment, so that the page reloads
    visitor.wait_for_selector(".panel .node")
    return visitor


def ask_for(page: Any, game: str, level: bool = False, **fields: str) -> None:
    """Fill the form, and wait for the tree.

    :param level: whether positions are opened one by one.
    """
    page.evaluate("() => document.querySelector('#panels').replaceChildren()")
    page.select_option("#gamename", game)
    for name, value in fields.items():
        if name in ("algorithm", "ordering"):
            page.select_option(f"#{name}", value)
        else:
            page.fill(f"#{name}", value)
    page.set_checked("#level", level)
    page.click("#form button")
    page.wait_for_selector(".panel .node")


def picture(page: Any) -> str:
    """Return the trees that are shown; nothing that changes them may be under way."""
    return str(page.evaluate("() => document.querySelector('#panels').innerHTML"))


def expect_picture(page: Any, picture: str) -> None:
    page.wait_for_function("picture => document.querySelector('#panels').innerHTML === picture", arg=picture)


def expect_nodes(page: Any, count: int) -> None:
    expect(page.locator(NODE)).to_have_count(count)


def expect_at_end(page: Any) -> None:
    expect(page.locator("#last")).to_have_attribute("aria-disabled", "true")


def wait_until_opened(page: Any, count: int) -> None:
    page.wait_for_selector(f".counts:text-is('Positions opened: {count}')")


@pytest.mark.smoke
def test_the_example_of_the_lecture_is_stepped_through_and_back(tree: Any) -> None:
    ask_for(tree, "tree", algorithm="all")
    shows(tree, VALUES, [[""] * 13] * 3)
    seen, said = tree.evaluate(TO_THE_END, MOST_STEPS)
    expect_at_end(tree)
    assert len(set(seen)) == len(seen)
    alpha_beta = ["7", "3", "3", "5", "6", "\u22641", "1", "", "", "7", "9", "7", "8"]
    shows(tree, f"() => ({VALUES})()[1]", alpha_beta)
    shows(tree, COUNTS, [[9, 0, 9], [7, 2, 9], [7, 2, 9, 4]])
    expect(tree.locator(".edge.cut")).to_have_count(2 * 2)
    assert said[0].startswith(
        "Minimax: The root: Max to move. Alpha-beta: The root: Max to move, alpha \u2212\u221e, beta +"
    )
    assert said[3].startswith(
        "Minimax: Node 1: child 1 is the best so far, worth 3. Alpha-beta: Node 1: child 1 is the best"
    )
    cut = "Alpha-beta: Node 2: child 1 returns 1. Max already has 3 elsewhere (alpha) and will not come here."
    for sentence in (
        f"{cut} Cutoff: 2 3 not tried, 2 leaves saved.",
        "PVS: Node 3: is it better for Max than 3? A null window asks only this. Min to move, alpha 3, beta alpha+1.",
        "PVS: Node 3: value at least 7, better for Max than 3, returned to the root.",
        "PVS: Node 3 again: it is better, but by how much? The full window finds out. "
        "Min to move, alpha 3, beta +\u221e.",
        "PVS: Node 3 1, visited again: value 9 (the game is over), returned to node 3.",
    ):
        assert sum(sentence in each for each in said) == 1
    assert said[-1] == " ".join(f"{name}: The search is done: the value is 7." for name in NAMES)
    seen_again = tree.evaluate(TO_THE_BEGINNING)
    assert seen_again == seen[-2::-1]
    tree.evaluate("() => { document.querySelector('#speed').value = 7; document.activeElement.blur(); }")
    tree.keyboard.press("Space")  # runs the search
    expect_picture(tree, seen[-1])
    expect(tree.locator("#run")).to_have_text("Run")
    tree.click("#reset")
    expect_picture(tree, seen[0])


def test_the_last_move_that_refutes_has_the_bold_line_and_the_first_address_the_defaults(tree: Any) -> None:
    fields = {"algorithm": "alphabeta", "ordering": "none"}
    ask_for(tree, "tree", position="[[3,12,8],[2,4,6],[14,5,2]] max", **fields)
    tree.click("#last")
    expect_at_end(tree)
    bold = """() => [...document.querySelectorAll(".scroll .edge")].map((each) => each.classList.contains("best"))"""
    # in the order of the positions: node 1 and its leaves, node 2 and its leaves, node 3 and its leaves
    shows(tree, bold, [True, True, False, False, False, True, False, False, False, False, False, True])
    tree.go_back()
    tree.wait_for_selector(".panel >> nth=2")
    expect(tree.locator("#algorithm")).to_have_value("all")
    expect(tree.locator("#ordering")).to_have_value("static")


def printed_counts() -> list[tuple[int, int]]:
    """Return the number of leaves that ``lab trace`` visits with each algorithm, and how many its cutoffs save."""
    counts = []
    for algorithm in ("minimax", "alphabeta", "pvs"):
        words = ["--game", "tictactoe", "--position", TACTICS, "--algorithm", algorithm, "--json"]
        printed = CliRunner().invoke(command, words, catch_exceptions=False).output
        events = [json.loads(line) for line in printed.splitlines()]
        leaves = sum(event["event"] == "value" and event["source"] in ("static", "over") for event in events)
        saved = sum(event["saved"] for event in events if event["event"] == "cutoff")
        counts.append((leaves, saved))
    return counts


def test_the_counts_are_those_of_the_command_line(tree: Any) -> None:
    ask_for(tree, "tictactoe", position=TACTICS)
    tree.keyboard.press("End")
    expect_at_end(tree)
    tree.click("#fold")
    expect(tree.locator("#fold")).to_have_attribute("aria-pressed", "true")
    printed, shown = printed_counts(), tree.evaluate(COUNTS)
    for (visits, by_cutoffs), (visited, saved, leaves, *again) in zip(printed, shown, strict=True):
        assert (visited + sum(again), leaves) == (visits, printed[0][0])
        assert visited + saved == leaves
        assert saved >= by_cutoffs or again
    shows(tree, SAVED, [saved for _, saved, *_ in shown])
    shows(tree, f"() => ({VALUES})().map((each) => each[0])", ["X in 3"] * 3)
    expect(tree.locator(".panel .small svg")).to_have_count(3)
    expect(tree.locator(".panel >> nth=0").locator(".small text:visible")).to_have_text(list("XOXO"))
    tree.click("#fold")
    expect(tree.locator(".folded")).to_have_count(0)
    heights = "() => new Set(['reset', 'run', 'last'].map((id) => document.getElementById(id).offsetHeight)).size"
    shows(tree, heights, 1)
    ask_for(tree, "tictactoe", position="XOXO-O--X X")  # only minimax's tree is wide
    tree.click("#fold")
    widths = """() => Math.max(...[...document.querySelectorAll(".scroll > svg")].map((each) =>
      Math.round(100 * each.width.baseVal.value / each.viewBox.baseVal.width)))"""
    shows(tree, widths, 160)


def test_a_tree_that_is_too_large_opens_level_by_level(tree: Any) -> None:
    ask_for(tree, "tictactoe", level=True, algorithm="alphabeta")
    shows(tree, VALUES, [["0"] * 10])
    tree.click("#step")  # past the best move
    expect_nodes(tree, 18)
    tree.click(f"{NODE} >> nth=3")
    expect_nodes(tree, 26)
    tree.click("#back")
    expect_nodes(tree, 18)
    tree.locator(f"{NODE}[tabindex='0']").focus()
    for key in ("Home", "End"):
        tree.keyboard.press(key)
    expect_nodes(tree, 10)
    tree.locator(f"{NODE}[tabindex='0']").focus()
    tree.keyboard.press("ArrowDown")
    tree.keyboard.press("ArrowRight")
    expect(tree.locator("#status")).to_contain_text("Node")
    tree.keyboard.press("Enter")
    wait_until_opened(tree, 2)
    expect_nodes(tree, 18)
    ask_for(tree, "tictactoe", played="a1 b2 c3", algorithm="alphabeta")
    expect(tree.locator(".node[role='button']")).to_have_count(0)  # small enough to draw whole


def test_a_long_search_is_followed_to_its_end_and_back(tree: Any) -> None:
    ask_for(tree, "tictactoe", played="b2")
    nodes = ".panel >> nth=1 >> .node"
    expect(tree.locator(nodes)).to_have_count(1 + 8)
    tree.evaluate("() => { document.querySelector('#speed').value = 10; }")
    tree.click("#run")
    tree.wait_for_selector(".counts:text-matches('Step 1[0-9]{3}') >> nth=2")  # past the first piece
    tree.click("#run")
    tree.click("#last")
    tree.wait_for_selector(".sentence:text-is('The search is done: the value is 0.') >> nth=2")
    minimax, alphabeta, _ = tree.evaluate(COUNTS)
    assert minimax == [25_872, 0]  # the games that start in the centre
    words = ["--game", "tictactoe", "--position", "----X---- O", "--show", "moves"]
    printed = CliRunner().invoke(command, words, catch_exceptions=False).output.replace(",", "")
    assert f"{alphabeta[0]} leaves visited" in printed
    left_out = re.findall(r"(\d+) leaves saved$|quicker: (\d+) leaves$", printed, re.MULTILINE)
    assert alphabeta[1] == sum(int(cut or short) for cut, short in left_out)  # the page counts both as saved leaves
    assert len(left_out) == 2
    last = tree.evaluate(COUNTS)
    tree.click("#back")
    tree.wait_for_selector(".sentence:text-matches('Node b[123]: value') >> nth=0")
    tree.click("#step")
    shows(tree, COUNTS, last)


def test_a_wide_tree_is_followed_and_can_be_read_side_by_side(tree: Any) -> None:
    ask_for(tree, "othello", depth="3")
    expect(tree.locator("#follow")).to_have_attribute("aria-pressed", "true")
    is_wider = "() => [...document.querySelectorAll('.scroll')].some((each) => each.scrollWidth > each.clientWidth)"
    for _ in range(12):
        tree.click("#step")
        shows(tree, is_wider, False)
    tree.click("#full")
    tree.wait_for_function("() => document.fullscreenElement?.id === 'stage'")
    tree.click("#full")
    tree.wait_for_function("() => document.fullscreenElement === null")
    tree.set_viewport_size({"width": 360, "height": 740})
    expect_no_wider_than_the_window(tree)
    shows(tree, "() => document.querySelector('#step').offsetHeight > 35", True)
    tree.click("#follow")
    expect(tree.locator(".panel >> nth=0 >> .node")).to_have_count(1 + 4 + 12 + 56)


PRESS = """(button, key) => {
  button.click();
  if (key) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}"""


def saved(page: Any, button: str, panel: int, path: Path, key: str = "") -> str:
    """Save what a button of a panel offers, and return the name that the page gives the file.

    :param key: pressed while the file is made.
    """
    with page.expect_download() as download:
        page.locator(".panel").nth(panel).locator(f"button:text-is('{button}')").evaluate(PRESS, key)
    download.value.save_as(path)
    return str(download.value.suggested_filename)


def test_a_picture_and_a_whole_run_are_files_for_slides(tree: Any, tmp_path: Path) -> None:
    for _ in range(4):
        tree.click("#step")
    tree.wait_for_selector(".counts:text-matches('Step 4 of 21')")
    before = picture(tree)
    assert saved(tree, "SVG", 1, tmp_path / "tree.svg") == "alpha-beta-tree.svg"
    document = ElementTree.parse(tmp_path / "tree.svg").getroot()
    words = [text for element in document.iter() for text in [element.text] if text]
    assert {"Alpha-beta", "Step 4 of 21", "3", "\u03b1 \u2212\u221e \u2002\u03b2 3"} <= set(words)
    assert "class" not in {name for element in document.iter() for name in element.attrib}
    assert saved(tree, "GIF", 1, tmp_path / "tree.gif", key="ArrowRight") == "alpha-beta-tree.gif"
    expect_picture(tree, before)  # the run has returned to the same frame, and ignored keys in the meantime
    with Image.open(tmp_path / "tree.gif") as film:
        assert (film.n_frames, film.info["loop"]) == (1 + 21, 0)
        frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(film)]
    assert len({frame.tobytes() for frame in frames}) == 1 + 21
    other = tree.context.new_page()
    other.goto((tmp_path / "tree.svg").as_uri())
    clip = {"x": 0, "y": 0, "width": 460, "height": frames[4].height * 2 // 3}
    other.screenshot(path=tmp_path / "shown.png", clip=clip)
    other.close()
    with Image.open(tmp_path / "shown.png") as shown:
        small = frames[4].resize(shown.size)
        differences = [abs(a - b) for a, b in zip(small.tobytes(), shown.convert("RGB").tobytes(), strict=True)]
    # On a scale of 255; the picture has only 256 colours, and smoothing differs.
    assert sum(differences) / len(differences) < 6


def test_monte_carlo_tree_search_goes_phase_by_phase(tree: Any) -> None:
    tree.select_option("#gamename", "tictactoe")
    tree.select_option("#algorithm", "mcts")
    expect(tree.locator("#depth")).to_be_hidden()
    tree.fill("#simulations", "20")
    tree.click("#form button")
    tree.wait_for_selector(".counts:text-matches('step 0 of')")
    step = "() => { document.querySelector('#step').click(); return document.querySelector('.sentence').textContent; }"
    said = [tree.evaluate(step) for _ in range(4 * 10)]
    assert [each.partition(":")[0] for each in said[:4]] == ["Selection", "Expansion", "Simulation", "Backpropagation"]
    assert re.match("Expansion: node .. gets 8 children", said[4 * 9 + 1])
    expect_nodes(tree, 1 + 9 + 8)
    means = "() => [...document.querySelectorAll('.node.open .value')].map((each) => each.textContent).join(' ')"
    tree.wait_for_function(rf"() => /^( |[01]\.\d\d)*$/.test(({means})())")
    before = picture(tree)
    tree.click("#step")
    tree.click("#back")
    expect_picture(tree, before)
    tree.keyboard.press("End")
    expect(tree.locator(".sentence")).to_contain_text("the root has 20 visits")
    tree.wait_for_url("**simulations=20**")
    tree.click("#follow")
    tree.wait_for_selector(f"{NODE} >> nth={1 + 9 + 8}", state="attached")
    expect(tree.locator("#legend0")).to_have_text("X")  # the player with this letter


def test_each_level_is_searched_as_deep_as_is_left(tree: Any) -> None:
    # Whether the root has the value of its best child, and the minimum among that child's replies, if displayed.
    best = """() => {
      const texts = [...document.querySelectorAll("#panels .node .value")].map((each) => each.textContent);
      const [root, ...values] = texts.map((text) => Number(text.replace("\u2212", "-")));
      const behind = values.splice(4);
      return [root === Math.max(...values), behind.length ? root === Math.min(...behind) : null];
    }"""
    ask_for(tree, "othello", level=True, depth="6", algorithm="alphabeta")
    shows(tree, best, [True, None])
    tree.click("#step")
    wait_until_opened(tree, 2)
    shows(tree, best, [True, True])
    for count in range(3, 7):  # the root and the five positions below it
        tree.click("#step")
        wait_until_opened(tree, count)
    expect_at_end(tree)
    expect(tree.locator(NODE).last).to_have_attribute("aria-label", re.compile("at the depth limit"))


def test_keys_alone_are_enough(tree: Any) -> None:
    shown = tree.locator(".panel >> nth=1 >> .node.preview .value")
    expect(shown).to_have_text(list("356120978"))  # leaves are displayed before they are visited
    tree.keyboard.press("End")
    expect(shown).to_have_text(["2", "0"])  # alpha-beta never reaches these leaves
    tree.locator("#leaves").press("Enter")
    expect(shown).to_have_count(0)
    tree.locator("#gamename").focus()
    tree.keyboard.press("t")  # the next option with this initial
    tree.keyboard.press("Tab")
    tree.keyboard.press("Tab")
    tree.keyboard.type(TACTICS)
    tree.keyboard.press("Enter")
    tree.wait_for_selector(".panel .small svg")
    tree.evaluate("() => document.activeElement.blur()")
    for _ in range(3):
        tree.keyboard.press("ArrowRight")
    expect(tree.locator("#status")).to_contain_text("Alpha-beta: Node")
    tree.keyboard.press("Home")
    expect(tree.locator("#status")).to_contain_text("The search has not begun")
    unfold(tree, "setting")
    expect_all_can_use(tree)


def test_a_wrong_position_is_one_error_and_the_tree_stays(tree: Any) -> None:
    before = picture(tree)
    tree.fill("#position", "[[3,5],[2,9")
    tree.click("#form button")
    tree.wait_for_selector("#error:visible:has-text('in nested lists such as')")
    expect_picture(tree, before)
    tree.fill("#position", "")
    tree.click("#form button")
    tree.wait_for_selector("#error", state="hidden")
    tree.evaluate("() => { location.hash = '#game=whist'; }")
    tree.wait_for_selector("#error:visible:has-text('game: must not have dice or hidden cards, as whist does')")
    expect_picture(tree, before)
    ask_for(tree, "tictactoe", algorithm="alphabeta")
    tree.click("button:text-is('GIF')")
    tree.wait_for_selector("#error:visible:has-text('the run is too long to export: at most 600 steps')")


def test_a_position_is_set_up_kept_in_the_address_and_played_on(tree: Any) -> None:
    square = "#board button[aria-label='{}']"
    unfold(tree, "setting")
    ask_for(tree, "tictactoe")
    tree.click("#board button[aria-label^='a1']")
    tree.wait_for_selector(square.format("a1, X"))
    expect(tree.locator("#played")).to_have_value("a1")
    unfold(tree, "editor")
    for name in ("b1", "c1", "a2"):
        tree.click(f"#board button[aria-label^='{name}']")
        tree.wait_for_selector(square.format(f"{name}, X"))
    tree.check("[name=brush][value=O]")
    for name in ("b1", "a2"):
        tree.click(square.format(f"{name}, X"))
        tree.wait_for_selector(square.format(f"{name}, O"))
    tree.check("[name=tomove][value='0']")
    tree.wait_for_url(re.compile(r"position=XOXO-----\+X&"))
    expect(tree.locator("#position")).to_have_value(TACTICS)
    shown = tree.url
    tree.locator(".panel").nth(1).locator(".node").nth(1).click()
    tree.click("#fold")
    expect(tree.locator(".node.chosen")).to_have_count(3)
    tree.select_option("#gamename", "othello")  # chosen but not requested
    tree.click("#from")
    tree.wait_for_url("**moves=b2**")
    tree.go_back()
    tree.wait_for_url(shown)
    tree.wait_for_selector(".counts >> nth=1 >> text=of 102")
    tree.reload()
    tree.wait_for_selector(".counts >> nth=1 >> text=of 102")
    unfold(tree, "setting")
    tree.click("#toplay")
    tree.wait_for_selector("#board text.letter >> nth=3")
    tree.click("#more-tab")
    tree.click("#totree")
    tree.wait_for_selector(".counts >> nth=1 >> text=of 102")


def test_the_lessons_have_the_size_of_other_pages(visitor: Any, server: Server) -> None:
    for width, height, pixels in ((1920, 1080, 16.875), (390, 844, 15)):
        visitor.set_viewport_size({"width": width, "height": height})
        visitor.goto(f"http://{server.host}/lessons#lesson-2")
        expect(visitor.get_by_role("heading", name="Alpha-beta", exact=True)).to_be_in_viewport()
        expect_no_wider_than_the_window(visitor)
        size = visitor.locator(".lessons li p").first.evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
        assert size == pixels
    expect_all_can_use(visitor)
    visitor.get_by_role("link", name="Fifteen tasks").click()
    expect(visitor.get_by_role("heading", name="4. The tree of a game")).to_be_visible()
    expect(visitor.get_by_role("heading", name="15. The Othello project")).to_be_visible()
    expect_no_wider_than_the_window(visitor)
    expect_all_can_use(visitor)
    visitor.get_by_role("link", name="Lessons").last.click()
    visitor.locator("#lesson-2").get_by_role("link", name="Open the tree").click()
    expect(visitor.get_by_role("heading", name="Alpha-beta")).to_be_visible()
