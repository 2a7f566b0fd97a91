"""The pages of a class whose games are in the store already; no program is examined or plays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove.addons.hall.entries import Entries
from quietmove.addons.hall.ladder import Ladder
from quietmove.addons.hall.player import LADDER, arrivals
from quietmove.addons.web.database import open_hall
from quietmove.referee.process import sandbox
from quietmove.tournament.store.store import Store
from tests.addons.conftest import expect_all_can_use, expect_no_wider_than_the_window, watched
from tests.addons.hall.class_programs import TEMPLATE, random_player
from tests.addons.hall.classes import add_passed, ladder_of, make_class
from tests.addons.hall.halls import HallServer, served
from tests.fakes.tournament_store import write_games

pytestmark = pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())

SETTINGS = 'limit = "depth=1"\nladder = false\n'


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HallServer]:
    """A class of two; Ada has two versions, and everybody has games."""
    folder = tmp_path_factory.mktemp("pages") / "course"
    keys = make_class(folder, ["Ada", "Bob"], SETTINGS)
    base = ladder_of(folder)
    for name in ("Ada", "Bob", "Ada"):
        add_passed(folder, name, random_player(name))
        with closing(open_hall(folder)) as database, Store.create_or_grow(folder / LADDER, base) as store:
            newest = Entries(database, folder).newest_passed().values()
            plan, results = Ladder(store.tournament), store.results()
            number = plan.round_number(results) + any(True for _ in plan.next_games(results))
            store.enlarge(arrivals(store.tournament, sorted(newest, key=lambda each: each.number), number))
            for _ in range(3):
                write_games(store, 40)
    with served(HallServer(folder, keys)) as hall:
        yield hall


def test_squares_are_in_the_coordinates_of_the_class_and_the_others_beside_them(hall: HallServer, context: Any) -> None:
    number = hall.client("Ada").get("/api/games").json()["games"][0]["number"]
    file = hall.folder / "class.toml"
    with watched(context, hall.address.removeprefix("http://")) as page:
        page.goto(f"{hall.address}me#key={hall.keys['Ada']}")
        expect(page.locator("#who")).to_contain_text("Ada")
        for coordinates, move, first in (("letters", "d3 (4 6)", "a"), ("numbers", "4 6 (d3)", "1")):
            file.write_text(f'{SETTINGS}coordinates = "{coordinates}"\n')
            page.goto(f"{hall.address}game#{number}")
            page.reload()
            expect(page.locator("#said")).to_have_text(re.compile(rf"^Move 4 of 4: {re.escape(move)}, 30 ms"))
            expect(page.locator("#moves button").last).to_contain_text(f"4. {move}")
            expect(page.locator("#board text.coord.column").first).to_have_text(first)
            expect_no_wider_than_the_window(page)
        file.write_text(SETTINGS)


def test_a_person_sees_each_version_and_each_opponent(hall: HallServer, context: Any) -> None:
    with watched(context, hall.address.removeprefix("http://")) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(f"{hall.address}me#key={hall.keys['Ada']}")
        page.get_by_role("button", name="My games").click()
        expect(page.get_by_role("img", name=re.compile("^v1: Elo .*, v2: Elo"))).to_be_visible()
        expect(page.get_by_role("table", name="By opponent").get_by_role("cell", name="random")).to_be_visible()
        expect_no_wider_than_the_window(page)
        expect_all_can_use(page)


def test_a_link_with_a_key_opened_over_a_page_logs_in_and_leaves_no_key(hall: HallServer, context: Any) -> None:
    with watched(context, hall.address.removeprefix("http://")) as page:
        for name in ("Ada", "Bob"):
            page.goto(f"{hall.address}me#key={hall.keys[name]}")
            expect(page.locator("#who")).to_contain_text(name)
            assert "key" not in page.url


# Return the numbers, from 1, of the rows that are visible in full below the headings.
VISIBLE = """() => {
  const box = document.getElementById("standings");
  const top = box.querySelector("th").getBoundingClientRect().bottom - 1;
  const bottom = box.getBoundingClientRect().bottom + 1;
  const isVisible = (box) => box.top >= top && box.bottom <= bottom;
  const rows = [...box.querySelectorAll("tbody tr")].filter((row) => isVisible(row.getBoundingClientRect()));
  return rows.map((row) => row.sectionRowIndex + 1);
}"""


def test_the_projector_turns_the_pages_of_a_long_table_and_leaves_out_no_row(tmp_path: Path, context: Any) -> None:
    names = [f"p{number:02}" for number in range(45)]
    hall = HallServer(tmp_path / "course", make_class(tmp_path / "course", names, SETTINGS))
    for name in names:
        add_passed(hall.folder, name, TEMPLATE)
    with served(hall), watched(context, hall.address.removeprefix("http://")) as page:
        page.set_viewport_size({"width": 1024, "height": 600})
        page.clock.install()
        page.goto(f"{hall.address}board")
        expect(page.locator("#standings tbody tr")).to_have_count(len(names))
        shown = [page.evaluate(VISIBLE)]
        while shown[-1][-1] < len(names):
            page.clock.fast_forward(8000)
            page.wait_for_function(f"before => ({VISIBLE})()[0] !== before", arg=shown[-1][0])
            shown.append(page.evaluate(VISIBLE))
        assert {place for part in shown for place in part} == set(range(1, len(names) + 1))
        assert len(shown) > 2
