"""A term, played through: a spreadsheet of people, three phases, a ladder, a final and marks; the server is killed.

The class of sixty plays 2,000 games on the ladder and takes about an hour of two processors. Its folder, and the keys
in ``keys.json`` next to it, stay in the folder that pytest's ``--basetemp`` names.
"""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from quietmove.referee.process import sandbox
from quietmove.tournament.formats import plan_of
from quietmove.tournament.playing.snapshot import player_of
from quietmove.tournament.store.store import Store
from tests.addons.hall.class_programs import GOOD, WRONG, random_player, searcher
from tests.addons.hall.halls import COMMAND, WAIT, HallServer, keys_of
from tests.fakes.processes import run_module

pytestmark = [
    pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement()),
    pytest.mark.soak,
    pytest.mark.timeout(3 * 3600),
]


@dataclass(frozen=True)
class Size:
    """A size of the class.

    :param alone: students without a team.
    :param teams: teams of two.
    :param late: students who are added after the first hand-in.
    :param games: games of the ladder after which the second phase ends, unless the ladder rests before.
    :param goal: games against the random player that earn the goal.
    :param settings: the settings of the ladder.
    :param kills: how often the server is killed during the final.
    """

    alone: int
    teams: int
    late: int
    games: int
    goal: int
    settings: str
    kills: int


