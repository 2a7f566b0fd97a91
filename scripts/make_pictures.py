"""Create the pictures of the pages, the terminal and the games for the guides.

play.png, tree.png, tournament.png and report.png show pages; terminal.png shows the first command of README.md in a
terminal. They are written into the add-ons' folders, from a game and tournaments played for them. A picture of each
game is written into engine/games/pictures. Needs playwright, chromium, tmux and pillow (which comes with matplotlib).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.pictures import example_svg

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "addons" / "web" / "pictures"
TREES = ROOT / "addons" / "lab" / "pictures"
MOST_BYTES = 150_000
COLORS = 256  # number of colours in a picture
MOVES = "d3 c3 e6 d6 c5 e3 d2 f4 c6 c4 b4 c1 b3 d7 f6 a4 f5 f3 c7 b6 e8 e2 a6 g5 b5 b7 d1 b8 e7 c8"
SCORES = 3  # number of scored moves to wait for
VIEW = {"width": 1280, "height": 800}
TREE_VIEW = {"width": 1280, "height": 750}  # high enough to include the legend
TREE_STEP = 18  # the step in which PVS starts a re-search
# The tournament page, from the games in progress to the crosstable.
HIGH_VIEW = {"width": 1280, "height": 1320}
AT_ONCE = 6  # concurrent games that fill a row
REPORT_VIEW = {"width": 1280, "height": 1362}  # the report, from the comparison to the crosstable
TERMINAL = (132, 24)  # columns and rows
TERMINAL_GAMES = 200  # games played before the picture of the terminal is taken
CONFIG = """
name = "orderings"
rounds = 10
[defaults]
limit = "nodes=3000"
"""
ENGINE = '[[engine]]\nname = "{name}"\noptions = {{ Ordering = "{name}" }}\n'
ORDERINGS = ("full", "mobility", "table", "history", "killer", "static", "none")
ENOUGH = 300  # games, of 420, played before the picture of the tournament is taken


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a module in a new process, and terminate it on exit."""
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def take(page: Any, path: Path) -> None:
    """Save a screenshot of the page."""
    page.evaluate("() => scrollTo(0, 0)")
    page.screenshot(path=path)
    compress(path)


def compress(path: Path) -> None:
    """Rewrite a picture with fewer colours.

    :raises SystemExit: if the file is still too large for a repository.
    """
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{path} has {size} bytes; at most {MOST_BYTES} are allowed")
    sys.stdout.write(f"{path}: {size} bytes\n")


def picture_a_game(page: Any, path: Path) -> None:
    """Replay a game, and take the picture while an engine scores the moves."""
    page.goto(f"{page.url.partition('#')[0]}#game=othello&moves={'+'.join(MOVES.split())}")
    page.wait_for_selector(f"#moves li:nth-child({len(MOVES.split())}) [aria-current]")
    page.click("#lines-tab")
    page.check("#analyse")
    page.wait_for_function(f"() => document.querySelectorAll('#board text.score').length >= {SCORES}")
    page.wait_for_timeout(2000)  # let the search deepen
    take(page, path)


def picture_a_tournament(page: Any, path: Path) -> None:
    """Watch a tournament, and take the picture before it is over."""
    page.click("nav a:text-is('Tournaments')")
    page.set_viewport_size(HIGH_VIEW)
    page.wait_for_selector("#games table")
    page.wait_for_function(
        f"() => parseInt(document.getElementById('progress').textContent) >= {ENOUGH}", timeout=600_000
    )
    page.wait_for_function(f"() => document.querySelectorAll('#boards .running').length == {AT_ONCE}")
    take(page, path)


def picture_a_tree(page: Any, path: Path) -> None:
    """Step through the lecture's tree to a re-search, and take the picture."""
    page.click("nav a:text-is('Search trees')")
    page.set_viewport_size(TREE_VIEW)
    for step in range(TREE_STEP):
        page.wait_for_selector(f".counts:has-text('Step {step} of')")
        page.click("#step")
    page.wait_for_timeout(1000)  # let the animation of a value finish
    take(page, path)


def picture_a_report(page: Any, path: Path, store: Path) -> None:
    """Write a store's report, and take a picture of its top."""
    written = store.with_suffix(".html")
    command = [sys.executable, "-m", "quietmove.tournament", "report", str(store), "--output", str(written)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    page.set_viewport_size(REPORT_VIEW)
    page.goto(written.as_uri())
    page.wait_for_selector("#games table")
    take(page, path)


def picture_a_terminal(page: Any, path: Path, folder: Path) -> None:
    """Play the default tournament in a terminal, and take the picture while it runs.

    :param folder: the folder of its store; it must not contain a folder ``quietmove``, which Python would import as
        the package.
    """
    tmux = ("tmux", "-L", "quietmove-pictures")
    columns, rows = TERMINAL
    command = f"exec {sys.executable} -m quietmove.tournament run"
    size = ("-x", str(columns), "-y", str(rows))
    subprocess.run([*tmux, "new-session", "-d", "-c", str(folder), *size, "sh", "-c", command], check=True)
    try:
        shown = ""
        while int((re.search(r": (\d+) of \d+ games", Text.from_ansi(shown).plain) or [0, 0])[1]) < TERMINAL_GAMES:
            time.sleep(1)
            shown = subprocess.run(
                [*tmux, "capture-pane", "-p", "-e"], check=True, capture_output=True, text=True
            ).stdout
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=columns, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Text.from_ansi(f"$ quietmove-tournament run\n{shown.rstrip()}"))
    page.goto("about:blank")  # inline styles are allowed here, unlike in the server's pages
    page.set_content(console.export_html(inline_styles=True))
    page.add_style_tag(content="body { margin: 0; display: inline-block; padding: 12px } pre { margin: 0 }")
    page.locator("body").screenshot(path=path)
    compress(path)


def main() -> None:
    """Create all pictures."""
    for path in (*ROOT.glob("engine/games/pictures/*.svg"), *ROOT.glob("addons/games/pictures/*.svg")):
        path.write_text(f"{example_svg(get_game(path.stem))}\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        os.environ["XDG_DATA_HOME"] = name  # where the server saves the page's games
        config, store = Path(name) / "orderings.toml", Path(name) / "orderings.sqlite"
        config.write_text(CONFIG + "".join(ENGINE.format(name=ordering) for ordering in ORDERINGS))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=VIEW)
        page.set_default_timeout(60_000)
        with started("quietmove.referee", "serve", "--store", str(store)) as server:
            assert server.stdout is not None
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address is not None
            page.goto(address[0])
            page.goto(f"{address[0].partition('?')[0]}play")
            page.wait_for_selector("#board button.can")
            picture_a_game(page, FOLDER / "play.png")
            picture_a_tree(page, TREES / "tree.png")
            run = ("run", str(config), "--store", str(store), "--concurrency", str(AT_ONCE))
            with started("quietmove.tournament", *run):
                picture_a_tournament(page, FOLDER / "tournament.png")
            picture_a_report(page, FOLDER / "report.png", store)
        (folder := Path(name) / "terminal").mkdir()
        picture_a_terminal(page, FOLDER / "terminal.png", folder)
        browser.close()


if __name__ == "__main__":
    main()
