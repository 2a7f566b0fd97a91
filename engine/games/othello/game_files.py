"""Readers of games played elsewhere: WTHOR's files, GGF, and transcripts as text.

Passes need not be written.

- ``.wtb``: the database of the Fédération Française d'Othello: a header of 16 bytes, then 68 bytes a game.
- ``.ggf``: the Generic Game Format of the server GGS, any number of games a line. Games by other rules or on another
  board than 8x8 are skipped.
- ``.txt``: a game a line, ``f5d6c3…``, from the initial position, with or without blanks between the moves; a pass that
  is written is ``pass``. Empty lines and lines that begin with # are skipped.

A text may begin with the byte-order mark of UTF-8.
"""

from __future__ import annotations

import codecs
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from quietmove.engine.errors import GameFileError, NotationError, PositionError
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.notation import START, format_square, parse_board, parse_square

__all__ = ["READERS", "PlayedGame", "read_game_file", "read_transcripts", "replay"]

WTHOR_HEADER = struct.Struct("<4xIHHBBBx")
WTHOR_GAME = struct.Struct("<6xBB60s")
GGF_GAME = re.compile(r"\(;(.*?);\)", re.DOTALL)
GGF_PROPERTY = re.compile(r"\s*([A-Z]{1,2})\[([^\]]*)\]")
GGF_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?")
GGF_OTHELLO = re.compile(r"s?8(?:[kr][\d.]*)*")  # the types whose rules and board are those of Othello
TRANSCRIPT_MOVE = re.compile(r"pass|\S{1,2}", re.IGNORECASE)
SIDES = ("Black", "White")


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game as it was written.

    :param place: where it stands in its file.
    :param board: the fields of the position in which it begins, as :func:`parse_board` reads them.
    :param moves: squares; passes may be left out.
    :param margin: Black's discs at the end less White's, or None where that is not written.
    :param sides: the side of each move, or none where they are not written.
    :param players: the names of Black and White, empty where they are not written.
    """

    place: str
    board: tuple[str, str]
    moves: tuple[int, ...]
    margin: float | None = None
    sides: tuple[int, ...] = ()
    players: tuple[str, str] = ("", "")


def read_game_file(path: Path) -> Iterator[PlayedGame]:
    """Return the games of a file, of the kind that its ending says: one of :data:`READERS`.

    :raises GameFileError: naming the place, if it cannot be read, or something in it is no game or no move.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GameFileError(error.strerror or str(error)) from None
    return READERS[path.suffix.lower()](data)


