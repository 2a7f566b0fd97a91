"""Positions with the values of their moves, read from an OBF file.

One position a line: 64 squares and the side to move, then legal moves, each with the disc difference at the end under
best play, the empty squares given to the winner, from the side to move: ``…X-O… X; F5:+4; D6:-2;``. What follows a
``%`` or a ``#`` is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quietmove.engine.errors import GameError, SuiteError
from quietmove.engine.files import read_bytes
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.game_files.obf import positions_in
from quietmove.engine.games.registry import get_game

OTHELLO = get_game("othello")
VALUE = re.compile(r"(\w+|--)\s*:\s*([+-]?\d{1,2})")
MOST_DISCS = 64
EXAMPLE = "64 squares of X, O and -, the side X or O; F5:+4; D6:-2;"


@dataclass(frozen=True, slots=True)
class Problem:
    """A position with the value of its moves.

    :param line: of the file, from 1.
    :param fields: the squares and the side to move.
    :param values: hundredths of a disc of each listed move, from the side to move; one move at least.
    """

    line: int
    fields: tuple[str, str]
    values: Mapping[int, int]

    @property
    def best(self) -> int:
        """The value of the best listed move."""
        return max(self.values.values())

    def position(self) -> Position:
        """Return the position, new each time."""
        return OTHELLO.parse_position(self.fields)


def read_problems(path: Path) -> list[Problem]:
    """Return the problems of an OBF file, one at least.

    :raises SuiteError: naming the file, and the line if one is wrong.
    """
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise SuiteError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SuiteError(f"{path}: must be a text in UTF-8") from None
    problems = []
    for number, fields, values in positions_in(lines):
        try:
            problems.append(_read_problem(number, fields, values))
        except GameError as error:
            raise SuiteError(f"{path}:{number}: {error}") from None
    if not problems:
        raise SuiteError(f"{path}: must have a position, not none; a line is {EXAMPLE!r}")
    return problems


def _read_problem(number: int, fields: Sequence[str], listed: str) -> Problem:
    position = OTHELLO.parse_position(fields)
    if position.is_over():
        raise GameError("must be a position with a legal move; this game is over")
    values: dict[int, int] = {}
    for text in filter(None, map(str.strip, listed.split(";"))):
        move, value = _read_value(position, text)
        if move in values:
            raise GameError(f"must have one value a move, not two of {OTHELLO.format_move(move)!r}")
        values[move] = value
    if not values:
        raise GameError("must have a move with its value, like 'F5:+4;', not none")
    squares, side = OTHELLO.format_position(position).split()
    return Problem(number, (squares, side), values)


def _read_value(position: Position, text: str) -> tuple[int, int]:
    match = VALUE.fullmatch(text)
    if match is None or abs(int(match[2])) > MOST_DISCS:
        allowed = f"a move with its value from -{MOST_DISCS} to +{MOST_DISCS}, like 'F5:+4'"
        raise GameError(f"must be {allowed}, not {text!r}")
    return OTHELLO.parse_move(position, match[1]), 100 * int(match[2])
