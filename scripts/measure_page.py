"""Measure the page's speed: from navigation to the board, and from an engine's `bestmove` to its move on the board.

A real server and a headless Chromium run on this machine. The page is opened 11 times with an empty browser cache. Then
two engines play a game of Othello; each forwards the output of `quietmove` and logs the time of every `bestmove`. The
page records when it has drawn the move (the next frame after the change). The output has medians and maximums, in
milliseconds.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page, sync_playwright

RELAY = """
import subprocess, sys, threading, time
engine = subprocess.Popen([sys.executable, "-m", "quietmove"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def pass_on():
    for line in sys.stdin.buffer:
        engine.stdin.write(line)
        engine.stdin.flush()
    engine.stdin.close()
threading.Thread(target=pass_on, daemon=True).start()
with open(sys.argv[1], "a", buffering=1) as log:
    for line in engine.stdout:
        now = time.time() * 1000
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        if line.startswith(b"bestmove"):
            log.write(f"{now}\\n")
"""
WATCH = """
const seen = { board: null, moves: [] };
window.seen = seen;
const now = () => performance.timeOrigin + performance.now();
new MutationObserver(() => {
  if (seen.board === null && document.querySelector("#board .piece")) {
    seen.board = -1;
    requestAnimationFrame(() => (seen.board = performance.now()));
  }
  const count = document.querySelectorAll("#moves li").length;
  while (seen.moves.length < count) {
    const place = seen.moves.push(0) - 1;
    requestAnimationFrame(() => (seen.moves[place] = now()));
  }
}).observe(document, { subtree: true, childList: true });
"""
PLAYED = "#status:text-matches('the game is over', 'i')"
WAIT_MS = 120_000  # time limit for a game between two engines
OPENS = 11  # number of times the page is opened


def main() -> None:
    """Measure, and print the results."""
    with tempfile.TemporaryDirectory() as folder:
        relay = Path(folder) / "relay.py"
        relay.write_text(RELAY)
        logs = [Path(folder) / f"{name}.log" for name in ("first", "second")]
        words = []
        for log in logs:
            command = f"cmd={sys.executable} {relay} {log}"
            words += ["--engine", command, f"name={log.stem}", "movetime=100", "margin=5000"]
        serve = [sys.executable, "-m", "quietmove.referee", "serve", *words]
        kept = {**os.environ, "XDG_DATA_HOME": folder}
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, env=kept)
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found, "the server did not start"
            opened, drawn = measure(found[0])
        finally:
            server.terminate()
            server.wait()
        said = sorted(float(line) for log in logs for line in log.read_text().split())
    late = [at - written for at, written in zip(drawn, said, strict=True)]
    sys.stdout.write(
        f"opened {len(opened)} times; to the board, in milliseconds: "
        f"median {median(opened):.0f}, slowest {max(opened):.0f}\n"
        f"{len(late)} moves; from bestmove to the board: median {median(late):.1f}, slowest {max(late):.1f}\n"
    )


def measure(address: str) -> tuple[list[float], list[float]]:
    """Return the milliseconds to the board each time the page is opened, and the time at which each move was drawn."""
    with sync_playwright() as playwright:
        words = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=words)
        opened = []
        for _ in range(OPENS):
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.request.get(address)  # the response sets the cookie
            page.add_init_script(WATCH)
            page.goto(f"{address.partition('?')[0]}play")
            page.wait_for_selector("#board .piece")
            opened.append(float(settled(page, "seen.board > 0 && seen.board")))
            page.close()
        # Without reduced motion, a move waits until the discs of the previous move have turned.
        page = browser.new_page(reduced_motion="reduce")
        page.request.get(address)
        page.add_init_script(WATCH)
        page.goto(f"{address.partition('?')[0]}play")
        page.wait_for_selector("#board .piece")
        page.keyboard.press("n")
        page.select_option("#who0", "engine first")
        page.select_option("#who1", "engine second")
        page.click("#form button[type=submit]")
        page.wait_for_selector(PLAYED, timeout=WAIT_MS)
        drawn = settled(page, "seen.moves.every((at) => at > 0) && seen.moves")
        browser.close()
    return opened, drawn


def settled(page: Page, expression: str) -> Any:
    """Return the value of an expression in the page once it is truthy."""
    while not (found := page.evaluate(f"() => {expression}")):
        page.wait_for_timeout(5)
    return found


if __name__ == "__main__":
    main()
