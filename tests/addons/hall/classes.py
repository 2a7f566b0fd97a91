"""Classes whose versions have passed without an examination."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from quietmove.addons.hall.app import create_app
from quietmove.addons.hall.building import read_player
from quietmove.addons.hall.entries import Entries
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.people import Newcomer, People
from quietmove.addons.hall.player import base_of
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.web.database import open_hall
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import game_spec
from quietmove.tournament.store.store import Store

PEOPLE = ["Ada", "Bob", "Eve"]
SETTINGS = 'limit = "depth=1"\n'


class Asked:
    """A class that is being served, and who asks it."""

    def __init__(self, folder: Path, settings: str = SETTINGS, names: Iterable[str] = PEOPLE) -> None:
        self.folder = folder
        self.keys = make_class(folder, names, settings)
        self.hall = Hall(folder, read_settings(folder), "")
        self.app = create_app(self.hall)

    def client(self, name: str = "", **more: Any) -> TestClient:
        headers = {"Authorization": f"Bearer {self.keys[name]}"} if name else {}
        return TestClient(self.app, headers=headers, follow_redirects=False, **more)

    def say(self, settings: str) -> None:
        """Change class.toml, so that the class reads it again."""
        file = self.folder / "class.toml"
        changed = file.stat().st_mtime + 10
        file.write_text(settings)
        os.utime(file, (changed, changed))


def make_class(folder: Path, names: Iterable[str], settings: str = "", *, shown_by_name: bool = True) -> dict[str, str]:
    """Make a class's folder, and return the key of each person; 'teacher' is one of them."""
    folder.mkdir(mode=0o700)
    (folder / "class.toml").write_text(settings)
    people = [*map(Newcomer, names), Newcomer("teacher", "teacher")]
    with closing(open_hall(folder, make=True)) as database:
        return People(database).add(people, shown_by_name=shown_by_name)


def ladder_of(folder: Path) -> Tournament:
    """Return the ladder of a class without assignments, before anybody has joined."""
    settings = read_settings(folder)
    return base_of(settings, settings.assignments[0])


def add_passed(folder: Path, person: str, program: str, assignment: str = "", player_file: str = "") -> int:
    """Add a version of a person that has passed, and return its number."""
    settings, incoming = read_settings(folder), folder / "incoming" / person
    own = settings.of(assignment)
    assert own is not None
    with closing(open_hall(folder)) as database:
        entries = Entries(database, folder)
        entries.recover()
        (incoming / "source").mkdir(parents=True)
        (incoming / "source" / "player.py").write_text(program)
        if player_file:
            (incoming / "source" / "player.toml").write_text(player_file)
        player = read_player(incoming / "source", settings.languages)
        entry = entries.receive(person, incoming, player, settings, own)
        entries.decide(entry.number, "passed", "", {"build": None, "examinations": []})
    return entry.number


def write_final(path: Path, winner: str = "") -> None:
    """Write the next games of a final: a person wins as Black and Black loses all others, or all are drawn."""
    with Store.open_to_write(path) as store:
        for game in plan_of(store.tournament).next_games(store.results()):
            spec = game_spec(store.tournament, game)
            points = float(spec.black.name.startswith(f"{winner}.")) if winner else 0.5
            store.add(game, GameRecord(spec, (MoveRecord("f5", "black", 3),), "finished", None, points, 0, ""))
