"""The database file: games as they were played, and an index from each position to the games that reached it.

It is an SQLite database. A game consists of its moves, six bits each, and the numbers of its players and event. A
position is a 56-bit key (:mod:`quietmove.engine.games.othello.symmetry`): among a hundred databases of a million games,
one contains two positions with the same key. The index depends on the number of games that reached a position:

- Two or more: a row of ``shared``. Each game takes four bytes: its number, its move in the position (on the canonical
  image of the board), and its result for the side that moved. Counting the games does not require reading them.
- One, which is the case for nineteen of twenty positions: a separate row would take three times as much space as its
  data. Instead, the first 11 bits of the key select a row of ``single``; there is one such row per 32,768 games. It
  stores the next 16 bits of the key and the last 15 bits of the game's number. A query replays the game to check that
  it reached the position. When a second game reaches it, the position moves to a row of ``shared``.

A block of games is written in one transaction, so a run that is killed loses one block at most. A repeated game is
recognized by its last indexed position. If a game was stored without names, for example from a WTHOR file without its
lists of names, adding it again fills them in. Otherwise a stored game never changes. Removing games rewrites the file,
because the numbers of the games must run from 1 to ``count``.
"""

from __future__ import annotations

import re
import sqlite3
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from quietmove.engine.common.database import WRITE_AHEAD, DatabaseFormat, open_database
from quietmove.engine.errors import DatabaseError
from quietmove.engine.files import refuse_special
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import INITIAL, PlayedGame
from quietmove.engine.games.othello.notation import parse_board
from quietmove.engine.games.othello.symmetry import KEY_BITS, NO_MOVE, trace

APPLICATION_ID = 0x514D4744  # "QMGD"
VERSION = 1
SCHEMA = """
CREATE TABLE name (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE game (number INTEGER PRIMARY KEY, moves BLOB, margin INTEGER, black INTEGER, white INTEGER, event INTEGER,
    year INTEGER, date TEXT, start TEXT);
CREATE TABLE shared (key INTEGER PRIMARY KEY, games BLOB NOT NULL);
CREATE TABLE single (row INTEGER PRIMARY KEY, games BLOB NOT NULL);
"""
ENTRY = 4  # bytes per game in a row of `shared`: two bits for the result, six for the move, 24 for the number
MOST_GAMES = (1 << 24) - 1
SEGMENT_BITS = 15  # a row of `single` covers 32,768 games
ROW_BITS = 11  # the first bits of a key select the row of `single`
ROW_SHIFT, CHECK_SHIFT = KEY_BITS - ROW_BITS, KEY_BITS - ROW_BITS - 16
SINGLE = 4  # bytes per game in a row of `single`: 16 bits of the key, and the last bits of the game's number
CENTRE = 0x0000001818000000
YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"  # base64: six bits per letter
SQUARES = bytes(range(64))
TO_LETTERS, TO_SQUARES = (bytes.maketrans(*pair) for pair in ((SQUARES, LETTERS), (LETTERS, SQUARES)))
BUSY_SECONDS = 60.0  # seconds to wait while another run writes a block, which normally takes less
FORMAT = DatabaseFormat(
    name="database of games",
    script=SCHEMA,
    error=DatabaseError,
    prefix="database: ",
    application_id=APPLICATION_ID,
    versions=(VERSION,),
    messages={"SQLITE_BUSY": "is being written by another run", "SQLITE_NOTADB": "is not a database of games"},
)
Names = tuple[int, int, int]  # the numbers of the names of Black, White and the event
# A row of `game` without its number.
Stored = tuple[bytes, int | None, int, int, int, int | None, str | None, str | None]


