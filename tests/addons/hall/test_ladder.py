"""The ladder of a class: real programs in the sandbox, a real player that is killed, what each person is told."""

from __future__ import annotations

import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove.addons.hall.asking import POSITIONS
from quietmove.addons.hall.entries import Entries
from quietmove.addons.hall.player import LADDER
from quietmove.addons.web.database import open_hall
from quietmove.addons.web.runs import Runs
from quietmove.engine.files import write_whole
from quietmove.referee.process import sandbox
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.formats import plan_of
from quietmove.tournament.playing.snapshot import player_of
from quietmove.tournament.store.store import Store
from tests.addons.conftest import expect_all_can_use, expect_no_wider_than_the_window, watched
from tests.addons.hall.class_programs import GOOD, random_player
from tests.addons.hall.classes import add_passed, make_class
from tests.addons.hall.halls import HallServer, new_hall, served
from tests.addons.hall.test_alike import program, renamed
from tests.fakes.processes import end_with_parent, wait_until

pytestmark = pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())

NAMES = ["p00", "p01", "p02"]
SETTINGS = (
    'uploads_an_hour = 1000\nlimit = "depth=1"\nanchors = [1]\nmost_pairs = 4\nladder = false\n'
    'goals = ["random 4-0", "level 1 2-2"]\n'
)


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> HallServer:
    """A class in which three programs have passed, one of which takes openings, and nobody plays."""
    folder = tmp_path_factory.mktemp("passed") / "course"
    keys = make_class(folder, NAMES, SETTINGS, shown_by_name=False)
    programs = [(GOOD["random"], ""), (GOOD["greedy"], 'openings = "line"\n'), (random_player(5), "")]
    for name, (text, player_file) in zip(NAMES, programs, strict=True):
        add_passed(folder, name, text, player_file=player_file)
    return HallServer(folder, keys)


@pytest.fixture(scope="module")
def rested(passed: HallServer, tmp_path_factory: pytest.TempPathFactory) -> HallServer:
    """The same class, after its server let the ladder play until it rests and each version was sampled."""
    hall = copied(passed, tmp_path_factory.mktemp("rested") / "course", "ladder = true")
    with served(hall):
        wait_until(lambda: rests(hall.folder) and len(sampled(hall.folder)) == len(NAMES))
    return hall


def copied(hall: HallServer, folder: Path, settings: str = "ladder = false") -> HallServer:
    shutil.copytree(hall.folder, folder, symlinks=True)
    file = folder / "class.toml"
    file.write_text(file.read_text().replace("ladder = false", settings))
    return HallServer(folder, hall.keys)


def begin_playing(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "quietmove.tournament", "class", "play", str(folder)]
    return subprocess.Popen(command, preexec_fn=end_with_parent)


def rests(folder: Path) -> bool:
    store = folder / LADDER
    if not store.exists() or not store.stat().st_size:
        return False
    with Store.open_to_read(folder / LADDER) as store:
        results = store.results()
        return bool(results) and plan_of(store.tournament).has_ended(results)


def sampled(folder: Path) -> list[int]:
    """Return how many moves of each version were sampled for the similarity check."""
    with closing(open_hall(folder)) as database:
        return [len(moves) for moves in Entries(database, folder).answers().values()]


def games_of(folder: Path) -> list[tuple[Any, ...]]:
    with Store.open_to_read(folder / LADDER) as store:
        return [(each.id, each.opening, each.moves, each.margin_black, each.reason) for each in store.results()]


def arrivals_in(path: Path) -> set[tuple[str, str]]:
    """Return each version that joined or retired, with the version that it replaced."""
    with Store.open_to_read(path) as store:
        return {(each.engine, each.replaces) for each in store.tournament.arrivals}


@pytest.mark.soak
def test_a_ladder_that_was_killed_is_as_one_that_never_was(
    passed: HallServer, rested: HallServer, tmp_path: Path
) -> None:
    quiet, killed = rested.folder, copied(passed, tmp_path / "killed").folder
    Runs(killed).want(LADDER, "running")
    lots = random.Random(3)
    for _ in range(20):
        process = begin_playing(killed)
        wait_until(lambda: player_of(killed / LADDER) is not None)
        time.sleep(lots.random())  # kill at a random moment
        process.kill()
        process.wait()
    process = begin_playing(killed)
    wait_until(lambda: rests(killed) and player_of(killed / LADDER) is not None)  # it handles Ctrl-C by then
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert games_of(killed) == games_of(quiet)
    assert len(games_of(quiet)) > 15
    for folder in (quiet, killed):
        assert run_command_line(["verify", str(folder / LADDER)]) == 0
    openings = {(opening != "", "p01.1" in game.pair) for game, opening, *_ in games_of(quiet)}
    assert (True, True) in openings, "who reads openings has them against the anchors"


