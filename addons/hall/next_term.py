"""The class of the next term: the settings and the teacher's files of the last one, without its people."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

from quietmove.addons.hall.backups import LEFT_OUT, is_saved
from quietmove.addons.hall.entries import EVIDENCE, PAPERS, UNKNOWN, Entries
from quietmove.addons.hall.people import folded, pseudonym
from quietmove.addons.hall.rows import LadderRows
from quietmove.addons.hall.settings import ANCHORS_FILE, CLASS_FILE, read_settings
from quietmove.addons.web.database import open_hall
from quietmove.engine.files import write_whole
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import adapter
from quietmove.referee.errors import SetupError

DATES = re.compile(r"(?m)^(\s*(?:opens|deadline)\s*=\s*)(\d{4}-\d\d-\d\d)")
DROPPED = (EVIDENCE, PAPERS, UNKNOWN, "entries")  # in addition to what a backup leaves out
PLAYERS = "anchors"  # subfolder of a class for the best players of earlier classes


def copy_class(old: Path, new: Path, weeks: int, best: int) -> None:
    """Copy what the next class keeps into a new folder.

    :param weeks: by how many weeks the dates move; the times of day stay.
    :param best: the number of players, from the top of the last ladder, that become anchors under a pseudonym.
    :raises QuietmoveError: if ``old`` is not a class or contains ``new``, or its ladder has fewer players.
    """
    settings = read_settings(old)
    if new.resolve().is_relative_to(old.resolve()):
        raise SetupError(f"{new}: must be outside the old class's folder")

    def ignored(folder: str, names: list[str]) -> list[str]:
        found = []
        for path in (Path(folder, name) for name in names):
            is_dropped = path.parent == old and (path.name in DROPPED or LEFT_OUT.match(path.name))
            if is_dropped or not is_saved(path):
                found.append(path.name)
        return found

    with closing(open_hall(old)) as database:
        shutil.copytree(old, new, ignore=ignored, dirs_exist_ok=True)
        entries = Entries(database, old)
        ladder = LadderRows(old, entries, lambda: settings).table(settings.ladders[-1]) if settings.ladders else []
        chosen = {each.name: each for each in entries.all()}
        players = [chosen[row["name"]] for row in ladder if not row["anchor"] and row["elo"] is not None][:best]
    if len(players) < best:
        raise SetupError(f"--best: the last ladder of {old} has {len(players)} players with games, not {best}")
    text = (old / CLASS_FILE).read_text(encoding="utf-8")
    try:
        moved = timedelta(weeks=weeks)
        text = DATES.sub(lambda found: f"{found[1]}{date.fromisoformat(found[2]) + moved}", text)
    except OverflowError:
        raise SetupError(f"--weeks: must leave all dates before the year 10000, not {weeks}") from None
    write_whole(new / CLASS_FILE, text.encode())
    engines = [adapter(EngineConfig).dump_python(each, mode="json") for each in settings.players]
    taken = {folded(str(each["name"]).removeprefix("Old ")) for each in engines}
    for entry in players:
        number = len(engines) + 1
        name = f"Old {pseudonym(taken)}"
        shutil.copytree(old / "entries" / str(entry.number), new / PLAYERS / str(number))
        config = adapter(EngineConfig).dump_json(entry.engine).decode()
        config = config.replace(f'"entries/{entry.number}/', f'"{PLAYERS}/{number}/')
        engines.append({**json.loads(config), "name": name})
    if engines:
        write_whole(new / ANCHORS_FILE, json.dumps(engines).encode())
