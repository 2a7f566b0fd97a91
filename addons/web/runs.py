"""The queue of runs in one folder: the requested state of each run, and the processes that play the runs.

A run is a separate process, ``quietmove-tournament resume STORE --json``, which outlives the server and any page. Its
state is stored only in the owner's request (table ``run`` in ``hall.sqlite``) and in the run's own snapshot, so a new
server continues where the previous one stopped. Only the first run in the queue plays, since a second one would disturb
its clocks. If another run moves to the front, the current one finishes its running games and continues later.
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
from quietmove.tournament.formats import plan_of
from quietmove.tournament.playing.snapshot import FINISH, announce, player_of, snapshot_path
from quietmove.tournament.store.database import errors
from quietmove.tournament.store.store import Store

PROGRAM = "quietmove.tournament"  # the package whose command plays a run
PAUSED = "hall.paused"  # this file exists while the queue is paused
LOCK = "hall.lock"  # held by the server that starts the runs, if several servers share a folder
PAUSE_SECONDS = 0.3  # seconds between polls of the runs
MOST_KILLS = 2  # a run killed this many times in a row without finishing a game is not restarted
MOST_REASON = 400  # maximum length of a reason, in characters
RESERVED = b"\n" * 4096  # reserves space in a log, so that the run's last error is saved even if the disk is full
Wanted = Literal["running", "stopped", "over"]


@dataclass(frozen=True, slots=True)
class WantedRun:
    """A row of the table ``run``: a run's requested state."""

    store: str
    wanted: Wanted
    place: int
    reason: str


@dataclass(slots=True)
class Child:
    """A run started by this server.

    :ivar games: the store's number of games at the start, or -1 if unknown.
    :ivar gives_way: whether the run was told to stop for another run or a pause, and will continue.
    """

    process: subprocess.Popen[bytes]
    games: int
    gives_way: bool = False


