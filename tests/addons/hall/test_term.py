"""A term, played through: a spreadsheet of people, three phases, a ladder, a final and marks; the server is killed."""

from __future__ import annotations

import csv
import io
import json
import signal
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from quietmove.addons.hall.class_commands import group
from quietmove.referee.process import sandbox
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.formats import plan_of
from quietmove.tournament.playing.snapshot import player_of
from quietmove.tournament.store.store import Store
from tests.addons.hall.class_programs import GOOD, WRONG, random_player
from tests.addons.hall.halls import HallServer, keys_of

pytestmark = [
    pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement()),
    pytest.mark.soak,
    pytest.mark.timeout(3600),
]

ALONE = [
    "Ada Abel",
    "B\u00f6b Bauer",
    "Cleo Curie",
    "Dan D\u00edaz",
    "Eva Ek",
    "Finn Fox",
    "Gia Gr\u00fcn",
    "H\u00e5kan Hale",
]
TEAMS = {"Engines": ["Ida Ibsen", "Jan Jung"]}
LATE = ["Kim Kahn", "Lea Lang"]  # added after the first hand-in
ASSISTANT = "Leo Lund"
GAMES_OF_GOAL = 2  # games against the random player that earn the goal
SETTINGS = """
names = "names"
uploads_an_hour = 100
required = ["first-move"]
limit = "movetime=100"
clock = "processor"
openings = "line"
final_seconds = 1
examiners = 2
most_pairs = 3
quiet_elo = 1000.0
anchors = [1]
"""
PHASE = """
[[assignment]]
name = "{name}"
opens = {opens}
deadline = {deadline}
"""
MORE = {
    "I": 'limit = "depth=4"\nlate = "at most 2 days"\nladder = false\nmarks = ["check 20"]\n',
    "II": f'goals = ["random {GAMES_OF_GOAL}-0"]\nmarks = ["check 10", "random {GAMES_OF_GOAL}-0 20"]\n',
    "III": 'limit = "tc=5"\nladder = false\nfinals = ["swiss"]\nmarks = ["final 50"]\n',
}
LADDER, FINAL = "ladder.sqlite", "final-1.sqlite"
GAMES = "SELECT black, white, points_black, round, reason, loser FROM game ORDER BY number"
LOOK_SECONDS = 0.5


def wait_until(condition: Callable[[], object]) -> None:
    while not condition():  # the test's time limit ends the loop
        time.sleep(LOOK_SECONDS)


