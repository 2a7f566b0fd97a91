"""Transcripts: one game per line, ``f5d6c3…``, from the initial position.

Moves are accepted in all notations of :mod:`quietmove.engine.move_text`. A move can also be two numbers from 1, the
column and the row from the bottom, as written by programs of the Othello project: ``6 4 4 3 3 6…`` for the same game.
Or it can be a drop in Fairy-Stockfish's notation: ``P@f4 P@d3``. Passes can be omitted. A result after the moves is
ignored, and so are empty lines and lines starting with #. If a line starts with a year and a tab, the game is in its
last tab-separated column. Only moves are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from quietmove.engine.errors import GameFileError, NotationError
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files import flipello
from quietmove.engine.games.othello.game_files.game import INITIAL, Losses, PlayedGame
from quietmove.engine.games.othello.game_files.text_lines import read_lines
from quietmove.engine.games.othello.notation import format_square, letters_of, parse_square
from quietmove.engine.move_text import is_result, split_moves

YEAR = re.compile(r"[12]\d{3}", re.ASCII)


def read(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of a text file.

    :raises GameFileError: if a line contains anything other than a game.
    """
    lines = ((place, line) for place, line in read_lines(path) if line.strip() and not line.lstrip().startswith("#"))
    yield from losses.read_each(partial(_read_line, *each) for each in lines)


def _read_line(place: str, line: str) -> PlayedGame:
    columns = line.rstrip().split("\t")
    year = columns[0] if len(columns) > 1 and YEAR.fullmatch(columns[0]) else ""
    line = columns[-1] if year else line
    texts = split_moves([flipello.moves_text(line) if flipello.has_drops(line) else line])
    if texts and is_result(texts[-1]):
        texts.pop()
    moves: list[int] = []
    try:
        for text in texts:
            moves.append(parse_square(letters_of(text)))
    except NotationError as error:
        raise GameFileError(f"{place}: move {len(moves) + 1}: {error}") from None
    if not moves:
        raise GameFileError(f"{place}: contains no moves")
    return PlayedGame(place, INITIAL, tuple(moves), date=year)


def write(
    files: Sequence[BinaryIO], games: Iterable[PlayedGame], losses: Losses, spell: Callable[[str], str] = str
) -> int:
    """Write the games and return their number.

    :param spell: converts a square to another notation; squares with blanks in them are separated by blanks.
    """
    count = 0
    for game in games:
        if game.board != INITIAL:
            losses.left_out["a different initial position"] += 1
        elif not game.moves:
            losses.left_out["no moves"] += 1
        else:
            losses.count_all_but_moves(game)
            squares = [spell(format_square(move)) for move in game.moves if move != PASS]
            text = (" " if " " in squares[0] else "").join(squares)
            files[0].write(f"{text}\n".encode())
            count += 1
    return count
