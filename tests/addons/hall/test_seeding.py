"""Who stands where when a final begins."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from quietmove.addons.hall.finals import Final, Finals, newest_final
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.marks import marks_of
from quietmove.addons.hall.people import Newcomer
from quietmove.addons.hall.player import LADDER, base_of, ladder_path
from quietmove.referee.errors import SetupError
from quietmove.referee.game.record import GameRecord
from quietmove.tournament.definition import RosterChange
from quietmove.tournament.errors import RefusedError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import game_spec
from quietmove.tournament.store.store import Store
from tests.addons.hall.class_programs import TEMPLATE
from tests.addons.hall.classes import Asked, add_passed
from tests.fakes.processes import wait_until
from tests.fakes.tournament_store import MOVES, write_games

NAMES = ["Ada", "Alan", "Grace", "Niklaus"]


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """A class of four whose versions have passed; nobody has played."""
    asked = Asked(tmp_path / "course", "", NAMES)
    for name in NAMES:
        add_passed(asked.folder, name, TEMPLATE)
    return asked.hall


def seeding(hall: Hall) -> list[str]:
    return [entry.person for entry in hall.seeding(hall.settings.current_ladder)]


def test_who_loses_many_games_by_a_fault_is_seeded_last(hall: Hall) -> None:
    base = base_of(hall.settings, hall.settings.current_ladder)
    limit = base.engines[0].limit
    known = hall.entries.newest_passed()
    engines = [replace(known[name].engine, limit=limit) for name in ("Niklaus", "Grace")]
    ladder = replace(
        base,
        engines=(*base.engines, *engines),
        arrivals=tuple(RosterChange(engine.name, 1) for engine in engines),
    )
    with Store.create(hall.folder / LADDER, ladder) as store:
        write_games(store, 12)
    with_games = [
        row["name"] for row in hall.ladder.table(hall.settings.current_ladder) if row["games"] and not row["anchor"]
    ]
    assert {name.partition(".")[0] for name in with_games} == {"Niklaus", "Grace"}
    assert seeding(hall)[:2] == [name.partition(".")[0] for name in with_games]
    assert seeding(hall)[2:] == ["Ada", "Alan"], "who has not played comes last, the first who handed in first"
    with Store.open_to_write(hall.folder / LADDER) as store:
        write_games(store, 4, "crash")
    asked = Hall(hall.folder, hall.settings, "")  # a new object, since a recently computed table is reused
    faulty = {
        row["name"].partition(".")[0] for row in asked.ladder.table(hall.settings.current_ladder) if row["faults"]
    }
    assert faulty & {"Niklaus", "Grace"}
    assert set(seeding(asked)[-len(faulty & set(NAMES)) :]) == faulty & set(NAMES)


def test_a_changed_goal_is_counted_without_a_new_game(hall: Hall) -> None:
    goal, harder = (replace(hall.settings.current_ladder, goals=(text,)) for text in ("random 1-1", "random 2-0"))
    base = base_of(hall.settings, goal)
    version = replace(hall.entries.newest_passed()["Grace"].engine, limit=base.engines[0].limit)
    ladder = replace(base, engines=(*base.engines, version), arrivals=(RosterChange(version.name, 1),))
    with Store.create(hall.folder / LADDER, ladder) as store:
        write_games(store, 12)
    for settings in (goal, harder):
        rows = {row["name"]: row for row in hall.ladder.table(settings)}
        assert [each["goal"] for each in rows[version.name]["goals"]] == list(settings.goals)


def test_a_ladder_that_does_not_exist_yet_is_not_that_of_another_assignment(hall: Hall) -> None:
    first, second = (replace(hall.settings.current_ladder, name=name) for name in ("I", "II"))
    assert [hall.ladder.table(each) for each in (first, second)] == [[], []]
    for settings in (first, second):
        base = base_of(hall.settings, settings)
        with Store.create(ladder_path(hall.folder, base), base) as store:
            assert store.tournament.name == f"ladder {settings.name}"
        assert hall.ladder.table(settings)
    stores = {settings.name: hall.ladder._open(settings) for settings in (first, second)}
    assert {name: store.tournament.name for name, store in stores.items()} == {"I": "ladder I", "II": "ladder II"}
    for store in stores.values():
        store.close()


def played(hall: Hall) -> Final:
    """The newest final with all its games, which whoever comes last in the alphabet wins."""
    path = newest_final(hall.folder)
    assert path is not None
    finals = Finals()
    with Store.open_to_write(path) as store:
        while games := list(plan_of(store.tournament).next_games(store.results())):
            for game in games:
                spec, is_won = game_spec(store.tournament, game), game.id.black > game.id.white
                store.add(game, GameRecord(spec, MOVES, "finished", None, float(is_won), 10 if is_won else -10, ""))
                assert finals.read(path).order == Finals().read(path).order, "it is continued"
    hall.runs.want(path.name, "over")
    assert finals.read(path) is finals.read(path)
    return finals.read(path)


def test_a_knockout_is_seeded_from_the_table_of_the_final_before(hall: Hall) -> None:
    hall.begin_final("swiss", 1, 0, "teacher", hall.settings.current_ladder)
    assert played(hall).tournament.names == tuple(f"{name}.1" for name in NAMES)
    table = [*Finals().read(hall.folder / "final-1.sqlite").places]
    assert table[:2] == ["Niklaus.1", "Grace.1"]
    hall.begin_final("knockout", 1, 2, "teacher", hall.settings.current_ladder)
    assert list(played(hall).tournament.names) == table[:2]
    hall.begin_final("round-robin", 1, 0, "teacher", hall.settings.current_ladder)
    assert played(hall).tournament.names == tuple(f"{name}.1" for name in NAMES)


def test_the_finals_of_the_file_begin_after_the_deadline_one_after_another(hall: Hall) -> None:
    saved = time.time()

    def begun(shown: str) -> str:
        hall.begin_when_due(shown)
        found = newest_final(hall.folder)
        return found.stem if found else ""

    def say(text: str) -> None:
        nonlocal saved
        saved += 10
        (hall.folder / "class.toml").write_text(text)
        os.utime(hall.folder / "class.toml", (saved, saved))

    finals = 'final_seconds = 1\nfinals = ["round-robin", "knockout 2"]\n'
    say(finals)
    assert not begun("")
    say(f"{finals}deadline = 2999-01-01T00:00:00Z\n")
    assert not begun("")
    say(f"{finals}deadline = 2020-01-01T00:00:00Z\n")
    hall.people.add([Newcomer("Zoe")], shown_by_name=True)
    hall.people.extend("Zoe", datetime.now() + timedelta(days=1), "teacher")
    assert not begun("")
    hall.people.block("Zoe", "teacher", blocked=True)
    assert begun("") == "final-1", "an extension of a blocked person delays nothing"
    first = played(hall)
    assert begun("") == "final-1", "the projector has not shown it"
    assert begun("final-1") == "final-1", "its table is seen for a while"
    wait_until(lambda: begun("final-1") == "final-2")
    second = played(hall)
    assert (second.tournament.format, list(second.tournament.names)) == ("knockout", [*first.places][:2])
    assert begun("final-2") == "final-2"


def test_a_final_before_the_deadline_is_a_rehearsal_that_counts_for_nothing(hall: Hall) -> None:
    def say(deadline: str) -> None:
        text = f'final_seconds = 1\nfinals = ["swiss"]\nmarks = ["final 100"]\ndeadline = {deadline}\n'
        (hall.folder / "class.toml").write_text(text)
        saved = time.time() + len(hall.runs.requested()) * 10
        os.utime(hall.folder / "class.toml", (saved, saved))

    say("2999-01-01T00:00:00Z")
    assert hall.begin_final("round-robin", 1, 0, "teacher", hall.settings.current_ladder) == "final-1"
    assert played(hall).tournament.name == "rehearsal"
    assert hall.begin_final("knockout", 1, 2, "teacher", hall.settings.current_ladder) == "final-2"
    assert newest_names(hall) == ("rehearsal", [*Finals().read(hall.folder / "final-1.sqlite").places][:2])
    with pytest.raises(RefusedError, match="final-2: must be over"):
        hall.begin_final("swiss", 1, 0, "teacher", hall.settings.current_ladder)
    (marks,) = marks_of(hall)
    assert {marks.final_place(name) for name in NAMES} == {None}
    say("2020-01-01T00:00:00Z")
    hall.begin_when_due("")
    assert newest_names(hall)[0] == "rehearsal", "it is running"
    hall.runs.want("final-2.sqlite", "stopped")
    hall.begin_when_due("")
    assert newest_names(hall)[0] == "final"
    assert played(hall).tournament.format == "swiss"
    (marks,) = marks_of(hall)
    assert {marks.final_place(name) for name in NAMES} == set(range(1, len(NAMES) + 1))
    marks._final = {NAMES[0]: 1}  # the only participant
    assert [(part.points, part.reason) for part in marks.of(NAMES[0])] == [(0, "place 1 of 1")]
    hall.begin_when_due("final-3")
    assert newest_final(hall.folder) == hall.folder / "final-3.sqlite"


def newest_names(hall: Hall) -> tuple[str, list[str]]:
    """The name of the newest final, and of its players."""
    path = newest_final(hall.folder)
    assert path is not None
    with Store.open_to_read(path) as store:
        return store.tournament.name, list(store.tournament.names)


def test_a_final_in_place_of_a_deleted_one_is_shown_from_its_first_game(hall: Hall) -> None:
    assert hall.begin_final("round-robin", 1, 0, "teacher", hall.settings.current_ladder) == "final-1"
    played(hall)
    while not hall.presenter.look(0.01, {})["shown"]:
        time.sleep(0.01)
    newest_final(hall.folder).unlink()  # type: ignore[union-attr]
    assert hall.presenter.look(3600, {}) == {"final": None}
    assert hall.begin_final("round-robin", 2, 0, "teacher", hall.settings.current_ladder) == "final-1"
    played(hall)
    began = time.time()
    found = hall.presenter.look(3600, {})
    assert (found["shown"], len(found["boards"])) == (0, 4)
    assert found["began_at"] > began, "the boards of the deleted final are gone"


def test_a_final_that_cannot_begin_is_told_once(hall: Hall) -> None:
    for name in NAMES:
        hall.people.block(name, "teacher", blocked=True)
    (hall.folder / "class.toml").write_text('finals = ["swiss"]\ndeadline = 2020-01-01T00:00:00Z\n')
    os.utime(hall.folder / "class.toml", (1, 1))
    for _ in range(3):
        hall.begin_when_due("")
    (told,) = [each["text"] for each in hall.people.events(100) if each["what"] == "final"]
    assert "swiss cannot start" in str(told)


def test_a_game_without_a_move_is_not_reviewed(hall: Hall) -> None:
    with pytest.raises(SetupError, match="must have moves to review"):
        hall.reviews.begin([], "Ada")
    assert hall.reviews.look([]) == {"moves": None, "of": 0, "done": None, "error": ""}
