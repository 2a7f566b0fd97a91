"""A position as a picture of pixels, for programs that show no SVG."""

from __future__ import annotations

import sys
from html import escape
from typing import Any

from quietmove.engine.games.base import Game, Position
from quietmove.engine.protocol.pictures import Marks, board_svg

# The library's own defaults are fonts that Linux has not; where none of a name is installed, no letters are drawn.
FONTS: dict[str, Any] = (
    {"sans_serif_family": "DejaVu Sans", "monospace_family": "DejaVu Sans Mono"} if sys.platform == "linux" else {}
)
LINE, LETTER = 20, 9  # pixels of a line of text, and of a letter's width


def board_png(game: Game, position: Position, marks: Marks) -> bytes:
    """Return the board as a file in the format PNG; of a game without a picture, what it draws as text.

    :raises ImportError: if the library that draws is not installed.
    """
    import resvg_py

    svg = board_svg(game, position, marks) or text_svg(game.draw(position))
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, **FONTS))


def text_svg(text: str) -> str:
    """Return lines of text as a picture in SVG."""
    lines = text.splitlines()
    width, height = LETTER * max(map(len, lines)) + LINE, LINE * (len(lines) + 1)
    shown = "".join(
        f'<text x="{LETTER}" y="{LINE * (number + 1)}" xml:space="preserve">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="monospace" '
        f'font-size="15"><rect width="{width}" height="{height}" fill="#ffffff"/>{shown}</svg>'
    )
