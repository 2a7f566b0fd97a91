"""The SQLite file of a store: its tables, its lock, and functions that open it.

Only one process writes a store. It holds a lock (``flock``) on the file, which the system releases when the process
ends for any reason. The file is in WAL mode, so other processes can read it at the same time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import join

from quietmove.engine.common import VERSION
from quietmove.engine.common.database import WRITE_AHEAD, DatabaseFormat, open_database
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.referee.config.validation import adapter
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import MissingStoreError, StoreError
from quietmove.tournament.store.timing import USED_COLUMNS

CPU_INFO = Path("/proc/cpuinfo")
MACHINE_ID = Path("/etc/machine-id")
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Origin:
    """A tournament's origin, shown in reports so that the tournament can be repeated.

    :param command: the command line.
    :param machine: the processor, the number of usable processors, the system and the Python version.
    :param version: the version of Quietmove.
    """

    command: str
    machine: str
    version: str

    @classmethod
    def here(cls) -> Origin:
        """Return the origin of this process: its command line, machine and version."""
        processors = len(usable_processors())
        system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
        words = join([Path(sys.argv[0]).name, *sys.argv[1:]])
        command = os.fsencode(words).decode(errors="replace")  # file names can contain invalid characters
        return cls(command, f"{_processor()}, {processors} of {os.cpu_count()} processors, {system}", VERSION)


def _processor() -> str:
    try:
        lines = CPU_INFO.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()  # processor() may start the program uname


def seal(config: str) -> str:
    """Return a keyed digest of a store's configuration, to detect changes and stores from other machines.

    A store names programs, so ``resume`` asks once before it runs those of a store that came from someone else. The key
    is this machine's name and, if available, its machine ID.
    """
    key = platform.node()
    with suppress(OSError):
        key += MACHINE_ID.read_text()
    return hashlib.blake2b(f"{key}\n{config}".encode(errors="surrogateescape"), digest_size=DIGEST_BYTES).hexdigest()


def game_file(tournament: Tournament) -> str:
    """Return the Python file that defines the game and runs when the game is loaded, or "" if there is none."""
    return tournament.game if ".py:" in tournament.game else ""


def programs(tournament: Tournament) -> Iterator[str]:
    """Yield a line for each program that resuming the tournament would run."""
    if file := game_file(tournament):
        yield printable(f"the game: {file}")
    for engine in tournament.engines:
        words = [f"{name}={value}" for name, value in engine.env]
        words.append(join(engine.command) or engine.protocol)
        words += [f"{name}={value}" for name, value in engine.options]
        yield printable(f"{engine.name}: {' '.join(words)}" + (f" (in {engine.cwd})" if engine.cwd else ""))


SCHEMA_VERSION = 8
READABLE = (7, SCHEMA_VERSION)  # version 7 lacks only engines that join later
APPLICATION_ID = 0x514D5452  # "QMTR" in the file's header distinguishes a store from other SQLite files
USED = "\n".join(f"    {name} INTEGER NOT NULL," for name in USED_COLUMNS)
SCHEMA = f"""
CREATE TABLE tournament (
    config       TEXT NOT NULL,             -- JSON of quietmove.tournament.definition.Tournament
    machine      TEXT NOT NULL,             -- the seal of the machine that began it
    origin       TEXT NOT NULL              -- JSON of Origin, in this module
);
CREATE TABLE game (
    number       INTEGER PRIMARY KEY,       -- place in the schedule, from 1
    round        INTEGER NOT NULL,
    black        TEXT NOT NULL,
    white        TEXT NOT NULL,
    color        TEXT NOT NULL,             -- of the first of the pair
    opening      TEXT NOT NULL,             -- its moves, separated by commas
    seed         INTEGER NOT NULL,
    moves        TEXT NOT NULL,             -- the whole game, opening included, separated by commas
    points_black REAL NOT NULL,
    margin_black INTEGER NOT NULL,
    reason       TEXT NOT NULL,
    loser        TEXT,
    finished_at  TEXT NOT NULL,             -- UTC
{USED}
    UNIQUE (round, black, white)
);
CREATE TABLE record (                       -- of each game: apart, since all else of a game is 20 times shorter
    number       INTEGER PRIMARY KEY,
    record       TEXT NOT NULL              -- JSON of quietmove.referee.game.record.GameRecord
);
CREATE TABLE kept_move (                    -- of long games that have not ended
    number       INTEGER NOT NULL,          -- of the game
    ply          INTEGER NOT NULL,          -- in the game, from 1; those of the opening are not kept
    move         TEXT NOT NULL,             -- JSON of quietmove.referee.game.record.MoveRecord
    PRIMARY KEY (number, ply)
) WITHOUT ROWID;
"""


FORMAT = DatabaseFormat(
    name="tournament store",
    script=SCHEMA,
    error=StoreError,
    prefix="store: ",
    application_id=APPLICATION_ID,
    versions=READABLE,
)
errors = FORMAT.errors
# Writes do not wait for the disk, except for about one in a thousand pages. A killed process loses nothing. In WAL mode
# a power failure may lose the last writes but never the file, and resume plays those games again.
SETUP_TO_WRITE = (WRITE_AHEAD, "PRAGMA synchronous = NORMAL")


def lock_file(path: Path) -> int:
    """Lock a file, creating it if necessary, and return its descriptor; closing the descriptor releases the lock.

    Close it after the last connection: closing any descriptor of the file releases SQLite's own locks in this process.

    :raises StoreError: if another process holds the lock, or the file is not writable.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"store: {path} cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if not isinstance(error, BlockingIOError):
            raise StoreError(f"store: {path} cannot be locked: {error.strerror}") from None
        raise StoreError(
            f"store: {path} is being written by another process; 'standings {path}' can still read it"
        ) from None
    return descriptor


def connect(
    path: Path,
    query: str = "mode=rw",
    setup: Sequence[str] = SETUP_TO_WRITE,
    fill: Callable[[sqlite3.Connection], object] | None = None,
) -> sqlite3.Connection:
    """Open a store, for one thread at a time; see :func:`open_database`. ``fill`` turns an empty file into a store."""
    connection = open_database(
        path, FORMAT, query=query, creates=fill is not None, fill=fill, setup=setup, isolation_level="DEFERRED"
    )
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")  # check_row rejects invalid text
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a store for reading, even if the file and its folder are read-only."""
    path = path.resolve()
    query = "mode=rw"  # with mode=ro SQLite could not delete its -wal and -shm files
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        is_being_written = any(Path(f"{path}-{kind}").exists() for kind in ("wal", "journal"))
        query = "mode=ro" if is_being_written else "immutable=1"
    return connect(path, query, setup=["PRAGMA query_only = ON"])


def require_file(path: Path, *, may_be_empty: bool = False) -> None:
    """Check that ``path`` is a regular file that is not empty (unlike files in /proc).

    The file is not opened, because closing it would release SQLite's own locks in this process.

    :raises StoreError: if ``path`` is anything else or does not exist.
    """
    if not path.is_file() or not (may_be_empty or path.stat().st_size):
        if path.exists():
            raise StoreError(f"store: {path} is not a tournament store")
        raise MissingStoreError(f"store: there is no file {path}; 'run --store {path}' creates it")


def create_file(path: Path, tournament: Tournament) -> None:
    """Write an empty store into an empty file, in one transaction."""
    config = tournament.to_json()
    values = config, seal(config), adapter(Origin).dump_json(Origin.here()).decode()
    connect(
        path, setup=(), fill=lambda connection: connection.execute("INSERT INTO tournament VALUES (?, ?, ?)", values)
    ).close()
