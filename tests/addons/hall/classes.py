"""Classes whose versions have passed without an examination."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from quietmove.addons.hall.building import read_player
from quietmove.addons.hall.entries import Entries
from quietmove.addons.hall.people import Newcomer, People
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.web.database import open_hall

__all__ = ["add_passed", "make_class"]


def make_class(folder: Path, names: Iterable[str], settings: str = "") -> dict[str, str]:
    """Make a class's folder, and return the key of each person; 'teacher' is one of them."""
    folder.mkdir(mode=0o700)
    (folder / "class.toml").write_text(settings)
    people = [*map(Newcomer, names), Newcomer("teacher", "teacher")]
    with closing(open_hall(folder, make=True)) as database:
        return People(database).add(people, shown_by_name=True)


def add_passed(folder: Path, person: str, program: str) -> int:
    """Add a version of a person that has passed, and return its number."""
    settings, incoming = read_settings(folder), folder / "incoming" / person
    with closing(open_hall(folder)) as database:
        entries = Entries(database, folder)
        entries.recover()
        (incoming / "source").mkdir(parents=True)
        (incoming / "source" / "player.py").write_text(program)
        entry = entries.receive(person, incoming, read_player(incoming / "source", settings.languages), settings)
        entries.decide(entry.number, "passed", "", {"build": None, "examinations": []})
    return entry.number
