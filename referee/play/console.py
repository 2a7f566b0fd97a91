"""The terminal of ``quietmove play``: drawing the board and reading lines."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO, TypeAlias, Union

from quietmove.engine.games.base import Game, Position
from quietmove.engine.protocol.notation import PROJECT, Numbers
from quietmove.engine.protocol.pictures import EMPTY, Marks, legal_squares
from quietmove.engine.protocol.wire import LineWriter, can_edit

if TYPE_CHECKING:
    from quietmove.engine.protocol.editor import Editor

Console: TypeAlias = Union["Editor", "PlainConsole"]


class PlainConsole:
    """A console without line editing that has the methods of an Editor. It writes the prompt only to a terminal."""

    def __init__(self) -> None:
        self.write = LineWriter()
        self.check = self.write.check
        self._asks = os.isatty(0) and os.isatty(1)

    def read(self, prompt: str) -> str:
        if self._asks:
            os.write(1, prompt.encode("utf-8", "backslashreplace"))
        line = sys.stdin.buffer.readline() if sys.stdin else b""
        if not line:
            raise EOFError
        return line.decode("utf-8", "replace")


@contextmanager
def open_console(complete: Callable[[str], Iterable[str]]) -> Iterator[Console]:
    """Open the console, with line editing if the terminal supports it.

    :param complete: a function that returns the full lines that complete a partial line.
    """
    if not can_edit():
        yield PlainConsole()
        return
    from quietmove.engine.protocol.editor import Editor

    with Editor(complete) as editor:
        yield editor


DISCS = {"Black": "●", "White": "●"}  # drawn in colour; players of other games are drawn as letters
LEGAL = "·"
GREEN, RED, GREY = 42, 41, 100  # background colours: the board, the last move, the squares it changed
INKS = (30, 97)  # foreground colours of dark and light pieces
RESET = "\x1b[0m"


def draw_board(
    game: Game, position: Position, marks: Marks, color: bool, numbers: Numbers = PROJECT, *, resigned: bool = False
) -> list[str]:
    """Return the lines that show the board, its coordinates (in both notations, if there are two) and the side to move.

    A game without a rectangular board is drawn by its own ``draw`` method.

    :param resigned: whether the game is over although moves remain.
    """
    squares = game.squares(position)
    drawn = game.draw(position).splitlines()
    if resigned:
        drawn[-1] = re.sub("^[^;]*", "  game over", drawn[-1])  # the text before a semicolon names the side to move
    columns = game.board_columns
    if squares is None or columns is None:
        return drawn
    legal = set() if resigned else legal_squares(game, position)
    row = color_row if color else plain_row
    names = [game.column_name(column) for column in range(columns)]
    width = 1 + max(map(len, names))
    head, foot = (
        "".join(f"{each:>{width}}" for each in line) for line in (names, range(numbers.first, columns + numbers.first))
    )
    lines = [f"    {head}"]
    count = len(squares) // columns
    for index in range(count):
        cells = row(game, squares, range(columns * index, columns * (index + 1)), legal, marks, width)
        line = f"  {game.row_name(index):>2}{cells}"
        number = numbers.first + (count - 1 - index if numbers.from_bottom else index)
        lines.append(f"{line}{number:>2}" if game.grid else line.rstrip())
    legend = color_legend(game, drawn[-1]) if color else drawn[-1]
    return [*lines, *([f"    {foot}"] if game.grid else []), legend]


def color_legend(game: Game, text: str) -> str:
    """Replace the letters in the line below the board with discs, if the board shows discs for them."""
    for side, letter in enumerate(game.sides):
        if disc := DISCS.get(game.players[side]):
            drawn = f"\x1b[{GREEN};{INKS[side != game.dark_side]}m{disc}{RESET}"
            text = re.sub(rf"(?<!\w){re.escape(letter)}(?!\w)", drawn, text)
    return text


def plain_row(game: Game, squares: str, row: Sequence[int], legal: set[int], marks: Marks, width: int) -> str:
    """Return a row in ASCII: the last move in parentheses, changed squares in lower case, legal moves as dots."""
    text = " "
    for index in row:
        letter = squares[index]
        shown = "." if letter == EMPTY and index in legal else letter.lower() if index in marks.changed else letter
        text += " " * (width - 2)
        text = f"{text[:-1]}({shown})" if index in marks.placed else f"{text}{shown} "
    return text


def color_row(game: Game, squares: str, row: Sequence[int], legal: set[int], marks: Marks, width: int) -> str:
    """Return a row in colour: discs for Black and White, letters for other players."""
    text = " "
    for index in row:
        letter, ground, ink = squares[index], GREEN, INKS[0]
        if index in marks.placed:
            ground = RED
        elif index in marks.changed:
            ground = GREY
        if letter == EMPTY:
            shown = LEGAL if index in legal else " "
        else:
            side = game.owner(letter)
            disc = DISCS.get(game.players[side], letter)
            shown = disc if letter in game.sides else letter
            ink = INKS[side != game.dark_side]
        text += f"\x1b[{ground};{ink}m{shown:>{width - 1}} "
    return text + RESET + " "


def can_color(out: TextIO) -> bool:
    """Return whether ``out`` is a terminal that can show colours and discs, and the user has not disabled them."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in ("dumb", "") or not out or not out.isatty():
        return False
    try:
        "".join([*DISCS.values(), LEGAL]).encode(out.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
