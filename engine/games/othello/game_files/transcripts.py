"""Transcripts: one game per line, ``f5d6c3…``, from the initial position.

Moves are accepted in all notations of :mod:`quietmove.engine.move_text`. A move can also be two numbers from 1, the
column and the row from the bottom, as written by programs of the Othello project: ``6 4 4 3 3 6…`` for the same game.
Or it can be a drop in Fairy-Stockfish's notation: ``P@f4 P@d3``. Passes can be omitted. A result after the moves is
ignored, and so are empty lines and lines starting with #. If a line starts with a year and a tab, the game is in its
last tab-separated column. A name can follow a tab; it is read as the event. Only moves are written.

A game can continue on the next line: with the next move number, or with moves that are legal there but not from the
initial position. A result ends the game.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from quietmove.engine.errors import GameFileError, NotationError
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.game_files import flipello
from quietmove.engine.games.othello.game_files.game import INITIAL, Losses, PlayedGame, initial_position
from quietmove.engine.games.othello.game_files.text_lines import read_lines
from quietmove.engine.games.othello.notation import format_square, letters_of, parse_square
from quietmove.engine.move_text import is_result, split_moves

YEAR = re.compile(r"[12]\d{3}", re.ASCII)
NAME = re.compile(r"\t(?!pass)(?=.*[^\W\d]{3}|[^a-h\d])(.+)", re.IGNORECASE)
MOVE_NUMBER = re.compile(r"\s*(\d{1,3})[.…):]", re.ASCII)


class Line(NamedTuple):
    """The part of a game that one line contains.

    :ivar number: the move number that it begins with, or 0 if it has none.
    """

    game: PlayedGame
    number: int
    has_result: bool


def read(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of a text file.

    :raises GameFileError: if a line contains anything other than a game.
    """
    texts = ((place, line) for place, line in read_lines(path) if line.strip() and not line.lstrip().startswith("#"))
    lines = losses.read_each(partial(_read_line, *each) for each in texts)
    yield from losses.read_each(partial(_require_moves, game) for game in _join(lines))


def _join(lines: Iterable[Line]) -> Iterator[PlayedGame]:
    """Yield the games, each joined from its lines."""
    game = None
    position = None  # after the moves of the game; None if it has a result, or an illegal move
    for line in lines:
        moves = line.game.moves
        after = _play(initial_position(line.game), moves)
        joins = False
        if game and position and not position.is_over() and not line.game.date:
            plies = len(game.moves)
            is_next = line.number > 1 and line.number in (plies + 1, plies // 2 + 1)
            continued = _play(position, moves)
            joins = is_next or (continued is not None and (line.number > 1 or not moves or after is None))
        if game and joins:
            game = replace(game, moves=game.moves + moves)
            after = continued
        else:
            if game:
                yield game
            game = line.game
        position = None if line.has_result else after
    if game:
        yield game


def _play(position: OthelloPosition, moves: Iterable[int]) -> OthelloPosition | None:
    """Return the position after the moves, or None if a move is illegal. Forced passes can be omitted."""
    after = position.copy()
    for move in moves:
        if move != PASS and after.legal_moves() == [PASS]:
            after.play(PASS)
        if move not in after.legal_moves():
            return None
        after.play(move)
    return after


def _require_moves(game: PlayedGame) -> PlayedGame:
    if not game.moves:
        raise GameFileError(f"{game.place}: contains no moves")
    return game


def _read_line(place: str, line: str) -> Line:
    columns = line.rstrip().split("\t")
    year = columns[0] if len(columns) > 1 and YEAR.fullmatch(columns[0]) else ""
    line = columns[-1] if year else line
    line, name, *_ = *NAME.split(line, 1), ""
    texts = split_moves([flipello.moves_text(line)])
    has_result = bool(texts) and is_result(texts[-1])
    if has_result:
        texts.pop()
    moves: list[int] = []
    try:
        for text in texts:
            moves.append(parse_square(letters_of(text)))
    except NotationError as error:
        raise GameFileError(f"{place}: move {len(moves) + 1}: {error}") from None
    number = MOVE_NUMBER.match(line)
    game = PlayedGame(place, INITIAL, tuple(moves), date=year, event=name.strip())
    return Line(game, int(number[1]) if number else 0, has_result)


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