def test_a_ladder_follows_its_class_and_outlives_the_server(tmp_path: Path) -> None:
    """Two programs and two anchors play until the ladder rests; then everything changes that can change."""
    folder = tmp_path / "course"
    settings = 'limit = "depth=1"\nanchors = [1]\nmost_pairs = 2\ngoals = ["random 2-0"]\n'
    hall = HallServer(folder, make_class(folder, NAMES[:2], settings, shown_by_name=False))
    for number, name in enumerate(NAMES[:2]):
        add_passed(folder, name, random_player(number))
    first, other = folder / LADDER, folder / "ladder-2.sqlite"
    with served(hall):
        wait_until(lambda: rests(folder) and sampled(folder) == [POSITIONS, POSITIONS])
        table = rows(hall)
        assert all(row["games"] for row in table)
        assert [row["elo"] for row in table] == sorted((row["elo"] for row in table), reverse=True)
        assert {row["name"] for row in table if row["anchor"]} == {"random", "level 1"}
        assert not {"p00", "p01"} & {row["name"] for row in table}, "the board shows pseudonyms"
        assert [goal["games"] for row in table if not row["anchor"] for goal in row["goals"]] == [2, 2]
        assert hall.client("teacher").get("/api/alike").json()["asked"] == 2
        player = player_of(first)
        assert player is not None
        add_passed(folder, "p01", random_player(6))
        wait_until(lambda: any(row["version"] == 2 and row["games"] for row in rows(hall)))
        hall.client("teacher").put("/api/entries/1/block", json={"blocked": True})
        hall.kill()
        assert player.is_alive(), "it plays on without the server"
        hall.start()
        # the server hides the blocked version at once; the player retires it at its next look
        wait_until(lambda: len(rows(hall)) == 3 and ("", "p00.1") in arrivals_in(first))
        assert player_of(first) == player, "the next server finds it"
        for anchors in ("", "[1, 2]"):  # invalid settings change nothing
            write_whole(folder / "class.toml", settings.replace("[1]", anchors).encode())
        playing = {"random", "level 1", "level 2"}
        wait_until(lambda: {row["name"] for row in rows(hall) if row["anchor"] and row["games"]} == playing)
        assert (player_of(first), player_of(other)) == (None, player), "it plays another ladder, in its own store"
        player.signal(signal.SIGKILL)
        wait_until(lambda: player_of(other) not in (None, player))
        for wanted, status in (("soon", 400), ("stopped", 202)):
            assert hall.client("teacher").put("/api/ladder", json={"wanted": wanted}).status_code == status
        wait_until(lambda: player_of(first) is player_of(other) is None)
    assert arrivals_in(first) == {("p00.1", ""), ("p01.1", ""), ("p01.2", "p01.1"), ("", "p00.1")}
    for path in (first, other):
        assert run_command_line(["verify", str(path)]) == 0


@pytest.fixture
def hall(rested: HallServer, tmp_path: Path) -> Iterator[HallServer]:
    """A copy of the class in which the ladder has been played, being served."""
    found = copied(rested, tmp_path / "course")
    Runs(found.folder).want(LADDER, "running")
    with served(found):
        yield found


