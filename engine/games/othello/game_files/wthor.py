"""WTHOR, the database of the Fédération Française d'Othello: games in a ``.wtb``, names in a ``.jou`` and a ``.trn``.

All numbers are little-endian. Each file begins with 16 bytes: the date of its making, the number of games, the number
of names, the year of the games, and of the games the size of the board, the kind and from how many empty squares on the
score under perfect play was counted.

- ``.wtb``: 68 bytes a game: the numbers of tournament, Black and White, Black's discs at the end with the empty
  squares given to the winner, the same under perfect play, and 60 moves, each ten times its row and its column; 0 where
  the game has ended. Passes are left out, and so is what the format does not know: times, how a game ended.
- ``.jou``: 20 bytes a player, ``.trn``: 26 bytes a tournament, a name in Latin-1, filled up with zeros. Number 0
  stands for one that is not known.

The names of a ``.wtb`` are those in the ``.jou`` and the ``.trn`` with its name, or in the only ones in its folder: one
of each serves the games of all years. The score under perfect play is neither read nor known where a file is written,
which repeats the other score there. Games that are written are turned so that they begin with f5, as in the database.
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
from quietmove.engine.games.othello.game_files.game import FINISHED, INITIAL, Losses, PlayedGame

HEADER = struct.Struct("<BBBBIHHBBBx")
GAME = struct.Struct("<HHHBB60s")
NAME_FILES = (".jou", ".trn")
NAME_SIZES = {".jou": 20, ".trn": 26}  # bytes, the last of them 0
MOST_NAMES = 1 << 16  # players have so many names at most, and tournaments; one stands for the unknown
UNKNOWN = "???"
MOST_MOVES = 60
FIRST_MOVE = (4, 5)  # f5: its row and its column, counted from 0
YEAR = re.compile(r"[12]\d{3}(?!\d)", re.ASCII)
HELD_FIELDS = frozenset(("players", "events", "dates", "results of games that stopped early"))  # write() counts dates
DEPTH = 24  # empty squares from which on the score under perfect play is counted


def read(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of a WTHOR file.

    :raises GameFileError: if its header or its length is wrong, or a move is no square, or a name is not there.
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

    :raises GameFileError: if they are games of another board, or not that many.
    """
    size = file.seek(0, 2)
    file.seek(0)
    if size < HEADER.size:
        raise GameFileError(f"header: must be {HEADER.size} bytes, not {size}")
    *_, count, names, year, board, kind, _ = HEADER.unpack(file.read(HEADER.size))
    if names or board not in (0, 8) or kind != 0:
        raise GameFileError(f"games: must be on 8x8 squares, not names {names}, board {board}, type {kind}")
    expected = HEADER.size + count * GAME.size
    if size != expected:
        raise GameFileError(f"{count} games: must be {expected} bytes, not {size}")
    return count, year


def square(byte: int, place: str) -> int:
    """Return the square of a byte: ten times its row and its column, both counted from 1."""
    row, column = divmod(byte, 10)
    if not (1 <= row <= 8 and 1 <= column <= 8):
        raise GameFileError(f"{place}: move: must be 11 to 88, two digits from 1 to 8, not {byte}")
    return 8 * (row - 1) + column - 1


def files_beside(path: Path, ending: str) -> list[Path]:
    return sorted(each for each in path.parent.iterdir() if each.suffix.lower() == ending)


def why_no_names(path: Path, ending: str) -> str:
    """Return why a WTHOR file has no names of a kind, if it has none."""
    count = len(files_beside(path, ending))
    return (
        f"since none of the {count} {ending} files is named after the games"
        if count
        else f"for want of a {ending} file"
    )


def names_beside(path: Path, ending: str) -> Path | None:
    """Return the file with the names of a WTHOR file, None where it is not there."""
    there = files_beside(path, ending)
    own = [each for each in there if each.stem == path.stem] or [
        each for each in there if each.stem.lower() == path.stem.lower()
    ]
    return own[0] if own else there[0] if len(there) == 1 else None


