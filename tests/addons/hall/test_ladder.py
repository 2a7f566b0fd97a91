"""The ladder of a class: real programs in the sandbox, a real player that is killed, what each person is told."""

from __future__ import annotations

import os
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
from quietmove.referee.process import sandbox
from quietmove.tournament.formats import plan_of
from quietmove.tournament.playing.snapshot import player_of
from quietmove.tournament.store.store import Store
from tests.addons.conftest import expect_all_can_use, expect_no_wider_than_the_window, watched
from tests.addons.hall.class_programs import GOOD, random_player
from tests.addons.hall.classes import add_passed, make_class
from tests.addons.hall.halls import HallServer, made_once, new_hall, served
from tests.fakes.processes import end_with_parent, run_module, wait_until

pytestmark = pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())

NAMES = ["p00", "p01", "p02"]
SETTINGS = (
    'uploads_an_hour = 1000\nlimit = "depth=1"\nanchors = [1]\nmost_pairs = 4\nladder = false\n'
    'required = ["first-move"]\ngoals = ["random 4-0", "level 1 2-2"]\n'
)
ANCHORS_THEN = {"random", "level 1", "level 2"}
LONG = """def weigh(board, color):
    total = 0
    for square, owner in board.items():
        x, y = square
        if x in (1, 8) and y in (1, 8):
            total += 50 if owner == color else -50
        elif x in (2, 7) and y in (2, 7):
            total -= 25 if owner == color else -25
        else:
            total += len(turned(board, color, square)) - len(turned(board, OTHER[color], square))
    while total > 1000:
        total = total // 2 + (3 if color == "B" else 1)
    return [total, len(board), {square: total for square in board}]
"""


def stop_playing(folder: Path) -> None:
    """End the processes that play the ladder; changed settings begin another one, in its own store."""
    players = [player for store in sorted(folder.glob("ladder*.sqlite")) if (player := player_of(store))]
    for player in players:
        player.signal(signal.SIGTERM)
    wait_until(lambda: not any(player.is_alive() for player in players))


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> HallServer:
    """A class in which three programs have passed, one of which takes openings, and nobody plays."""

    def make(folder: Path) -> HallServer:
        keys = make_class(folder, NAMES, SETTINGS, shown_by_name=False)
        programs = [(GOOD["random"], ""), (GOOD["greedy"], 'openings = "line"\n'), (random_player(5), "")]
        for name, (program, player_file) in zip(NAMES, programs, strict=True):
            add_passed(folder, name, program, player_file=player_file)
        return HallServer(folder, keys)

    return made_once(tmp_path_factory, "passed", make)


@pytest.fixture(scope="module")
def rested(passed: HallServer, tmp_path_factory: pytest.TempPathFactory) -> HallServer:
    """The same class, after its server let the ladder play until it rests and each version was sampled."""

    def make(folder: Path) -> HallServer:
        hall = copied(passed, folder, "ladder = true")
        with served(hall), closing(open_hall(folder)) as database:
            entries = Entries(database, folder)
            wait_until(lambda: rests(folder) and len(entries.answers()) == len(NAMES))
            hall.client("teacher").put("/api/ladder", json={"wanted": "stopped"})
            wait_until(lambda: player_of(folder / LADDER) is None)
        return hall

    return made_once(tmp_path_factory, "rested", make)


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


def games_of(folder: Path) -> list[tuple[Any, ...]]:
    with Store.open_to_read(folder / LADDER) as store:
        return [(each.id, each.opening, each.moves, each.margin_black, each.reason) for each in store.results()]


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
    wait_until(lambda: rests(killed))
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert games_of(killed) == games_of(quiet)
    assert len(games_of(quiet)) > 15
    for folder in (quiet, killed):
        run_module(folder, "quietmove.tournament", "verify", LADDER)
    openings = {(opening != "", "p01.1" in game.pair) for game, opening, *_ in games_of(quiet)}
    assert (True, True) in openings, "who reads openings has them against the anchors"


@pytest.fixture
def hall(rested: HallServer, tmp_path: Path) -> Iterator[HallServer]:
    """A copy of the class in which the ladder has been played, being served."""
    found = copied(rested, tmp_path / "course")
    Runs(found.folder).want(LADDER, "running")
    found.start()
    yield found
    if found.process is not None and found.process.poll() is None:
        found.stop()
    stop_playing(found.folder)


