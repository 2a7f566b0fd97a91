"""A term, played through: a spreadsheet of people, three phases, a ladder, a final and marks; the server is killed."""

from __future__ import annotations

import csv
import io
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from quietmove.referee.process import sandbox
from quietmove.tournament.formats import plan_of
from quietmove.tournament.playing.snapshot import player_of
from quietmove.tournament.store.store import Store
from tests.addons.hall.class_programs import GOOD, WRONG, random_player
from tests.addons.hall.halls import COMMAND, WAIT, HallServer, keys_of
from tests.fakes.processes import run_module, wait_until

pytestmark = [
    pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement()),
    pytest.mark.soak,
    pytest.mark.timeout(3000),
]

ALONE = ["Ada Abel", "Bob Böhm", "Cleo Curie", "Dan Diaz", "Eva Ek", "Finn Fox", "Gia Grün", "Hal Hale", "Ida Iken"]
TEAM = ["Jon Jones", "Kim Kant"]
ASSISTANT = "Leo Lang"
LATE = ["Mia Moss", "Nia Nash"]
PLAYERS = [*ALONE[:3], "Engines", LATE[0]]  # who takes part in the second and third phase
SETTINGS = """
names = "names"
uploads_an_hour = 100
check_seconds = 60
required = ["first-move"]
limit = "depth=1"
anchors = [1]
most_pairs = 3
quiet_elo = 1000.0
final_seconds = 1
examiners = 2
"""
PHASE = """
[[assignment]]
name = "{name}"
opens = {opens}
deadline = {deadline}
"""
MORE = {
    "I": 'late_days = 2\nladder = false\nmarks = ["check 20"]\n',
    "II": 'goals = ["random 2-0"]\nmarks = ["check 10", "random 2-0 20"]\n',
    "III": 'ladder = false\nfinals = ["swiss"]\nmarks = ["final 50"]\n',
}


def spreadsheet() -> str:
    lines = ["First name;Surname;ID;E-mail;Role;Team"]
    for number, name in enumerate([*ALONE, *TEAM, ASSISTANT]):
        first, last = name.split()
        role, team = ("assistant" if name == ASSISTANT else ""), ("Engines" if name in TEAM else "")
        lines.append(f"{first};{last};{1000 + number};{first.lower()}@example.org;{role};{team}")
    return "\n".join(lines)


def command(*words: str) -> str:
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, timeout=WAIT)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Term:
    """A class whose calendar the test moves on."""

    def __init__(self, folder: Path) -> None:
        people = folder.with_suffix(".csv")
        people.write_bytes(spreadsheet().encode("latin-1"))
        done = subprocess.run(
            [*COMMAND, "new", str(folder), "--people", str(people)], capture_output=True, text=True, timeout=WAIT
        )
        assert done.returncode == 0, done.stderr
        keys = {**keys_of(done.stdout), "teacher": done.stderr.split("key is ")[1].split()[0]}
        self.folder = folder
        self.server = HallServer(folder, keys)

    def move_on(self, *deadlines: float) -> None:
        """Let the deadlines of the phases be so many days from now."""
        times = [datetime.now().astimezone() + timedelta(days=days) for days in (-100, *deadlines)]
        shown = [each.isoformat(timespec="seconds") for each in times]
        phases = [
            PHASE.format(name=name, opens=shown[place], deadline=shown[place + 1]) + MORE[name]
            for place, name in enumerate(MORE)
        ]
        (self.folder / "class.toml").write_text(SETTINGS + "".join(phases))

    def hand_in(self, name: str, program: str, assignment: str = "") -> Any:
        data = {"assignment": assignment} if assignment else {}
        files = {"file": ("player.py", program.encode())}
        return self.server.client(name).post("/api/entries", files=files, data=data)

    def kill_when(self, begun: Callable[[], bool], store: str = "") -> None:
        """Kill the server, and the player of a store, once something has begun, and start the server again."""
        wait_until(begun)
        player = player_of(self.folder / store) if store else None
        self.server.kill()
        if player is not None:
            player.signal(signal.SIGKILL)
            wait_until(lambda: not player.is_alive())
        self.server.start()

    def states(self) -> dict[int, str]:
        found = self.server.client("teacher").get("/api/entries").json()["entries"]
        return {each["entry"]: each["state"] for each in found}

    def are_decided(self) -> bool:
        return set(self.states().values()) <= {"passed", "refused"}

    def games(self, store: str) -> int:
        if not (path := self.folder / store).exists() or not path.stat().st_size:
            return 0
        with Store.open_to_read(path) as opened:
            return opened.count()

    def has_ended(self, store: str) -> bool:
        with Store.open_to_read(self.folder / store) as opened:
            results = opened.results()
            return bool(results) and plan_of(opened.tournament).has_ended(results)


@pytest.fixture
def term(tmp_path: Path) -> Any:
    found = Term(tmp_path / "course")
    found.move_on(7, 14, 21)
    found.server.start()
    yield found
    found.server.kill()
    for store in found.folder.glob("*.sqlite"):
        if player := player_of(store):
            player.signal(signal.SIGKILL)


def test_a_term_from_the_first_lecture_to_the_last_mark(term: Term) -> None:
    first_phase(term)
    second_phase(term)
    third_phase(term)
    marks_are_right(term)