def read_names(path: Path, ending: str, losses: Losses) -> list[str] | None:
    """Return the names of the players or of the tournaments, None where there are none beside the games.

    :raises GameFileError: if their file is not what it must be.
    """
    file = names_beside(path, ending)
    if file is None:
        return None
    size = NAME_SIZES[ending]
    with open_regular(file) as opened:
        data = opened.read(HEADER.size + MOST_NAMES * size)
    if len(data) < HEADER.size:
        raise GameFileError(f"{file.name}: header: must be {HEADER.size} bytes, not {len(data)}")
    count = HEADER.unpack_from(data)[5]
    if len(data) != HEADER.size + count * size:
        expected = HEADER.size + count * size
        raise GameFileError(f"{file.name}: {count} names: must be {expected} bytes, not {len(data)}")
    cut = [data[at : at + size].partition(b"\0")[0] for at in range(HEADER.size, len(data), size)]
    return ["" if name.startswith(b"???") else name.decode("latin-1") for name in cut]


def name_of(names: Sequence[str] | None, number: int, what: str) -> str:
    """Return the name with a number, empty where there are no names."""
    if names is None:
        return ""
    if number >= len(names):
        raise GameFileError(f"{what}: must be a number from 0 to {len(names) - 1}, not {number}")
    return names[number]


class NameList:
    """The names of a file that is written, numbered in the order in which they come."""

    def __init__(self, ending: str) -> None:
        self._size = NAME_SIZES[ending]
        self._numbers: dict[bytes, int] = {UNKNOWN.encode(): 0}

    def number(self, text: str, losses: Losses) -> int:
        """Return the number of a name.

        :raises GameFileError: if there are too many.
        """
        data = (text or UNKNOWN).encode("latin-1", "replace").replace(b"\0", b" ")[: self._size - 1]
        if text and data.decode("latin-1") != text:
            losses.not_kept["names in full"] += 1
        if len(self._numbers) == MOST_NAMES - 1 and data not in self._numbers:
            raise GameFileError(f"names of players or of tournaments: must be at most {MOST_NAMES - 2:,}")
        return self._numbers.setdefault(data, len(self._numbers))

    def write(self, file: BinaryIO) -> None:
        file.write(packed_header(names=len(self._numbers)))
        for each in self._numbers:
            file.write(each.ljust(self._size, b"\0"))


def packed_header(games: int = 0, names: int = 0, year: int = 0) -> bytes:
    """Return a header that was made today."""
    today = date.today()
    of_games = names == 0
    made = (today.year // 100, today.year % 100, today.month, today.day)
    return HEADER.pack(*made, games, names, year, 8 * of_games, 0, DEPTH * of_games)


def write(files: Sequence[BinaryIO], games: Iterable[PlayedGame], losses: Losses) -> int:
    """Write the games to the first of the files, the ``.wtb``, the names to the others; return how many games."""
    count = 0
    lists = [NameList(ending) for ending in NAME_FILES]
    years: set[str] = set()
    files[0].write(packed_header())
    for game in games:
        if reason := why_not(game):
            losses.left_out[reason] += 1
            continue
        losses.count_all_but_moves(game, HELD_FIELDS)
        if game.ending not in ("", FINISHED):
            losses.not_kept["why a game ended, other than its result"] += 1
        years.add(match[0] if (match := YEAR.match(game.date)) else "0")
        if len(game.date) > len("2026"):
            losses.not_kept["dates, but for the year"] += 1
        black, white = (lists[0].number(each, losses) for each in game.players)
        numbers = lists[1].number(game.event, losses), black, white
        score = (64 + round(game.margin or 0)) // 2
        files[0].write(GAME.pack(*numbers, score, score, bytes(move_bytes(game.moves))))
        count += 1
    files[0].seek(0)
    if len(years) > 1:  # the header has a place for one
        losses.not_kept["the years"] += count
    files[0].write(packed_header(count, year=int(years.pop()) if len(years) == 1 else 0))
    for names, file in zip(lists, files[1:], strict=True):
        names.write(file)
    return count


def why_not(game: PlayedGame) -> str:
    """Return why a game cannot be written, nothing if it can."""
    if game.board != INITIAL:
        return "they begin in another position"
    if game.margin is None:
        return "they stopped early, without a result"
    if game.margin % 2 or not -64 <= game.margin <= 64:
        return "their result is no even number of discs up to 64"
    return ""


def move_bytes(moves: Iterable[int]) -> Iterator[int]:
    """Yield the bytes of the moves without passes, on the board turned so that the first is f5."""
    rows = [divmod(move, 8) for move in moves if move != PASS]
    row, column = rows[0] if rows else FIRST_MOVE
    swapped, opposite = row > column, row + column < 7
    for row, column in rows:
        row, column = (column, row) if swapped else (row, column)
        row, column = (7 - column, 7 - row) if opposite else (row, column)
        yield 10 * (row + 1) + column + 1
