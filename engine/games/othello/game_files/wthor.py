"""WTHOR, the database of the Fédération Française d'Othello: ``.wtb`` files of games, ``.jou`` and ``.trn`` of names.

All numbers are little-endian. Each file begins with 16 bytes: the creation date, the number of games, the number of
names, the year of the games, the size of the board, the type of the games, and the number of empty squares at which the
score under perfect play was computed.

- ``.wtb``: 68 bytes per game: the numbers of the tournament, of Black and of White, Black's discs at the end with empty
  squares given to the winner, the same under perfect play, and 60 moves, each ten times its row plus its column; 0
  after the end of the game. Passes are omitted. The format stores neither times nor the reason why a game ended.
- ``.jou``: 20 bytes per player, ``.trn``: 26 bytes per tournament: a name in Latin-1, padded with zeros. Number 0 means
  unknown.

The names for a ``.wtb`` file are in the ``.jou`` and ``.trn`` files with the same stem, or else in the only such files
in its folder, since one of each is enough for the games of all years. The score under perfect play is not read; since
it is unknown when a file is written, the actual score is repeated there. Games are transformed on writing so that they
begin with f5, as in the database.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import BinaryIO

from quietmove.engine.errors import GameFileError
from quietmove.engine.files import open_regular
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import FINISHED, HELD_FIELDS, INITIAL, Losses, PlayedGame

HEADER = struct.Struct("<BBBBIHHBBBx")
GAME = struct.Struct("<HHHBB60s")
NAME_FILES = (".jou", ".trn")
NAME_SIZES = {".jou": 20, ".trn": 26}  # bytes, including a terminating 0
MAX_NAMES = 1 << 16  # maximum number of players, and of tournaments, including number 0 for unknown
UNKNOWN = "???"
MAX_MOVES = 60
FIRST_MOVE = (4, 5)  # f5: row and column, from 0
YEAR = re.compile(r"[12]\d{3}(?!\d)", re.ASCII)
DEPTH = 24  # empty squares at which the score under perfect play is computed


def read(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of a WTHOR file.

    :raises GameFileError: if its header or length is wrong, a move is not a square, or a name is missing.
    """
    players, events = (read_names(path, ending, losses) for ending in NAME_FILES)
    with open_regular(path) as file:
        count, year = read_header(file)

        lacks = {ending: why_no_names(path, ending) for ending in NAME_FILES}

        def read_game(number: int) -> PlayedGame:
            place = f"game {number + 1}, at byte {file.tell()}"
            event, black, white, score, _, played = GAME.unpack(file.read(GAME.size))
            if score > 64:
                raise GameFileError(f"{place}: score: must be 0 to 64 discs, not {score}")
            moves = tuple(square(byte, place) for byte in played.rstrip(b"\0"))
            both = name_of(players, black, f"{place}: player"), name_of(players, white, f"{place}: player")
            where = name_of(events, event, f"{place}: tournament")
            if players is None and black | white:
                losses.not_kept[f"players, {lacks['.jou']}"] += 1
            if events is None and event:
                losses.not_kept[f"tournaments, {lacks['.trn']}"] += 1
            day = str(year) if year else ""
            return PlayedGame(place, INITIAL, moves, 2 * score - 64, players=both, event=where, date=day)

        yield from losses.read_each(partial(read_game, number) for number in range(count))


def read_header(file: BinaryIO) -> tuple[int, int]:
    """Return the number of games and their year.

    :raises GameFileError: if the games are on another board, or the file size does not match.
    """
    size = file.seek(0, 2)
    file.seek(0)
    if size < HEADER.size:
        raise GameFileError(f"header: must be {HEADER.size} bytes, not {size}")
    *_, count, names, year, board, kind, _ = HEADER.unpack(file.read(HEADER.size))
    if names or board not in (0, 8) or kind != 0:
        raise GameFileError(f"header: expected games on an 8x8 board, got {names} names, board {board}, type {kind}")
    expected = HEADER.size + count * GAME.size
    if size != expected:
        raise GameFileError(f"{count} games: must be {expected} bytes, not {size}")
    return count, year


def square(byte: int, place: str) -> int:
    """Decode the byte of a move: ten times the row plus the column, both from 1."""
    row, column = divmod(byte, 10)
    if not (1 <= row <= 8 and 1 <= column <= 8):
        raise GameFileError(f"{place}: move: must be 11 to 88, two digits from 1 to 8, not {byte}")
    return 8 * (row - 1) + column - 1


def files_beside(path: Path, ending: str) -> list[Path]:
    return sorted(each for each in path.parent.iterdir() if each.suffix.lower() == ending)


def why_no_names(path: Path, ending: str) -> str:
    """Return the reason to report if the names for a WTHOR file are missing."""
    count = len(files_beside(path, ending))
    return (
        f"because none of the {count} {ending} files has the same name as the games"
        if count
        else f"because there is no {ending} file"
    )


def names_beside(path: Path, ending: str) -> Path | None:
    """Return the names file for a WTHOR file: the one of the same name, or the only one there is, or else None."""
    there = files_beside(path, ending)
    own = [each for each in there if each.stem == path.stem] or [
        each for each in there if each.stem.lower() == path.stem.lower()
    ]
    return own[0] if own else there[0] if len(there) == 1 else None