def rows(hall: HallServer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = hall.client().get("/api/standings").json()["rows"]
    return found


def numbers(hall: HallServer, name: str) -> set[int]:
    found: set[int] = set()
    while len(found) < (answer := hall.client(name).get(f"/api/games?from={len(found)}").json())["count"]:
        found |= {each["number"] for each in answer["games"]}
    return found


def test_the_pages_show_ladder_games_and_one_game(context: Any, hall: HallServer) -> None:
    wait_until(lambda: rests(hall.folder))
    with watched(context, "127.0.0.1") as page:
        page.goto(f"{hall.address}me#key={hall.keys['p01']}")
        page.click("#tabs button:text-is('My games')")
        page.wait_for_selector("ul.games b.n")
        expect_all_can_use(page)
        page.locator("ul.games a").first.click()
        page.wait_for_selector("#board svg")
        expect(page.locator("#said")).to_contain_text("Move ")
        page.keyboard.press("Home")
        expect(page.locator("#said")).to_have_text("Start of the game")
        page.click("#after")
        expect(page.locator("#said")).to_contain_text("Move 1 of")
        expect_all_can_use(page)
        expect_no_wider_than_the_window(page)
        page.goto(hall.address)
        expect(page.locator("#standings tbody tr")).to_have_count(5)
        expect(page.locator("#standings svg.elo").first).to_be_visible()
        expect(page.locator("#standings")).to_contain_text("of 2")
        page.goto(f"{hall.address}teacher#key={hall.keys['teacher']}")
        page.get_by_role("button", name="Stop the ladder").click()
        expect(page.get_by_role("button", name="Play the ladder")).to_be_visible()
        wait_until(lambda: player_of(hall.folder / LADDER) is None)


def test_a_student_has_an_own_game_reviewed_and_nobody_elses(context: Any, hall: HallServer) -> None:
    wait_until(lambda: hall.client("p01").get("/api/games").json()["count"] > 2)
    own, other = (hall.client(name).get("/api/games").json()["games"] for name in ("p01", "p00"))
    number = own[0]["number"]
    path = f"/api/games/{number}/review"
    foreign = next(each["number"] for each in other if each["number"] not in numbers(hall, "p01"))
    for method in ("get", "post"):
        ask = getattr(hall.client("p01"), method)
        assert ask(f"/api/games/{foreign}/review").status_code == 404
        assert getattr(hall.client(), method)(path).status_code == 401
    assert hall.client("teacher").get(path).json()["moves"] is None
    with watched(context, "127.0.0.1") as page:
        page.goto(f"{hall.address}me#key={hall.keys['p01']}")
        page.wait_for_selector("#tabs button")
        page.goto(f"{hall.address}game#{number}")
        page.wait_for_selector("#board svg")  # the game is displayed, and the button works
        page.get_by_role("button", name="Review").click()
        wait_until(lambda: hall.client("p01").get(path).json()["done"] is not None)
        assert hall.client("p01").post(f"/api/games/{own[1]['number']}/review", json={}).status_code == 409
        page.get_by_role("button", name="Next mistake").click()
        expect(page.locator("#found")).to_have_text(re.compile(r"^\d+\. .*Better: "))
        expect(page.locator("#moves [aria-pressed=true]")).to_have_text(re.compile(r" [−+][\d.]+\?"))
        expect(page.locator("#board .better").first).to_be_visible()
        expect(page.locator("#totals")).to_contain_text("Accuracy")
        expect_all_can_use(page)
        expect_no_wider_than_the_window(page)
    made = hall.client("teacher").get(path).json()
    assert [each["ply"] for each in made["moves"]] == list(range(1, made["of"] + 1))
    hall.kill()
    hall.start()
    assert hall.client("p01").get(path).json() == made, "it was kept"


def test_a_teacher_sees_what_is_alike_and_nobody_else_does(context: Any, tmp_path: Path) -> None:
    own = program(1)
    with served(new_hall(tmp_path / "alike", NAMES)) as hall:
        for name, text in zip(NAMES, (own, renamed(own), GOOD["greedy"]), strict=True):
            add_passed(hall.folder, name, text)
        (found,) = hall.client("teacher").get("/api/alike").json()["pairs"]
        assert found["people"] == ["p00", "p01"]
        assert found["versions"][0]["text"] > 0.9
        hall.client("teacher").put("/api/people/p01/block", json={"blocked": True})
        assert hall.client("p00").get("/api/alike").status_code == 404
        assert hall.client("p00").get("/api/alike/1/2").status_code == 404
        with watched(context, "127.0.0.1") as page:
            page.goto(f"{hall.address}teacher#key={hall.keys['teacher']}")
            page.click("#tabs button:text-is('Similar')")
            expect(page.locator("ul.games li")).to_have_count(1)
            expect(page.get_by_role("heading", name="p00 and p01 p01 is blocked")).to_be_visible()
            expect_all_can_use(page)
            page.click("ul.games button")
            expect(page.locator("pre.shell")).to_have_count(2)
            expect(page.locator("pre.shell").first).to_contain_text("def part0")
            expect(page.locator(".pair mark.match0")).to_have_count(2)
            mark = page.locator(".pair mark").first
            assert mark.inner_text().count("\n") > 5
            assert mark.evaluate("each => getComputedStyle(each).backgroundColor") == "rgb(255, 224, 138)"
            expect_no_wider_than_the_window(page)
