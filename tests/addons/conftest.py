"""A real server in a process of its own, and Debian's Chromium to look at its pages.

What a test asserts of a page is waited for: by ``expect``, or by :func:`shows` where Playwright has no assertion.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from tests.fakes.processes import end_with_parent, wait_until

SOURCE = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium")
CI_INSTALLS_IT = os.environ.get("QUIETMOVE_CI") == "1"
VIEWPORT = {"width": 1280, "height": 900}
BROWSER = ExitStack()
RUNNING: list[Any] = []  # the context of the browser, while it runs
WAIT_MS = 120_000  # only a failing test waits this long
expect.set_options(timeout=WAIT_MS)
OWN_GAME = f"{SOURCE}/tests/example_games/connect_four.py:ConnectFour"
MUTE = (
    'while read line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) echo "bestmove $0";; esac; done'
)
CONFIG = f"""
[[engine]]
name = "quick"
limit = "depth=1"
[[engine]]
name = "level"
limit = "nodes=300"
options = {{ Hash = 1 }}
[[engine]]
name = "mute"
command = ["sh", "-c", '{MUTE}', "d6"]
"""
ENGINE = ("--engine", "name=inside", "protocol=in-process", "depth=1")  # the fourth engine


@dataclass(frozen=True)
class Server:
    """:param address: as it was printed, with its token.
    :param stores: the folder of the tournaments that it shows.
    """

    address: str
    process: subprocess.Popen[str]
    stores: Path

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    @property
    def kept(self) -> Path:
        """The folder of the games that this server keeps."""
        return self.stores.parent / "quietmove" / "games"

    @property
    def cookie(self) -> str:
        return f"quietmove-{self.host.partition(':')[2]}"

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that look at a page."""
    for item in items:
        if isinstance(item, pytest.Function) and "context" in item.fixturenames:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    config, stores = folder / "page.toml", folder / "stores"
    config.write_text(CONFIG)
    stores.mkdir()
    browser = folder / "browser"  # writes the address that it is started with
    browser.write_text(f'#!/bin/sh\necho "$1" > {folder}/part; mv {folder}/part {folder}/opened\n')
    browser.chmod(0o755)
    words = (*ENGINE, "--game", OWN_GAME, "--store", stores, "--open")
    with serving(config, *words, XDG_DATA_HOME=str(folder), BROWSER=str(browser)) as (process, address):
        yield Server(address, process, stores)


@contextmanager
def serving(*words: str | Path, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server and the address that it printed; it ends in order, and its engines with it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "quietmove.referee", "serve", *words],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "XDG_DATA_HOME": f"{gettempdir()}/quietmove-tests", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=end_with_parent,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    assert found, line + process.stdout.read()
    try:
        yield process, found[0]
    except BaseException:
        process.kill()
        process.communicate()
        raise
    engines = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in rest
    # the guardian exits when it sees that the server has exited
    wait_until(lambda: not any(each.is_running() for each in engines))


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser. While it runs, no test in this process can run an event loop."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--process-per-site"],
        )
        context = browser.new_context(viewport=VIEWPORT, reduced_motion="reduce")  # animation tests override this
        context.set_default_timeout(WAIT_MS)
        yield context
        browser.close()


@pytest.fixture(scope="module")
def context() -> Iterator[Any]:
    """The browser, started once for successive modules: the first page in a new one takes three times as long."""
    if CHROMIUM is None and not CI_INSTALLS_IT:
        pytest.skip("Debian's package chromium is not installed")
    assert CHROMIUM is not None, "CI installs chromium"
    if not RUNNING:
        RUNNING.append(BROWSER.enter_context(chromium()))
    [context] = RUNNING
    yield context
    for page in context.pages[1:]:
        page.close()
    for page in context.pages:
        page.goto("about:blank")
    context.clear_cookies()
    context.clear_permissions()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close the browser unless the next test uses it, or belongs to a module that does."""
    if nextitem is None or not (nextitem.get_closest_marker("browser") or nextitem.path == item.path):
        RUNNING.clear()
        BROWSER.close()


@contextmanager
def opened(context: Any, server: Server, *allowed: str) -> Iterator[Any]:
    """The page for play; it may ask no other host, and report no error but a refused input or ``allowed``."""
    with watched(context, server.host, "400 (Bad Request)", *allowed) as page:
        let_in(context, server)
        page.goto(f"http://{server.host}/play")
        page.wait_for_selector("#status:text('Choose the players and begin')")  # the page has loaded everything
        yield page


def let_in(context: Any, server: Server) -> None:
    """Set the cookie that the printed address sets; the page that opens there would take 0.3 s."""
    context.add_cookies([{"name": server.cookie, "value": server.token, "url": f"http://{server.host}"}])


def told(message: Any) -> str:
    """Return an error of a page's console with the address that it is about."""
    return f"{message.text} {message.location['url']}".strip()


@contextmanager
def watched(context: Any, place: str, *allowed: str) -> Iterator[Any]:
    """A page that may ask only for addresses with ``place`` in them, and report no error but those ``allowed``."""
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(told(message)) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: None if place in request.url else complaints.append(request.url))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    yield page
    if len(context.pages) > 1:
        page.close()
    else:  # the process that renders this page is used again for the next one
        page.goto("about:blank")
    assert [each for each in complaints if not any(text in each for text in allowed)] == []


@pytest.fixture
def page(context: Any, server: Server) -> Iterator[Any]:
    with opened(context, server) as page:
        yield page


def shows(page: Any, script: str, wanted: object) -> None:
    """Wait until a function of the page returns what is wanted: numbers, texts and lists of them."""
    text = json.dumps(wanted, ensure_ascii=False, separators=(",", ":"))
    found = f"async () => JSON.stringify(await ({script})())"
    end = time.monotonic() + WAIT_MS / 1000
    while (shown := page.evaluate(found)) != text:  # wait_for_function takes the promise of a function for true
        assert time.monotonic() < end, f"{script}: must be {text}, not {shown}"
        page.wait_for_timeout(50)


def unfold(page: Any, *parts: str) -> None:
    for part in parts:
        page.locator(f"#{part}").evaluate("element => { element.open = true; }")


def expect_no_wider_than_the_window(page: Any) -> None:
    page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")


def expect_all_can_use(page: Any) -> None:
    """Axe finds nothing serious on the page; of its rules only that of the contrast has to be asked in the dark too."""
    page.evaluate(Axe().axe_script)
    for scheme, rules in (("dark", {"runOnly": ["color-contrast"]}), ("light", {})):
        page.emulate_media(color_scheme=scheme)
        page.evaluate("() => Promise.allSettled(document.getAnimations().map(each => each.finished))")
        options = {"resultTypes": ["violations"], **rules}
        found = page.evaluate("options => axe.run(options).then(({ violations }) => violations)", options)
        wrong = [each for each in found if each["impact"] in ("serious", "critical")]
        assert [(scheme, each["id"], each["nodes"][0]["html"]) for each in wrong] == []
