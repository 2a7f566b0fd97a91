"""The pictures of the pages in referee/web/README.md, and of the games in engine/games/README.md.

    make_pictures.py [FOLDER]

Written are play.png, tree.png and tournament.png, by default into referee/web/pictures, from a game and a tournament
that are played for them, and a picture of each game into engine/games/pictures. It needs playwright, chromium and
pillow (which comes with matplotlib).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from quietmove.engine.games.registry import get_game
from quietmove.engine.games.rules import RULES
from quietmove.engine.protocol.board_svg import example_svg

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "referee" / "web" / "pictures"
GAMES = ROOT / "engine" / "games" / "pictures"
MOST_BYTES = 150_000
COLORS = 256
MOVES = 8  # of the person, before the picture
SCORES = 3  # moves that should have one
CHOICE = "#board button.can, #board .choices button"
VIEW = {"width": 1280, "height": 900}
TREE_VIEW = {"width": 1280, "height": 890}
TREE_STEP = 18  # in which PVS begins to search a branch again
HIGH_VIEW = {"width": 1280, "height": 1240}  # from the games that are being played down to the crosstable
AT_ONCE = 6  # games, which fill a row
CONFIG = f"""
name = "orderings"
rounds = 10
openings = "{ROOT / "tournament" / "data" / "openings.txt"}"
[defaults]
limit = "nodes=3000"
"""
ENGINE = '[[engine]]\nname = "{name}"\noptions = {{ Ordering = "{name}" }}\n'
ORDERINGS = ("full", "mobility", "table", "history", "killer", "static", "none")
ENOUGH = 300  # of 420 games, when the picture of the tournament is taken


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a part of Quietmove, and end it."""
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def take(page: Any, path: Path) -> None:
    """Write what the page shows.

    :raises SystemExit: if the file is too large for a repository.
    """
    page.evaluate("() => scrollTo(0, 0)")
    page.screenshot(path=path)
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{path} has {size} bytes; at most {MOST_BYTES} are allowed")
    sys.stdout.write(f"{path}: {size} bytes\n")


def draw_games(folder: Path) -> None:
    """Write the picture of each game."""
    folder.mkdir(exist_ok=True)
    for name in RULES:
        (folder / f"{name}.svg").write_text(f"{example_svg(get_game(name))}\n", encoding="utf-8")


def picture_a_game(page: Any, path: Path) -> None:
    """Play against the engine, and take the picture while another one scores the moves."""
    page.select_option("#level1", "3")
    page.select_option("#limit1", "depth=4")
    page.click("#form button[type=submit]")
    for _ in range(MOVES):
        page.wait_for_selector(CHOICE)
        page.locator(CHOICE).first.click()
        page.wait_for_selector("#status:text-matches('your move')")
    page.check("#analyse")
    page.wait_for_function(f"() => document.querySelectorAll('#board text.score').length >= {SCORES}")
    page.wait_for_timeout(2000)  # the search deepens
    take(page, path)


def picture_a_tournament(page: Any, path: Path) -> None:
    """Follow a tournament, and take the picture before it is over."""
    page.click("nav a:text-is('Tournaments')")
    page.set_viewport_size(HIGH_VIEW)
    page.wait_for_selector("#games table")
    page.wait_for_function(
        f"() => parseInt(document.getElementById('progress').textContent) >= {ENOUGH}", timeout=600_000
    )
    page.wait_for_function(f"() => document.querySelectorAll('#boards .running').length == {AT_ONCE}")
    take(page, path)


def picture_a_tree(page: Any, path: Path) -> None:
    """Go some steps through the tree of the lecture."""
    page.click("nav a:text-is('Search trees')")
    page.set_viewport_size(TREE_VIEW)
    for step in range(TREE_STEP):
        page.wait_for_selector(f".counts:has-text('Step {step} of')")
        page.click("#step")
    page.wait_for_timeout(1000)  # a value rises
    take(page, path)


def main() -> None:
    """Make all of them."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    draw_games(GAMES)
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_DATA_HOME"] = name  # where the server keeps the games of the page
        config, store = Path(name) / "orderings.toml", Path(name) / "orderings.sqlite"
        config.write_text(CONFIG + "".join(ENGINE.format(name=ordering) for ordering in ORDERINGS))
        with started("quietmove.referee", "serve", "--store", str(store)) as server, sync_playwright() as playwright:
            assert server.stdout is not None
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address is not None
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(viewport=VIEW)
            page.set_default_timeout(60_000)
            page.goto(address[0])
            page.wait_for_selector("#board button.can, #who1 option", state="attached")
            picture_a_game(page, folder / "play.png")
            picture_a_tree(page, folder / "tree.png")
            with started(
                "quietmove.tournament", "run", str(config), "--store", str(store), "--concurrency", str(AT_ONCE)
            ):
                picture_a_tournament(page, folder / "tournament.png")
            browser.close()


if __name__ == "__main__":
    main()
