"""The page on which tournaments are started, in a real browser in front of a real server and real runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove.tournament.playing.snapshot import player_of
from tests.addons.conftest import SOURCE, expect_all_can_use, expect_no_wider_than_the_window, watched
from tests.addons.runner.test_runner import BOT, Hall, games_of, undisturbed
from tests.fakes.processes import wait_until

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    found = Hall(tmp_path)
    found.begin()
    yield found
    if found.process is not None:
        found.end(signal.SIGTERM)
    for path in tmp_path.glob("*.sqlite"):
        if player := player_of(path):
            player.signal(signal.SIGTERM)
            wait_until(lambda player=player: not player.is_alive())  # type: ignore[misc]


def add_configuration(page: Any, name: str, ordering: str) -> None:
    page.click("#add-engine")
    page.click("#engine-kinds button:text-is('A configuration')")
    page.fill("#engine-name", name)
    page.select_option("[data-option=Ordering]", ordering)
    page.select_option("[data-option=Quiescence]", "true")
    page.click("#save-engine")
    expect(page.locator("#engine-dialog")).to_be_hidden()


@pytest.mark.smoke
def test_engines_are_added_and_compared_and_a_game_opens_and_leads_back(context: Any, hall: Hall) -> None:
    with watched(context, "127.0.0.1", "400 (Bad Request)") as page:
        page.goto(hall.address)
        expect(page.locator("#nothing")).to_contain_text("No runs yet")
        expect(page.locator("#all")).to_be_hidden()
        expect(page.locator("#status")).to_be_empty()
        expect_all_can_use(page)
        page.click("#to-engines")
        add_configuration(page, "new", "full")
        add_configuration(page, HOSTILE, "none")
        assert 'options = { Ordering = "none", Quiescence = "true" }' in (hall.folder / "engines.toml").read_text()
        compare(page, hall)


def test_engines_of_each_kind_are_added_and_checked(context: Any, hall: Hall) -> None:
    with watched(context, "127.0.0.1", "400 (Bad Request)") as page:
        page.goto(hall.address)
        page.click("#to-engines")
        add_configuration(page, "new", "full")
        add_configuration(page, HOSTILE, "none")
        page.click("#add-engine")
        page.click("#engine-kinds button:text-is('A level')")
        page.select_option("#level", "3")
        page.click("#save-engine")
        expect(page.locator("#register tbody tr")).to_have_count(3)
        assert 'name = "level 3"' in (hall.folder / "engines.toml").read_text()
        add_and_check_a_rude_engine(page)
        leave_a_form_before_its_answer(page)
        add_a_commit(page, hall)


def add_a_commit(page: Any, hall: Hall) -> None:
    """A commit is built and registered under its short hash; the run that follows does not use it."""
    repository = hall.folder / "sources"
    repository.mkdir()
    (repository / "engine.in").write_text(f"#!/bin/sh\nexec {sys.executable} -m quietmove\n")
    git = ("git", "-C", str(repository), "-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "engine")):
        subprocess.run([*git, *words], check=True)
    page.click("#add-engine")
    page.click("#engine-kinds button:text-is('A commit')")
    page.fill("#repository", "sources")
    page.fill("#commit", "nowhere")
    page.fill("#build", "cp engine.in engine && chmod +x engine")
    page.fill("#built", "./engine")
    page.click("#build-commit")
    expect(page.locator("#engine-said")).to_contain_text("must be commits of")
    page.fill("#commit", "HEAD")
    page.click("#save-engine")
    expect(page.locator("#register tbody tr")).to_have_count(4)
    name = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, check=True, text=True).stdout
    row = page.locator(f"#register tr:has-text('{name.strip()}')")
    expect(row).to_contain_text("uci")
    row.locator("button:text-is('Edit')").click()
    page.click("#remove-engine")
    page.click("#remove-engine")
    expect(page.locator("#register tbody tr")).to_have_count(3)


def leave_a_form_before_its_answer(page: Any) -> None:
    """The answer of an engine that starts slowly changes nothing in the form that was opened meanwhile."""
    with page.expect_response("**/api/engines/offered"):
        page.click("#add-engine")
        page.fill("#command", f"sh -c 'sleep 2; exec {sys.executable} -m quietmove'")
        page.click("#save-engine")
        page.click("#cancel-engine")
        page.click("#add-engine")
        page.fill("#engine-name", "next")
    page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    expect(page.locator("#engine-name")).to_have_value("next")
    expect(page.locator("#protocol")).to_have_value("")
    expect(page.locator("#engine-said")).to_be_hidden()
    expect(page.locator("#save-engine")).to_be_enabled()
    page.click("#cancel-engine")
    expect(page.locator("#register tbody tr")).to_have_count(3)


def add_and_check_a_rude_engine(page: Any) -> None:
    page.click("#add-engine")
    page.fill("#command", "./no-such-program")
    page.click("#read-options")
    expect(page.locator("#engine-said")).to_contain_text("there is no program")
    page.fill("#command", f"{sys.executable} {SOURCE}/tests/fakes/rude_engine.py uci deaf")
    page.click("#read-options")
    expect(page.locator("#engine-said")).to_contain_text("speaks uci")
    page.fill("#engine-name", "rude")
    page.click("#check-engine")
    expect(page.locator("#engine-check")).to_contain_text(re.compile(r"Check: \d+ ok, [1-9]\d* FAIL"))
    expect(page.locator("#engine-check li.FAIL").first).to_contain_text(re.compile(r"FAIL [a-z-]+: \w"))
    expect_all_can_use(page)
    page.click("#save-engine")
    row = page.locator("#register tr:has-text('rude')")
    expect(row.locator(".badge.bad")).to_contain_text("failed")
    row.locator("button:text-is('Edit')").click()
    page.click("#remove-engine")
    page.click("#remove-engine")
    expect(page.locator("#register tbody tr")).to_have_count(3)


def compare(page: Any, hall: Hall) -> None:
    page.click("#to-start")
    expect(page.locator("#toml")).to_contain_text('format = "sprt"')
    page.fill("#limit", "nods=5")
    expect(page.locator("#run-problems")).to_contain_text("limit: must be one of")
    page.fill("#limit", "nodes=1000")
    page.fill("#elo1", "300")
    page.fill("#run-name", "new is better")
    expect(page.locator("#run-problems li")).to_have_count(0)
    expect(page.locator("#toml")).to_contain_text('limit = "nodes=1000"')
    expect_all_can_use(page)
    shown = page.inner_text("#toml")
    page.click("#run-form button.primary")
    page.wait_for_selector("#course svg path.line")
    assert (hall.folder / "new-is-better.toml").read_text().strip() == shown.strip()
    expect(page.locator("#facts")).to_contain_text("Ratio")
    expect(page.locator("#ended-list .badge")).to_have_text("better")
    page.locator("#lost select").select_option(HOSTILE)
    expect(page.locator("#lost li").first.locator("strong")).to_contain_text("\u2212")
    expect_all_can_use(page)
    address = page.url
    side = 0 if "Black against" in page.locator("#lost li").first.inner_text() else 1
    link = page.locator("#lost li a").first
    assert (link.get_attribute("href") or "").endswith(f"&review={side}")
    link.click()
    expect(page.locator("#found-idea")).to_contain_text("was better:")  # the game opens at the first mistake
    page.click("#way-back")
    page.wait_for_selector("#standings table")
    assert page.url == address
    with page.expect_download() as download:
        page.select_option("#run-actions select", "csv")
    assert Path(download.value.path()).read_text().startswith("number,round,black,white")
    for size in ({"width": 390, "height": 844}, {"width": 1280, "height": 900}):
        page.set_viewport_size(size)
        for view in ("#engines", "#start", ""):
            page.evaluate("view => { location.hash = view; }", view)
            expect_no_wider_than_the_window(page)
        expect(page.locator("#lost")).to_be_visible()  # the only tournament is displayed with the owner's controls


def test_a_person_plays_on_the_page(context: Any, hall: Hall) -> None:
    with watched(context, "127.0.0.1") as page:
        page.goto(f"{hall.address}#engines")
        page.click("#to-engines")
        add_configuration(page, "new", "full")
        page.click("#add-engine")
        page.click("#engine-kinds button:text-is('A person')")
        expect(page.locator("#person-box")).to_be_visible()
        page.click("#save-engine")
        expect(page.locator("#register tr:has-text('a person')")).to_contain_text("me")
        page.click("#to-start")
        page.click("#kinds button:text-is('Round robin')")
        page.fill("#limit", "nodes=1000")
        page.fill("#concurrency", "1")
        page.click("#run-form button.primary")
        turn = page.locator("#turn-boards .turn-board")
        expect(turn).to_have_count(1)
        expect_all_can_use(page)
        title = turn.locator("h3").inner_text()
        turn.locator("button[aria-label*='legal']").first.click()
        expect(turn.locator("h3")).not_to_have_text(title)
        page.click("#run-actions button:text-is('Stop')")
        page.click("#run-actions button:text-is('Stop now')")
        expect(page.locator("#turns")).to_be_hidden()


def test_page_server_and_run_are_killed_and_the_run_is_as_an_undisturbed_one(context: Any, hall: Hall) -> None:
    (hall.folder / "bot.py").write_text(BOT)
    bots = "".join(f'[[engine]]\nname = "{name}"\ncommand = ["{sys.executable}", "bot.py"]\n' for name in "ab")
    (hall.folder / "cup.toml").write_text(
        'name = "cup"\nformat = "round-robin"\nrounds = 15\nopenings_random = 20\nconcurrency = 2\n'
        f'[defaults]\nprotocol = "json"\nlimit = "movetime=60000"\n{bots}'
    )
    with watched(context, "127.0.0.1") as page:
        page.goto(hall.address)
        page.click("#saved-list li:has-text('cup.toml') button")
        page.wait_for_selector("#boards svg")
    store = hall.folder / "cup.sqlite"
    first = hall.player("cup")
    hall.end(signal.SIGKILL)
    os.kill(first.number, signal.SIGKILL)
    wait_until(lambda: not first.is_alive())
    hall.begin()
    with watched(context, "127.0.0.1") as page:
        page.goto(hall.address)
        page.wait_for_selector("#boards svg")
        page.click("#run-actions button:text-is('Stop')")
        page.wait_for_selector("#queue-list .badge:text-is('stopped')")
        page.click("#run-actions button:text-is('Resume')")
        page.wait_for_selector("#ended-list .badge:text-is('ended')")
        expect(page.locator("#progress")).to_contain_text("30 of 30 games, the tournament is over")
    assert games_of(store) == undisturbed(hall.folder, "cup", 15)