class Term:
    """A class whose calendar the test moves on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        people = folder.with_suffix(".csv")
        people.write_bytes(self._spreadsheet().encode("latin-1"))
        done = CliRunner().invoke(group, ["new", str(folder), "--people", str(people)], catch_exceptions=False)
        self.server = HallServer(
            folder, {**keys_of(done.stdout), "teacher": done.stderr.split("key is ")[1].split()[0]}
        )

    def _spreadsheet(self) -> str:
        teams = {name: team for team, members in TEAMS.items() for name in members}
        lines = ["First name;Surname;ID;E-mail;Role;Team"]
        for number, name in enumerate([*ALONE, *teams, ASSISTANT]):
            first, last = name.split()
            role = "assistant" if name == ASSISTANT else ""
            lines.append(f"{first};{last};{1000 + number};{number}@example.org;{role};{teams.get(name, '')}")
        return "\n".join(lines)

    def person(self, participant: str) -> str:
        """Return who hands in for a participant."""
        return TEAMS[participant][0] if participant in TEAMS else participant

    def move_on(self, *deadlines: float) -> None:
        """Set the deadlines of the phases to so many days from now."""
        times = [datetime.now().astimezone() + timedelta(days=days) for days in (-100, *deadlines)]
        shown = [each.isoformat(timespec="seconds") for each in times]
        phases = [
            PHASE.format(name=name, opens=shown[place], deadline=shown[place + 1]) + MORE[name]
            for place, name in enumerate(MORE)
        ]
        (self.folder / "class.toml").write_text(SETTINGS + "".join(phases))

    def hand_in(self, participant: str, program: str, assignment: str = "") -> Any:
        return self.server.hand_in(self.person(participant), program, assignment=assignment)

    def all_hand_in(self, programs: dict[str, str]) -> dict[str, str]:
        """Hand in programs, kill the server in the meantime, and return the state of each once checked."""
        numbers = {}
        for participant, program in programs.items():
            answer = self.hand_in(participant, program)
            assert answer.status_code == 202, answer.text
            numbers[participant] = answer.json()["entry"]
        self.kill_when(lambda: any(self.states()[number] == "passed" for number in numbers.values()))
        self.wait_for_checks()
        states = self.states()
        return {name: states[number] for name, number in numbers.items()}

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
        """Return the state of each version, by its number."""
        found = self.server.client("teacher").get("/api/entries").json()["entries"]
        return {each["entry"]: each["state"] for each in found}

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


@pytest.fixture
def term(tmp_path: Path) -> Iterator[Term]:
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
    programs = second_phase(term)
    third_phase(term, programs)
    marks_are_right(term, programs)


def first_phase(term: Term) -> None:
    server = term.server
    *others, refused = ALONE
    programs = {name: random_player(name) for name in (*others, *TEAMS)}
    states = term.all_hand_in(programs | {refused: WRONG["letters"][0]})
    assert [name for name, state in states.items() if state == "refused"] == [refused]
    for team, members in TEAMS.items():
        assert server.client(members[1]).get("/api/entries").json()["entries"][0]["person"] == team
    late = term.folder.with_name("late.csv")
    late.write_text("name,ID\n" + "".join(f"{name},{2000 + place}\n" for place, name in enumerate(LATE)))
    server.keys |= keys_of(CliRunner().invoke(group, ["add", str(term.folder), str(late)]).stdout)
    assistant = server.client(ASSISTANT)
    assert len(assistant.get("/api/people").json()["people"]) == len([*ALONE, *TEAMS, *LATE, ASSISTANT, "teacher"])
    assert assistant.post("/api/people", json={"list": "name\nX\n"}).status_code == 403
    term.move_on(-1, 14, 21)
    assert term.hand_in(LATE[0], random_player(LATE[0]), "I").status_code == 202
    term.wait_for_checks()
    term.move_on(-2.5, 14, 21)
    answer = term.hand_in(LATE[1], random_player(LATE[1]), "I")
    assert (answer.status_code, answer.json()["error"][:20]) == (409, "I: the deadline was ")


def second_phase(term: Term) -> dict[str, str]:
    """Play the ladder and return the program of each participant; one has handed in a second version."""
    participants = [*ALONE[:-3], *TEAMS, LATE[0]]
    programs = {name: random_player(f"ladder {name}") for name in participants}
    programs |= dict(zip(participants, [*GOOD.values(), WRONG["crashing"][0]], strict=False))
    term.all_hand_in(programs)
    played = term.games(LADDER)
    term.kill_when(lambda: term.games(LADDER) > played + 2, LADDER)
    better = random_player("better")
    assert term.hand_in(participants[0], better).status_code == 202

    def has_ended() -> bool:
        rows = term.server.client().get("/api/standings?assignment=II").json()["rows"]
        return len(rows) > len(programs) and all(row["games"] for row in rows) and term.has_ended(LADDER)

    term.wait_for_checks()
    wait_until(has_ended)
    return programs | {participants[0]: better}


def third_phase(term: Term, programs: dict[str, str]) -> None:
    term.move_on(-12, -5, 1)
    term.all_hand_in(programs)
    assert not list(term.folder.glob("final-*"))
    term.move_on(-12, -5, -0.001)
    term.kill_when(lambda: term.games(FINAL) > 0, FINAL)
    wait_until(lambda: term.has_ended(FINAL))
    wait_until(lambda: bool(term.server.client().get("/api/final").json().get("over")))
    assert [path.name for path in term.folder.glob("final-*.sqlite")] == [FINAL]
    for store in (LADDER, FINAL):
        assert run_command_line(["verify", str(term.folder / store)]) == 0


def marks_are_right(term: Term, programs: dict[str, str]) -> None:
    """Recompute marks from the raw rows of the databases."""
    rows = list(csv.DictReader(io.StringIO(term.server.client(ASSISTANT).get("/api/export.csv").text)))
    assert len(rows) == len(MORE) * len([*ALONE, *(name for members in TEAMS.values() for name in members), *LATE])
    by_name = {(row["name"], row["assignment"]): row for row in rows}
    query = "SELECT person, assignment, max(version) FROM entry WHERE state = 'passed' GROUP BY 1, 2"
    versions = {(person, assignment): version for person, assignment, version in term.read("hall.sqlite", query)}
    ladder = term.read(LADDER, GAMES)
    seeding = json.loads(term.read(FINAL, "SELECT config FROM tournament")[0][0])["engines"]
    table = swiss_table(term.read(FINAL, GAMES), [each["name"] for each in seeding])
    table = [name.rpartition(".")[0] for name in table]
    for person in [*programs, ALONE[-1], LATE[1]]:
        mark = 20.0 * ((person, "I") in versions)
        mark += 10 * ((person, "II") in versions)
        engine = f"{person}.{versions.get((person, 'II'))}"
        won = [
            points if black == engine else 1 - points
            for black, white, points, *_ in ladder
            if {black, white} == {engine, "random"}
        ]
        mark += 20 * (len(won) >= GAMES_OF_GOAL and set(won[-GAMES_OF_GOAL:]) == {1.0})
        if person in table:
            mark += round(50 * (len(table) - 1 - table.index(person)) / (len(table) - 1), 1)
        row = by_name[term.person(person), "III"]
        assert float(row["mark"]) == pytest.approx(mark), person
        assert row["final"] == (str(table.index(person) + 1) if person in table else "")
    for first, second in TEAMS.values():
        assert by_name[first, "III"]["mark"] == by_name[second, "III"]["mark"]
    assert float(by_name[LATE[0], "I"]["late_hours"]) > 200
    assert by_name[LATE[1], "I"]["version"] == ""


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
