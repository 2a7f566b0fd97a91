"""The file of a database: games as they were played, and for each position the games that had it.

It is a file of SQLite. A game is its moves, six bits each, with numbers for its players and its event. A position is a
key of 56 bits (:mod:`quietmove.engine.games.othello.trace`): of a hundred databases with a million games one has two
positions with the same key. How the games of a position are found depends on how many there are:

- Two or more: a row of ``shared``. Each game is four bytes: its number, the move that it made there (on the image of
  the board that the key stands for), and how it ended for the side that moved. So a position is counted without a look
  at the games.
- One: nineteen of twenty positions. A row for each would be three times as long as what it holds. So the first 11 bits
  of the key choose a row of ``single``, one for every 32,768 games; there the next 16 bits of the key stand before the
  last 15 of the game's number. The game is replayed to find out whether it had the position. When another game has it,
  it becomes a row of ``shared``.

A block of games is written in one transaction, so a run that is killed loses one block at most. A game that is added
again is found by its last position that is kept. Games are never changed or deleted: their numbers go from 1 to
``count``.
"""

from __future__ import annotations

import re
import sqlite3
from base64 import b64encode
from binascii import a2b_base64
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from quietmove.engine.common.database import WRITE_AHEAD, DatabaseFormat, open_database
from quietmove.engine.errors import DatabaseError
from quietmove.engine.files import refuse_special
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import INITIAL, PlayedGame
from quietmove.engine.games.othello.notation import parse_board
from quietmove.engine.games.othello.trace import KEY_BITS, NO_MOVE, trace

APPLICATION_ID = 0x514D4744  # "QMGD"
VERSION = 1
SCHEMA = """
CREATE TABLE name (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE game (number INTEGER PRIMARY KEY, moves BLOB, margin INTEGER, black INTEGER, white INTEGER, event INTEGER,
    year INTEGER, date TEXT, start TEXT);
CREATE TABLE shared (key INTEGER PRIMARY KEY, games BLOB NOT NULL);
CREATE TABLE single (row INTEGER PRIMARY KEY, games BLOB NOT NULL);
"""
ENTRY = 4  # bytes of a game in a row of `shared`: two bits for its end, six for its move, 24 for its number
MOST_GAMES = (1 << 24) - 1
SEGMENT_BITS = 15  # a row of `single` is for 32,768 games
ROW_BITS = 11  # the first bits of a key choose the row of `single`
ROW_SHIFT, CHECK_SHIFT = KEY_BITS - ROW_BITS, KEY_BITS - ROW_BITS - 16
SINGLE = 4  # bytes of a game in a row of `single`: 16 bits of the key, and the last bits of its number
CENTRE = 0x0000001818000000
YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"  # base64: six bits a letter
SQUARES = bytes(range(64))
TO_LETTERS, TO_SQUARES = (bytes.maketrans(*pair) for pair in ((SQUARES, LETTERS), (LETTERS, SQUARES)))
BUSY_SECONDS = 60.0  # another run writes a block in less
FORMAT = DatabaseFormat(
    name="database of games",
    script=SCHEMA,
    error=DatabaseError,
    prefix="database: ",
    application_id=APPLICATION_ID,
    versions=(VERSION,),
    messages={"SQLITE_BUSY": "is being written by another run", "SQLITE_NOTADB": "is not a database of games"},
)
Stored = tuple[bytes, int | None, int, int, int, int | None, str | None, str | None]  # a row of `game` but its number


