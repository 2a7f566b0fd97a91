"""GGF, the Generic Game Format of the server GGS: any number of games per line, each ``(;PROPERTY[value]…;)``.

Games with other rules or other board sizes are left out. The following properties are read and written; others are
dropped and counted:

- ``PC`` the event, ``DT`` the date, ``PB`` and ``PW`` the players;
- ``RE`` Black's winning margin in discs, optionally followed by a colon and the reason: ``r`` resignation, ``t`` time,
  ``s`` agreement, ``l`` a player left;
- ``BO`` the initial board and the side to move: ``*`` Black, ``O`` White; without it, the usual initial position;
- ``B`` and ``W`` the moves of each side in order, ``F5/2.40/3.95``, with the player's own evaluation in discs and the
  seconds used; a pass is ``PA``.

The format cannot represent square brackets in values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from quietmove.engine.errors import GameFileError, NotationError, PositionError
from quietmove.engine.games.base import DECISIVE
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import FINISHED, INITIAL, VARIATIONS, Losses, PlayedGame
from quietmove.engine.games.othello.game_files.text_lines import decode, open_text, skip_mark
from quietmove.engine.games.othello.notation import format_square, parse_board, parse_square

BEGIN = re.compile(rb"\s*+\d*+\s*+\(;")  # a line that begins with a game, optionally preceded by the number of games
GAME = re.compile(rb"\(;(?:[^\[;]++|;(?!\))|\[[^\]]*+(?:\]|\Z))*+(?:;\))?")  # `;)` in a value does not end a game
PROPERTY = re.compile(r"\s*([A-Z]{1,2})\[([^\]]*)\]")
NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.\d*)?")
OTHELLO = re.compile(r"s?\d*(?:[kr][\d.]*)*")  # types with the rules of Othello; the size comes from BO
USUAL = re.compile(r"s?8?")  # types of games that begin with the usual board
SIZE = re.compile(r"s?(?!8\b)\d+")  # types of games on other boards
NOT_A_VALUE = re.compile(r"[\[\]]|;\)|[\r\n]")
ENDINGS = {"r": "resign", "t": "timeout", "s": "adjudicated", "l": "abandoned"}
KEPT = frozenset(("GM", "TY", "BO", "KM", "RE", "PC", "DT", "PB", "PW", "B", "W"))
FLAGS = {ending: flag for flag, ending in ENDINGS.items()}


def read(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of a GGF file.

    :raises GameFileError: if there are no games, or a game has no end, no board, or an invalid result or move.
    """
    with open_text(path) as file:
        yield from read_from(file, losses)