SMALL = Size(9, 1, 2, 1000, 2, "most_pairs = 3\nquiet_elo = 1000.0\nanchors = [1]\n", 1)
FULL = Size(56, 2, 6, 2000, 12, "", 20)
FIRST = ["Ada", "Böb", "Cleo", "Dan", "Eva", "Finn", "Gia", "Håkan", "Ida"]
LAST = ["Abel", "Bauer", "Curie", "Díaz", "Ek", "Fox", "Grün", "Hale"]
NAMES = [f"{first} {last}" for last, first in product(LAST, FIRST)]
ASSISTANT = "Leo Lang"
SETTINGS = """
names = "names"
uploads_an_hour = 100
required = ["first-move"]
limit = "movetime=100"
clock = "processor"
openings = "line"
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
    "I": 'limit = "depth=4"\nlate_days = 2\nladder = false\nmarks = ["check 20"]\n',
    "II": 'goals = ["random GOAL-0"]\nmarks = ["check 10", "random GOAL-0 20"]\n',
    "III": 'limit = "tc=5"\nladder = false\nfinals = ["swiss"]\nmarks = ["final 50"]\n',
}
GAMES = "SELECT black, white, points_black, round, reason, loser FROM game ORDER BY number"
LOOK_SECONDS = 0.5


def wait_until(condition: Callable[[], object]) -> None:
    while not condition():  # the test's time limit ends the loop
        time.sleep(LOOK_SECONDS)


def command(*words: str) -> str:
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, timeout=WAIT)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


class Term:
    """A class whose calendar the test moves on.

    :ivar players: the participants of the second and third phase, in the order in which they hand in.
    """

    def __init__(self, folder: Path, size: Size) -> None:
        self.folder, self.size = folder, size
        self.alone = NAMES[: size.alone]
        members = NAMES[size.alone : size.alone + 2 * size.teams]
        self.teams = {f"Team {number}": members[2 * number : 2 * number + 2] for number in range(size.teams)}
        self.late = NAMES[-size.late :]
        people = folder.with_suffix(".csv")
        people.write_bytes(self.spreadsheet().encode("latin-1"))
        text = command("new", str(folder), "--people", str(people))
        lines = "".join(line + "\n" for line in text.splitlines() if "," in line)
        self.server = HallServer(folder, {**keys_of(lines), "teacher": text.split("key is ")[1].split()[0]})
        self.note("term", people=len(self.server.keys))

    def spreadsheet(self) -> str:
        teams = {name: team for team, members in self.teams.items() for name in members}
        lines = ["First name;Surname;ID;E-mail;Role;Team"]
        for number, name in enumerate([*self.alone, *teams, ASSISTANT]):
            first, last = name.split()
            role = "assistant" if name == ASSISTANT else ""
            lines.append(f"{first};{last};{1000 + number};{number}@example.org;{role};{teams.get(name, '')}")
        return "\n".join(lines)

    def note(self, what: str, **values: object) -> None:
        """Print what happened, and save the keys for whoever watches."""
        print(f"{datetime.now():%H:%M:%S} {what} {values}", flush=True)
        self.folder.with_name("keys.json").write_text(json.dumps([self.server.address, self.server.keys]))

    def person(self, participant: str) -> str:
        """Return who hands in for a participant."""
        return self.teams[participant][0] if participant in self.teams else participant

    def move_on(self, *deadlines: float) -> None:
        """Set the deadlines of the phases to so many days from now."""
        times = [datetime.now().astimezone() + timedelta(days=days) for days in (-100, *deadlines)]
        shown = [each.isoformat(timespec="seconds") for each in times]
        phases = [
            PHASE.format(name=name, opens=shown[place], deadline=shown[place + 1]) + MORE[name]
            for place, name in enumerate(MORE)
        ]
        text = SETTINGS + self.size.settings + "".join(phases)
        (self.folder / "class.toml").write_text(text.replace("GOAL", str(self.size.goal)))

    def hand_in(self, participant: str, program: str, assignment: str = "") -> Any:
        name = "player.c" if "#include" in program else "player.py"
        return self.server.client(self.person(participant)).post(
            "/api/entries",
            files={"file": (name, program.encode())},
            data={"assignment": assignment} if assignment else {},
        )

    def all_hand_in(self, programs: dict[str, str]) -> dict[str, int]:
        """Hand in programs, kill the server in the meantime, and return the number of each version once checked."""
        begun = time.monotonic()
        numbers = {}
        for participant, program in programs.items():
            answer = self.hand_in(participant, program)
            assert answer.status_code == 202, answer.text
            numbers[participant] = answer.json()["entry"]
        self.note("handed in", programs=len(programs), seconds=time.monotonic() - begun)
        self.kill_when(lambda: any(state == "passed" for state in self.states(numbers).values()))
        self.wait_for_checks()
        self.note("checked", states=Counter(self.states(numbers).values()), seconds=time.monotonic() - begun)
        return numbers

    def kill_when(self, begun: Callable[[], bool], store: str = "") -> None:
        """Kill the server, and the player of a store, once something has begun, and start the server again."""
        wait_until(begun)
        player = player_of(self.folder / store) if store else None
        self.server.kill()
        if player is not None:
            player.signal(signal.SIGKILL)
            wait_until(lambda: not player.is_alive())
        self.server.start()
        self.note("killed", address=self.server.address)

    def states(self, chosen: Any = None) -> dict[int, str]:
        found = self.server.client("teacher").get("/api/entries").json()["entries"]
        numbers = set(chosen.values()) if chosen else {each["entry"] for each in found}
        return {each["entry"]: each["state"] for each in found if each["entry"] in numbers}

    def wait_for_checks(self) -> None:
        wait_until(lambda: set(self.states().values()) <= {"passed", "refused"})

    def games(self, store: str) -> int:
        path = self.folder / store
        if not path.exists() or not path.stat().st_size:
            return 0
        with Store.open_to_read(path) as opened:
            return opened.count()

    def has_ended(self, store: str) -> bool:
        with Store.open_to_read(self.folder / store) as opened:
            results = opened.results()
            return bool(results) and plan_of(opened.tournament).has_ended(results)

    def read(self, store: str, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query to a database of the class."""
        with closing(sqlite3.connect(f"file:{self.folder / store}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchall()


@pytest.fixture(params=[pytest.param(SMALL, id="small"), pytest.param(FULL, id="full")])
def term(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param is FULL and not os.environ.get("QUIETMOVE_WHOLE_TERM"):
        pytest.skip("takes an hour of two processors; set QUIETMOVE_WHOLE_TERM")
    found = Term(tmp_path / "course", request.param)
    found.move_on(7, 14, 21)
    found.server.start()
    yield found
    found.server.kill()
    for store in found.folder.glob("*.sqlite"):
        if player := player_of(store):
            player.signal(signal.SIGKILL)


def test_a_term_from_the_first_lecture_to_the_last_mark(term: Term) -> None:
    first_phase(term)
    programs = second_phase(term)
    third_phase(term, programs)
    marks_are_right(term, programs)


def first_phase(term: Term) -> None:
    server = term.server
    refused, *others = term.alone[::-1]
    programs = {name: random_player(name) for name in (*others, *term.teams)}
    numbers = term.all_hand_in(programs | {refused: WRONG["letters"][0]})
    states = term.states(numbers)
    assert [name for name, number in numbers.items() if states[number] == "refused"] == [refused]
    for team, members in term.teams.items():
        assert server.client(members[1]).get("/api/entries").json()["entries"][0]["person"] == team
    late = term.folder.with_name("late.csv")
    late.write_text("name,ID\n" + "".join(f"{name},{2000 + place}\n" for place, name in enumerate(term.late)))
    server.keys |= keys_of(command("add", str(term.folder), str(late)))
    assistant = server.client(ASSISTANT)
    size = term.size
    assert len(assistant.get("/api/people").json()["people"]) == size.alone + size.teams + size.late + 2
    assert assistant.post("/api/people", json={"list": "name\nX\n"}).status_code == 403
    term.move_on(-1, 14, 21)
    assert term.hand_in(term.late[0], random_player(term.late[0]), "I").status_code == 202
    term.wait_for_checks()
    term.move_on(-2.5, 14, 21)
    answer = term.hand_in(term.late[1], random_player(term.late[1]), "I")
    assert (answer.status_code, answer.json()["error"][:20]) == (409, "I: the deadline was ")


def second_phase(term: Term) -> dict[str, str]:
    """Play the ladder and return the program of each participant; one has handed in a second, better version."""
    participants = [*term.alone[:-4], *term.teams, term.late[0], *term.late[2:]]
    programs = {name: searcher(number) for number, name in enumerate(participants)}
    programs |= dict(zip(participants, [*GOOD.values(), WRONG["crashing"][0]], strict=False))
    term.all_hand_in(programs)
    begun = time.monotonic()
    played = term.games("ladder.sqlite")
    term.kill_when(lambda: term.games("ladder.sqlite") > played + 2, "ladder.sqlite")
    better = searcher(15)
    assert term.hand_in(participants[0], better).status_code == 202

    def has_ended() -> bool:
        rows = term.server.client().get("/api/standings?assignment=II").json()["rows"]
        have_played = len(rows) > len(programs) and all(row["games"] for row in rows)
        return have_played and (term.games("ladder.sqlite") >= term.size.games or term.has_ended("ladder.sqlite"))

    term.wait_for_checks()
    wait_until(has_ended)
    term.note("ladder", games=term.games("ladder.sqlite"), before=played, seconds=time.monotonic() - begun)
    return programs | {participants[0]: better}


def third_phase(term: Term, programs: dict[str, str]) -> None:
    term.move_on(-12, -5, 1)
    term.all_hand_in(programs)
    assert not list(term.folder.glob("final-*"))
    term.move_on(-12, -5, -0.001)
    begun = time.monotonic()
    for kill in range(term.size.kills):
        games = term.games("final-1.sqlite")
        if not games or not term.has_ended("final-1.sqlite"):
            term.kill_when(lambda: term.games("final-1.sqlite") > games + 2 * kill, "final-1.sqlite")  # noqa: B023
        else:
            time.sleep(3 * LOOK_SECONDS)
            term.kill_when(lambda: True)
    wait_until(lambda: term.has_ended("final-1.sqlite"))
    term.note("final", games=term.games("final-1.sqlite"), seconds=time.monotonic() - begun)
    wait_until(lambda: bool(term.server.client().get("/api/final").json().get("over")))
    term.note("shown", seconds=time.monotonic() - begun)
    assert [path.name for path in term.folder.glob("final-*.sqlite")] == ["final-1.sqlite"]
    for store in term.folder.glob("*-*.sqlite"):
        run_module(term.folder, "quietmove.tournament", "verify", store.name)
    run_module(term.folder, "quietmove.tournament", "verify", "ladder.sqlite")


def marks_are_right(term: Term, programs: dict[str, str]) -> None:
    """Recompute marks from the raw rows of the databases."""
    begun = time.monotonic()
    rows = list(csv.DictReader(io.StringIO(term.server.client(ASSISTANT).get("/api/export.csv").text)))
    term.note("exported", seconds=time.monotonic() - begun)
    assert len(rows) == 3 * (term.size.alone + 2 * term.size.teams + term.size.late)
    by_name = {(row["name"], row["assignment"]): row for row in rows}
    query = "SELECT person, assignment, max(version) FROM entry WHERE state = 'passed' GROUP BY 1, 2"
    passed = term.read("hall.sqlite", query)
    versions = {(person, assignment): version for person, assignment, version in passed}
    ladder = term.read("ladder.sqlite", GAMES)
    seeding = json.loads(term.read("final-1.sqlite", "SELECT config FROM tournament")[0][0])["engines"]
    table = swiss_table(term.read("final-1.sqlite", GAMES), [each["name"] for each in seeding])
    table = [name.rpartition(".")[0] for name in table]
    for person in [*programs, term.alone[-1], term.late[1]]:
        mark = 20.0 * ((person, "I") in versions)
        mark += 10 * ((person, "II") in versions)
        engine = f"{person}.{versions.get((person, 'II'))}"
        won = [
            points if black == engine else 1 - points
            for black, white, points, *_ in ladder
            if {black, white} == {engine, "random"}
        ]
        mark += 20 * (len(won) >= term.size.goal and set(won[-term.size.goal :]) == {1.0})
        if person in table:
            mark += round(50 * (len(table) - 1 - table.index(person)) / (len(table) - 1), 1)
        row = by_name[term.person(person), "III"]
        assert float(row["mark"]) == pytest.approx(mark), person
        assert row["final"] == (str(table.index(person) + 1) if person in table else "")
        if person in [*list(programs)[:4], term.late[1]]:
            term.note("mark", person=person, mark=mark, won=len(won), final=row["final"])
    for first, second in term.teams.values():
        assert by_name[first, "III"]["mark"] == by_name[second, "III"]["mark"]
    assert float(by_name[term.late[0], "I"]["late_hours"]) > 200
    assert by_name[term.late[1], "I"]["version"] == ""


def swiss_table(games: list[tuple[Any, ...]], seeding: list[str]) -> list[str]:
    """Return the engines of a Swiss tournament with matches of four games, best first."""
    scores = Counter[str]()
    against = Counter[tuple[str, str]]()
    met = defaultdict[str, set[tuple[int, str]]](set)
    sound = set()
    for black, white, points, number, reason, loser in games:
        for color, name, other, own in (("black", black, white, points), ("white", white, black, 1 - points)):
            scores[name] += own
            against[name, other] += own
            met[name].add(((number - 1) // 2, other))
            if loser != color or reason not in ("crash", "timeout", "illegal", "stall"):
                sound.add(name)
    turns = 1 + max(turn for each in met.values() for turn, _ in each)
    byes = {name: turns - len(met[name]) for name in seeding}
    for name in sound:
        scores[name] += 4 * byes[name]

    def key(name: str) -> tuple[float, ...]:
        buchholz = byes[name] * scores[name] + sum(scores[other] for _, other in met[name])
        berger = sum(against[name, other] * scores[other] for _, other in met[name])
        return -scores[name], -buchholz, -berger

    return sorted(seeding, key=key)