class GameDatabase:
    """The games of one file; a context manager.

    :param path: None for a database in memory.
    :param create: whether the file is made if it is not there, and may be written.
    :raises DatabaseError: if it cannot be read, is no such file, or is damaged.
    """

    def __init__(self, path: Path | None, *, create: bool = False) -> None:
        self.path = path
        self._chosen: tuple[object, set[int]] = None, set()  # the last filter of numbers_of(), and its answer
        if path is not None:
            refuse_special(path, DatabaseError, "database: ")
            if not create and not path.is_file():
                raise DatabaseError(f"database: {path}: no such file; 'quietmove database add' makes it")
        may_write = create or path is None
        self._file = open_database(
            path,
            FORMAT,
            query=f"mode={'rwc' if create else 'rw'}",
            creates=may_write,
            setup=(WRITE_AHEAD, "PRAGMA synchronous = NORMAL") if may_write else ("PRAGMA query_only = ON",),
            timeout=BUSY_SECONDS,
        )

    def __enter__(self) -> GameDatabase:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def count(self) -> int:
        """How many games there are."""
        with FORMAT.errors(self.path):
            return self._last()

    def _last(self) -> int:
        return int(self._file.execute("SELECT coalesce(max(number), 0) FROM game").fetchone()[0])

    def entries(self, key: int) -> bytes:
        """Return the games that had a position, :data:`ENTRY` bytes each, those that were added first at the front."""
        with FORMAT.errors(self.path):
            row = self._file.execute("SELECT games FROM shared WHERE key = ?", (key,)).fetchone()
            if row:
                return bytes(row[0])
            return b"".join(found for *_, found in self._singles(key, self._rows(key >> ROW_SHIFT)))

    def games(self, numbers: Sequence[int]) -> list[Stored]:
        """Return the rows of games."""
        with FORMAT.errors(self.path):
            return [self._game(number) for number in numbers]

    def name(self, number: int) -> str:
        """Return the name with a number."""
        with FORMAT.errors(self.path):
            return str(self._file.execute("SELECT text FROM name WHERE number = ?", (number,)).fetchone()[0])

    def numbers_of(self, player: str, years: tuple[int, int] | None, side: int | None) -> set[int]:
        """Return the numbers of the games that a player played in some years.

        :param player: a part of the name, in small or capital letters.
        :param side: of the player: 0 for Black, 1 for White, None for either.
        """
        asked = player, years, side, self.count
        if self._chosen[0] == asked:
            return self._chosen[1]
        terms = ["1"]
        values = list[object]()
        if player:
            pattern = re.sub(r"([\\%_])", r"\\\1", player)
            having = r"IN (SELECT number FROM name WHERE text LIKE ? ESCAPE '\')"
            columns = [each for each in ("black", "white") if side is None or each == ("black", "white")[side]]
            terms.append(f"({' OR '.join(f'{each} {having}' for each in columns)})")
            values += [f"%{pattern}%"] * len(columns)
        if years:
            terms.append("year BETWEEN ? AND ?")
            values += years
        with FORMAT.errors(self.path):
            found = self._file.execute(f"SELECT number FROM game WHERE {' AND '.join(terms)}", values)
            self._chosen = asked, {number for (number,) in found}
        return self._chosen[1]

    def add(self, games: Iterable[PlayedGame], copies: Copies) -> int:
        """Add a block of games in one transaction, and return how many of them were new.

        :param games: in their complete form.
        :param copies: of the games that came from the same file before.
        """
        with FORMAT.errors(self.path), self._file:
            self._file.execute("BEGIN IMMEDIATE")
            copies.begin_block(self._file.execute("PRAGMA data_version").fetchone()[0])
            return _Block(self._file, self, copies).add(games)

    def pack(self) -> None:
        """Write the file anew without the gaps that many blocks leave: a fifteenth of it."""
        with FORMAT.errors(self.path):
            self._file.execute("VACUUM")

    def _game(self, number: int) -> Stored:
        columns = "moves, margin, black, white, event, year, date, start"
        found = self._file.execute(f"SELECT {columns} FROM game WHERE number = ?", (number,)).fetchone()
        if found is None:
            raise DatabaseError(f"database: {self.path} is damaged: there is no game {number}")
        return found  # type: ignore[no-any-return]

    def _rows(self, at: int) -> list[bytes]:
        """Return the rows of ``single`` that the first bits of a key choose, one for every segment of games."""
        numbers = range(at, (self._last() >> SEGMENT_BITS << ROW_BITS) + at + 1, 1 << ROW_BITS)
        found = (self._file.execute("SELECT games FROM single WHERE row = ?", (row,)).fetchone() for row in numbers)
        return [row[0] if row else b"" for row in found]

    def _singles(self, key: int, rows: Sequence[bytes]) -> Iterator[tuple[int, int, bytes]]:
        """Yield each game that had a position: the number of its row, its place there, and its entry."""
        check = (key >> CHECK_SHIFT & 0xFFFF).to_bytes(2, "little")
        for segment, row in enumerate(rows):
            at = row.find(check)
            while at >= 0:
                if at % SINGLE == 0:
                    number = segment << SEGMENT_BITS | int.from_bytes(row[at + 2 : at + SINGLE], "little")
                    stored = self._game(number)
                    own, opp, side = board_of(stored[-1])
                    for found, move, mover in trace(own, opp, unpacked(stored[0])):
                        if found == key:
                            yield segment, at, entry(number, move, stored[1], side ^ mover)
                at = row.find(check, at + 1)


class Copies:
    """Counts of each game of a file: a game that the file has twice is two games, but adding the file again adds none.

    Each game is counted by a digest of its row.

    :ivar read: how often the game has come from the file.
    :ivar stored: how often the database has it, as soon as its last position is in ``counted``.
    :ivar counted: last positions whose stored games were counted. Doing so once for each position, and not for each
        game, keeps the time linear if many games end in the same position.
    """

    def __init__(self) -> None:
        self.read = Counter[bytes]()
        self.stored = Counter[bytes]()
        self.counted = set[int]()
        self._version = 0

    def begin_block(self, version: int) -> None:
        """Count the stored games again if another process has added some: SQLite's data version has changed then."""
        if version != self._version:
            self._version = version
            self.stored.clear()
            self.counted.clear()