def rows(hall: HallServer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = hall.client().get("/api/standings").json()["rows"]
    return found


def test_the_server_lets_the_ladder_play_and_each_sees_the_own_games(hall: HallServer) -> None:
    table = rows(hall)
    assert all(row["games"] for row in table)
    assert [row["elo"] for row in table] == sorted((row["elo"] for row in table), reverse=True)
    assert {row["name"] for row in table if row["anchor"]} == {"random", "level 1"}
    assert not {"p00", "p01", "p02"} & {row["name"] for row in table}, "the board shows pseudonyms"
    goals = [goal for row in table if not row["anchor"] for goal in row["goals"]]
    assert len(goals) == 6
    assert all(goal["games"] == goal["of"] for goal in goals)
    own = hall.client("p00").get("/api/games").json()
    margins = [each["margin"] if each["is_black"] else -each["margin"] for each in own["games"]]
    assert own["count"] >= 6
    assert [margin < 0 for margin in margins] == sorted((margin < 0 for margin in margins), reverse=True)
    assert "p01" not in str(own)
    number = own["games"][0]["number"]
    game = hall.client("p00").get(f"/api/games/{number}").json()
    assert len(game["steps"]) > 40
    assert not {"p00.1", "p01.1", "p02.1", "command"} & set(str(game).replace("'", " ").split())
    theirs = [name for name in NAMES if number not in numbers(hall, name)]
    assert theirs
    for name in theirs:
        assert hall.client(name).get(f"/api/games/{number}").status_code == 404
    assert hall.client("teacher").get(f"/api/games/{number}").status_code == 200
    assert hall.client().get(f"/api/games/{number}").status_code == 401
    assert hall.client("p01").get("/api/games?entry=1").status_code == 404
    for wrong in ("entry=x", "entry=99999999999999999999"):
        assert hall.client("p01").get(f"/api/games?{wrong}").status_code == 404
    for wrong in ("outcome=lst", "from=-1"):
        assert hall.client("p01").get(f"/api/games?{wrong}").status_code == 400


def numbers(hall: HallServer, name: str) -> set[int]:
    found: set[int] = set()
    while len(found) < (answer := hall.client(name).get(f"/api/games?from={len(found)}").json())["count"]:
        found |= {each["number"] for each in answer["games"]}
    return found


def test_versions_are_replaced_blocked_and_the_player_outlives_the_server(hall: HallServer) -> None:
    wait_until(lambda: player_of(hall.folder / LADDER) is not None)
    player = player_of(hall.folder / LADDER)
    assert player is not None
    assert hall.judged("p02", random_player(6))["state"] == "passed"
    wait_until(lambda: any(row["version"] == 2 and row["games"] > 0 for row in rows(hall)))
    first = hall.client("p00").get("/api/entries").json()["entries"][0]["entry"]
    hall.client("teacher").put(f"/api/entries/{first}/block", json={"blocked": True})
    hall.kill()
    assert player.is_alive(), "it plays on without the server"
    hall.start()
    wait_until(lambda: rests(hall.folder) and len(rows(hall)) == 4)
    assert player_of(hall.folder / LADDER) == player, "the next server finds it"
    os.kill(player.number, signal.SIGKILL)
    wait_until(lambda: player_of(hall.folder / LADDER) not in (None, player))
    assert hall.client("p00").put("/api/ladder", json={"wanted": "stopped"}).status_code == 404
    assert hall.client("teacher").put("/api/ladder", json={"wanted": "soon"}).status_code == 400
    assert hall.client("teacher").put("/api/ladder", json={"wanted": "stopped"}).status_code == 202
    wait_until(lambda: player_of(hall.folder / LADDER) is None)
    with Store.open_to_read(hall.folder / LADDER) as store:
        arrivals = [(each.engine, each.replaces) for each in store.tournament.arrivals]
        assert ("p02.2", "p02.1") in arrivals
        assert ("", "p00.1") in arrivals
    run_module(hall.folder, "quietmove.tournament", "verify", LADDER)


def test_a_version_is_asked_once_while_the_ladder_rests(hall: HallServer) -> None:
    found = hall.client("teacher").get("/api/alike").json()
    assert found["asked"] == len(NAMES)
    assert 0 < found["mean"] < 1
    with closing(open_hall(hall.folder)) as database:
        assert {len(each) for each in Entries(database, hall.folder).answers().values()} == {POSITIONS}


def test_a_changed_file_changes_the_ladder_that_is_played(hall: HallServer) -> None:
    wait_until(lambda: rests(hall.folder) and any(row["games"] for row in rows(hall)))
    player = player_of(hall.folder / LADDER)
    file = hall.folder / "class.toml"
    text = file.read_text()
    file.write_text(text.replace("anchors = [1]", "anchors ="))  # invalid settings change nothing
    file.write_text(text.replace("anchors = [1]", "anchors = [1, 2]"))
    wait_until(lambda: {row["name"] for row in rows(hall) if row["anchor"] and row["games"]} == ANCHORS_THEN)
    assert (hall.folder / "ladder-2.sqlite").exists()
    wait_until(lambda: player_of(hall.folder / LADDER) in (player, None))  # the last one is ended


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
    own = GOOD["corners"].replace("def main", f"{LONG}\n\ndef main")
    copy = own.replace("square", "field7").replace("found", "all_of_them").replace('"""A starter', '"""Mine: a starter')
    with served(new_hall(tmp_path / "alike", NAMES, 'required = ["first-move"]\n')) as hall:
        for name, program in zip(NAMES, (own, copy, GOOD["greedy"]), strict=True):
            assert hall.judged(name, program)["state"] == "passed"
        (found,) = hall.client("teacher").get("/api/alike").json()["pairs"]
        assert {found["first"]["person"], found["second"]["person"]} == {"p00", "p01"}
        assert found["text"] > 0.9
        assert hall.client("p00").get("/api/alike").status_code == 404
        assert hall.client("p00").get("/api/alike/1/2").status_code == 404
        with watched(context, "127.0.0.1") as page:
            page.goto(f"{hall.address}teacher#key={hall.keys['teacher']}")
            page.click("#tabs button:text-is('Similar')")
            expect(page.locator("ul.games li")).to_have_count(1)
            expect_all_can_use(page)
            page.click("ul.games button")
            expect(page.locator("pre.shell")).to_have_count(2)
            expect(page.locator("pre.shell").first).to_contain_text("def weigh")
            expect(page.locator(".pair mark.match0")).to_have_count(2)
            mark = page.locator(".pair mark").first
            assert mark.inner_text().count("\n") > 5
            assert mark.evaluate("each => getComputedStyle(each).backgroundColor") == "rgb(255, 224, 138)"
            expect_no_wider_than_the_window(page)
