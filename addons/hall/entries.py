"""Entries: the versions people hand in, with their states from upload to verdict.

===========  ===================================================  ============================================
state        entered when                                         after a crash
===========  ===================================================  ============================================
received     its files and its row are on disk                    keeps its place in the queue
building     an examiner takes it, to compile it                  received again
checking     it has been compiled                                 received again
refused      the build or a required check failed                 stays
passed       all required checks passed                           stays, and plays on the ladder
===========  ===================================================  ============================================

An incomplete upload is in ``incoming`` and has no row; its sender has not been told that it was received.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sqlite3
import time
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from quietmove.addons.hall.building import COMPILED, PlayerFile, entry_engine
from quietmove.addons.hall.settings import Assignment, ClassSettings
from quietmove.addons.web.database import transaction
from quietmove.engine.common.text import printable
from quietmove.engine.files import write_whole
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import adapter

State = Literal["received", "building", "checking", "refused", "passed"]
HOUR = 3600.0
REPORT_FILE = "check.json"
PLAYER = "player.json"  # the settings the person chose for a program
PAPERS = "papers"  # the folder for files that are marked by hand
UNKNOWN = "unknown-entries"  # the folder for entries without a row
EVIDENCE = "evidence"  # the folder for comparisons that were saved with a block
MAY_PLAY = (  # the entry is not blocked, and the person is blocked neither everywhere nor in its assignment
    "NOT blocked AND NOT EXISTS (SELECT 1 FROM person WHERE name = entry.person AND (person.blocked "
    "OR EXISTS (SELECT 1 FROM json_each(blocks) WHERE key = entry.assignment)))"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A version that a person has handed in.

    :param engine: the configuration it plays with.
    :param reason: why it was refused, in one line.
    :param queued_at: determines its place in the queue.
    :param assignment: the name of the assignment it was handed in for.
    """

    number: int
    person: str
    version: int
    language: str
    protocol: str
    engine: EngineConfig
    state: State
    reason: str
    received_at: float
    queued_at: float
    decided_at: float | None
    blocked: bool
    assignment: str

    @property
    def name(self) -> str:
        """The engine's name in a store."""
        return self.engine.name