def first_phase(term: Term) -> None:
    server = term.server
    participants = [*ALONE, TEAM[0]]
    programs = {name: random_player(name) for name in participants}
    programs[ALONE[8]] = WRONG["letters"][0]
    numbers = {name: term.hand_in(name, program).json()["entry"] for name, program in programs.items()}
    term.kill_when(lambda: "passed" in term.states().values())
    wait_until(term.are_decided)
    assert {name for name, number in numbers.items() if term.states()[number] == "refused"} == {ALONE[8]}
    assert server.client(TEAM[1]).get("/api/entries").json()["entries"][0]["person"] == "Engines"
    late = term.folder.with_name("late.csv")
    late.write_text("name,ID\n" + "".join(f"{name},{2000 + place}\n" for place, name in enumerate(LATE)))
    server.keys |= keys_of(command("add", str(term.folder), str(late)))
    assistant = server.client(ASSISTANT)
    assert len(assistant.get("/api/people").json()["people"]) == 14
    assert assistant.post("/api/people", json={"list": "name\nX\n"}).status_code == 403
    term.move_on(-1, 14, 21)
    assert term.hand_in(LATE[0], random_player(LATE[0]), "I").status_code == 202
    wait_until(term.are_decided)
    term.move_on(-2.5, 14, 21)
    refused = term.hand_in(LATE[1], random_player(LATE[1]), "I")
    assert (refused.status_code, refused.json()["error"][:20]) == (409, "I: the deadline was ")


def second_phase(term: Term) -> None:
    programs = dict(
        zip([*ALONE[:3], TEAM[0], LATE[0]], [*GOOD.values(), random_player(7), random_player(8)], strict=True)
    )
    for name, program in programs.items():
        answer = term.hand_in(name, program)
        assert answer.status_code == 202, answer.text
    wait_until(term.are_decided)
    term.kill_when(lambda: term.games("ladder.sqlite") > 2, "ladder.sqlite")

    def rests() -> bool:
        rows = term.server.client().get("/api/standings?assignment=II").json()["rows"]
        return len(rows) == 7 and all(row["games"] for row in rows) and term.has_ended("ladder.sqlite")

    wait_until(rests)


def third_phase(term: Term) -> None:
    term.move_on(-12, -5, 1)
    for place, name in enumerate([*ALONE[:3], TEAM[0], LATE[0]]):
        assert term.hand_in(name, [*GOOD.values(), random_player(place)][min(place, 3)]).json()["entry"]
    wait_until(term.are_decided)
    assert not list(term.folder.glob("final-*"))
    term.move_on(-12, -5, -0.001)
    term.kill_when(lambda: term.games("final-1.sqlite") > 0, "final-1.sqlite")
    wait_until(lambda: term.has_ended("final-1.sqlite"))
    wait_until(lambda: bool(term.server.client().get("/api/final").json().get("over")))
    assert len(list(term.folder.glob("final-*.sqlite"))) == 1
    for store in term.folder.glob("*-*.sqlite"):
        run_module(term.folder, "quietmove.tournament", "verify", store.name)
    run_module(term.folder, "quietmove.tournament", "verify", "ladder.sqlite")


def marks_are_right(term: Term) -> None:
    """Recompute the marks of five participants from the database, the ladder's games and the final's table."""
    rows = list(csv.DictReader(io.StringIO(term.server.client(ASSISTANT).get("/api/export.csv").text)))
    assert len(rows) == 3 * (len(ALONE) + len(TEAM) + len(LATE))
    by_name = {(row["name"], row["assignment"]): row for row in rows}
    with closing(sqlite3.connect(f"file:{term.folder / 'hall.sqlite'}?mode=ro", uri=True)) as database:
        passed = database.execute("SELECT person, assignment, version FROM entry WHERE state = 'passed'").fetchall()
    standings = [sys.executable, "-m", "quietmove.tournament", "standings", "final-1.sqlite", "--json"]
    table = json.loads(subprocess.run(standings, cwd=term.folder, capture_output=True, check=True).stdout)["standings"]
    places = [row["name"].rpartition(".")[0] for row in table]
    with Store.open_to_read(term.folder / "ladder.sqlite") as store:
        results = store.results()
    for person in [*PLAYERS, ALONE[8]]:
        mark = 20 * ((person, "I") in {each[:2] for each in passed})
        versions = [version for name, phase, version in passed if (name, phase) == (person, "II")]
        mark += 10 * bool(versions)
        own = [each for each in results if versions and {f"{person}.{max(versions)}", "random"} == set(each.id.pair)]
        won = [each.points_of(f"{person}.{max(versions)}") for each in own[-2:]]
        mark += 20 * (won == [1.0, 1.0])
        exact = mark + (50 * (5 - 1 - places.index(person)) / 4 if person in places else 0)
        name = TEAM[0] if person == "Engines" else person
        assert float(by_name[name, "III"]["mark"]) == pytest.approx(exact), person
        assert (by_name[name, "III"]["final"] or None) == (str(places.index(person) + 1) if person in places else None)
    assert by_name[TEAM[0], "III"]["mark"] == by_name[TEAM[1], "III"]["mark"]
    assert float(by_name[LATE[0], "I"]["late_hours"]) > 200
    assert by_name[LATE[1], "I"]["version"] == ""