def replay(game: PlayedGame) -> Iterator[tuple[OthelloPosition, int]]:
    """Yield each position of a game with the move made there, forced passes too; it is one object that moves on.

    After the last move it is played on over a forced pass, so that a game that is over is known to be.

    :raises GameFileError: if a move is not legal or not of the side to move, or the result is not what was written.
    """
    position = OthelloPosition(*parse_board(game.board))
    for count, move in enumerate(game.moves, 1):
        legal = position.legal_moves()
        if legal == [PASS] and move != PASS:
            yield position, PASS
            position.play(PASS)
            legal = position.legal_moves()
        if game.sides and game.sides[count - 1] != position.side_to_move:
            name, side = format_square(move), SIDES[game.sides[count - 1]]
            raise GameFileError(f"{game.place}: move {count}, {name}, is written for {side}, who is not to move")
        if move not in legal:
            raise GameFileError(f"{game.place}: move {count}, {format_square(move)}, is not legal")
        yield position, move
        position.play(move)
    if position.legal_moves() == [PASS]:
        position.play(PASS)
    if position.is_over() and game.margin is not None:
        discs = position.black.bit_count() - position.white.bit_count()
        check_margin(game.place, game.margin, position.result() // 100, discs)


def check_margin(place: str, margin: float, result: int, discs: int) -> None:
    """Compare the margin that is written with that of the moves; GGF rounds to 0.01.

    :param result: with the empty squares given to the winner, which not every source does.
    :param discs: without them.
    :raises GameFileError: if it is neither.
    """
    if min(abs(margin - result), abs(margin - discs)) > 0.01:
        raise GameFileError(f"{place}: a margin of {margin:+g} for Black is written; its moves give {result:+}")


def read_wthor(data: bytes) -> Iterator[PlayedGame]:
    """Yield the games of a WTHOR file.

    :raises GameFileError: if its header or its length is wrong, or a move is no square.
    """
    if len(data) < WTHOR_HEADER.size:
        raise GameFileError(f"its header has {WTHOR_HEADER.size} bytes; {len(data)} came")
    count, names, _, size, kind, _ = WTHOR_HEADER.unpack_from(data)
    if names or size not in (0, 8) or kind != 0:
        raise GameFileError(f"games on 8x8 squares are read; names {names}, board {size}, type {kind} came")
    expected = WTHOR_HEADER.size + count * WTHOR_GAME.size
    if len(data) != expected:
        raise GameFileError(f"{count} games, {expected} bytes, are announced; {len(data)} bytes came")
    for number in range(count):
        place = WTHOR_HEADER.size + number * WTHOR_GAME.size
        score, _, played = WTHOR_GAME.unpack_from(data, place)
        name = f"game {number + 1}, at byte {place}"
        moves = tuple(wthor_square(byte, name) for byte in played.rstrip(b"\0"))
        yield PlayedGame(name, (START, "X"), moves, 2 * score - 64)


def wthor_square(byte: int, place: str) -> int:
    """Return the square of a byte: ten times its row and its column, both counted from 1."""
    row, column = divmod(byte, 10)
    if not (1 <= row <= 8 and 1 <= column <= 8):
        raise GameFileError(f"{place}: 11 to 88, two digits from 1 to 8, is allowed as a move; {byte} came")
    return 8 * (row - 1) + column - 1


def read_ggf(data: bytes) -> Iterator[PlayedGame]:
    """Yield the games of a GGF file.

    :raises GameFileError: if there is no game, or one is not closed, has no board or result, or a move is none.
    """
    text = decode(data)
    found = False
    for match in GGF_GAME.finditer(text):
        name = f"line {text.count(chr(10), 0, match.start()) + 1}"
        properties = GGF_PROPERTY.findall(match[1])
        rest = GGF_PROPERTY.sub("", match[1]).strip()
        if rest:
            raise GameFileError(f"{name}: properties, capital letters before [value], are allowed; {rest[:20]!r} came")
        values = dict(properties)
        found = found or "GM" in values
        if values.get("GM", "").lower() == "othello" and GGF_OTHELLO.fullmatch(values.get("TY", "")):
            yield ggf_game(name, properties)
    outside = GGF_GAME.sub("", text)
    if (start := outside.find("(;")) >= 0:
        raise GameFileError(f"a game is not closed by ;): {outside[start : start + 20]!r}")
    if not found:
        raise GameFileError("no GGF game was found in it")


def ggf_game(place: str, properties: list[tuple[str, str]]) -> PlayedGame:
    """Return the game of its properties.

    :raises GameFileError: if it has no board, its result is no number, or a move is none.
    """
    values = dict(properties)
    words = values.get("BO", "").replace("*", "X").split()
    board = ("".join(words[1:-1]), words[-1]) if words else ("", "")
    moves, sides = [], []
    try:
        parse_board(board)
        for name, value in properties:
            if name in ("B", "W"):
                written = value.partition("/")[0]
                moves.append(PASS if written.lower() in ("pa", "pass") else parse_square(written))
                sides.append("BW".index(name))
    except (PositionError, NotationError) as error:
        raise GameFileError(f"{place}: {error}") from None
    players = values.get("PB", ""), values.get("PW", "")
    return PlayedGame(place, board, tuple(moves), ggf_margin(place, values), tuple(sides), players)


def ggf_margin(place: str, values: dict[str, str]) -> float | None:
    """Return Black's margin, None where none is written or another reason than the board ended the game.

    The komi is what Black must be ahead by: a result is the margin less the komi.

    :raises GameFileError: if the result or the komi is no number.
    """
    result, komi = values.get("RE", ""), values.get("KM", "0")
    if result in ("", "?") or ":" in result:  # RE[+64.00:r] was resigned
        return None
    for name, value in (("RE", result), ("KM", komi)):
        if not GGF_NUMBER.fullmatch(value):
            raise GameFileError(f"{place}: {name}: a number of discs is allowed; {value!r} came")
    return float(result) + float(komi)


def read_transcripts(data: bytes) -> Iterator[PlayedGame]:
    """Yield the games of a text, one a line.

    :raises GameFileError: if something is no move.
    """
    for number, line in enumerate(decode(data).splitlines(), 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        try:
            moves = tuple(parse_square(each) for each in TRANSCRIPT_MOVE.findall(words))
        except NotationError as error:
            raise GameFileError(f"line {number}: {error}") from None
        yield PlayedGame(f"line {number}", (START, "X"), moves)


def decode(data: bytes) -> str:
    """Return a text without its byte-order mark; any byte is some letter, so that the error names the place."""
    return data.removeprefix(codecs.BOM_UTF8).decode("latin-1")


READERS: dict[str, Callable[[bytes], Iterator[PlayedGame]]] = {
    ".wtb": read_wthor,
    ".ggf": read_ggf,
    ".txt": read_transcripts,
}