def read_names(path: Path, ending: str, losses: Losses) -> list[str] | None:
    """Return the names of players or tournaments, or None if their file is missing.

    :raises GameFileError: if the file is invalid.
    """
    file = names_beside(path, ending)
    if file is None:
        return None
    size = NAME_SIZES[ending]
    with open_regular(file) as opened:
        data = opened.read(HEADER.size + MAX_NAMES * size)
    if len(data) < HEADER.size:
        raise GameFileError(f"{file.name}: header: must be {HEADER.size} bytes, not {len(data)}")
    count = HEADER.unpack_from(data)[5]
    if len(data) != HEADER.size + count * size:
        expected = HEADER.size + count * size
        raise GameFileError(f"{file.name}: {count} names: must be {expected} bytes, not {len(data)}")
    cut = [data[at : at + size].partition(b"\0")[0] for at in range(HEADER.size, len(data), size)]
    return ["" if name.startswith(b"???") else name.decode("latin-1") for name in cut]


def name_of(names: Sequence[str] | None, number: int, what: str) -> str:
    """Return the name with the index ``number``, or "" if there are no names."""
    if names is None:
        return ""
    if number >= len(names):
        raise GameFileError(f"{what}: must be a number from 0 to {len(names) - 1}, not {number}")
    return names[number]


class NameList:
    """The names in an output file, numbered in order of appearance."""

    def __init__(self, ending: str) -> None:
        self._size = NAME_SIZES[ending]
        self._numbers: dict[bytes, int] = {UNKNOWN.encode(): 0}

    def number(self, text: str, losses: Losses) -> int:
        """Return the index of a name in the output file, adding the name if it is new.

        :raises GameFileError: if there are too many names.
        """
        data = (text or UNKNOWN).encode("latin-1", "replace").replace(b"\0", b" ")[: self._size - 1]
        if text and data.decode("latin-1") != text:
            losses.not_kept["names in full"] += 1
        if len(self._numbers) == MAX_NAMES - 1 and data not in self._numbers:
            raise GameFileError(f"names of players or tournaments: must be at most {MAX_NAMES - 2:,} different ones")
        return self._numbers.setdefault(data, len(self._numbers))

    def write(self, file: BinaryIO) -> None:
        file.write(packed_header(names=len(self._numbers)))
        for each in self._numbers:
            file.write(each.ljust(self._size, b"\0"))


def packed_header(games: int = 0, names: int = 0, year: int = 0) -> bytes:
    """Return a header with today's date."""
    today = date.today()
    of_games = names == 0
    made = (today.year // 100, today.year % 100, today.month, today.day)
    return HEADER.pack(*made, games, names, year, 8 * of_games, 0, DEPTH * of_games)


def write(files: Sequence[BinaryIO], games: Iterable[PlayedGame], losses: Losses) -> int:
    """Write the games to the first file and the names to the others, and return the number of games."""
    count = 0
    lists = [NameList(ending) for ending in NAME_FILES]
    years: set[str] = set()
    files[0].write(packed_header())
    for game in games:
        if reason := why_not(game):
            losses.left_out[reason] += 1
            continue
        losses.count_all_but_moves(game, HELD_FIELDS)  # lost dates are counted below
        if game.ending not in ("", FINISHED):
            losses.not_kept["reasons why games ended"] += 1
        years.add(match[0] if (match := YEAR.match(game.date)) else "0")
        if len(game.date) > len("2026"):
            losses.not_kept["dates (only the year is kept)"] += 1
        black, white = (lists[0].number(each, losses) for each in game.players)
        numbers = lists[1].number(game.event, losses), black, white
        score = (64 + round(game.margin or 0)) // 2
        files[0].write(GAME.pack(*numbers, score, score, bytes(move_bytes(game.moves))))
        count += 1
    files[0].seek(0)
    if len(years) > 1:  # the header has room for only one year
        losses.not_kept["the years"] += count
    files[0].write(packed_header(count, year=int(years.pop()) if len(years) == 1 else 0))
    for names, file in zip(lists, files[1:], strict=True):
        names.write(file)
    return count


def why_not(game: PlayedGame) -> str:
    """Return the reason why a game cannot be written, or "" if it can."""
    if game.board != INITIAL:
        return "a different initial position"
    if game.margin is None:
        return "stopped early, without a result"
    if game.margin % 2 or not -64 <= game.margin <= 64:
        return "the result is not an even number of discs up to 64"
    return ""


def move_bytes(moves: Iterable[int]) -> Iterator[int]:
    """Yield the bytes of the moves without passes, transformed so that the first move is f5."""
    rows = [divmod(move, 8) for move in moves if move != PASS]
    row, column = rows[0] if rows else FIRST_MOVE
    swapped, opposite = row > column, row + column < 7
    for row, column in rows:
        row, column = (column, row) if swapped else (row, column)
        row, column = (7 - column, 7 - row) if opposite else (row, column)
        yield 10 * (row + 1) + column + 1