class _Block:
    """A block of games that is being added, in a transaction that has begun."""

    def __init__(self, file: sqlite3.Connection, database: GameDatabase, copies: Copies) -> None:
        self._file = file
        self._database = database
        self._copies = copies
        self._names: dict[str, int] = {}

    def add(self, games: Iterable[PlayedGame]) -> int:
        number = before = self._database.count
        found: dict[int, bytearray] = {}  # the new entries of each position
        for game in games:
            own, opp, side = board_of(None if game.board == INITIAL else " ".join(game.board))
            moves = bytes(move for move in game.moves if move != PASS)
            positions = trace(own, opp, moves)
            row = self._row(game, moves)
            if not positions or (own | opp) & CENTRE != CENTRE or self._is_there(row, positions[-1][0]):
                continue
            number += 1
            if number > MOST_GAMES:
                raise DatabaseError(f"database: {self._database.path}: must hold at most {MOST_GAMES:,} games")
            self._file.execute("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (number, *row))
            for key, move, mover in positions:
                found.setdefault(key, bytearray()).extend(entry(number, move, row[1], side ^ mover))
        self._write(found)
        return number - before

    def _row(self, game: PlayedGame, moves: bytes) -> Stored:
        year = YEAR.search(game.date)
        return (
            packed(moves),
            None if game.margin is None else round(game.margin),
            *map(self._name, (*game.players, game.event)),
            int(year[0]) if year else None,
            game.date if game.date and not (year and year[0] == game.date) else None,
            None if game.board == INITIAL else " ".join(game.board),
        )  # type: ignore[return-value]

    def _name(self, text: str) -> int:
        if text not in self._names:
            found = self._file.execute("SELECT number FROM name WHERE text = ?", (text,)).fetchone()
            if found is None:
                found = self._file.execute("INSERT INTO name (text) VALUES (?) RETURNING number", (text,)).fetchone()
            self._names[text] = found[0]
        return self._names[text]

    def _is_there(self, row: Stored, last: int) -> bool:
        """Count a game that came from the file, and return whether the database has as many copies of it."""
        copies = self._copies
        if last not in copies.counted:
            copies.counted.add(last)
            there = self._database.entries(last)
            numbers = (int.from_bytes(there[at + 1 : at + ENTRY], "little") for at in range(0, len(there), ENTRY))
            copies.stored.update(digest(self._database._game(each)) for each in numbers)
        mark = digest(row)
        copies.read[mark] += 1
        if copies.stored[mark] >= copies.read[mark]:
            return True
        copies.stored[mark] += 1
        return False

    def _write(self, found: dict[int, bytearray]) -> None:
        """Add the entries of positions; in the order of their keys, each page of the file is written once."""
        at = -1
        rows = list[bytes]()
        before = list[bytes]()
        for key in sorted(found):
            added = found[key]
            query = "UPDATE shared SET games = CAST(games || ? AS BLOB) WHERE key = ?"
            if self._file.execute(query, (added, key)).rowcount:
                continue
            if key >> ROW_SHIFT != at:
                self._write_single(at, rows, before)
                at = key >> ROW_SHIFT
                before = self._database._rows(at)
                rows = list(before)
            there = list(self._database._singles(key, rows))
            if there or len(added) > ENTRY:
                for segment, place, _ in reversed(there):
                    rows[segment] = rows[segment][:place] + rows[segment][place + SINGLE :]
                games = b"".join(each for *_, each in there) + added
                self._file.execute("INSERT INTO shared VALUES (?, ?)", (key, games))
            else:
                segment, place = divmod(int.from_bytes(added[1:], "little"), 1 << SEGMENT_BITS)
                rows[segment] += b"".join(part.to_bytes(2, "little") for part in (key >> CHECK_SHIFT & 0xFFFF, place))
        self._write_single(at, rows, before)

    def _write_single(self, at: int, rows: Sequence[bytes], before: Sequence[bytes]) -> None:
        for segment, row in enumerate(rows):
            if row != before[segment]:
                self._file.execute("REPLACE INTO single VALUES (?, ?)", (segment << ROW_BITS | at, row))


def board_of(start: str | None) -> tuple[int, int, int]:
    """Return the discs of the side to move, those of the other, and the side, where a game begins."""
    black, white, side = parse_board(INITIAL if start is None else start.split())
    return (white, black, side) if side else (black, white, side)


def entry(number: int, move: int, margin: int | None, side: int) -> bytes:
    """Return a game as a row of ``shared`` has it.

    :param margin: Black's; the end is 1 for a win of the ``side`` that moved, 2 for a draw, 3 for a loss, 0 if it is
        not known.
    """
    end = 0 if margin is None else 2 if margin == 0 else 1 if (margin > 0) == (side == 0) else 3
    return (number << 8 | move << 2 | end).to_bytes(ENTRY, "little")


def digest(row: Stored) -> bytes:
    """Return 16 bytes that differ if rows differ."""
    return blake2b(repr(row).encode(), digest_size=16).digest()


def packed(moves: bytes) -> bytes:
    """Return squares in six bits each."""
    return a2b_base64(moves.translate(TO_LETTERS) + TO_LETTERS[NO_MOVE : NO_MOVE + 1] * (-len(moves) % 4))


def unpacked(data: bytes) -> bytes:
    """Return the squares that :func:`packed` took."""
    return b64encode(data).translate(TO_SQUARES).rstrip(SQUARES[NO_MOVE : NO_MOVE + 1])