class GameDatabase:
    """A games database in a file or in memory; a context manager.

    :param path: the file, or None for a database in memory.
    :param create: whether to create the file if necessary, and allow writing.
    :raises DatabaseError: if the file cannot be read, is not a games database, or is damaged.
    """

    def __init__(self, path: Path | None, *, create: bool = False) -> None:
        self.path = path
        self._chosen: tuple[object, set[int]] = None, set()  # the last filter of numbers_of(), and its result
        if path is not None:
            refuse_special(path, DatabaseError, "database: ")
            if not create and not path.is_file():
                raise DatabaseError(f"database: {path}: no such file; 'quietmove database add' creates it")
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
        """The number of games."""
        with FORMAT.errors(self.path):
            return self._last()

    def _last(self) -> int:
        return int(self._file.execute("SELECT coalesce(max(number), 0) FROM game").fetchone()[0])

    def entries(self, key: int) -> bytes:
        """Return the games that reached a position, :data:`ENTRY` bytes each, in the order they were added."""
        with FORMAT.errors(self.path):
            row = self._file.execute("SELECT games FROM shared WHERE key = ?", (key,)).fetchone()
            if row:
                return bytes(row[0])
            return b"".join(found for *_, found in self._singles(key, self._rows(key >> ROW_SHIFT)))

    def games(self, numbers: Sequence[int]) -> list[Stored]:
        """Return the rows of the games with these numbers."""
        with FORMAT.errors(self.path):
            return [self._game(number) for number in numbers]

    def name(self, number: int) -> str:
        """Return the name with this number."""
        with FORMAT.errors(self.path):
            return str(self._file.execute("SELECT text FROM name WHERE number = ?", (number,)).fetchone()[0])

    def select(self, query: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with FORMAT.errors(self.path):
            return list(self._file.execute(query))

    def numbers_of(self, player: str, years: tuple[int, int] | None, side: int | None) -> set[int]:
        """Return the game numbers of a player's games in a range of years.

        :param player: part of the player's name, case-insensitive; "" for all games.
        :param years: the first and the last year, or None for all games.
        :param side: the player's side: 0 for Black, 1 for White, None for either.
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
        """Add a block of games in one transaction, and return how many were new.

        :param games: the games, in complete form.
        :param copies: the matching state, which all blocks of a file must share.
        """
        with FORMAT.errors(self.path), self._file:
            self._file.execute("BEGIN IMMEDIATE")
            copies.begin_block(self._file.execute("PRAGMA data_version").fetchone()[0])
            return _Block(self._file, self, copies).add(games)

    def pack(self) -> None:
        """Rewrite the file to remove the gaps that adding many blocks leaves, which take a fifteenth of its size."""
        with FORMAT.errors(self.path):
            self._file.execute("VACUUM")

    def _game(self, number: int) -> Stored:
        columns = "moves, margin, black, white, event, year, date, start"
        found = self._file.execute(f"SELECT {columns} FROM game WHERE number = ?", (number,)).fetchone()
        if found is None:
            raise DatabaseError(f"database: {self.path} is damaged: there is no game {number}")
        return found  # type: ignore[no-any-return]

    def _rows(self, at: int) -> list[bytes]:
        """Return the rows of ``single`` selected by the first bits of a key, one per segment of games."""
        numbers = range(at, (self._last() >> SEGMENT_BITS << ROW_BITS) + at + 1, 1 << ROW_BITS)
        found = (self._file.execute("SELECT games FROM single WHERE row = ?", (row,)).fetchone() for row in numbers)
        return [row[0] if row else b"" for row in found]

    def _singles(self, key: int, rows: Sequence[bytes]) -> Iterator[tuple[int, int, bytes]]:
        """Yield the row index, the offset in that row, and the entry of each game that reached a position."""
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
    """Matches a file's games with stored games.

    A game that occurs twice in a file counts as two games, but adding the file again adds none. Games that differ only
    in unknown names are copies of each other.

    :ivar free: the numbers of the stored games not yet matched by a game from the file: by the digest of the row
        without names, then by the names. Contains only games whose last position is in ``counted``.
    :ivar taken: the numbers of the stored games already matched or added.
    :ivar counted: the last positions whose stored games have been added to ``free``. Reading these games once per
        position instead of once per game keeps the time linear if many games end in the same position.
    """

    def __init__(self) -> None:
        self.free: dict[bytes, dict[Names, list[int]]] = {}
        self.taken = set[int]()
        self.counted = set[int]()
        self._version = 0

    def begin_block(self, version: int) -> None:
        """Discard the cached games if another process has added some, which changes SQLite's data version."""
        if version != self._version:
            self._version = version
            self.free.clear()
            self.counted.clear()


class _Block:
    """A block of games being added, inside an open transaction."""

    def __init__(self, file: sqlite3.Connection, database: GameDatabase, copies: Copies) -> None:
        self._file = file
        self._database = database
        self._copies = copies
        self._names: dict[str, int] = {}

    def add(self, games: Iterable[PlayedGame]) -> int:
        number = before = self._database.count
        found: dict[int, bytearray] = {}  # each position's new entries
        for game in games:
            own, opp, side = board_of(None if game.board == INITIAL else " ".join(game.board))
            moves = bytes(move for move in game.moves if move != PASS)
            positions = trace(own, opp, moves)
            row = self._row(game, moves)
            if not positions or (own | opp) & CENTRE != CENTRE or self._is_there(row, positions[-1][0]):
                continue
            number += 1
            self._copies.taken.add(number)
            if number > MOST_GAMES:
                raise DatabaseError(f"database: {self._database.path}: can hold at most {MOST_GAMES:,} games")
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
        """Return whether a game from the file is already stored, and fill in names that the stored game lacks."""
        copies = self._copies
        if last not in copies.counted:
            copies.counted.add(last)
            there = self._database.entries(last)
            for number in (int.from_bytes(there[at + 1 : at + ENTRY], "little") for at in range(0, len(there), ENTRY)):
                if number not in copies.taken:
                    stored = self._database._game(number)
                    copies.free.setdefault(digest(stored), {}).setdefault(stored[2:5], []).append(number)
        alike = copies.free.get(digest(row), {})
        names = row[2:5]
        known = names if names in alike else next((each for each in alike if self._is_one(each, names)), None)
        if known is None:
            return False
        number = alike[known].pop()
        if not alike[known]:
            del alike[known]
        copies.taken.add(number)
        if known != names:
            unknown = self._name("")
            both = [new if old == unknown else old for old, new in zip(known, names, strict=True)]
            self._file.execute("UPDATE game SET black = ?, white = ?, event = ? WHERE number = ?", (*both, number))
        return True

    def _is_one(self, one: Names, other: Names) -> bool:
        """Return whether two games can be the same: whether any names that differ are unknown in one of them."""
        unknown = self._name("")
        return all(first == second or unknown in (first, second) for first, second in zip(one, other, strict=True))

    def _write(self, found: dict[int, bytearray]) -> None:
        """Add the positions' entries in key order, so that each page of the file is written once."""
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
    """Return the discs of the side to move, the opponent's discs, and the side to move at the start of a game."""
    black, white, side = parse_board(INITIAL if start is None else start.split())
    return (white, black, side) if side else (black, white, side)


def entry(number: int, move: int, margin: int | None, side: int) -> bytes:
    """Return a game's entry for a row of ``shared``.

    :param margin: Black's margin, or None if unknown. The entry's result is 1 for a win of the ``side`` that moved, 2
        for a draw, 3 for a loss, and 0 if unknown.
    """
    end = 0 if margin is None else 2 if margin == 0 else 1 if (margin > 0) == (side == 0) else 3
    return (number << 8 | move << 2 | end).to_bytes(ENTRY, "little")


def digest(row: Stored) -> bytes:
    """Return a 16-byte digest of a row without the numbers of its players and its event."""
    return blake2b(repr((*row[:2], *row[5:])).encode(), digest_size=16).digest()


def packed(moves: bytes) -> bytes:
    """Pack squares into six bits each."""
    return a2b_base64(moves.translate(TO_LETTERS) + TO_LETTERS[NO_MOVE : NO_MOVE + 1] * (-len(moves) % 4))


def unpacked(data: bytes) -> bytes:
    """Unpack the squares packed by :func:`packed`."""
    return b64encode(data).translate(TO_SQUARES).rstrip(SQUARES[NO_MOVE : NO_MOVE + 1])
