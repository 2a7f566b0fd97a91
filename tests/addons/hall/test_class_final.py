"""The final of a class: the same for the same seed, shown bit by bit, also by a server that was killed meanwhile."""

from __future__ import annotations

import random
import re
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove.addons.hall.finals import newest_final
from quietmove.referee.process import sandbox
from quietmove.tournament.playing.snapshot import player_of
from quietmove.tournament.store.store import Store
from tests.addons.conftest import expect_all_can_use, expect_no_wider_than_the_window, shows, watched
from tests.addons.hall.class_programs import GOOD, random_player
from tests.addons.hall.classes import Asked, add_passed
from tests.addons.hall.halls import HallServer, served
from tests.fakes.processes import wait_until

pytestmark = pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())

PROGRAMS = {"Ada": random_player(1), "Alan": GOOD["greedy"], "Grace": GOOD["corners"]}
SETTINGS = 'openings = "line"\nladder = false\nfinal_seconds = 1\n'
SEED = 2026
FUTURE = "deadline = 2999-01-01T00:00:00Z\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """A class of four, of whom three have a version that passed."""
    asked = Asked(tmp_path_factory.mktemp("final") / "course", SETTINGS, [*PROGRAMS, "Niklaus"])
    for name, program in PROGRAMS.items():
        number = add_passed(asked.folder, name, program)
        asked.hall.entries.keep_answers(number, {})  # no process samples their moves after the final
    return asked


def copied(made: Asked, folder: Path, seconds: int = 1) -> HallServer:
    """Copy the class; the projector shows a game for so many seconds."""
    shutil.copytree(made.folder, folder)
    (folder / "class.toml").write_text(SETTINGS.replace("final_seconds = 1", f"final_seconds = {seconds}"))
    return HallServer(folder, made.keys)


@pytest.fixture
def played(made: Asked, tmp_path: Path, request: Any) -> Iterator[HallServer]:
    """A class whose final begins, between so many players and with so many seconds for a game."""
    first, seconds = getattr(request, "param", (3, 1))
    with served(copied(made, tmp_path / "course", seconds)) as own:
        assert begin(own, "round-robin", first=first).json() == {"final": "final-1"}
        yield own


def begin(hall: HallServer, form: str, **more: object) -> Any:
    return hall.client("teacher").post("/api/finals", json={"format": form, "seed": SEED, **more})


def final(hall: HallServer) -> dict[str, Any]:
    found: dict[str, Any] = hall.client().get("/api/final").json()
    return found


def moves_of(folder: Path) -> list[str]:
    with Store.open_to_read(folder / "final-1.sqlite") as store:
        return [f"{result.id} {result.moves}" for result in store.results()]


@pytest.mark.parametrize("played", [(2, 4)], indirect=True)
def test_only_what_was_shown_counts_and_a_killed_server_goes_on_there(played: HallServer) -> None:
    wait_until(lambda: (found := final(played)).get("shown", 0) > 0 and found["games"] == found["planned"])
    before = final(played)
    assert before["shown"] < before["games"]
    assert sum(row["games"] for row in before["rows"]) == 2 * before["shown"]
    assert not before["winner"]
    assert 1 <= len(before["boards"]) <= 4
    played.kill()
    played.start()
    wait_until(lambda: final(played)["final"] is not None)
    assert final(played)["shown"] >= before["shown"]
    wait_until(lambda: final(played)["over"])
    assert final(played)["winner"] == final(played)["rows"][0]["name"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"format": "chess"}, "format: must be one of auto, swiss, round-robin, knockout, not 'chess'"),
        ({"format": "swiss", "seed": -1}, "seed: must be"),
        ({"format": "swiss", "seed": "x"}, "seed: must be"),
        ({"format": "swiss", "first": 1}, "final: needs at least 2 players, not 1"),
        ({}, "format: must be given"),
    ],
)
def test_a_wrong_final_is_one_error_and_begins_nothing(made: Asked, body: dict[str, Any], error: str) -> None:
    answer = made.client("teacher").post("/api/finals", json=body)
    assert (answer.status_code, answer.json()["error"][: len(error)]) == (400, error)
    assert newest_final(made.folder) is None


def test_the_projector_shows_games_the_table_and_the_winner(played: HallServer, context: Any) -> None:
    with watched(context, played.address.removeprefix("http://")) as page:
        for size in ({"width": 1280, "height": 720}, {"width": 390, "height": 844}):
            page.set_viewport_size(size)
            page.goto(f"{played.address}board")
            expect(page.locator("#standings tbody tr")).to_have_count(3)
            expect_no_wider_than_the_window(page)
        expect(page.get_by_text("The winner is")).to_be_visible()
        expect(page.locator(".winner .name")).to_have_text(final(played)["winner"])
        second = final(played)["rows"][1]
        expect(page.locator(".winner")).to_contain_text(
            f"points, followed by {second['name']} with {second['points']:g}"
        )
        expect_all_can_use(page)


# Return how many parts are cut off, and how many overlap another part.
FAULTS = """() => {
  const parts = [...document.querySelectorAll(".live, .standing, .ticker, .ph")];
  const boxes = parts.map((each) => each.getBoundingClientRect());
  const apart = (one, other) =>
    one.right <= other.left || other.right <= one.left || one.bottom <= other.top + 1 || other.bottom <= one.top + 1;
  const isPhone = innerWidth < 500;
  const cut = boxes.filter((box) => box.left < 0 || box.right > innerWidth || (!isPhone && box.bottom > innerHeight));
  return [cut.length, boxes.filter((box, at) => boxes.slice(at + 1).some((other) => !apart(box, other))).length];
}"""


@pytest.mark.parametrize("played", [(3, 600)], indirect=True)
def test_four_boards_and_the_table_fit_each_window(played: HallServer, context: Any) -> None:
    with watched(context, played.address.removeprefix("http://")) as page:
        page.goto(f"{played.address}board")
        expect(page.get_by_text("The final begins")).to_be_visible()
        expect(page.locator(".live")).to_have_count(4)
        for width, height in ((1920, 1080), (1280, 800), (1024, 768), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            expect_no_wider_than_the_window(page)
            shows(page, FAULTS, [0, 0])
        assert page.locator(".standing th").all_inner_texts()[2:4] == ["Games", "Points"]


def test_a_person_plays_against_an_entry(made: Asked, context: Any, tmp_path: Path) -> None:
    context.clear_cookies()
    with served(copied(made, tmp_path / "course")) as hall, watched(context, "127.0.0.1") as page:
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(f"{hall.address}me#key={hall.keys['Niklaus']}")
        page.get_by_role("button", name="Play", exact=True).click()
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_text("Your turn.")).to_be_visible()
        page.locator("#board .keys button.can").first.click()
        expect(page.get_by_text("3\u20133. Your turn.")).to_be_visible()
        expect_all_can_use(page)
    for body, status in (({"entry": 1, "color": "red"}, 400), ({"entry": 99, "color": "black"}, 404)):
        assert made.client("Niklaus").post("/api/sessions", json=body).status_code == status


@pytest.mark.parametrize(("deadline", "button"), [("", "Start the final"), (FUTURE, "Start a rehearsal")])
def test_the_teacher_begins_the_final_on_the_page(
    made: Asked, context: Any, tmp_path: Path, deadline: str, button: str
) -> None:
    context.clear_cookies()
    copy = copied(made, tmp_path / "course")
    (copy.folder / "class.toml").write_text(f"{SETTINGS}{deadline}")
    with served(copy) as own, watched(context, "127.0.0.1") as page:
        page.goto(f"{own.address}teacher#key={own.keys['teacher']}")
        page.get_by_role("button", name="Final").click()
        expect(page.get_by_text("Taking part: 3 players.")).to_be_visible()
        page.get_by_label("Seed (empty: random)").fill(str(SEED))
        page.get_by_role("button", name=button).click()
        expect(page.get_by_text(f"round-robin, seed {SEED}:")).to_be_visible()
        expect(page.get_by_text(re.compile("^rehearsal, "))).to_have_count(int(bool(deadline)))
        expect_all_can_use(page)
        page.get_by_role("button", name="Export").click()
        expect(page.get_by_role("link", name="Save")).to_have_count(3)
        expect_all_can_use(page)
        assert own.client("teacher").get("/api/finals").json()["finals"][0]["final"] == "final-1"


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_a_final_whose_server_is_killed_is_the_same(made: Asked, tmp_path: Path, played: HallServer) -> None:
    """The processes that play are killed too, each second time."""
    kills = 0
    while kills < 20 and not final(played).get("over", False):
        time.sleep(random.Random(kills).uniform(0.2, 3.0))
        store = played.folder / "final-1.sqlite"
        if kills % 2 and (player := player_of(store)):
            player.signal(signal.SIGKILL)
        played.kill()
        kills += 1
        played.start()
    wait_until(lambda: final(played).get("over", False))
    assert [row["place"] for row in final(played)["rows"]] == [1, 2, 3]
    points = sum(row["points"] for row in final(played)["rows"])
    assert points == len(moves_of(played.folder)) == final(played)["planned"]
    with served(copied(made, tmp_path / "twin")) as twin:
        begin(twin, "round-robin")
        wait_until(lambda: final(twin).get("over", False))
        assert moves_of(tmp_path / "twin") == moves_of(played.folder)
        assert final(twin)["rows"] == final(played)["rows"]
