"""The queue of runs of one folder: what the owner wants of each store, and the processes that play them.

A run is ``quietmove-tournament resume STORE --json`` as a process of its own, which neither the end of the server nor a
closed page ends. Nothing is known of it beside what the owner wants (the table ``run`` of ``hall.sqlite``) and what it
says itself in its snapshot, so a server that begins anew finds its runs, and goes on where the last one was. One run
plays at a time, since a second one would disturb its clocks.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quietmove.addons.web.database import HALL_FILE, open_hall, transaction
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.processes import Process, python_command
from quietmove.engine.common.text import explain, printable
from quietmove.tournament.errors import StoreError
from quietmove.tournament.playing.snapshot import announce, player_of, snapshot_path
from quietmove.tournament.store.database import errors
from quietmove.tournament.store.store import Store

PROGRAM = "quietmove.tournament"  # the package whose command is run
LOCK = "hall.lock"  # held by the server that starts the runs, where several serve one folder
PAUSE_SECONDS = 0.3  # seconds between two looks at the runs
MOST_KILLS = 2  # a run that is killed so often without a further game is not started again
MOST_REASON = 400  # characters of a reason
RESERVED = b"\n" * 4096  # of a log, written before the run begins: its last words need no room on a full disk
Wanted = Literal["running", "stopped", "over"]


@dataclass(frozen=True, slots=True)
class WantedRun:
    """A row of the table: what is wanted of a run."""

    store: str
    wanted: Wanted
    place: int
    reason: str


@dataclass(slots=True)
class Child:
    """A run that this server has started.

    :ivar games: how many games the store had then; -1 if that was not known.
    """

    process: subprocess.Popen[bytes]
    games: int


class Runs:
    """The runs of one folder. :meth:`keep_going` starts and stops processes; all else only says what is wanted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: int | None = None
        self._children: dict[str, Child] = {}
        self._kills: dict[str, int] = {}  # how often each store's run was killed without a further game
        self._told: set[Process] = set()  # runs that were asked to end
        self.not_before = 0.0  # monotonic time of the next start

    # ---- what is wanted

    def wanted(self) -> dict[str, WantedRun]:
        """Return what is wanted, by the names of the stores, in the order of the queue."""
        if not (self.folder / HALL_FILE).exists():
            return {}
        with self._database() as database:
            rows = database.execute("SELECT store, wanted, place, reason FROM run ORDER BY place, asked_at").fetchall()
        return {row["store"]: WantedRun(**dict(row)) for row in rows}

    def want(self, store: str, wanted: Wanted, *, first: bool = False, reason: str = "") -> None:
        """Say what is wanted of a run; one that is to play comes last in the queue, or ``first`` of all that wait."""
        with self._database() as database, transaction(database):
            least, most = database.execute("SELECT min(place), max(place) FROM run").fetchone()
            place = (least or 0) - 1 if first else (most or 0) + 1
            database.execute(
                "INSERT INTO run (store, wanted, place, asked_at, reason) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (store) DO UPDATE SET "
                "wanted = excluded.wanted, reason = excluded.reason, place = iif(excluded.wanted = 'running' "
                "AND (wanted != 'running' OR ?), excluded.place, place)",
                (store, wanted, place, time.time(), reason, first),
            )
        self._kills.pop(store, None)
        self.not_before = 0.0

    def note(self, store: str, reason: str) -> None:
        """Note why a run is not played although it should be; empty when it is."""
        with self._database() as database:
            database.execute("UPDATE run SET reason = ? WHERE store = ?", (reason, store))

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """Give the database, in which a look waits for nobody who writes.

        :raises StoreError: if it cannot be read or written.
        """
        with closing(open_hall(self.folder, make=True)) as database, errors(self.folder / HALL_FILE):
            yield database

    # ---- the processes

    async def keep_going(self) -> None:
        """Start and stop runs as it is wanted, for as long as the server is there; they go on after that."""
        while True:
            with suppress(StoreError, OSError):  # a full disk, say: another look may succeed
                await asyncio.to_thread(self.look)
            await asyncio.sleep(PAUSE_SECONDS)

    def look(self) -> None:
        """Compare once what is wanted with what runs, and act; only the first server of a folder does."""
        rows = self.wanted()
        if not rows or not self._is_first():
            return
        for store, child in list(self._children.items()):
            if (status := child.process.poll()) is not None:
                self._note_end(rows[store], child, status)  # without room on the disk another look notes it
                del self._children[store]
        rows = self.wanted()
        players = self.players()
        self.stop(rows)
        waiting = [row for row in rows.values() if row.wanted == "running"]
        if waiting and not players and not self._children and time.monotonic() >= self.not_before:
            self._start(waiting[0])

    def command(self, row: WantedRun) -> list[str]:
        """Return the words of the command that plays a run."""
        return ["resume", row.store, "--json"]

    def stop(self, rows: dict[str, WantedRun]) -> None:
        """Ask runs to end that are not wanted any more; the games that they play are played to their end."""
        for store, player in self.players().items():
            if store in rows and rows[store].wanted != "running" and player not in self._told:
                self._told.add(player)
                self._signal(store, player, signal.SIGINT)

    def ended(self, row: WantedRun) -> None:
        """Note that a run has ended well."""
        self.want(row.store, "over")

    def failed(self, row: WantedRun, reason: str) -> None:
        """Stop a run that cannot be played, and note why."""
        self.want(row.store, "stopped", reason=reason)

    def players(self) -> dict[str, Process]:
        """Return the processes that play stores of this folder, those from terminals too, by the stores' names."""
        found = {path.name: player_of(path) for path in self.folder.glob("*.sqlite")}
        return {name: player for name, player in found.items() if player is not None}

    def playing(self) -> set[str]:
        """Return the names of the stores that are played, or whose run has just ended and not yet been noted."""
        return {*self.players(), *self._children}

    def stop_now(self, store: str) -> None:
        """End a run at once; the games that it plays are played again."""
        if player := player_of(self.folder / store):
            self._told.add(player)
            self._signal(store, player, signal.SIGTERM)

    def _signal(self, store: str, player: Process, number: int) -> None:
        """Send a signal to a run, unless somebody else wrote which process that is: it may be any of this user's."""
        if snapshot_path(self.folder / store).lstat().st_uid == os.geteuid():
            player.signal(number)

    def _is_first(self) -> bool:
        """Tell whether no other server starts the runs of this folder."""
        if self._lock is None:
            lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(lock)
                return False
            self._lock = lock
        return True

    def _start(self, row: WantedRun) -> None:
        if row.reason:
            self.note(row.store, "")
        games = self._games(row.store)
        command = python_command(PROGRAM, *self.command(row))
        self._log(row.store).unlink(missing_ok=True)  # in a folder of somebody else it may be a link
        with self._log(row.store).open("xb", buffering=0) as log:
            log.write(RESERVED)
            log.seek(0)
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,  # Ctrl-C at the server, and a terminal that is closed, are not meant for it
            )
        self._children[row.store] = Child(process, games)
        announce(self.folder / row.store, Process.of(process.pid))

    def _note_end(self, row: WantedRun, child: Child, status: int) -> None:
        """Note how a run has ended: finished, by a fault, or by a kill, after which it is started again."""
        snapshot_path(self.folder / row.store).unlink(missing_ok=True)
        if status == 0:
            self.ended(row)
        elif row.wanted != "running":
            return
        elif status > 0:
            self.failed(row, self._last_words(row.store) or f"it ended with status {status}")
        else:
            has_played = self._games(row.store) > child.games
            self._kills[row.store] = 0 if has_played else self._kills.get(row.store, 0) + 1
            if self._kills[row.store] >= MOST_KILLS:
                reason = f"it was killed {MOST_KILLS} times ({signal.Signals(-status).name}) before a game had ended"
                self.failed(row, reason)

    def _games(self, store: str) -> int:
        """Return how many games a store holds; -1 if it cannot be read now."""
        try:
            with Store.open_to_read(self.folder / store) as opened:
                return opened.count()
        except QuietmoveError:
            return -1

    def _log(self, store: str) -> Path:
        """Return the file with what the last run of a store wrote to its standard error."""
        return self.folder / f"{store}-log"

    def _last_words(self, store: str) -> str:
        try:
            lines = self._log(store).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        except OSError as error:
            return explain(error)
        errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        return printable((errors or lines or [""])[-1], MOST_REASON)
