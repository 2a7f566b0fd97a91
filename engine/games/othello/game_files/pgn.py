"""PGN, the Portable Game Notation of chess, with games of Othello: tags, then numbered moves, and the result last.

.. code-block:: text

    [Event "Cup"]
    [Date "1985.??.??"]
    [Black "ann"]
    [White "bob"]
    [Result "40-24"]

    1. f5 d6 2. c3 d3 ... 40-24

Black moves first. The result is a disc count, Black's first, a chess result (``1-0``, ``0-1`` or ``1/2-1/2``; only the
draw gives a margin), or ``*``. Moves are squares in lower or upper case; a pass is ``--`` or ``pass`` and can be
omitted. Comments in braces or after a semicolon, variations in parentheses and ``$`` codes are dropped and counted.
``FEN`` (the position in the protocol's format) is also read and written; all other tags are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from quietmove.engine.errors import GameFileError, NotationError, PositionError
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import HELD_FIELDS, INITIAL, VARIATIONS, Losses, PlayedGame
from quietmove.engine.games.othello.game_files.text_lines import read_lines
from quietmove.engine.games.othello.notation import format_square, parse_board, parse_square
from quietmove.engine.move_text import is_result, split_moves

TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:\\.|[^"\\])*)"\s*\]\s*')
QUOTED = re.compile(r"\\(.)")
DROPPED = re.compile(r"\{[^}]*(\})?|;[^\n]*|\$\d+|[!?]+|[()]")  # comments, and the bounds of variations
DISCS = re.compile(r"(\d{1,2})-(\d{1,2})")
CHESS = ("1-0", "0-1", "1/2-1/2", "*")
UNKNOWN = ("?", "????.??.??")


def read(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of a PGN file.

    :raises GameFileError: if there is no game, or a tag, a move or the position cannot be read.
    """
    yield from losses.read_each(partial(read_game, *each, losses) for each in games_in(path))


def games_in(path: Path) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield each game's location (such as ``line 1``), tags and moves.

    :raises GameFileError: if the file contains no games.
    """
    place, tags, lines = "", dict[str, str](), list[str]()
    for where, line in read_lines(path):
        tag = TAG.fullmatch(line)
        if tag and lines:
            yield place, tags, "\n".join(lines)
            tags, lines = {}, []
        if tag:
            place = place if tags else where
            tags[tag[1]] = QUOTED.sub(r"\1", tag[2])
        elif line.strip() and not line.startswith("%"):
            lines.append(line)
            place = place or where
    if not tags and not lines:
        raise GameFileError("it contains no PGN games")
    yield place, tags, "\n".join(lines)


def read_game(place: str, tags: dict[str, str], text: str, losses: Losses) -> PlayedGame:
    """Parse a game.

    :raises GameFileError: if a move or the position cannot be read.
    """
    try:
        kept = list(main_line(text))
    except GameFileError as error:
        raise GameFileError(f"{place}: {error}") from None
    losses.not_kept[VARIATIONS] += len(kept) > 1
    words = split_moves(kept)
    result = words.pop() if words and (is_result(words[-1]) or words[-1] in CHESS) else tags.get("Result", "*")
    board = tuple(tags["FEN"].split()) if "FEN" in tags else INITIAL
    moves: list[int] = []
    try:
        parse_board(board)
        for word in words:
            moves.append(PASS if word.lower() in ("--", "pass", "pa", "ps") else parse_square(word))
    except (NotationError, PositionError) as error:
        raise GameFileError(f"{place}: move {len(moves) + 1}: {error}") from None
    black, white, event, date = (
        "" if (value := tags.get(name, "")) in UNKNOWN else value for name in ("Black", "White", "Event", "Date")
    )
    date = date.replace(".??", "")
    return PlayedGame(place, (board[0], board[1]), tuple(moves), margin_of(result), (), (black, white), event, date)


def main_line(text: str) -> Iterator[str]:
    """Yield the parts of a game's text between its comments and variations.

    :raises GameFileError: if a comment or a variation does not end.
    """
    at = depth = 0
    for match in DROPPED.finditer(text):
        if match[0][0] == "{" and not match[1]:
            raise GameFileError(f"a comment has no closing }}: {match[0][:20]!r}")
        if match[0] == ")" and not depth:  # part of a move number such as 1)
            continue
        if not depth:
            yield text[at : match.start()]
        depth += (match[0] == "(") - (match[0] == ")")
        at = match.end()
    if depth:
        raise GameFileError("a variation has no closing )")
    yield text[at:]


def margin_of(result: str) -> float | None:
    """Return Black's margin, or None if the result is neither a disc count nor a draw."""
    match = DISCS.fullmatch(result)
    if match is None or result in CHESS[:2] or (discs := int(match[1]) + int(match[2])) > 64 or discs < 2:
        return 0 if result == "1/2-1/2" else None
    return int(match[1]) - int(match[2])


def write(files: Sequence[BinaryIO], games: Iterable[PlayedGame], losses: Losses) -> int:
    """Write the games and return their number."""
    count = 0
    for game in games:
        losses.count_all_but_moves(game, HELD_FIELDS)
        if game.ending not in ("", "finished"):
            losses.not_kept["reasons why games ended"] += 1
        result = result_text(game)
        tags = {
            "Event": game.event or "?",
            "Date": game.date or "????.??.??",
            "Black": game.players[0] or "?",
            "White": game.players[1] or "?",
            "Result": result,
            **({} if game.board == INITIAL else {"FEN": " ".join(game.board)}),
        }
        head = "".join(f'[{name} "{quote(text)}"]\n' for name, text in tags.items())
        names = ["--" if move == PASS else format_square(move) for move in game.moves]
        pairs = [f"{at // 2 + 1}. {' '.join(names[at : at + 2])}" for at in range(0, len(names), 2)]
        files[0].write(f"{head}\n{' '.join([*pairs, result])}\n\n".encode())
        count += 1
    return count


def quote(text: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", text.replace("\n", " "))


def result_text(game: PlayedGame) -> str:
    if game.margin is None:
        return "*"
    black = (64 + round(game.margin)) // 2
    return f"{black}-{64 - black}"