class Runs:
    """The runs in one folder. Requests are only recorded; :meth:`keep_going` acts on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: int | None = None
        self._children: dict[str, Child] = {}
        self._kills: dict[str, int] = {}  # by store: number of times in a row that the run was killed without progress
        self._told: set[Process] = set()  # runs that were told to stop
        self.not_before = 0.0  # earliest monotonic time of the next start

    # ---- requested states

    def requested(self) -> dict[str, WantedRun]:
        """Return the requested states by store name, in queue order."""
        if not (self.folder / HALL_FILE).exists():
            return {}
        with self._database() as database:
            rows = database.execute("SELECT store, wanted, place, reason FROM run ORDER BY place, asked_at").fetchall()
        return {row["store"]: WantedRun(**dict(row)) for row in rows}

    def want(self, store: str, wanted: Wanted, *, first: bool = False, reason: str = "") -> None:
        """Request a run's state. A newly requested run joins the end of the queue or, with ``first``, the front."""
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
        """Record the reason why a requested run is not being played; "" clears the reason."""
        with self._database() as database:
            database.execute("UPDATE run SET reason = ? WHERE store = ?", (reason, store))

    @property
    def is_paused(self) -> bool:
        """Whether the queue is paused. No runs are played while it is."""
        return (self.folder / PAUSED).exists()

    def pause(self, pauses: bool) -> None:
        """Pause the queue, or continue it.

        :raises StoreError: if the folder cannot be written.
        """
        try:
            if pauses:
                (self.folder / PAUSED).touch()
            else:
                (self.folder / PAUSED).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"cannot pause or resume the queue: {explain(error)}") from None

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """Open the database, and create it if there is none.

        :raises StoreError: if the database cannot be read or written.
        """
        with closing(open_hall(self.folder, make=True)) as database, errors(self.folder / HALL_FILE):
            yield database

    # ---- the processes

    async def keep_going(self) -> None:
        """Start and stop runs as requested until the server stops. The runs outlive the server."""
        while True:
            with suppress(StoreError, OSError):  # retry, for example after a full disk
                await asyncio.to_thread(self.look)
            await asyncio.sleep(PAUSE_SECONDS)

    def look(self) -> None:
        """Start and stop runs to match the requested states. Only a folder's first server does this."""
        rows = self.requested()
        if not rows or not self._is_first():
            return
        for store, child in list(self._children.items()):
            if (status := child.process.poll()) is not None:
                self._note_end(rows[store], child, status)  # raises if the disk is full; the next call retries
                del self._children[store]
        rows = self.requested()
        players = self.players()
        current = None if self.is_paused else next((row for row in rows.values() if row.wanted == "running"), None)
        self.stop(rows, current)
        if current and not players and not self._children and time.monotonic() >= self.not_before:
            if self.is_over(current.store):  # it ended while no server was running
                self.ended(current)
            else:
                self._start(current)

    def command(self, row: WantedRun) -> list[str]:
        """Return the arguments of the command that plays a run."""
        return ["resume", row.store, "--json"]

    def stop(self, rows: dict[str, WantedRun], current: WantedRun | None) -> None:
        """Tell all runs except the current one to stop after finishing their games."""
        for store, player in self.players().items():
            if store in rows and rows[store] != current and player not in self._told:
                self._told.add(player)
                if store in self._children:
                    self._children[store].gives_way = True
                self._signal(store, player, FINISH)

    def is_over(self, store: str) -> bool:
        """Return whether no game of a run is missing; False if its store cannot be read now."""
        try:
            with Store.open_to_read(self.folder / store) as opened:
                return plan_of(opened.tournament).has_ended(opened.results())
        except QuietmoveError:
            return False

    def ended(self, row: WantedRun) -> None:
        """Record that a run has finished."""
        self.want(row.store, "over")

    def failed(self, row: WantedRun, reason: str) -> None:
        """Stop a run that cannot be played, and record why."""
        self.want(row.store, "stopped", reason=reason)

    def players(self) -> dict[str, Process]:
        """Return the processes that play this folder's stores, including those from terminals, by store name."""
        found = {path.name: player_of(path) for path in self.folder.glob("*.sqlite")}
        return {name: player for name, player in found.items() if player is not None}

    def playing(self) -> set[str]:
        """Return the names of the stores with a running process, or with one whose end has not been recorded yet."""
        return {*self.players(), *self._children}

    def stop_now(self, store: str) -> None:
        """Stop a run immediately. Its unfinished games are played again when it resumes."""
        if player := player_of(self.folder / store):
            self._told.add(player)
            self._signal(store, player, signal.SIGTERM)

    def _signal(self, store: str, player: Process, number: int) -> None:
        """Signal a run, unless another user wrote the process ID, which could name any of this user's processes."""
        if snapshot_path(self.folder / store).lstat().st_uid == os.geteuid():
            player.signal(number)

    def _is_first(self) -> bool:
        """Become the server that starts the folder's runs, if there is none yet. Return whether this server is it."""
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
        self._log(row.store).unlink(missing_ok=True)  # in another user's folder, the log may be a link
        with self._log(row.store).open("xb", buffering=0) as log:
            log.write(RESERVED)
            log.seek(0)
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,  # protects the run from Ctrl-C and from a closing terminal
            )
        self._children[row.store] = Child(process, games)
        announce(self.folder / row.store, Process.of(process.pid))

    def _note_end(self, row: WantedRun, child: Child, status: int) -> None:
        """Record how a run ended. A killed run is restarted, unless it makes no progress; see MOST_KILLS."""
        snapshot_path(self.folder / row.store).unlink(missing_ok=True)
        if status == 0:
            self.ended(row)
        elif row.wanted != "running" or child.gives_way:
            return
        elif status > 0:
            self.failed(row, self._last_words(row.store) or f"it ended with status {status}")
        else:
            has_played = self._games(row.store) > child.games
            self._kills[row.store] = 0 if has_played else self._kills.get(row.store, 0) + 1
            if self._kills[row.store] >= MOST_KILLS:
                reason = f"it was killed {MOST_KILLS} times ({signal.Signals(-status).name}) without finishing a game"
                self.failed(row, reason)

    def _games(self, store: str) -> int:
        """Return the store's number of games, or -1 if it cannot be read now."""
        try:
            with Store.open_to_read(self.folder / store) as opened:
                return opened.count()
        except QuietmoveError:
            return -1

    def _log(self, store: str) -> Path:
        """Return the file with the standard error of a store's latest run."""
        return self.folder / f"{store}-log"

    def _last_words(self, store: str) -> str:
        try:
            lines = self._log(store).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        except OSError as error:
            return explain(error)
        errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        return printable((errors or lines or [""])[-1], MOST_REASON)