class Entries:
    """The database table of entries, and their folders."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection = connection
        self.folder = folder

    def recover(self, highest: int = 0) -> list[Path]:
        """Clean up after a server that was killed.

        Folders without a row are moved aside, since ``hall.sqlite`` may be an older copy; their numbers are not
        reused.

        :param highest: the highest entry number on the ladder.
        :return: the new paths of the moved folders.
        """
        shutil.rmtree(self.folder / "incoming", ignore_errors=True)
        for name in ("incoming", "entries"):
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)
        self._connection.execute("UPDATE entry SET state = 'received' WHERE state IN ('building', 'checking')")
        known = {str(each.number) for each in self.all()}
        found = [path for path in (self.folder / "entries").iterdir() if re.fullmatch("[1-9][0-9]{0,8}", path.name)]
        unknown = [path for path in found if path.name not in known]
        for each in self._select("WHERE state IN ('received', 'passed')"):
            player = self._path(each.number) / PLAYER
            if not (player.is_file() and player.stat().st_size):  # a power failure may leave an empty file
                self._decide(each.number, "refused", "its files are missing on the server; hand it in again")
        self._skip_numbers(max([highest, *(int(path.name) for path in unknown)]))
        moved = [self.folder / UNKNOWN / f"{path.name}-{time.time_ns()}" for path in unknown]
        for path, aside in zip(unknown, moved, strict=True):
            aside.parent.mkdir(mode=0o700, exist_ok=True)
            path.rename(aside)
        return moved

    def _skip_numbers(self, highest: int) -> None:
        """Make sure the next entry's number is above ``highest``."""
        with transaction(self._connection) as connection:
            row = connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = 'entry'").fetchone()
            if highest > (row[0] or 0):
                connection.execute("DELETE FROM sqlite_sequence WHERE name = 'entry'")
                connection.execute("INSERT INTO sqlite_sequence VALUES ('entry', ?)", (highest,))

    # ---- reading

    def all(self) -> list[Entry]:
        """Return all entries, oldest first."""
        return self._select("ORDER BY number")

    def of(self, person: str) -> list[Entry]:
        """Return a person's entries, oldest first."""
        return self._select("WHERE person = ? ORDER BY number", person)

    def get(self, number: int) -> Entry | None:
        """Return an entry, or None if there is none with this number."""
        return next(iter(self._select("WHERE number = ?", number)), None)

    def waiting(self) -> list[Entry]:
        """Return the entries being compiled or checked, then the queue in order, without blocked entries and people."""
        return self._select(
            f"WHERE state IN ('building', 'checking') OR (state = 'received' AND {MAY_PLAY}) "
            "ORDER BY state = 'received', queued_at"
        )

    def counting(self) -> list[Entry]:
        """Return each person's newest passed version of each assignment, ignoring blocked versions and people."""
        passed = self._select(f"WHERE state = 'passed' AND {MAY_PLAY} ORDER BY number")
        return list({(each.person, each.assignment): each for each in passed}.values())

    def comparable(self) -> list[Entry]:
        """Return the versions to compare with others, even if they are blocked.

        They are those that count, and each person's newest passed one of each assignment and newest refused one.
        """
        every = self.all()
        newest = {(each.person, each.assignment): each for each in every if each.state == "passed"}
        refused = {each.person: each for each in every if each.state == "refused"}
        chosen = {each.number: each for each in (*self.counting(), *newest.values(), *refused.values())}
        return sorted(chosen.values(), key=lambda each: (each.person, each.number))

    def newest_passed(self, assignment: str = "") -> dict[str, Entry]:
        """Return an assignment's counting versions (see :meth:`counting`), keyed by person."""
        passed = self._select(f"WHERE state = 'passed' AND {MAY_PLAY} AND assignment = ? ORDER BY number", assignment)
        return {each.person: each for each in passed}

    def uploads_since(self, person: str, when: float) -> list[float]:
        """Return the times of a person's uploads after ``when``, including files for parts by hand."""
        uploads = "SELECT person, received_at FROM entry UNION ALL SELECT person, received_at FROM paper"
        query = f"SELECT received_at FROM ({uploads}) WHERE person = ? AND received_at > ?"
        return [row["received_at"] for row in self._connection.execute(query, (person, when))]

    def _select(self, clause: str, *values: object) -> list[Entry]:
        return [_entry(row) for row in self._connection.execute(f"SELECT * FROM entry {clause}", values)]

    def report(self, number: int) -> dict[str, Any] | None:
        """Return the report of an entry's build and checks, or None if there is none."""
        try:
            found: dict[str, Any] = json.loads((self.folder / "entries" / str(number) / REPORT_FILE).read_bytes())
        except (FileNotFoundError, ValueError):  # a power failure may leave an empty file
            return None
        return found

    def answers(self) -> dict[int, dict[str, str]]:
        """Return the moves that :mod:`.asking` collected: each version's moves by position, keyed by entry number."""
        rows = self._connection.execute("SELECT entry, moves FROM answers")
        return {row["entry"]: json.loads(row["moves"]) for row in rows}

    def unasked(self, assignments: Collection[str]) -> Entry | None:
        """Return a counting version of these assignments without collected answers, or None if there is none."""
        known = {row["entry"] for row in self._connection.execute("SELECT entry FROM answers")}
        asked = (each for each in self.counting() if each.assignment in assignments)
        return next((each for each in asked if each.number not in known), None)

    def source(self, number: int) -> Path:
        """Return the folder with an entry's source files."""
        return self._path(number) / "source"

    def source_zip(self, number: int) -> bytes:
        """Return an entry's source files as a zip."""
        source = self.source(number)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(source.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(source))
        return buffer.getvalue()

    # ---- writing

    def receive(
        self, person: str, incoming: Path, player: PlayerFile, settings: ClassSettings, assignment: Assignment
    ) -> Entry:
        """Turn an unpacked upload into an entry, and return it.

        If an older version of the same person and assignment is still waiting for its first check, it is refused and
        the new one takes its place in the queue.

        :raises SetupError: if the upload's ``player.toml`` is invalid.
        """
        now = time.time()
        with transaction(self._connection) as connection:
            row = connection.execute("SELECT max(version) FROM entry WHERE person = ?", (person,)).fetchone()
            version = (row[0] or 0) + 1
            engine = entry_engine(settings, assignment, player, f"{person}.{version}", "")
            columns = "person, version, language, protocol, engine, state, received_at, queued_at, assignment"
            engine_text, name = _json(engine), assignment.name
            queued_at = self._end_of_queue()
            values = (person, version, player.language, player.protocol, engine_text, "received", now, queued_at, name)
            made = connection.execute(f"INSERT INTO entry ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            number = int(made.lastrowid or 0)
            folder = f"entries/{number}/{'program' if player.language in COMPILED else 'source'}"
            engine = entry_engine(settings, assignment, player, engine.name, folder)
            connection.execute("UPDATE entry SET engine = ? WHERE number = ?", (_json(engine), number))
            before = connection.execute(
                "SELECT number, queued_at FROM entry WHERE person = ? AND assignment = ? AND state = 'received' "
                "AND number < ? AND decided_at IS NULL",
                (person, name, number),
            ).fetchall()
            for old in before:
                self._decide(old["number"], "refused", f"version {version} was handed in before this one was checked")
                connection.execute("UPDATE entry SET queued_at = ? WHERE number = ?", (old["queued_at"], number))
            if player.language == "command":
                (incoming / "source" / str(player.main)).chmod(0o755)
            (incoming / PLAYER).write_bytes(adapter(PlayerFile).dump_json(player))
            shutil.rmtree(self._path(number), ignore_errors=True)  # left by a failed transaction
            incoming.rename(self._path(number))
        found = self.get(number)
        assert found is not None
        return found

    def player(self, number: int) -> PlayerFile:
        """Return the settings the person chose for a program."""
        return adapter(PlayerFile).validate_json((self._path(number) / PLAYER).read_bytes())  # type: ignore[no-any-return]

    def take(self) -> Entry | None:
        """Take the entry that has waited longest and mark it as building. Return it, or None if none is waiting."""
        with transaction(self._connection) as connection:
            found = self._select(f"WHERE state = 'received' AND {MAY_PLAY} ORDER BY queued_at LIMIT 1")
            for each in found:
                connection.execute("UPDATE entry SET state = 'building' WHERE number = ?", (each.number,))
        return found[0] if found else None

    def built(self, number: int, program: bytes | None, name: str) -> None:
        """Save the compiled program, if any, and mark the entry as being checked."""
        if program is not None:
            new = self._path(number) / "program.new"
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(mode=0o755)
            (new / name).write_bytes(program)
            (new / name).chmod(0o755)
            shutil.rmtree(self._path(number) / "program", ignore_errors=True)
            new.rename(self._path(number) / "program")
        self._connection.execute("UPDATE entry SET state = 'checking' WHERE number = ?", (number,))

    def keep_answers(self, number: int, moves: Mapping[str, str]) -> None:
        """Save a version's moves by position."""
        self._connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (number, json.dumps(moves)))

    def give_back(self, number: int) -> None:
        """Put an entry back in the queue because its examiner was stopped."""
        self._connection.execute(
            "UPDATE entry SET state = 'received' WHERE number = ? AND state IN ('building', 'checking')", (number,)
        )

    def decide(self, number: int, state: State, reason: str, report: dict[str, Any]) -> None:
        """Save the report, then the verdict."""
        write_whole(self._path(number) / REPORT_FILE, json.dumps(report).encode())
        with transaction(self._connection):
            self._decide(number, state, reason)

    def check_again(self, number: int) -> bool:
        """Put an entry at the end of the queue to be checked again. Return False if it is not decided yet."""
        change = "UPDATE entry SET state = 'received', reason = '', queued_at = ? WHERE number = ?"
        with transaction(self._connection) as connection:
            done = connection.execute(f"{change} AND state IN ('refused', 'passed')", (self._end_of_queue(), number))
        return done.rowcount == 1

    def _end_of_queue(self) -> float:
        """Return a time after those of all entries, even if the clock was set back."""
        (newest,) = self._connection.execute("SELECT ifnull(max(queued_at), 0) FROM entry").fetchone()
        return max(time.time(), float(newest) + 1e-6)

    def block(self, number: int, *, blocked: bool) -> None:
        """Block or unblock an entry."""
        self._connection.execute("UPDATE entry SET blocked = ? WHERE number = ?", (blocked, number))

    def _decide(self, number: int, state: State, reason: str) -> None:
        self._connection.execute(
            "UPDATE entry SET state = ?, reason = ?, decided_at = ? WHERE number = ?",
            (state, printable(reason, 400), time.time(), number),
        )

    def _path(self, number: int) -> Path:
        return self.folder / "entries" / str(number)


def is_entry(engine: EngineConfig) -> bool:
    """Return whether an engine of the ladder is a version of the class, not an anchor."""
    return (engine.cwd or "").startswith("entries/")


def _json(engine: EngineConfig) -> str:
    return adapter(EngineConfig).dump_json(engine).decode()


def _entry(row: sqlite3.Row) -> Entry:
    values = {key: row[key] for key in row.keys()}  # noqa: SIM118 (a row iterates over its values)
    engine = adapter(EngineConfig).validate_json(values.pop("engine"))
    return Entry(**{**values, "engine": engine, "blocked": bool(values["blocked"])})


def sizes(folder: Path) -> Iterator[int]:
    """Yield the sizes in bytes of all files that people have handed in, and of compiled programs."""
    for top in ("entries", PAPERS):
        for parent, _, names in os.walk(folder / top):
            for name in names:
                with suppress(FileNotFoundError):  # an examiner may be replacing it
                    yield Path(parent, name).lstat().st_size
