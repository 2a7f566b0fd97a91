"""Positions as PNG images, for programs that do not display SVG."""

from __future__ import annotations

import sys
from html import escape
from typing import Any

from quietmove.engine.games.base import Game, Position
from quietmove.engine.protocol.pictures import Marks, board_svg

# The default fonts of resvg do not exist on Linux; without a matching font it draws no letters.
FONTS: dict[str, Any] = (
    {"sans_serif_family": "DejaVu Sans", "monospace_family": "DejaVu Sans Mono"} if sys.platform == "linux" else {}
)
LINE, LETTER = 20, 9  # line height and letter width in pixels


def board_png(game: Game, position: Position, marks: Marks) -> bytes:
    """Return the board as PNG data. For a game without a picture, its text drawing is rendered instead.

    :raises ImportError: if the drawing library is not installed.
    """
    import resvg_py

    svg = board_svg(game, position, marks) or text_svg(game.draw(position))
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, **FONTS))


def text_svg(text: str) -> str:
    """Render lines of text as SVG."""
    lines = text.splitlines()
    width = LETTER * max(map(len, lines)) + LINE
    height = LINE * (len(lines) + 1)
    shown = "".join(
        f'<text x="{LETTER}" y="{LINE * (number + 1)}" xml:space="preserve">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="monospace" '
        f'font-size="15"><rect width="{width}" height="{height}" fill="#ffffff"/>{shown}</svg>'
    )
