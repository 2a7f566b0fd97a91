"""The SQLite file of a store: its tables, who may write it, and how it is opened.

One process writes a store: it holds a lock (``flock``) on the file, which the system releases when the process ends in
any way. The file is in WAL mode, so others read it meanwhile.
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
    """What a report says so that its tournament can be played again.

    :param command: the command line.
    :param machine: processor, how many of them this process might use, system and Python.
    :param version: the version of Quietmove.
    """

    command: str
    machine: str
    version: str

    @classmethod
    def here(cls) -> Origin:
        """Return what is true of this process."""
        processors = len(usable_processors())
        system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
        words = join([Path(sys.argv[0]).name, *sys.argv[1:]])
        command = os.fsencode(words).decode(errors="replace")  # a file may have a name that is no text
        return cls(command, f"{_processor()}, {processors} of {os.cpu_count()} processors, {system}", VERSION)


def _processor() -> str:
    try:
        lines = CPU_INFO.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def seal(config: str) -> str:
    """Return a digest of a store's configuration that no other machine can make, so a changed one is noticed.

    Its key is this machine's name and, where there is one, its id.
    """
    key = platform.node()
    with suppress(OSError):
        key += MACHINE_ID.read_text()
    return hashlib.blake2b(f"{key}\n{config}".encode(errors="surrogateescape"), digest_size=DIGEST_BYTES).hexdigest()


def game_file(tournament: Tournament) -> str:
    """Return the Python file that the game comes from, which runs when it is looked at; "" where there is none."""
    return tournament.game if ".py:" in tournament.game else ""


def programs(tournament: Tournament) -> Iterator[str]:
    """Yield, a line each, what is run if the tournament is played on."""
    if file := game_file(tournament):
        yield printable(f"the game: {file}")
    for engine in tournament.engines:
        words = [f"{name}={value}" for name, value in engine.env]
        words.append(join(engine.command) or engine.protocol)
        words += [f"{name}={value}" for name, value in engine.options]
        yield printable(f"{engine.name}: {' '.join(words)}" + (f" (in {engine.cwd})" if engine.cwd else ""))


SCHEMA_VERSION = 8
READABLE = (7, SCHEMA_VERSION)  # version 7 has no engines that arrive; all else is the same
APPLICATION_ID = 0x514D5452  # "QMTR" in the file's header: `file` and we can tell it from other SQLite files
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
# No append waits for the disk, only one in about a thousand pages. A killed process loses nothing. In WAL mode a power
# cut may lose what was written last but never the file, and resume plays that again.
SETUP_TO_WRITE = (WRITE_AHEAD, "PRAGMA synchronous = NORMAL")


def lock_file(path: Path) -> int:
    """Lock a file, which is made if it is not there, and return its descriptor; to close that ends the lock.

    It is closed after the last connection to the file: closing any descriptor ends SQLite's own locks in this process.

    :raises StoreError: if another process holds the lock, or the file may not be written.
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
            f"store: {path} is being written by another process; 'standings {path}' may read it meanwhile"
        ) from None
    return descriptor


def connect(
    path: Path,
    query: str = "mode=rw",
    setup: Sequence[str] = SETUP_TO_WRITE,
    fill: Callable[[sqlite3.Connection], object] | None = None,
) -> sqlite3.Connection:
    """Open a store, for one thread at a time; see :func:`open_database`. With ``fill`` an empty file becomes one."""
    connection = open_database(
        path, FORMAT, query=query, creates=fill is not None, fill=fill, setup=setup, isolation_level="DEFERRED"
    )
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")  # refused with its row
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a store to be read, whether or not the file and its folder may be written."""
    path = path.resolve()
    query = "mode=rw"  # SQLite would leave its files beside the store with mode=ro
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        is_being_written = any(Path(f"{path}-{kind}").exists() for kind in ("wal", "journal"))
        query = "mode=ro" if is_being_written else "immutable=1"
    return connect(path, query, setup=["PRAGMA query_only = ON"])


def require_file(path: Path, *, may_be_empty: bool = False) -> None:
    """Refuse what is no plain file, such as a folder, a device or a pipe, and what is empty, as the kernel's files are.

    The file is not opened: to close it would end SQLite's own locks in this process.

    :raises StoreError: saying what ``path`` is.
    """
    if not path.is_file() or not (may_be_empty or path.stat().st_size):
        if path.exists():
            raise StoreError(f"store: {path} is not a tournament store")
        raise MissingStoreError(f"store: there is no file {path}; 'run --store {path}' begins one")


def create_file(path: Path, tournament: Tournament) -> None:
    """Write an empty store into an empty file, in one transaction."""
    config = tournament.to_json()
    values = config, seal(config), adapter(Origin).dump_json(Origin.here()).decode()
    connect(
        path, setup=(), fill=lambda connection: connection.execute("INSERT INTO tournament VALUES (?, ?, ?)", values)
    ).close()