def read_from(file: BinaryIO, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of an open GGF file.

    :raises GameFileError: as :func:`read`.
    """
    games = 0

    def read_text(place: str, text: str) -> PlayedGame | None:
        nonlocal games
        properties = list[tuple[str, str]]()
        at = len("(;")
        while match := PROPERTY.match(text, at):
            properties.append((match[1], match[2]))
            at = match.end()
        values = dict(properties)
        games += "GM" in values
        if not text.endswith(";)"):
            raise GameFileError(f"{place}: a game has no closing ;): {text[:20]!r}")
        rest = text[at:-2].strip()
        if rest:
            raise GameFileError(f"{place}: expected properties such as B[f5], with capital letters, got {rest[:20]!r}")
        size, *_ = *values.get("BO", "").split(), ""
        is_8x8 = size == "8" or not size.isdecimal()
        if "BO" not in values:
            is_8x8 = SIZE.fullmatch(values.get("TY", "")) is None
        if values.get("GM", "").lower() == "othello" and OTHELLO.fullmatch(values.get("TY", "")) and is_8x8:
            game = read_game(place, properties)
            losses.not_kept.update(
                f"the property {name}" for name, value in values.items() if value and name not in KEPT
            )
            return game
        losses.left_out["another game or board size"] += "GM" in values
        return None

    yield from losses.read_each(partial(read_text, *each) for each in texts(file))
    if not games:
        raise GameFileError("it contains no GGF games")


def texts(file: BinaryIO) -> Iterator[tuple[str, str]]:
    """Yield each game's location (such as ``line 1``), and its text from ``(;`` to ``;)``.

    A game without a closing ``;)`` ends at a line that begins with another game.
    """
    first = 1
    lines = bytearray()
    skip_mark(file)
    for number, line in enumerate(chain(file, [b"(;"]), 1):
        if BEGIN.match(line):
            at = 0
            for game in GAME.finditer(lines):
                first += lines.count(b"\n", at, game.start())
                at = game.start()
                yield f"line {first}", decode(bytes(game[0]))
            first = number
            lines = bytearray()
        lines += line


def read_game(place: str, properties: list[tuple[str, str]]) -> PlayedGame:
    """Return the game described by its properties.

    :raises GameFileError: if it has no board, or its result or a move is invalid.
    """
    values = dict(properties)
    words = values.get("BO", "").replace("*", "X").split()
    board = ("".join(words[1:-1]), words[-1]) if words else INITIAL
    moves, sides, scores, times = [], [], [], []
    try:
        if not words and not USUAL.fullmatch(values.get("TY", "")):
            raise PositionError(f"BO is missing: only games of the type 8 have the usual board, not {values['TY']!r}")
        parse_board(board)
        for name, value in properties:
            if name in ("B", "W"):
                move, score, seconds, *_ = [*value.split("/"), "", ""]
                moves.append(parse_square(move))
                sides.append("BW".index(name))
                scores.append(scaled(score, 100))
                times.append(scaled(seconds, 1000))
    except (PositionError, NotationError) as error:
        raise GameFileError(f"{place}: {error}") from None
    margin, ending = read_result(place, values)
    players = values.get("PB", ""), values.get("PW", "")
    event = values.get("PC", "")
    date = values.get("DT", "")
    numbers = tuple(times), tuple(scores)
    return PlayedGame(place, board, tuple(moves), margin, tuple(sides), players, event, date, ending, *numbers)


def scaled(text: str, unit: int) -> int | None:
    """Parse a number and scale it by ``unit``; return None for anything else, since some programs write "nan"."""
    return round(float(text) * unit) if NUMBER.fullmatch(text) else None


def read_result(place: str, values: dict[str, str]) -> tuple[float | None, str]:
    """Return Black's margin (None if not recorded) and the ending ("" if unknown).

    The komi is Black's handicap: a result is the margin minus the komi.

    :raises GameFileError: if the result or the komi is not a number.
    """
    result, _, flag = values.get("RE", "").partition(":")
    komi = values.get("KM", "0")
    if result in ("", "?"):
        return None, ENDINGS.get(flag, "")
    for name, value in (("RE", result), ("KM", komi)):
        if not NUMBER.fullmatch(value):
            raise GameFileError(f"{place}: {name}: must be a number of discs, not {value!r}")
    return float(result) + float(komi), ENDINGS.get(flag, flag)


def write(files: Sequence[BinaryIO], games: Iterable[PlayedGame], losses: Losses) -> int:
    """Write the games, one per line, and return their number."""
    count = 0
    for game in games:
        texts = {"PC": game.event, "DT": game.date, "PB": game.players[0], "PW": game.players[1]}
        held = {name: NOT_A_VALUE.sub(" ", text) for name, text in texts.items()}
        if held != texts:
            losses.not_kept["characters that the format cannot represent"] += 1
        if game.ending not in ("", FINISHED, *FLAGS):
            losses.not_kept["reasons why games ended"] += 1
        if game.lines:
            losses.not_kept[VARIATIONS] += 1
        if any(score is not None and abs(score) > DECISIVE for score in game.scores):
            losses.not_kept["proven wins"] += 1
        head = "".join(f"{name}[{text}]" for name, text in held.items() if text)
        files[0].write(f"(;GM[Othello]{head}{start_properties(game)}{''.join(move_properties(game))};)\n".encode())
        count += 1
    return count


def start_properties(game: PlayedGame) -> str:
    """Return the properties for the type, the result and the initial position."""
    squares, side = (field.replace("X", "*") for field in game.board)
    rows = " ".join(squares[at : at + 8] for at in range(0, 64, 8))
    kind = "8" if game.board == INITIAL else f"8r{64 - squares.count('-')}"
    result = "?" if game.margin is None else f"{game.margin:+.3f}"
    flag = f":{FLAGS[game.ending]}" if game.ending in FLAGS else ""
    return f"TY[{kind}]RE[{result}{flag}]BO[8 {rows} {side}]"


def move_properties(game: PlayedGame) -> Iterator[str]:
    empty = (None,) * len(game.moves)
    for move, side, score, time in zip(
        game.moves, game.sides, game.scores or empty, game.elapsed_ms or empty, strict=True
    ):
        name = "PA" if move == PASS else format_square(move).upper()
        value = "" if score is None or abs(score) > DECISIVE else f"{score / 100:.2f}"
        seconds = "" if time is None else f"{time / 1000:.3f}"
        text = f"{name}/{value}/{seconds}".rstrip("/")
        yield f"{'BW'[side or 0]}[{text}]"
